"""The rows of a pool that have no label yet."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray


class UnlabelledRows:
    """A set of row indices from which single rows are removed, and to which they are added, in constant time.

    All rows are in one array, the unlabelled ones first. Removing a row swaps it with the last unlabelled one.

    Examples
    --------
    >>> rows = UnlabelledRows(4)
    >>> rows.remove(1)
    >>> rows.sorted().tolist(), 1 in rows
    ([0, 2, 3], False)
    >>> rows.add(1)
    >>> len(rows)
    4
    """

    def __init__(self, n: int, labelled: Iterable[int] = ()) -> None:
        self._rows = np.arange(n, dtype=np.int64)
        self._positions = np.arange(n, dtype=np.int64)
        self._n = n
        for row in labelled:
            self.remove(row)

    def __len__(self) -> int:
        return self._n

    def __contains__(self, row: int) -> bool:
        return bool(self._positions[row] < self._n)

    def remove(self, row: int) -> None:
        """Remove a row that has got a label."""
        self._swap(row, self._n - 1)
        self._n -= 1

    def add(self, row: int) -> None:
        """Add a row that has lost its label."""
        self._swap(row, self._n)
        self._n += 1

    def sorted(self) -> NDArray[np.int64]:
        """Return the unlabelled rows in ascending order."""
        return np.sort(self._rows[: self._n])

    def at(self, positions: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the unlabelled rows at positions from 0 to `len(self) - 1`, in no particular order of rows."""
        return self._rows[positions]

    @contextmanager
    def excluding(self, rows: Iterable[int]) -> Iterator[None]:
        """Leave rows out while the context is active."""
        n = self._n
        try:
            for row in set(rows):
                if row in self:
                    self.remove(row)
            yield
        finally:
            self._n = n  # the rows that were removed are right behind the others

    def _swap(self, row: int, position: int) -> None:
        here, other = self._positions[row], self._rows[position]
        self._rows[position], self._rows[here] = row, other
        self._positions[row], self._positions[other] = position, here
