"""From sums over the coefficients to places relative to the surface that encloses the examples.

With a the coefficients, A their sum and b the bias, the native machine knows s(x) = sum_i a_i k(x, x_i) + b. On a plane
s(x) = 0. On a sphere s(x) = A k(x, x) / 2: its centre c is sum_i a_i phi(x_i) / A, and with r its radius

    r^2 - |phi(x) - c|^2 = (2 / A) (s(x) - A k(x, x) / 2),   r^2 = |c|^2 + 2 b / A.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hinge._model.overflow import require_finite
from hinge.incremental._self_similarity import self_similarity

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hinge.incremental._state import ExactState

_ROUNDING = 1e-10  # of what is summed: examples no farther than that from the surface are on it


def offset(state: ExactState) -> float:
    """Return the score of examples on the surface."""
    native = state.native
    bias, total = float(native.bias[0]), float(native.total[0])
    return -bias if _is_plane(state) else -float(native.squared_norm[0]) / total**2 - 2.0 * bias / total


def decisions(state: ExactState, sums: NDArray[np.float64], X: Any) -> NDArray[np.float64]:
    """Return how far inside some examples are, whose sums are known; the examples matter to spheres only."""
    if _is_plane(state):
        return _levelled(state, sums, np.zeros(1))
    total = float(state.native.total[0])
    return require_finite(2.0 / total * _levelled(state, sums, total / 2.0 * self_similarity(state, X)))


def left_out(state: ExactState, sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how far inside each example held is, by its sum in the machine without it; in the order of the stream."""
    if _is_plane(state):
        return sums
    _, arrays = state.snapshot()
    order = np.argsort(arrays["ids"])
    costs = arrays["costs"][order]
    most = np.inf if state.options.most_total is None else state.options.most_total
    totals = np.minimum(most, state.options.nu * (costs.sum() - costs))
    return require_finite(2.0 / totals * sums - self_similarity(state, state.vectors(arrays)[order]))


def _levelled(state: ExactState, sums: NDArray[np.float64], level: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return sums minus what they are on the surface; 0 where they differ by rounding only.

    Support vectors on the surface would otherwise be outliers at random, and the share of outliers could exceed nu.
    """
    native = state.native
    distances = sums - level
    slack = 2.0 * native.residual[0] + _ROUNDING * (abs(native.bias[0]) + np.abs(level))
    return np.where(np.abs(distances) <= slack, 0.0, distances)


def _is_plane(state: ExactState) -> bool:
    """Tell whether a plane encloses the examples, and not a sphere."""
    return state.options.problem == "plane"
