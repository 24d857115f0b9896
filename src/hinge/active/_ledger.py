"""What a model has learned: each row by a short hash of its content, its label, and the id by which the model knows it.

Rows of a later call are compared with it by content and number of occurrences, so that their order does not matter.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from hashlib import blake2b
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import csr_matrix, issparse

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

    from numpy.typing import NDArray


def digests(X: Any, weights: NDArray[np.float64] | None = None) -> list[bytes]:
    """Return a hash of each row and its weight; rows are equal where their numbers are, dense or sparse.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.sparse import csr_matrix
    >>> X = np.array([[0.0, 2.0], [1.0, 0.0]], dtype=np.float32)
    >>> digests(X) == digests(csr_matrix(X.astype(float))), digests(X) == digests(X, np.array([1.0, 2.0]))
    (True, False)
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
class Changes:
    """What a model must do to know some rows and no others.

    Attributes
    ----------
    ids : list of int
        The ids of these rows, as the model will know them.
    new, relabelled : list of int
        Rows that are new to it, and those that it knows with another label.
    vanished : list of int
        The ids of rows that it knows and must forget.
    """

    ids: list[int]
    new: list[int]
    relabelled: list[int]
    vanished: list[int]


class Ledger:
    """Which rows a model has learned.

    Attributes
    ----------
    is_sound : bool
        Whether that is so. Who teaches the model says False before, and True when all has gone well.

    Examples
    --------
    >>> ledger = Ledger()
    >>> ledger.write([b"one", b"two", b"two"], ["a", "b", "b"], ledger.reserve(3))
    >>> changes = ledger.compare([b"two", b"one", b"six"], ["b", "c", "b"])
    >>> changes.ids, changes.new, changes.relabelled, changes.vanished
    ([1, 0, 3], [2], [1], [2])
    """

    def __init__(self) -> None:
        self.is_sound = True
        self._ids: defaultdict[tuple[bytes, Hashable], list[int]] = defaultdict(list)
        self._next = 0  # no id is given twice

    def reserve(self, n: int) -> range:
        """Return ids for new rows."""
        first, self._next = self._next, self._next + n
        return range(first, self._next)

    def write(self, digests: Sequence[bytes], labels: Sequence[Hashable], ids: Iterable[int]) -> None:
        """Add rows that the model has learned."""
        for digest, label, name in zip(digests, labels, ids, strict=True):
            self._ids[digest, label].append(name)

    def rewrite(self, digests: Sequence[bytes], labels: Sequence[Hashable], ids: Iterable[int]) -> None:
        """Note that the model knows these rows only."""
        self._ids.clear()
        self.write(digests, labels, ids)

    def compare(self, digests: Sequence[bytes], labels: Sequence[Hashable]) -> Changes:
        """Return what separates the rows that the model knows from others; ids of new rows are reserved."""
        wanted: dict[tuple[bytes, Hashable], list[int]] = {}
        for row, key in enumerate(zip(digests, labels, strict=True)):
            wanted.setdefault(key, []).append(row)
        ids, spare = [-1] * len(digests), dict[bytes, list[int]]()
        for key, known in self._ids.items():
            rows = wanted.get(key, ())
            for row, name in zip(rows, known, strict=False):
                ids[row] = name
            if len(known) > len(rows):
                spare.setdefault(key[0], []).extend(reversed(known[len(rows) :]))
        changes = Changes(ids, [], [], [])
        for row, name in enumerate(ids):
            if name < 0:
                others = spare.get(digests[row])  # the same row, with a label that is no longer wanted
                (changes.relabelled if others else changes.new).append(row)
                ids[row] = others.pop() if others else self.reserve(1)[0]
        changes.vanished.extend(name for names in spare.values() for name in names)
        return changes
