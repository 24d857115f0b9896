"""Which scale features get, and why: a kernel that looks at distances hears loud features only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import issparse

from hinge.exceptions import DataError, ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hinge.tables._statistics import Statistics

SCALINGS = ("auto", "standard", "largest", "none")
# Features share a unit when there are many, and the largest entry of most is at least half of the largest of all.
_MANY, _MOST, _COMMON = 16, 0.75, 0.5


@dataclass(frozen=True, eq=False)
class Scaling:
    """Features become `(x - offset) * factor`.

    Attributes
    ----------
    factor : ndarray of shape (n_features,) or None
        None: all are left as they are.
    offset : ndarray of shape (n_features,) or None
        None: nothing is subtracted, so that zeros stay zeros.
    words : str
        What was done, for people.
    """

    factor: NDArray[np.float64] | None = None
    offset: NDArray[np.float64] | None = None
    words: str = "left as they are"

    def apply(self, X: Any) -> Any:
        """Return scaled examples, dense or CSR."""
        if self.factor is None:
            return X
        with np.errstate(over="ignore", invalid="ignore"):
            if issparse(X):
                scaled = X.copy()
                scaled.data *= self.factor[X.indices].astype(X.dtype)
            else:
                scaled = ((X if self.offset is None else X - self.offset) * self.factor).astype(X.dtype)
        if np.isinf(scaled.data if issparse(X) else scaled).any():
            raise DataError("Examples must stay numbers when they are scaled, got infinity; look at their columns.")
        return scaled


def choose_scaling(statistics: Statistics, wanted: str, *, table: bool, dense: bool) -> Scaling:
    """Return the scaling that suits some columns.

    Columns of 0 and 1 are left as they are. Of the others, those of a table are standardised one by one. In a matrix
    without names they often are one kind of thing (pixels, word weights): entries within -1 and 1 stay as they are, and
    features with a common unit are divided by one number. Where zeros must stay zeros, columns are divided by their
    largest entry.

    Parameters
    ----------
    statistics : Statistics
        Of the columns.
    wanted : {"auto", "standard", "largest", "none"}
        What the user asked for.
    table : bool
        The columns come from a table, where each stands for itself.
    dense : bool
        Examples are kept dense, so that something may be subtracted.
    """
    if wanted == "auto":
        wanted = _suitable(statistics, table=table, dense=dense)
    if wanted == "none":
        return Scaling()
    if wanted == "unit":
        largest = float(statistics.size.max())
        return Scaling(np.full(statistics.n_columns, 1 / largest), words=f"divided by {largest:g}")
    if wanted == "standard" and not dense:
        raise ParameterError(
            "Features that are mostly zero cannot be standardised, which would fill the zeros in; choose 'largest'."
        )
    return _standard(statistics) if wanted == "standard" else _largest(statistics)


def _suitable(statistics: Statistics, *, table: bool, dense: bool) -> str:
    size = statistics.size
    largest = float(size.max(initial=0.0))
    if largest == 0 or bool(statistics.binary.all()) or (not table and largest <= 1):
        return "none"
    used = size[size > 0]
    if not table and len(used) >= _MANY and float(np.mean(used >= _COMMON * largest)) >= _MOST:
        return "unit"
    return "standard" if dense else "largest"


def _standard(statistics: Statistics) -> Scaling:
    deviation = statistics.deviation
    if not np.isfinite(deviation).all():  # squares overflow
        return _largest(statistics)
    flat = deviation <= 1e-12 * np.maximum(statistics.size, np.finfo(np.float64).tiny)
    factor = 1 / np.where(flat | statistics.binary, 1.0, deviation)
    offset = np.where(statistics.binary, 0.0, statistics.mean)
    return Scaling(factor, offset, _words(statistics, "standardised (mean 0, deviation 1)"))


def _largest(statistics: Statistics) -> Scaling:
    keep = statistics.binary | (statistics.size == 0)
    return Scaling(1 / np.where(keep, 1.0, statistics.size), words=_words(statistics, "divided by their largest"))


def _words(statistics: Statistics, what: str) -> str:
    n_binary = int(statistics.binary.sum())
    n_others = statistics.n_columns - n_binary
    return f"{n_others:,} {what}" + (f", {n_binary:,} of 0 and 1 left as they are" if n_binary else "")
