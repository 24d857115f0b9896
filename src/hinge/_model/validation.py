"""Input validation: the only place where raw input becomes arrays, and arrays become native batches."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from scipy.sparse import csr_matrix, issparse
from sklearn.utils.validation import check_array, validate_data

from hinge import _core
from hinge._model.labels import as_labels, require_classes, require_one_kind, require_unmasked
from hinge.exceptions import DataError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import ArrayLike, DTypeLike, NDArray

Batch = _core.Batch32 | _core.Batch64

_FLOATS = (np.float64, np.float32)
_LARGEST_VALUE = 1e100  # of a regression target: sums of squares must not overflow
_DENSE_BYTES = 1 << 26  # sparse rows for a dense model are converted in blocks of this size


@dataclass(frozen=True)
class Storage:
    """How a model stores its examples; the first call decides it.

    Attributes
    ----------
    dtype : numpy dtype
        float32 or float64.
    sparse : bool
        CSR rather than dense rows.
    n_features : int
        Columns.
    """

    dtype: np.dtype[Any]
    sparse: bool
    n_features: int

    @classmethod
    def of(cls, X: Any) -> Storage:
        """Return the storage of checked examples."""
        return cls(np.dtype(X.dtype), issparse(X), int(X.shape[1]))

    @property
    def largest(self) -> float:
        """The largest absolute value of an entry: squared distances of such rows do not overflow."""
        return _largest(self.dtype, self.n_features)

    def blocks(self, X: Any) -> Iterator[tuple[slice, Any]]:
        """Yield blocks of checked examples in this storage, with the rows that each block holds.

        Nothing is copied unless the storage of X and of the model differ.
        """
        if not issparse(X) or self.sparse:
            yield slice(0, X.shape[0]), as_csr(X) if self.sparse else X
            return
        rows = max(1, _DENSE_BYTES // (self.n_features * self.dtype.itemsize))
        for start in range(0, X.shape[0], rows):
            part = slice(start, min(start + rows, X.shape[0]))
            yield part, X[part].toarray()

    def batches(self, X: Any) -> Iterator[tuple[slice, Batch]]:
        """Yield checked examples as native batches, with the rows that each batch holds."""
        if type(X) is TakenRows:
            yield slice(0, len(X.rows)), X.batch()
            return
        kind: Any = _core.Batch32 if self.dtype == np.float32 else _core.Batch64
        for rows, block in self.blocks(X):
            if self.sparse:
                indices, indptr = _as(block.indices, np.int32), _as(block.indptr, np.int64)
                yield rows, kind.sparse(block.data, indices, indptr, self.n_features)
            else:
                yield rows, kind.dense(block)


class PooledRows:
    """Rows that are checked once and then predicted or learned a few at a time.

    Slicing a sparse matrix and checking the slice takes longer than predicting a few rows. A model that stores its
    examples in the same way accepts `PooledRows.take(numbers)` wherever it accepts examples.

    Parameters
    ----------
    X : array-like or CSR matrix
        Examples as a user gives them.

    Examples
    --------
    >>> import numpy as np
    >>> pool = PooledRows([[1, 2], [3, 4], [5, 6]])
    >>> pool.take(np.array([2, 0])).shape
    (2, 2)
    """

    def __init__(self, X: Any) -> None:
        require_unmasked(X, "X")
        self.X = _finished(check_array(X, accept_sparse="csr", dtype=list(_FLOATS), order="C"))
        self.storage = Storage.of(self.X)
        ((_, self.batch),) = self.storage.batches(self.X)
        self.squares = sum_of_squares(self.X)

    def __reduce__(self) -> tuple[type[PooledRows], tuple[Any]]:
        return type(self), (self.X,)  # views of memory cannot be pickled

    def take(self, rows: NDArray[np.int64]) -> TakenRows:
        """Return the rows with given numbers."""
        return TakenRows(self, rows)


@dataclass(frozen=True, slots=True)
class TakenRows:
    """Some rows of a pool, by their numbers."""

    pool: PooledRows
    rows: NDArray[np.int64]

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of rows and columns."""
        return len(self.rows), self.pool.storage.n_features

    def batch(self) -> Batch:
        """Return the rows as a native batch, without a copy."""
        return self.pool.batch.pick(np.ascontiguousarray(self.rows))

    def array(self) -> Any:
        """Return the rows as an array or a CSR matrix."""
        return self.pool.X[self.rows]

    def astype(self, dtype: DTypeLike, copy: bool = True) -> Any:
        """Return the rows in another precision."""
        same = not copy and self.pool.storage.dtype == dtype
        return self if same else self.array().astype(dtype)


Rows: TypeAlias = "NDArray[Any] | csr_matrix"  # checked; TakenRows wherever a pool of rows is used


def as_csr(X: Any) -> csr_matrix:
    """Return a CSR matrix, without a copy if X is one."""
    return X if type(X) is csr_matrix else csr_matrix(X)


