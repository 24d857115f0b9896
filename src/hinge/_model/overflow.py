"""Room for numbers: kernel values, and sums of them times coefficients, must not overflow on the way."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from hinge._model.validation import TakenRows, squared_lengths, sum_of_squares
from hinge.exceptions import DataError

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

    from hinge._model.kernels import KernelSpec

# A thousandth of the largest number: sums of kernel values must fit.
_LARGEST_VALUES = {np.dtype(kind): 1e-3 * float(np.finfo(kind).max) for kind in (np.float32, np.float64)}
_LARGEST_PULL = 1e152  # of coefficients, also times lengths in feature space, all of them together: its square must fit

_LEAST_TOTAL = 1e-100  # of the coefficients of a one-class problem: its square must be other than zero


def check_overflow(X: Any, kernel: KernelSpec, costs: NDArray[np.float64]) -> None:
    """Refuse examples whose kernel values, or coefficients times these, may be too large to be summed.

    No kernel value of two examples is larger than that of the longer one with itself, or so its bound is. A bound that
    takes no time, from the squares of all entries, will do nearly always.

    Parameters
    ----------
    X : ndarray, CSR matrix or TakenRows
        Checked examples.
    kernel : KernelSpec
        Their kernel.
    costs : ndarray of shape (n,)
        The largest coefficients that they may get.
    """
    pull = len(costs) * float(np.maximum.reduce(costs, initial=0.0))
    quick = _largest_value(X, kernel, quick=True)
    if quick <= _LARGEST_VALUES[_dtype(X)] and pull * max(1.0, math.sqrt(quick)) <= _LARGEST_PULL:
        return
    X = X.array() if type(X) is TakenRows else X
    largest = _largest_value(X, kernel, quick=False)
    check_kernel_size(largest, X.dtype)
    check_coefficients(pull, largest)


def check_coefficients(pull: float, largest: float) -> None:
    """Refuse coefficients whose sum, times the length of the longest example in feature space, is too large."""
    longest = max(1.0, math.sqrt(largest))
    if not pull * longest <= _LARGEST_PULL:
        raise DataError(
            f"C times the weights of all rows must be at most {_LARGEST_PULL / longest:.3g} where kernel "
            f"values are up to {largest:.3g}, so that sums of products fit into float64, got {pull:.3g}; scale the "
            "features or the weights, or lower C."
        )


def check_total(nu: float, costs: NDArray[np.float64]) -> None:
    """Refuse weights of a one-class problem whose coefficients add up to less than can be divided by."""
    total = nu * float(costs.sum())
    if costs.any() and total < _LEAST_TOTAL:
        raise DataError(
            f"nu times the weights of all rows must add up to at least {_LEAST_TOTAL:g}, got {total:g}; raise nu or "
            "scale the weights."
        )


def product(weights: NDArray[np.float64], *factors: Any) -> NDArray[np.float64]:
    """Return weights times factors; infinity, where that is too large, is refused when room is asked for."""
    with np.errstate(over="ignore"):
        for factor in factors:
            weights = factor * weights
    return weights


def check_kernel_size(size: float, dtype: DTypeLike) -> None:
    """Refuse kernel values of a size whose sums may not fit into a precision."""
    largest = _LARGEST_VALUES[np.dtype(dtype)]
    if not size <= largest:
        raise DataError(
            f"Kernel values must be at most {largest:.3g} in size, so that sums fit into {dtype}, got {size:.3g}; "
            "scale the features."
        )


def require_finite(decisions: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return decision values; refuse the examples asked about when some are too large for a number."""
    if not np.isfinite(decisions).all():
        raise DataError(
            "Examples must be near enough to those learned for their decision values to be numbers, got infinity or "
            "NaN; scale the features."
        )
    return decisions


def _dtype(X: Any) -> Any:
    return X.pool.storage.dtype if type(X) is TakenRows else X.dtype


def _largest_value(X: Any, kernel: KernelSpec, *, quick: bool) -> float:
    """Return a bound of the kernel values of examples; of those of a user's function nothing is known."""
    if kernel.name == "precomputed":
        return max(float(X.max()), -float(X.min()))
    if kernel.is_bounded or kernel.name == "callable":
        return 1.0
    squares = sum_of_squares(X) if quick else float(squared_lengths(X).max())
    if kernel.name == "linear":
        return squares
    with np.errstate(over="ignore"):
        return float(np.float64(kernel.gamma * squares + abs(kernel.coef0)) ** kernel.degree)
