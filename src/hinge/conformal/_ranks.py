"""From scores to p-values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hinge._model.params import number
from hinge.exceptions import ParameterError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from hinge._model.types import MatrixLike

# Scores that differ by rounding only are equal. Counting them raises p-values, so the guarantee stays.
TIE = 1e-9
CANDIDATE = "hinge.conformal: candidate"  # the id of the row whose p-value is computed, in a copy of the model


def p_value(scores: NDArray[np.float64]) -> float:
    """Return the share of scores that are at most the last one, the candidate's; small scores are strange."""
    return float(np.mean(scores <= scores[-1] + TIE * max(1.0, abs(float(scores[-1])))))


def check_alpha(alpha: float) -> float:
    """Return the share of errors allowed, or raise ParameterError."""
    number("alpha", alpha, above=0, hint="0.1 is usual")
    if not alpha < 1:
        raise ParameterError(f"alpha must be below 1, got {alpha!r}; 0.1 is usual.")
    return float(alpha)


def single_rows(X: MatrixLike, n: int) -> Iterator[Any]:
    """Yield the n rows of a matrix or table one by one, each as a matrix or table of one row."""
    rows: Any = X if hasattr(X, "shape") else np.asarray(X)
    rows = getattr(rows, "iloc", rows)
    for i in range(n):
        yield rows[i : i + 1]


def require_rows(kernel: object) -> None:
    """Raise ParameterError for precomputed kernels, which have no value of a new row with itself."""
    if isinstance(kernel, str) and kernel == "precomputed":
        raise ParameterError("kernel must compute values of new rows for p-values, got 'precomputed'.")
