"""Settings that differ in C and gamma only, solved on shared kernel values.

A rung of few rows computes the distances (or products) of its rows once. Each gamma makes kernel values of them, which
all its C share, and all binary problems of the classes. Of each problem

    W(alpha) = sum y_i alpha_i - 1/2 sum alpha_i alpha_j K_ij,   0 <= y_i alpha_i <= C w_i,   sum alpha_i = 0,

g_i = y_i - sum_j alpha_j K_ij is the gradient. The values of C are solved in rising order. After a solution for C, the
next, C' > C, begins on the ray r alpha with 1 <= r <= C' / C, all of which is feasible. There W = r A - r^2 B / 2 with
A = sum y_i alpha_i and B = sum alpha_i (y_i - g_i), which is largest at r = A / B, and the gradient is y - r (y - g).
Where no coefficient is at its bound, r = 1 is the solution for every higher C as well: it costs no step.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from sklearn.metrics.pairwise import manhattan_distances
from sklearn.utils import check_array
from sklearn.utils.extmath import row_norms, safe_sparse_dot

from hinge import _core
from hinge._model.cache import cache_megabytes
from hinge._model.labels import class_factors
from hinge.incremental import IncrementalSVC
from hinge.online import OnlineSVC

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_MAX_ROWS = 4500  # to learn; with more, models are trained instead
_KERNELS = ("rbf", "laplacian", "linear", "poly")
_CHOSEN = ("C", "gamma")
_FREE = {
    *_CHOSEN,
    "kernel",
    "degree",
    "coef0",
    "class_weight",
    "tol",
    "cache_size",
    "random_state",
    "n_jobs",
    "verbose",
}
_MAX_STEPS = 12  # times rows, of one binary problem; the solution of a harder one is cut short
_MIN_STEPS = 25_000
_BLOCK = 512  # test rows at a time: their kernel values stay in the cache of the processor
_BYTES_PER_VALUE = 12  # of a kernel value and what it is made of


def can_share(model: Any, n_train: int, n_test: int) -> bool:
    """Tell whether settings of a model have exact solutions on kernel values that fit into its cache."""
    if type(model) not in (OnlineSVC, IncrementalSVC) or n_train > _MAX_ROWS:
        return False
    defaults, params = type(model)().get_params(), model.get_params()
    if any(params[name] != defaults[name] for name in params if name not in _FREE):
        return False  # such as a limit of the support vectors
    if _BYTES_PER_VALUE * n_train * (n_train + n_test) > cache_megabytes(model.cache_size) * 2**20:
        return False
    return isinstance(model.kernel, str) and model.kernel in _KERNELS


@dataclass(frozen=True)
class Solution:
    """What one setting predicts for the test rows, how many rows it holds, and after how many steps."""

    predictions: NDArray[Any]
    n_held: int
    n_steps: int


class SharedKernels:
    """Training and test rows of a rung, and what the kernel values of all gamma are made of.

    Parameters
    ----------
    model : OnlineSVC or IncrementalSVC
        Has the kernel, the class weights and the tolerance.
    X, y : array or CSR matrix of shape (n, n_features), ndarray of shape (n,)
        What is learned.
    X_test : array or CSR matrix of shape (m, n_features)
        What is predicted.
    """

    def __init__(self, model: Any, X: Any, y: NDArray[Any], X_test: Any) -> None:
        self._model = model
        train, test = (check_array(rows, accept_sparse="csr", dtype=np.float64) for rows in (X, X_test))
        if model.kernel == "rbf" and not sparse.issparse(train):  # smaller norms, smaller rounding errors
            middle = train.mean(axis=0)
            train, test = train - middle, test - middle
        self._own = _measure(model.kernel, train, train)
        if model.kernel == "rbf":  # in what decides about test rows, seven digits are enough
            train, test = train.astype(np.float32), test.astype(np.float32)
        self._cross = _measure(model.kernel, test, train)
        self._classes, numbers = np.unique(y, return_inverse=True)
        wanted = range(len(self._classes)) if len(self._classes) > 2 else [1]
        self._signs: Floats = np.array([np.where(numbers == number, 1.0, -1.0) for number in wanted])
        self._weights: Floats = np.ascontiguousarray(class_factors(model.class_weight, y, np.ones(len(y))))

    def solve(self, gamma: float, costs: Sequence[float]) -> list[Solution]:
        """Solve the problems of one gamma and rising values of C."""
        n, signs = len(self._own), self._signs
        gram = np.zeros((n, _core.padded(n)), dtype=np.float32)
        gram[:, :n] = self._values(self._own, gamma)
        alpha, gradient, before = np.zeros_like(signs), signs.copy(), 0.0
        found, all_steps = [], 0
        for cost in costs:
            if before:
                alpha, gradient = along_ray(alpha, gradient, signs, cost / before)
            before = cost
            bounds, most = cost * self._weights, max(_MAX_STEPS * n, _MIN_STEPS)
            alpha, gradient, bias, n_steps = _core.solve_gram(
                gram, signs, bounds, alpha, gradient, self._model.tol, most
            )
            all_steps += n_steps  # a model of this C alone would need about those of the smaller ones, too
            found.append((alpha, bias, all_steps))
        decisions = self._decide(gamma, np.concatenate([alpha for alpha, _, _ in found]))
        solutions = []
        for (alpha, bias, n_steps), own in zip(found, np.split(decisions, len(found), axis=1), strict=True):
            n_held = int(alpha.any(axis=0).sum())
            solutions.append(Solution(self._choose(own + bias), n_held, n_steps))
        return solutions

    def _decide(self, gamma: float, alpha: Floats) -> Floats:
        """Return the decision values of the test rows, without bias: a row per test row, a column per row of alpha."""
        held = np.flatnonzero(alpha.any(axis=0))
        weights = np.ascontiguousarray(alpha[:, held].T)
        starts = range(0, len(self._cross), _BLOCK)
        blocks = (self._values(self._cross[start : start + _BLOCK, held], gamma) for start in starts)
        decisions: Floats = np.concatenate([block.astype(np.float64) @ weights for block in blocks])
        return decisions

    def _values(self, measured: NDArray[Any], gamma: float) -> NDArray[np.float32]:
        """Return kernel values of distances or products."""
        model = self._model
        if model.kernel == "linear":
            return measured.astype(np.float32)
        if model.kernel == "poly":
            values: NDArray[np.float32] = ((gamma * measured + model.coef0) ** model.degree).astype(np.float32)
        else:
            values = (measured * measured.dtype.type(-gamma)).astype(np.float32, copy=False)
            np.exp(values, out=values)
        return values

    def _choose(self, decisions: Floats) -> NDArray[Any]:
        is_binary = decisions.shape[1] == 1
        chosen: NDArray[Any] = self._classes[
            (decisions[:, 0] > 0).astype(int) if is_binary else decisions.argmax(axis=1)
        ]
        return chosen


def along_ray(alpha: Floats, gradient: Floats, signs: Floats, most: float) -> tuple[Floats, Floats]:
    """Return the best coefficients r alpha with 1 <= r <= `most`, and their gradients; one problem per row.

    Examples
    --------
    >>> along_ray(np.array([[1.0, -1.0]]), np.array([[0.5, -0.5]]), np.array([[1.0, -1.0]]), 4.0)[0].tolist()
    [[2.0, -2.0]]
    """
    linear, quadratic = (alpha * signs).sum(axis=1), (alpha * (signs - gradient)).sum(axis=1)
    best = np.divide(linear, quadratic, out=np.ones_like(linear), where=quadratic > 0)
    factor = np.clip(best, 1.0, most)[:, None]
    return factor * alpha, signs - factor * (signs - gradient)


def _measure(kernel: str, rows: Any, others: Any) -> Floats:
    """Return what gamma multiplies: squared distances, distances or products."""
    if kernel == "laplacian":
        distances: Floats = manhattan_distances(rows, others)
        return distances
    products: Floats = safe_sparse_dot(rows, others.T, dense_output=True)
    if kernel != "rbf":
        return products
    products *= -2.0  # in place: there are many
    products += row_norms(rows, squared=True)[:, None]
    products += row_norms(others, squared=True)
    return np.maximum(products, 0.0, out=products)
