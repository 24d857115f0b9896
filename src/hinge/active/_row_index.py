"""Which rows a model has learned: a short hash of each row, its label, and the id under which the model knows it.

Rows of a later call are compared by content and number of occurrences, so that their order does not matter.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_matrix, issparse

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

    from numpy.typing import NDArray

    from hinge.active._rows import Labels


def row_hashes(X: NDArray[np.floating] | csr_matrix, weights: NDArray[np.float64] | None = None) -> list[bytes]:
    """Return a hash of each row and its weight; rows with equal numbers have equal hashes, dense or sparse.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.sparse import csr_matrix
    >>> X = np.array([[0.0, 2.0], [1.0, 0.0]], dtype=np.float32)
    >>> row_hashes(X) == row_hashes(csr_matrix(X.astype(float)))
    True
    >>> row_hashes(X) == row_hashes(X, np.array([1.0, 2.0]))
    False
    """
    rows = csr_matrix(X, dtype=np.float64, copy=issparse(X))
    rows.eliminate_zeros()
    columns, values = rows.indices.astype(np.int32).tobytes(), rows.data.tobytes()
    masses = (np.ones(rows.shape[0]) if weights is None else weights).tobytes()
    return [
        blake2b(
            columns[4 * start : 4 * stop] + values[8 * start : 8 * stop] + masses[8 * row : 8 * row + 8],
            digest_size=16,
        ).digest()
        for row, (start, stop) in enumerate(pairwise(rows.indptr.tolist()))
    ]


@dataclass(frozen=True)
class HashedRows:
    """Checked rows of positive weight with their labels and hashes."""

    X: NDArray[np.floating] | csr_matrix
    y: Labels
    weights: NDArray[np.float64] | None  # None if the caller gave none
    labels: list[Hashable] = field(init=False)  # Python values, which are equal even where NumPy types differ
    hashes: list[bytes] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "labels", self.y.tolist())
        object.__setattr__(self, "hashes", row_hashes(self.X, self.weights))

    def keywords(self, rows: list[int] | slice = slice(None)) -> dict[str, object]:
        """Return rows as keyword arguments of `fit` and `partial_fit`."""
        weights = {} if self.weights is None else {"sample_weight": self.weights[rows]}
        return {"X": self.X[rows], "y": self.y[rows], **weights}


@dataclass(frozen=True)
class RowChanges:
    """What a model must change to know given rows and no others.

    Attributes
    ----------
    ids : list of int
        One id per row, under which the model will know it.
    new, relabelled : list of int
        Rows that the model does not know, and rows that it knows with another label.
    removed : list of int
        The ids of rows that the model knows and must forget.
    """

    ids: list[int]
    new: list[int]
    relabelled: list[int]
    removed: list[int]


class RowIndex:
    """The rows that a model has learned.

    Attributes
    ----------
    is_valid : bool
        Whether the index matches the model. Set it to False before training, and to True when training has succeeded.

    Examples
    --------
    >>> index = RowIndex()
    >>> index.add([b"one", b"two", b"two"], ["a", "b", "b"], index.reserve(3))
    >>> changes = index.compare([b"two", b"one", b"six"], ["b", "c", "b"])
    >>> changes.ids, changes.new, changes.relabelled, changes.removed
    ([1, 0, 3], [2], [1], [2])
    """

    def __init__(self) -> None:
        self.is_valid = True
        self._ids: defaultdict[tuple[bytes, Hashable], list[int]] = defaultdict(list)
        self._next = 0  # ids are never reused

    def reserve(self, n: int) -> range:
        """Return ids for n new rows."""
        first, self._next = self._next, self._next + n
        return range(first, self._next)

    def add(self, hashes: Sequence[bytes], labels: Sequence[Hashable], ids: Iterable[int]) -> None:
        """Add rows that the model has learned."""
        for row_hash, label, row_id in zip(hashes, labels, ids, strict=True):
            self._ids[row_hash, label].append(row_id)

    def replace(self, hashes: Sequence[bytes], labels: Sequence[Hashable], ids: Iterable[int]) -> None:
        """Replace all rows by those that the model knows now."""
        self._ids.clear()
        self.add(hashes, labels, ids)

    def compare(self, hashes: Sequence[bytes], labels: Sequence[Hashable]) -> RowChanges:
        """Return the changes from the rows in the index to the given ones; ids of new rows are reserved."""
        wanted: dict[tuple[bytes, Hashable], list[int]] = {}
        for row, key in enumerate(zip(hashes, labels, strict=True)):
            wanted.setdefault(key, []).append(row)
        ids, spare = [-1] * len(hashes), dict[bytes, list[int]]()
        for key, known in self._ids.items():
            rows = wanted.get(key, ())
            for row, row_id in zip(rows, known, strict=False):
                ids[row] = row_id
            if len(known) > len(rows):
                spare.setdefault(key[0], []).extend(reversed(known[len(rows) :]))
        changes = RowChanges(ids, [], [], [])
        for row, row_id in enumerate(ids):
            if row_id < 0:
                others = spare.get(hashes[row])  # the same row with a label that is no longer wanted
                (changes.relabelled if others else changes.new).append(row)
                ids[row] = others.pop() if others else self.reserve(1)[0]
        changes.removed.extend(row_id for row_ids in spare.values() for row_id in row_ids)
        return changes
