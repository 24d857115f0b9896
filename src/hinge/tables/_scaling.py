"""How features are scaled, and why: in a kernel of distances, features with large values outweigh all others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import issparse

from hinge.exceptions import DataError, ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hinge.tables._preparation import Matrix
    from hinge.tables._statistics import Statistics

# Features share a unit when there are many of them and the largest entry of most is near the largest of all.
_MIN_SHARING_FEATURES = 16
_MIN_SHARING_FRACTION = 0.75
_MIN_RELATIVE_SIZE = 0.5


@dataclass(frozen=True, eq=False)
class Scaling:
    """The scaling of features: x becomes `(x - offset) * factor`.

    Attributes
    ----------
    factor : ndarray of shape (n_features,) or None
        None: features are not scaled.
    offset : ndarray of shape (n_features,) or None
        None: nothing is subtracted, so that zeros stay zeros.
    description : str
        A description for users.
    """

    factor: NDArray[np.float64] | None = None
    offset: NDArray[np.float64] | None = None
    description: str = "left as they are"

    def apply(self, X: Matrix) -> Matrix:
        """Scale examples, dense or CSR."""
        if self.factor is None:
            return X
        with np.errstate(over="ignore", invalid="ignore"):
            if issparse(X):
                scaled = X.copy()
                scaled.data *= self.factor[X.indices].astype(X.dtype)
            else:
                scaled = ((X if self.offset is None else X - self.offset) * self.factor).astype(X.dtype)
        if np.isinf(scaled.data if issparse(X) else scaled).any():
            raise DataError("Scaled examples must be finite, got infinity; check the columns for extreme values.")
        return scaled

    def undo(self, X: Matrix) -> Matrix:
        """Return what examples were before they were scaled, in double precision."""
        if self.factor is None:
            return X
        if issparse(X):
            before = X.astype(np.float64)
            before.data /= self.factor[X.indices]
            return before
        return X / self.factor + (0.0 if self.offset is None else self.offset)


def other_scalings(chosen: Scaling, statistics: Statistics, *, dense: bool, n_words: int = 0) -> list[Scaling]:
    """Return the scalings that may suit a model better than the one chosen: standard, to [0, 1], and none.

    Those that are the same as the one chosen for columns like these are left out.
    """
    methods = ("standard", "range", "none") if dense else ("largest", "none")
    found = [chosen]
    for method in methods:
        new = choose_scaling(statistics, method, table=True, dense=dense, n_words=n_words)
        if not any(_are_equal(new, old) for old in found):
            found.append(new)
    return found[1:]


def _are_equal(one: Scaling, other: Scaling) -> bool:
    """Tell whether two scalings change features alike, up to one factor for all of them."""
    if one.offset is not None or other.offset is not None:
        same = one.offset is not None and other.offset is not None
        return same and np.allclose(one.offset, other.offset) and np.allclose(one.factor, other.factor)  # type: ignore[arg-type]
    factors = [np.ones(1) if scaling.factor is None else scaling.factor for scaling in (one, other)]
    ratio = np.broadcast_to(factors[0] / factors[1], np.broadcast_shapes(*(part.shape for part in factors)))
    return bool(np.allclose(ratio, ratio.flat[0]))


def choose_scaling(statistics: Statistics, method: str, *, table: bool, dense: bool, n_words: int = 0) -> Scaling:
    """Choose the scaling of features.

    Columns of 0 and 1 are not scaled. Other columns of a table are standardised. The columns of a matrix without names
    are often of the same kind (pixels, word weights): entries between -1 and 1 are not scaled, and features that share
    a unit are divided by one number. Where zeros must stay zeros, columns are divided by their largest entry.

    Parameters
    ----------
    statistics : Statistics
        Statistics of the columns.
    method : {"auto", "standard", "largest", "range", "none"}
        The method; "auto" chooses one as described above. "range" maps the smallest entry of a column to 0 and the
        largest to 1.
    table : bool
        The columns come from a table, and have nothing in common.
    dense : bool
        Examples are dense, so that an offset may be subtracted.
    n_words : int, default=0
        Number of the columns that are weights of words. They are not scaled, and count as columns of 0 and 1.

    Returns
    -------
    Scaling
        The scaling.
    """
    if method == "auto":
        method = _choose_method(statistics, table=table, dense=dense)
    if method == "none":
        return Scaling()
    if method == "unit":
        largest = float(statistics.size.max())
        return Scaling(np.full(statistics.n_columns, 1 / largest), description=f"divided by {largest:g}")
    if method in ("standard", "range") and not dense:
        what = "standardised" if method == "standard" else "mapped to [0, 1]"
        raise ParameterError(
            f"Sparse features cannot be {what}, because their zeros would not stay zeros; choose 'largest'."
        )
    if method == "range":
        return _range(statistics, n_words)
    return _standard(statistics, n_words) if method == "standard" else _largest(statistics, n_words)


def _choose_method(statistics: Statistics, *, table: bool, dense: bool) -> str:
    size = statistics.size
    largest = float(size.max(initial=0.0))
    if largest == 0 or bool(statistics.binary.all()) or (not table and largest <= 1):
        return "none"
    used = size[size > 0]
    if not table and len(used) >= _MIN_SHARING_FEATURES and _is_shared_unit(used, largest):
        return "unit"
    return "standard" if dense else "largest"


def _is_shared_unit(sizes: NDArray[np.float64], largest: float) -> bool:
    return float(np.mean(sizes >= _MIN_RELATIVE_SIZE * largest)) >= _MIN_SHARING_FRACTION


def _standard(statistics: Statistics, n_words: int) -> Scaling:
    deviation = statistics.deviation
    if not np.isfinite(deviation).all():  # squares overflow
        return _largest(statistics, n_words)
    is_constant = deviation <= 1e-12 * np.maximum(statistics.size, np.finfo(np.float64).tiny)
    factor = 1 / np.where(is_constant | statistics.binary, 1.0, deviation)
    offset = np.where(statistics.binary, 0.0, statistics.mean)
    return Scaling(factor, offset, _describe(statistics, n_words, "standardised (mean 0, deviation 1)"))


def _range(statistics: Statistics, n_words: int) -> Scaling:
    span = statistics.high - statistics.low
    if not np.isfinite(span).all():
        return _largest(statistics, n_words)
    is_kept = statistics.binary | (span <= 1e-12 * np.maximum(statistics.size, np.finfo(np.float64).tiny))
    factor, offset = 1 / np.where(is_kept, 1.0, span), np.where(statistics.binary, 0.0, statistics.low)
    return Scaling(factor, offset, _describe(statistics, n_words, "mapped to [0, 1]"))


def _largest(statistics: Statistics, n_words: int) -> Scaling:
    is_unscaled = statistics.binary | (statistics.size == 0)
    description = _describe(statistics, n_words, "divided by their largest")
    return Scaling(1 / np.where(is_unscaled, 1.0, statistics.size), description=description)


def _describe(statistics: Statistics, n_words: int, what: str) -> str:
    n_binary = int(statistics.binary.sum()) - n_words
    kept = [f"{n_binary:,} of 0 and 1"] * (n_binary > 0) + [f"{n_words:,} weights of words"] * (n_words > 0)
    n_others = statistics.n_columns - n_binary - n_words
    return f"{n_others:,} {what}" + (f", {' and '.join(kept)} left as they are" if kept else "")
