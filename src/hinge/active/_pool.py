"""The rows of a pool that have no label yet."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray


class OpenRows:
    """Rows that may be asked about: closed and opened again one at a time, however many there are.

    They stand in one array, the open ones in front; a row that is closed changes places with the last open one.

    Examples
    --------
    >>> rows = OpenRows(4)
    >>> rows.close(1)
    >>> rows.all().tolist(), 1 in rows
    ([0, 2, 3], False)
    >>> rows.open(1)
    >>> len(rows)
    4
    """

    def __init__(self, n: int, closed: Iterable[int] = ()) -> None:
        self._rows = np.arange(n, dtype=np.int64)
        self._places = np.arange(n, dtype=np.int64)
        self._n = n
        for row in closed:
            self.close(row)

    def __len__(self) -> int:
        return self._n

    def __contains__(self, row: int) -> bool:
        return bool(self._places[row] < self._n)

    def close(self, row: int) -> None:
        """Take a row out."""
        self._exchange(row, self._n - 1)
        self._n -= 1

    def open(self, row: int) -> None:
        """Put a row back."""
        self._exchange(row, self._n)
        self._n += 1

    def all(self) -> NDArray[np.int64]:
        """Return the open rows in their order in the pool."""
        return np.sort(self._rows[: self._n])

    def at(self, places: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the open rows at some places, which are numbered from 0 to the number of open rows."""
        return self._rows[places]

    @contextmanager
    def without(self, rows: Iterable[int]) -> Iterator[None]:
        """Keep rows closed for a while."""
        n = self._n
        try:
            for row in set(rows):
                if row in self:
                    self.close(row)
            yield
        finally:
            self._n = n  # rows that were closed stand just behind the others

    def _exchange(self, row: int, place: int) -> None:
        here, other = self._places[row], self._rows[place]
        self._rows[place], self._rows[here] = row, other
        self._places[row], self._places[other] = place, here
