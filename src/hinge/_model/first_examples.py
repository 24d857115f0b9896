"""The first examples of a stream, kept while choices that depend on the data are made again."""

from __future__ import annotations

from itertools import groupby, pairwise
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from scipy.sparse import csr_matrix, vstack

from hinge._model.types import is_sparse
from hinge._model.validation import TakenRows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import DTypeLike, NDArray

    from hinge._model.types import Array, Arrays, Rows
    from hinge._model.validation import PooledRows, Storage

MAX_EQUAL = 16  # so many equal rows at the beginning count; more say nothing about the rows to come
GROWTH = 4  # the next choice is due when there have been so many times the examples of the last one


class FirstExamples:
    """The first examples of a stream.

    A model predicts from the first row on, so what depends on the data (gamma, landmarks, a shift) is first chosen by
    one row. When the number of examples has grown by the factor `GROWTH`, the choice is made again, and the model
    learns these examples again. The last choice is made by `limit` examples; later ones are not stored.

    A stream may begin with many equal rows, of a sensor that is not yet on. Only the first `MAX_EQUAL` of them count,
    so that no choice is final before rows differ.

    Parameters
    ----------
    limit : int
        Number of examples behind the last choice.

    Attributes
    ----------
    n_given : int
        Number of examples that count. Models that can forget no longer store all of them.
    built_from : int
        Number of examples that had been added when the last choice was made; 0 before the first.
    """

    PREFIX: ClassVar[str] = "held_"

    def __init__(self, limit: int) -> None:
        self.n_given = 0
        self.built_from = 0
        self._limit = limit
        self._differ = False
        self._parts: list[tuple[Rows, Arrays]] = []

    def __len__(self) -> int:
        return sum(len(columns["ids"]) for _, columns in self._parts)

    @property
    def n_for_next(self) -> int:
        """Number of examples at which the next choice is due."""
        return min(GROWTH * self.built_from, self._limit) if self.built_from else 1

    @property
    def n_missing(self) -> int:
        """Number of further examples until the next choice is due."""
        return self.n_for_next - self.n_given

    @property
    def is_final(self) -> bool:
        """True if the last choice has been made."""
        return self.built_from >= self._limit

    @property
    def next_is_final(self) -> bool:
        """True if there are enough examples for the last choice."""
        return self.n_given >= self._limit

    @property
    def n_free(self) -> int:
        """Number of equal rows beyond those that count for which there is room."""
        return max(self._limit - len(self), 0)

    def add(self, X: Rows, **columns: Array) -> None:
        """Add copies of examples: rows, their positions in the stream (`ids`), and other columns.

        Rows of a pool stay there until they are asked for: copying them takes longer than learning them.
        """
        self.add_equal(X, **columns)
        self.n_given += len(columns["ids"])

    def add_equal(self, X: Rows, **columns: Array) -> None:
        """Add copies of examples that do not count."""
        self._parts.append((X if type(X) is TakenRows else X.copy(), columns))

    def __getstate__(self) -> dict[str, object]:
        if self._parts:
            self.examples()  # a copy, or a file, does not contain the pool
        return vars(self)

    @property
    def may_be_equal(self) -> bool:
        """True if there may be more equal rows than count; False once rows differ."""
        return not self._differ and self.n_given >= MAX_EQUAL and len(self) > 0

    def count_equal(self, X: Rows) -> int:
        """Count the first rows of X that should not count: all examples equal them, and there are `MAX_EQUAL`."""
        if not self.may_be_equal:
            return 0
        stored, _ = self.examples()
        self._differ = count_leading_equal(stored, stored) < stored.shape[0]
        return 0 if self._differ else count_leading_equal(X, stored)

    def counted_examples(self) -> tuple[Rows, NDArray[np.float64]]:
        """Return the rows that count, and their weights."""
        X, columns = self.examples()
        n_equal = count_leading_equal(X, X)
        counts = np.ones(X.shape[0], dtype=np.bool_)
        counts[MAX_EQUAL:n_equal] = False
        return (X, columns["weights"]) if counts.all() else (X[counts], columns["weights"][counts])

    def examples(self) -> tuple[Rows, Arrays]:
        """Return all rows, and the columns by name."""
        if len(self._parts) > 1 or (self._parts and type(self._parts[0][0]) is TakenRows):
            blocks, columns = zip(*self._parts, strict=True)
            stacked = {name: np.concatenate([part[name] for part in columns]) for name in columns[0]}
            self._parts = [(_stack(blocks), stacked)]
        return self._parts[0]

    def astype(self, dtype: DTypeLike) -> None:
        """Convert the rows to another precision."""
        self._parts = [(X.astype(dtype, copy=False), columns) for X, columns in self._parts]

    def retain(self, held: NDArray[np.int64]) -> None:
        """Drop the examples that are not at one of the positions `held`."""
        if not self._parts:
            return
        X, columns = self.examples()
        kept = np.isin(columns["ids"], held)
        if not kept.all():
            self._parts = [(X[kept], {name: values[kept] for name, values in columns.items()})]

    def replace(self, **columns: Array) -> None:
        """Replace the values of some columns."""
        X, known = self.examples()
        self._parts = [(X, known | columns)]

    def to_arrays(self) -> Arrays:
        """Return the examples as plain arrays; none if there are no examples."""
        if not len(self):
            return {}
        X, columns = self.examples()
        return {self.PREFIX + name: array for name, array in (rows_as_arrays(X) | columns).items()}

    @classmethod
    def from_arrays(cls, arrays: Arrays, limit: int, storage: Storage, built_from: int, n_given: int | None) -> Self:
        """Build the object from the result of `to_arrays`; without `n_given`, that is the number of examples."""
        first = cls(limit)
        first.add_arrays(arrays, storage)
        first.built_from = built_from
        first.n_given = first.n_given if n_given is None else n_given
        return first

    def add_arrays(self, arrays: Arrays, storage: Storage) -> None:
        """Add the examples in the result of `to_arrays`."""
        if arrays:
            named = {name.removeprefix(self.PREFIX): array for name, array in arrays.items()}
            rows = rows_from_arrays(named, storage)
            self.add(rows, **{name: array for name, array in named.items() if name not in rows_as_arrays(rows)})


