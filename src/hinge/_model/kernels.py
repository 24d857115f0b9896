"""Kernels: parameters, kernel functions of the user, and precomputed kernel matrices."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hinge import _core
from hinge._model.types import is_sparse
from hinge.exceptions import DataError, KernelError, ParameterError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import DTypeLike, NDArray

    from hinge._model.types import Array, Gamma, Kernel, KernelFunction, Rows


_WITH_GAMMA = ("rbf", "poly", "sigmoid", "laplacian")
_BLOCK_ENTRIES = 1 << 20  # of X
_MIN_CHANGE = 0.05  # of log(gamma): smaller changes are not worth learning again
_VARIANCE_TOLERANCE = 1e-15  # a variance below this times the squared mean counts as zero
_SYMMETRY_TOLERANCE = 1e-4  # relative to the largest entry


@dataclass(frozen=True)
class KernelSpec:
    """A kernel with the values of all its parameters.

    Attributes
    ----------
    name : str
        linear, rbf, poly, sigmoid, laplacian, precomputed or callable.
    gamma : float
        Coefficient of rbf, poly, sigmoid and laplacian.
    coef0 : float
        Independent term of poly and sigmoid.
    degree : int
        Degree of poly.
    function : callable or None
        The user's function when `name` is "callable".
    """

    name: str
    gamma: float = 1.0
    coef0: float = 0.0
    degree: int = 3
    function: KernelFunction | None = None

    @classmethod
    def resolve(
        cls,
        kernel: Kernel,
        degree: int,
        gamma: Gamma,
        coef0: float,
        *,
        X: Rows,
        weights: NDArray[np.float64],
    ) -> KernelSpec:
        """Build the kernel; the examples decide gamma if it is "scale" or "auto"."""
        if callable(kernel):
            return cls("callable", function=kernel)
        width = _resolve_gamma(gamma, X, weights) if kernel in _WITH_GAMMA else 1.0
        if kernel in ("poly", "sigmoid") and coef0 != 0:
            _require_precision("coef0", float(coef0), X.dtype)
        return cls(kernel, width, float(coef0), int(degree))

    def require_same(self, kernel: Kernel, degree: int, gamma: Gamma, coef0: float) -> None:
        """Raise ParameterError if the parameters no longer describe this kernel."""
        if callable(kernel):
            same = self.function == kernel
        elif kernel in _WITH_GAMMA:
            wanted = self.gamma if isinstance(gamma, str) else float(gamma)
            same = (self.name, self.gamma, self.coef0, self.degree) == (kernel, wanted, float(coef0), degree)
        else:
            same = self.name == kernel
        if not same:
            raise ParameterError(
                f"The kernel and its parameters must stay what they were when learning began ({self.describe()}); "
                "set them back, or call fit to start from scratch."
            )

    def describe(self) -> str:
        """Describe the kernel for messages."""
        if self.name in ("poly", "sigmoid"):
            return f"{self.name}, gamma={self.gamma:g}, coef0={self.coef0:g}, degree={self.degree}"
        return f"{self.name}, gamma={self.gamma:g}" if self.name in _WITH_GAMMA else self.name

    def differs(self, other: KernelSpec) -> bool:
        """Return whether gamma differs from that of another kernel by enough to learn again."""
        return abs(math.log(self.gamma) - math.log(other.gamma)) > _MIN_CHANGE

    @property
    def has_gamma(self) -> bool:
        """True if the kernel depends on gamma."""
        return self.name in _WITH_GAMMA

    @property
    def is_bounded(self) -> bool:
        """True if no kernel value exceeds 1 in absolute value."""
        return self.name in ("rbf", "sigmoid", "laplacian")

    def native(self, dtype: DTypeLike) -> _core.Kernel:
        """Build the native kernel."""
        function = None if self.function is None else CheckedFunction(self.function, dtype)
        return _core.Kernel(self.name, self.gamma, self.coef0, self.degree, function)


class CheckedFunction:
    """A kernel function of the user, with a check of the values that it returns.

    Examples
    --------
    >>> import numpy as np
    >>> kernel = CheckedFunction(lambda A, B: A @ B.T, np.float64)
    >>> kernel(np.eye(2), np.ones((1, 2))).tolist()
    [[1.0], [1.0]]
    """

    def __init__(self, function: KernelFunction, dtype: DTypeLike) -> None:
        self._function = function
        self._dtype = dtype

    def __call__(self, A: Rows, B: Rows) -> Array:
        values = self._function(A, B)
        if is_sparse(values):
            values = values.toarray()
        expected = (A.shape[0], B.shape[0])
        values = np.asarray(values)
        if values.shape != expected:
            raise KernelError(
                f"The kernel function must return one value per pair, shape {expected}, got shape {values.shape}; "
                "rows belong to its first argument and columns to its second."
            )
        if values.dtype.kind not in "biuf":
            raise KernelError(f"The kernel function must return real numbers, got {values.dtype}; convert them.")
        values = np.ascontiguousarray(values, dtype=self._dtype)
        if not np.isfinite(values).all():
            raise KernelError(
                "The kernel function must return finite values, got NaN or infinity; check it for these examples."
            )
        return values


def check_gram(square: Array) -> None:
    """Raise DataError for a square matrix that is not a kernel matrix.

    Parameters
    ----------
    square : ndarray of shape (n, n)
        Kernel values of some examples against themselves.
    """
    largest = max(float(square.max()), -float(square.min()))
    lowest = float(square.diagonal().min())
    if lowest < -_SYMMETRY_TOLERANCE * largest:
        raise DataError(
            f"A precomputed kernel must not be negative on its diagonal, got {lowest:g}; check how it was computed."
        )
    rows = max(1, _BLOCK_ENTRIES // len(square))
    for start in range(0, len(square), rows):
        block = slice(start, start + rows)
        difference = float(np.abs(square[block] - square[:, block].T).max())
        if difference > _SYMMETRY_TOLERANCE * largest:
            raise DataError(
                "A precomputed kernel must be symmetric, got two values for one pair that differ by "
                f"{difference:g}; check how it was computed."
            )


def _resolve_gamma(gamma: Gamma, X: Rows, weights: NDArray[np.float64]) -> float:
    if gamma == "auto":
        return 1.0 / float(X.shape[1])
    if gamma != "scale":
        _require_precision("gamma", float(gamma), X.dtype)
        return float(gamma)
    spread = weighted_variance(X, weights) * float(X.shape[1])
    width = 1.0 if spread == 0 else 1.0 / spread
    if not _has_precision(width, X.dtype):
        raise DataError(
            f"gamma='scale' must be a number that {X.dtype} can hold, got {width:g} for these examples; "
            "scale the features or give gamma as a number."
        )
    return width


def _require_precision(name: str, value: float, dtype: DTypeLike) -> None:
    if not _has_precision(value, dtype):
        raise ParameterError(
            f"{name} must be a number that the precision of X, {dtype}, can hold, got {value!r}; "
            "choose a more usual value or convert X to float64."
        )


def _has_precision(value: float, dtype: DTypeLike) -> bool:
    """Return True if a number stays finite and non-zero in a precision."""
    with np.errstate(over="ignore", under="ignore"):
        held = abs(float(np.array(value).astype(dtype)))
    return 0 < held < np.inf


def weighted_variance(X: Rows, weights: NDArray[np.float64]) -> float:
    """Compute the variance of all entries of X; a row of weight 2 counts as two rows.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n, n_features)
        Examples; at most one block of them is copied at a time.
    weights : ndarray of shape (n,)
        Weights of the rows; if all are 0, so is the variance.

    Examples
    --------
    >>> import numpy as np
    >>> weighted_variance(np.array([[0.0], [1.0]]), np.array([3.0, 1.0]))
    0.1875
    """
    if not weights.any():
        return 0.0
    weights = np.ldexp(weights, -np.frexp(weights.max(initial=0.0))[1])  # only their ratios matter
    with np.errstate(over="ignore", invalid="ignore"):  # the caller raises an error for a variance that is not finite
        total = float(weights.sum() * X.shape[1])
        mean = sum(float((w * values).sum()) for values, w in _entries(X, weights)) / total
        stored = spread = 0.0
        for values, w in _entries(X, weights):
            deviations = values - mean
            spread += float((w * np.square(deviations, out=deviations)).sum())
            stored += float(np.broadcast_to(w, values.shape).sum())
    variance = (spread + (total - stored) * mean * mean) / total  # entries that are not stored are zero
    return 0.0 if variance <= _VARIANCE_TOLERANCE * mean * mean else variance


def _entries(X: Rows, weights: NDArray[np.float64]) -> Iterator[tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """Yield the stored entries of X block by block in double precision, with weights that broadcast to them."""
    rows = max(1, _BLOCK_ENTRIES // max(1, (X.nnz if is_sparse(X) else X.size) // X.shape[0]))
    for start in range(0, X.shape[0], rows):
        stop = min(start + rows, X.shape[0])
        if is_sparse(X):
            values = X.data[X.indptr[start] : X.indptr[stop]]
            w = np.repeat(weights[start:stop], np.diff(X.indptr[start : stop + 1]))
        else:
            values, w = X[start:stop], weights[start:stop, None]
        yield values.astype(np.float64, copy=False), w
