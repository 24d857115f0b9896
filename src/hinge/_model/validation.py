"""Input validation: the only place where raw input becomes arrays, and arrays become native batches."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.utils.validation import check_array, validate_data

from hinge import _core
from hinge._model.labels import as_labels, require_classes, require_one_kind, require_unmasked
from hinge._model.types import is_sparse
from hinge.exceptions import DataError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TypeGuard

    from numpy.typing import ArrayLike, DTypeLike, NDArray

    from hinge._model.types import Array, DType, Labels, MatrixLike, Rows


Batch = _core.Batch32 | _core.Batch64

_FLOATS = (np.float64, np.float32)
_MAX, _MIN = np.maximum.reduce, np.minimum.reduce
_MAX_TARGET = 1e100  # absolute value of a regression target: sums of squares must not overflow
_BLOCK_BYTES = 1 << 26  # sparse rows for a dense model are converted in blocks of this size


@dataclass(frozen=True)
class Storage:
    """How a model stores its examples, as the first rows decide.

    Attributes
    ----------
    dtype : numpy dtype
        float32 or float64.
    sparse : bool
        True for CSR matrices, False for dense arrays.
    n_features : int
        Number of columns.
    widens : bool
        Whether rows that are not float32 stay, or become, float64 although the model stores float32 so far.
    """

    dtype: DType
    sparse: bool
    n_features: int
    widens: bool = False

    @classmethod
    def of(cls, X: Rows) -> Storage:
        """Return the storage of checked examples."""
        return cls(np.dtype(X.dtype), is_sparse(X), int(X.shape[1]))

    @property
    def largest(self) -> float:
        """Largest absolute value of an entry for which squared distances between rows do not overflow."""
        return _largest(self.dtype, self.n_features)

    def blocks(self, X: Rows) -> Iterator[tuple[slice, Rows]]:
        """Yield checked examples in this storage block by block, each with the slice of its rows.

        X is copied only if its storage differs from this one.
        """
        if not is_sparse(X) or self.sparse:
            yield slice(0, X.shape[0]), as_csr(X) if self.sparse else X
            return
        rows = max(1, _BLOCK_BYTES // (self.n_features * self.dtype.itemsize))
        for start in range(0, X.shape[0], rows):
            part = slice(start, min(start + rows, X.shape[0]))
            yield part, X[part].toarray()

    def convert(self, X: Rows) -> Rows:
        """Return checked examples in this storage, without a copy if they are."""
        X = X.array() if type(X) is TakenRows else X
        if self.sparse:
            return as_csr(X)
        return X.toarray() if is_sparse(X) else X

    def batches(self, X: Rows) -> Iterator[tuple[slice, Batch]]:
        """Yield checked examples as native batches, each with the slice of its rows."""
        if type(X) is TakenRows:
            yield slice(0, len(X.rows)), X.batch()
            return
        kind: type[Batch] = _core.Batch32 if self.dtype == np.float32 else _core.Batch64
        for rows, block in self.blocks(X):
            if self.sparse:
                csr: csr_matrix = block
                indices, indptr = _as(csr.indices, np.int32), _as(csr.indptr, np.int64)
                yield rows, kind.sparse(csr.data, indices, indptr, self.n_features)
            else:
                yield rows, kind.dense(block)


class PooledRows:
    """Rows that are validated once, and then predicted or learned a few at a time.

    Slicing a sparse matrix and validating the slice takes longer than predicting a few rows. Models with the same
    storage accept `PooledRows.take(indices)` wherever they accept examples.

    Parameters
    ----------
    X : array-like or CSR matrix
        Examples, not yet validated.

    Examples
    --------
    >>> import numpy as np
    >>> pool = PooledRows([[1, 2], [3, 4], [5, 6]])
    >>> pool.take(np.array([2, 0])).shape
    (2, 2)
    """

    def __init__(self, X: MatrixLike) -> None:
        require_unmasked(X, "X")
        self.X = _finished(check_array(X, accept_sparse="csr", dtype=list(_FLOATS), order="C"))
        self.storage = Storage.of(self.X)
        ((_, self.batch),) = self.storage.batches(self.X)
        self.squares = sum_of_squares(self.X)

    def __reduce__(self) -> tuple[type[PooledRows], tuple[Rows]]:
        return type(self), (self.X,)  # native batches cannot be pickled

    def take(self, rows: NDArray[np.int64]) -> TakenRows:
        """Select rows by their indices."""
        return TakenRows(self, rows)


@dataclass(frozen=True, slots=True)
class TakenRows:
    """Some rows of a pool, selected by index."""

    pool: PooledRows
    rows: NDArray[np.int64]

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and of columns."""
        return len(self.rows), self.pool.storage.n_features

    @property
    def dtype(self) -> DType:
        """Precision of the rows."""
        return self.pool.storage.dtype

    def __getitem__(self, rows: slice | NDArray[np.intp]) -> TakenRows:
        return TakenRows(self.pool, self.rows[rows])

    def batch(self) -> Batch:
        """Return the rows as a native batch without copying them."""
        return self.pool.batch.pick(np.ascontiguousarray(self.rows))

    def array(self) -> Rows:
        """Return the rows as an array or a CSR matrix."""
        return self.pool.X[self.rows]

    def astype(self, dtype: DTypeLike, copy: bool = True) -> Rows:
        """Return the rows in another precision."""
        same = not copy and self.pool.storage.dtype == dtype
        return self if same else self.array().astype(dtype)