def split(arrays: Arrays) -> tuple[Arrays, Arrays]:
    """Separate the arrays of the first examples of a stream from all others."""
    stored = {name: array for name, array in arrays.items() if name.startswith(FirstExamples.PREFIX)}
    return stored, {name: array for name, array in arrays.items() if name not in stored}


def rows_as_arrays(X: Rows) -> Arrays:
    """Convert dense or CSR rows to arrays of the types that the native code reads."""
    if not is_sparse(X):
        return {"values": np.ascontiguousarray(X)}
    return {
        "data": X.data,
        "indices": X.indices.astype(np.int32, copy=False),
        "indptr": X.indptr.astype(np.int64, copy=False),
    }


def rows_from_arrays(arrays: Arrays, storage: Storage) -> Rows:
    """Build rows from the result of `rows_as_arrays`; the array `ids` gives their number."""
    if not storage.sparse:
        return arrays["values"]
    shape = (len(arrays["ids"]), storage.n_features)
    return csr_matrix((arrays["data"], arrays["indices"], arrays["indptr"]), shape=shape)


def count_leading_equal(X: Rows, other: Rows) -> int:
    """Count the first rows of X that equal the first row of another matrix."""
    if not is_sparse(X):
        is_equal = (other[0] == X).all(axis=1)
        return int(np.argmin(is_equal)) if not is_equal.all() else len(is_equal)
    first, n_equal = other[0], 0
    for start, stop in pairwise(X.indptr.tolist()):
        if stop - start != first.nnz or not (
            np.array_equal(X.indices[start:stop], first.indices) and np.array_equal(X.data[start:stop], first.data)
        ):
            break
        n_equal += 1
    return n_equal


def _stack(blocks: Sequence[Rows]) -> Rows:
    blocks = [_copied(pool, list(part)) for pool, part in groupby(blocks, _pool_of)]
    return blocks[0] if len(blocks) == 1 else _joined(blocks)


def _pool_of(X: Rows) -> PooledRows | None:
    return X.pool if type(X) is TakenRows else None


def _copied(pool: PooledRows | None, blocks: list[Any]) -> Rows:
    """Return successive blocks as one, which is a copy if they come from a pool."""
    return _joined(blocks) if pool is None else pool.take(np.concatenate([block.rows for block in blocks])).array()


def _joined(blocks: Sequence[Rows]) -> Rows:
    return vstack(blocks, format="csr") if is_sparse(blocks[0]) else np.concatenate(blocks)
