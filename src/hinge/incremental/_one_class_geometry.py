"""Signed distances from the surface, a plane or a sphere, that encloses the examples of a one-class model.

With coefficients a_i, their sum A and the bias b, the native model computes s(x) = sum_i a_i k(x, x_i) + b. The surface
is where s(x) = 0 for a plane, and where s(x) = A k(x, x) / 2 for a sphere. The centre of the sphere is
c = sum_i a_i phi(x_i) / A. With its radius r,

    r^2 - |phi(x) - c|^2 = (2 / A) (s(x) - A k(x, x) / 2),   r^2 = |c|^2 + 2 b / A.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hinge._model.overflow import require_finite
from hinge.incremental._kernel_diagonal import kernel_diagonal

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hinge.incremental._kernel_diagonal import Rows
    from hinge.incremental._state import ExactState

_SURFACE_TOLERANCE = 1e-10  # relative rounding error of s(x) on the surface


def offset(state: ExactState) -> float:
    """Return the value of `score_samples` on the surface."""
    native = state.native
    bias, total = float(native.bias[0]), float(native.total[0])
    return -bias if _is_plane(state) else -float(native.squared_norm[0]) / total**2 - 2.0 * bias / total


def signed_distances(state: ExactState, sums: NDArray[np.float64], X: Rows) -> NDArray[np.float64]:
    """Compute signed distances from the surface, positive inside; squared ones for a sphere.

    Parameters
    ----------
    state : ExactState
        The model.
    sums : array of shape (n,)
        The values s(x) of the native model.
    X : array or CSR matrix of shape (n, n_features)
        The checked examples, which only a sphere uses.
    """
    if _is_plane(state):
        return _relative_to_surface(state, sums, np.zeros(1))
    total = float(state.native.total[0])
    return require_finite(2.0 / total * _relative_to_surface(state, sums, total / 2.0 * kernel_diagonal(state, X)))


def leave_one_out_distances(state: ExactState, sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Compute the signed distance of each example held, from the values s(x) of the model without that example.

    Examples are in the order of the stream.
    """
    if _is_plane(state):
        return sums
    _, arrays = state.snapshot()
    order = np.argsort(arrays["ids"])
    costs = arrays["costs"][order]
    max_total = np.inf if state.options.most_total is None else state.options.most_total
    totals = np.minimum(max_total, state.options.nu * (costs.sum() - costs))
    return require_finite(2.0 / totals * sums - kernel_diagonal(state, state.vectors(arrays)[order]))


def _relative_to_surface(
    state: ExactState, sums: NDArray[np.float64], surface: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return sums minus their values on the surface; exactly 0 where the two differ by rounding only.

    Otherwise support vectors on the surface would be outliers at random, and the share of outliers could exceed nu.
    """
    native = state.native
    differences = sums - surface
    tolerance = 2.0 * native.residual[0] + _SURFACE_TOLERANCE * (abs(native.bias[0]) + np.abs(surface))
    return np.where(np.abs(differences) <= tolerance, 0.0, differences)


def _is_plane(state: ExactState) -> bool:
    return state.options.problem == "plane"