def as_csr(X: MatrixLike) -> csr_matrix:
    """Return a CSR matrix, without a copy if X is one."""
    return X if type(X) is csr_matrix else csr_matrix(X)


def check_examples(
    estimator: object, X: MatrixLike, y: ArrayLike | None, storage: Storage | None, *, sparse: bool
) -> tuple[Rows, Labels]:
    """Check examples and labels.

    Parameters
    ----------
    estimator : estimator
        Sets its number and names of features if `storage` is None, and compares them otherwise.
    X, y : array-like
        Examples and labels, not yet validated.
    storage : Storage or None
        How the model stores its examples; None in the first call.
    sparse : bool
        Whether sparse matrices are accepted.

    Returns
    -------
    X : ndarray or CSR matrix
        C-ordered float32 or float64; of the type of `storage` if that is given.
    y : ndarray of shape (n,)
        Labels.
    """
    require_one_kind(y)
    y = as_labels(y) if isinstance(y, (list, tuple)) else y  # NumPy would convert large integers to floats
    X, y = _checked_pair(estimator, X, y, storage, sparse=sparse)
    y = as_labels(y)
    require_classes(y, "y")
    return _finished(X), y


def check_values(
    estimator: object, X: MatrixLike, y: ArrayLike | None, storage: Storage | None, *, sparse: bool
) -> tuple[Rows, NDArray[np.float64]]:
    """Check examples and the targets of a regression; see `check_examples`."""
    X, y = _checked_pair(estimator, X, y, storage, sparse=sparse, y_numeric=True)
    values = np.ascontiguousarray(y, dtype=np.float64)
    if _size(values) > _MAX_TARGET:
        raise DataError(f"y must hold values of at most {_MAX_TARGET:g} in size, got {_size(values):.3g}; scale them.")
    return _finished(X), values


def _checked_pair(
    estimator: object,
    X: MatrixLike,
    y: ArrayLike | None,
    storage: Storage | None,
    *,
    sparse: bool,
    y_numeric: bool = False,
) -> tuple[Rows, Array]:
    dtype = _FLOATS if storage is None or storage.widens else storage.dtype
    accepted, X = "csr" if sparse else False, X.array() if type(X) is TakenRows else X
    require_unmasked(X, "X")
    require_unmasked(y, "y")
    with np.errstate(over="ignore", invalid="ignore"):  # a value too large for float32 becomes infinity, which raises
        pair: tuple[Rows, Array] = validate_data(
            estimator,
            X,
            y,
            reset=storage is None,
            accept_sparse=accepted,
            dtype=dtype,
            order="C",
            y_numeric=y_numeric,
        )
    return pair


def check_queries(estimator: object, X: MatrixLike, storage: Storage, *, sparse: bool) -> Rows:
    """Check examples to predict."""
    return X if is_ready(X, storage, estimator) else check_rows(estimator, X, storage, sparse=sparse)


def check_rows(estimator: object, X: MatrixLike, storage: Storage | None, *, sparse: bool) -> Rows:
    """Check examples without labels; if `storage` is None, convert them to float64."""
    require_unmasked(X, "X")
    accepted, dtype = "csr" if sparse else False, np.float64 if storage is None else storage.dtype
    with np.errstate(over="ignore", invalid="ignore"):
        X = validate_data(estimator, X, reset=storage is None, accept_sparse=accepted, dtype=dtype, order="C")
    return _finished(X)