def check_examples(
    estimator: Any, X: Any, y: Any, storage: Storage | None, *, sparse: bool
) -> tuple[Any, NDArray[Any]]:
    """Check examples and labels.

    Parameters
    ----------
    estimator : estimator
        Its number and names of features are set if `storage` is None, and compared otherwise.
    X, y : array-like
        Examples and labels as the user gave them.
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
    y = as_labels(y) if isinstance(y, (list, tuple)) else y  # before NumPy converts large integers to floats
    X, y = _checked_pair(estimator, X, y, storage, sparse=sparse)
    y = as_labels(y)
    require_classes(y, "y")
    return _finished(X), y


def check_values(
    estimator: Any, X: Any, y: Any, storage: Storage | None, *, sparse: bool
) -> tuple[Any, NDArray[np.float64]]:
    """Check examples and the values of a regression; see `check_examples`."""
    X, y = _checked_pair(estimator, X, y, storage, sparse=sparse, y_numeric=True)
    values = np.ascontiguousarray(y, dtype=np.float64)
    if _size(values) > _LARGEST_VALUE:
        raise DataError(
            f"y must hold values of at most {_LARGEST_VALUE:g} in size, got {_size(values):.3g}; scale them."
        )
    return _finished(X), values


def _checked_pair(estimator: Any, X: Any, y: Any, storage: Storage | None, *, sparse: bool, **more: Any) -> Any:
    dtype: Any = _FLOATS if storage is None else storage.dtype
    accepted, X = "csr" if sparse else False, X.array() if type(X) is TakenRows else X
    require_unmasked(X, "X")
    require_unmasked(y, "y")
    with np.errstate(over="ignore", invalid="ignore"):  # a value too large for float32 becomes infinity, which raises
        return validate_data(
            estimator, X, y, reset=storage is None, accept_sparse=accepted, dtype=dtype, order="C", **more
        )


def check_queries(estimator: Any, X: Any, storage: Storage, *, sparse: bool) -> Any:
    """Check examples to predict."""
    return X if is_ready(X, storage, estimator) else check_rows(estimator, X, storage, sparse=sparse)


def check_rows(estimator: Any, X: Any, storage: Storage | None, *, sparse: bool) -> Any:
    """Check examples without labels; those of the first call, if `storage` is None, become float64."""
    require_unmasked(X, "X")
    accepted, dtype = "csr" if sparse else False, np.float64 if storage is None else storage.dtype
    with np.errstate(over="ignore", invalid="ignore"):
        X = validate_data(estimator, X, reset=storage is None, accept_sparse=accepted, dtype=dtype, order="C")
    return _finished(X)


def is_ready(X: Any, storage: Storage, estimator: Any) -> bool:
    """Tell whether the native code can read X as it is, so that the full checks can be skipped.

    They take longer than learning one row.
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
        and _size(np.asarray(X.data) if storage.sparse else X) <= storage.largest  # false for NaN as well
    )


def check_weights(sample_weight: ArrayLike | None, n: int) -> NDArray[np.float64]:
    """Return one weight per row; None means ones."""
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


def _finished(X: Any) -> Any:
    """Return finite examples as the native code reads them; raise DataError if squares would overflow."""
    X = _canonical(X) if issparse(X) else X
    size, largest = _size(X.data if issparse(X) else X), Storage.of(X).largest
    if size > largest:
        raise DataError(
            f"X must hold values of at most {largest:.3g} in size, whose squares {X.dtype} can hold, got {size:.3g}; "
            "scale the features."
        )
    return X


@lru_cache  # unlike `cached_property` it takes no lock, which a forked process might find held forever
def _largest(dtype: np.dtype[Any], n_features: int) -> float:
    return float(np.sqrt(np.finfo(dtype).max / n_features)) / 4


def squared_norms(X: Any) -> NDArray[np.float64]:
    """Return the squared norm of each row in double precision; infinity if it overflows."""
    with np.errstate(over="ignore"):
        if issparse(X):
            wide = X.astype(np.float64, copy=False)
            return np.asarray(wide.multiply(wide).sum(axis=1)).ravel()
        return np.asarray(np.einsum("ij,ij->i", X, X, dtype=np.float64))


def sum_of_squares(X: Any) -> float:
    """Return the sum of squares of all entries, which bounds all dot products; for rows of a pool, that of the pool."""
    if type(X) is TakenRows:
        return X.pool.squares
    values = X.data if issparse(X) else X.ravel()
    return float(np.vdot(values, values))


def _size(values: NDArray[Any]) -> float:
    """Return the largest absolute value, without a copy; NaN if there is one."""
    return max(float(values.max()), -float(values.min())) if values.size else 0.0


def _is_canonical(X: Any) -> bool:
    """Tell whether CSR rows have sorted, distinct and valid column indices."""
    return bool(X.has_canonical_format and (not X.nnz or (X.indices.min() >= 0 and X.indices.max() < X.shape[1])))


def _canonical(X: Any) -> Any:
    """Return CSR rows with sorted, distinct column indices, without changing the matrix of the user."""
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


def _as(values: NDArray[Any], dtype: DTypeLike) -> NDArray[Any]:
    return np.ascontiguousarray(values, dtype=dtype)
