"""Sets of integers that are stored as ranges."""

from __future__ import annotations

from bisect import bisect_right
from math import inf
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray


class IdRanges:
    """A set of integers, stored as ranges: consecutive integers need no memory of their own.

    Parameters
    ----------
    ranges : iterable of (int, int)
        Start and stop (exclusive) of each range, in increasing order, with gaps between them.

    Examples
    --------
    >>> ids = IdRanges()
    >>> ids.add(0, 1000)
    >>> ids.discard(10)
    >>> ids.ranges(), len(ids), 10 in ids
    ([(0, 10), (11, 1000)], 999, False)
    """

    def __init__(self, ranges: Iterable[tuple[int, int]] = ()) -> None:
        self._ranges = [(start, stop) for start, stop in ranges]

    def __len__(self) -> int:
        return sum(stop - start for start, stop in self._ranges)

    def __contains__(self, number: int) -> bool:
        after = self._count_up_to(number)
        return after > 0 and number < self._ranges[after - 1][1]

    def ranges(self) -> list[tuple[int, int]]:
        """Return start and stop (exclusive) of each range."""
        return list(self._ranges)

    def difference(self, other: IdRanges) -> IdRanges:
        """Return the integers that are not in another set, in time proportional to the number of ranges.

        Examples
        --------
        >>> IdRanges([(0, 10), (20, 30)]).difference(IdRanges([(5, 22), (25, 26)])).ranges()
        [(0, 5), (22, 25), (26, 30)]
        """
        remaining = []
        for start, stop in self._ranges:
            begin = start
            for index in range(max(0, other._count_up_to(start) - 1), len(other._ranges)):
                other_start, other_stop = other._ranges[index]
                if other_start >= stop:
                    break
                if begin < other_start:
                    remaining.append((begin, other_start))
                begin = max(begin, other_stop)
            if begin < stop:
                remaining.append((begin, stop))
        return IdRanges(remaining)

    def to_array(self) -> NDArray[np.int64]:
        """Return the integers in increasing order."""
        parts = [np.arange(start, stop, dtype=np.int64) for start, stop in self._ranges]
        return np.concatenate(parts) if parts else np.zeros(0, dtype=np.int64)

    def add(self, start: int, stop: int) -> None:
        """Add the integers from `start` to `stop` (exclusive); none of them may be in the set."""
        if start >= stop:
            return
        first = last = self._count_up_to(start)
        if first > 0 and self._ranges[first - 1][1] == start:
            first -= 1
            start = self._ranges[first][0]
        if last < len(self._ranges) and self._ranges[last][0] == stop:
            stop = self._ranges[last][1]
            last += 1
        self._ranges[first:last] = [(start, stop)]

    def discard(self, number: int) -> None:
        """Remove an integer if it is in the set."""
        if number not in self:
            return
        index = self._count_up_to(number) - 1
        start, stop = self._ranges[index]
        halves = ((start, number), (number + 1, stop))
        self._ranges[index : index + 1] = [(first, last) for first, last in halves if first < last]

    def _count_up_to(self, number: int) -> int:
        """Return how many ranges start at `number` or before."""
        return bisect_right(self._ranges, (number, inf))
