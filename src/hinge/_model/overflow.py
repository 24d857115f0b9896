"""Checks that kernel values, and sums of coefficients times kernel values, do not overflow."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from hinge._model.validation import TakenRows, squared_norms, sum_of_squares
from hinge.exceptions import DataError

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

    from hinge._model.kernels import KernelSpec
    from hinge._model.types import Rows

# A thousandth of the largest float, so that sums of kernel values do not overflow.
_MAX_KERNEL_VALUES = {np.dtype(kind): 1e-3 * float(np.finfo(kind).max) for kind in (np.float32, np.float64)}
_MAX_SUM = 1e152  # of coefficients times norms in feature space: its square must not overflow

_MIN_TOTAL = 1e-100  # sum of the coefficients of a one-class problem: its square must not underflow


def check_overflow(X: Rows, kernel: KernelSpec, costs: NDArray[np.float64]) -> None:
    """Raise DataError if kernel values, or coefficients times kernel values, may overflow when summed.

    The kernel value of two examples is bounded by that of the longer one with itself. A cheap bound, from the squares
    of all entries, comes first and is nearly always sufficient.

    Parameters
    ----------
    X : ndarray, CSR matrix or TakenRows
        Checked examples.
    kernel : KernelSpec
        The kernel.
    costs : ndarray of shape (n,)
        Upper bounds of their coefficients.
    """
    total = len(costs) * float(np.maximum.reduce(costs, initial=0.0))
    quick = _largest_value(X, kernel, quick=True)
    if quick <= _MAX_KERNEL_VALUES[X.dtype] and total * max(1.0, math.sqrt(quick)) <= _MAX_SUM:
        return
    X = X.array() if type(X) is TakenRows else X
    largest = _largest_value(X, kernel, quick=False)
    check_kernel_size(largest, X.dtype)
    check_coefficients(total, largest)


def check_coefficients(total: float, largest: float) -> None:
    """Raise DataError if the sum of coefficients times the largest norm in feature space is too large."""
    longest = max(1.0, math.sqrt(largest))
    if not total * longest <= _MAX_SUM:
        raise DataError(
            f"C times the weights of all rows must be at most {_MAX_SUM / longest:.3g} where kernel "
            f"values are up to {largest:.3g}, so that sums of products fit into float64, got {total:.3g}; scale the "
            "features or the weights, or lower C."
        )


def check_total(nu: float, costs: NDArray[np.float64]) -> None:
    """Raise DataError if the sum of the coefficients of a one-class problem is too small to divide by."""
    total = nu * float(costs.sum())
    if costs.any() and total < _MIN_TOTAL:
        raise DataError(
            f"nu times the weights of all rows must add up to at least {_MIN_TOTAL:g}, got {total:g}; raise nu or "
            "scale the weights."
        )


def product(weights: NDArray[np.float64], *factors: float | NDArray[np.float64]) -> NDArray[np.float64]:
    """Multiply weights by factors; an overflow becomes infinity, for which `check_overflow` raises."""
    with np.errstate(over="ignore"):
        for factor in factors:
            weights = factor * weights
    return weights


def check_kernel_size(size: float, dtype: DTypeLike) -> None:
    """Raise DataError for kernel values whose sums may overflow in a precision."""
    largest = _MAX_KERNEL_VALUES[np.dtype(dtype)]
    if not size <= largest:
        raise DataError(
            f"Kernel values must be at most {largest:.3g} in size, so that sums fit into {dtype}, got {size:.3g}; "
            "scale the features."
        )


def require_finite(decisions: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return decision values; raise DataError if some are not finite."""
    if not np.isfinite(decisions).all():
        raise DataError(
            "Decision values must be finite, got infinity or NaN: these examples are too far from those learned; scale "
            "the features."
        )
    return decisions


def _largest_value(X: Rows, kernel: KernelSpec, *, quick: bool) -> float:
    """Return an upper bound of the kernel values of examples; 1 for kernel functions, whose values are unknown."""
    if kernel.name == "precomputed":
        return max(float(X.max()), -float(X.min()))
    if kernel.is_bounded or kernel.name == "callable":
        return 1.0
    squares = sum_of_squares(X) if quick else float(squared_norms(X).max())
    if kernel.name == "linear":
        return squares
    if kernel.name != "poly":
        raise NotImplementedError(f"a bound of the kernel {kernel.name!r}")
    with np.errstate(over="ignore"):
        return float(np.float64(kernel.gamma * squares + abs(kernel.coef0)) ** kernel.degree)
