"""The formulas of the paper, for SVMs without a bias whose examples have k(x, x) <= 1.

With g_i = 1 - y_i f(x_i), the best step on coefficient i has length a_i = g_i / k(x_i, x_i), clipped such that alpha_i
stays in [0, C], and increases the dual objective D by Delta_i = a_i (g_i - a_i k(x_i, x_i) / 2). With
mu(x) = sqrt(2 x) + x / C the paper shows, for t examples and for streams of T examples with K steps after each:

- Lemma 1: (P(w(alpha)) - D(alpha)) / (C t) <= mu(mean of Delta_i)
- Theorem 2, Algorithm 1: mean over t of (P_t(w(mean of alpha)) - P_t*) / (C t) <= mu(D_T* / (K T))
- Theorem 3, Algorithm 2: the same with D_T* minus the gains of the first steps on new examples
- Corollary 4: K = 8 C / e^2 steps make that mean at most e
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from experiments.problems import Floats


Number = TypeVar("Number", float, "NDArray[np.float64]")


def mu(x: Number, C: float) -> Number:
    """Return mu(x) = sqrt(2 x) + x / C."""
    root: Number = np.sqrt(2.0 * x)
    return root + x / C


def step_gains(
    alpha: NDArray[np.float64], gradient: NDArray[np.float64], curvature: NDArray[np.float64], C: float
) -> NDArray[np.float64]:
    """Return the increase of the dual objective by the best step on each coefficient."""
    length = np.clip(gradient / curvature, -alpha, C - alpha)
    return length * (gradient - 0.5 * length * curvature)


def duality_gap(alpha: NDArray[np.float64], gradient: NDArray[np.float64], C: float) -> float:
    """Return the duality gap by equation (4) of the paper."""
    return float(np.maximum((C - alpha) * gradient, -alpha * gradient).sum())


def rbf_kernel(X: Floats, Z: Floats, gamma: float) -> NDArray[np.float64]:
    """Return the matrix of exp(-gamma ||x - z||^2)."""
    distances = (X * X).sum(axis=1)[:, None] + (Z * Z).sum(axis=1) - 2.0 * (X @ Z.T)
    values: NDArray[np.float64] = np.exp(-gamma * np.maximum(distances, 0.0))
    return values
