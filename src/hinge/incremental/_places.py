"""Sets of places in a stream."""

from __future__ import annotations

from bisect import bisect_right
from math import inf
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray


class Places:
    """A set of places in a stream, kept as runs: places that follow each other take no room of their own.

    Parameters
    ----------
    runs : iterable of (int, int)
        Where runs begin and end (the first place behind them), in rising order and apart from each other.

    Examples
    --------
    >>> places = Places()
    >>> places.add(0, 1000)
    >>> places.discard(10)
    >>> places.runs(), len(places), 10 in places
    ([(0, 10), (11, 1000)], 999, False)
    """

    def __init__(self, runs: Iterable[tuple[int, int]] = ()) -> None:
        self._runs = [(start, stop) for start, stop in runs]

    def __len__(self) -> int:
        return sum(stop - start for start, stop in self._runs)

    def __contains__(self, place: int) -> bool:
        behind = self._behind(place)
        return behind > 0 and place < self._runs[behind - 1][1]

    def runs(self) -> list[tuple[int, int]]:
        """Return where runs begin and end."""
        return list(self._runs)

    def without(self, other: Places) -> Places:
        """Return the places that are not in another set, without looking at each of them.

        Examples
        --------
        >>> Places([(0, 10), (20, 30)]).without(Places([(5, 22), (25, 26)])).runs()
        [(0, 5), (22, 25), (26, 30)]
        """
        left = []
        for start, stop in self._runs:
            begin = start
            for place in range(max(0, other._behind(start) - 1), len(other._runs)):
                first, last = other._runs[place]
                if first >= stop:
                    break
                if begin < first:
                    left.append((begin, first))
                begin = max(begin, last)
            if begin < stop:
                left.append((begin, stop))
        return Places(left)

    def numbers(self) -> NDArray[np.int64]:
        """Return the places, in rising order."""
        runs = [np.arange(start, stop, dtype=np.int64) for start, stop in self._runs]
        return np.concatenate(runs) if runs else np.zeros(0, dtype=np.int64)

    def add(self, start: int, stop: int) -> None:
        """Add the places from `start` up to, and without, `stop`; none of them may be in the set."""
        if start >= stop:
            return
        first = last = self._behind(start)
        if first > 0 and self._runs[first - 1][1] == start:
            first -= 1
            start = self._runs[first][0]
        if last < len(self._runs) and self._runs[last][0] == stop:
            stop = self._runs[last][1]
            last += 1
        self._runs[first:last] = [(start, stop)]

    def discard(self, place: int) -> None:
        """Take a place out, if it is in the set."""
        if place not in self:
            return
        run = self._behind(place) - 1
        start, stop = self._runs[run]
        halves = ((start, place), (place + 1, stop))
        self._runs[run : run + 1] = [(first, last) for first, last in halves if first < last]

    def _behind(self, place: int) -> int:
        """Return how many runs begin at a place or before it."""
        return bisect_right(self._runs, (place, inf))