def is_ready(X: Any, storage: Storage, estimator: object) -> TypeGuard[Rows]:
    """Return True if the native code can read X as it is.

    This skips the full validation, which takes longer than learning one row.
    """
    if type(X) is TakenRows:
        return len(X.rows) > 0 and X.pool.storage == storage and not hasattr(estimator, "feature_names_in_")
    return (
        type(X) is (csr_matrix if storage.sparse else np.ndarray)
        and X.ndim == 2
        and X.dtype == storage.dtype
        and X.shape[0] > 0
        and X.shape[1] == storage.n_features
        and (_is_canonical(X) if storage.sparse else X.flags.c_contiguous)
        and not hasattr(estimator, "feature_names_in_")
        and _fits(np.asarray(X.data) if storage.sparse else X, storage.largest)
    )


def check_weights(sample_weight: ArrayLike | None, n: int) -> NDArray[np.float64]:
    """Return one weight per row; None means that all weights are 1."""
    if sample_weight is None:
        return np.ones(n)
    require_unmasked(sample_weight, "sample_weight")
    try:
        weights = np.asarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"sample_weight must hold numbers; {error}.") from None
    if weights.shape != (n,):
        raise DataError(f"sample_weight must have one value per row, shape ({n},), got shape {weights.shape}.")
    if not np.isfinite(weights).all():
        raise DataError("sample_weight must be finite, got NaN or infinity; drop those rows or give them a weight.")
    if n and weights.min() < 0:
        raise DataError(f"sample_weight must not be negative, got {weights.min():g}; a weight of 0 leaves a row out.")
    return weights


def _finished(X: Rows) -> Rows:
    """Return finite examples in canonical form; raise DataError if squares would overflow."""
    X = _canonical(X) if is_sparse(X) else X
    size, largest = _size(X.data if is_sparse(X) else X), Storage.of(X).largest
    if size > largest:
        raise DataError(
            f"X must hold values of at most {largest:.3g} in size, whose squares {X.dtype} can hold, got {size:.3g}; "
            "scale the features."
        )
    return X


@lru_cache  # `cached_property` has a lock, which a forked process may inherit locked
def _largest(dtype: DType, n_features: int) -> float:
    return float(np.sqrt(np.finfo(dtype).max / n_features)) / 4


def squared_norms(X: Rows) -> NDArray[np.float64]:
    """Compute the squared norm of each row in double precision; infinity if it overflows."""
    with np.errstate(over="ignore"):
        if is_sparse(X):
            wide = X.astype(np.float64, copy=False)
            return np.asarray(wide.multiply(wide).sum(axis=1)).ravel()
        return np.asarray(np.einsum("ij,ij->i", X, X, dtype=np.float64))


def sum_of_squares(X: Rows) -> float:
    """Compute the sum of squares of all entries, a bound of all dot products; for rows of a pool, that of the pool."""
    if type(X) is TakenRows:
        return X.pool.squares
    values = X.data if is_sparse(X) else X.ravel()
    return float(np.vdot(values, values))


def _size(values: Array) -> float:
    """Return the largest absolute value without copying the array; NaN if it contains NaN."""
    # The methods `max` and `min` take twice as long for one row.
    return max(float(_MAX(values, None)), -float(_MIN(values, None))) if values.size else 0.0


def _fits(values: Array, largest: float) -> bool:
    """Return True if no absolute value is above `largest`; False for NaN. The norm is quicker and often suffices."""
    return bool(np.vdot(values, values) <= largest * largest) or _size(values) <= largest


def _is_canonical(X: csr_matrix) -> bool:
    """Return True if CSR rows have sorted, distinct and valid column indices."""
    return bool(X.has_canonical_format and (not X.nnz or (X.indices.min() >= 0 and X.indices.max() < X.shape[1])))


def _canonical(X: csr_matrix) -> csr_matrix:
    """Return CSR rows with sorted, distinct column indices; the matrix of the user does not change."""
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    if X.nnz and not 0 <= X.indices.min() <= X.indices.max() < X.shape[1]:
        raise DataError(
            f"The indices of sparse examples must be from 0 to {X.shape[1] - 1}, got {X.indices.min()} to "
            f"{X.indices.max()}; check how the matrix was made."
        )
    if X.shape[1] > np.iinfo(np.int32).max:
        raise DataError(f"Sparse examples must have fewer than 2**31 columns, got {X.shape[1]}; hash them to fewer.")
    return X


def _as(values: Array, dtype: DTypeLike) -> Array:
    return np.ascontiguousarray(values, dtype=dtype)
