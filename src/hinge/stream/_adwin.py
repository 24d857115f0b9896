"""The drift detector ADWIN for mistakes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_BUCKETS = 5  # per size
_CHECK_EVERY = 32  # examples
_MIN_WIDTH = 10  # of the window that is cut
MIN_PART = 5  # examples on each side of a cut


class Change(NamedTuple):
    """Numbers of values before and after a change, and their means."""

    n_before: int
    n_after: int
    mean_before: float
    mean_after: float

    @property
    def evidence(self) -> float:
        """Squared difference of the means in units of its variance, up to a constant factor."""
        return (self.mean_before - self.mean_after) ** 2 / (1 / self.n_before + 1 / self.n_after)


class Adwin:
    """Adaptive window over zeros and ones: detects when their mean has changed.

    The window grows while its mean stays the same. It is cut in two parts, W0 and W1, wherever these have means that
    differ by more than

        sqrt(2 / m * v * log(2 log(n) / delta)) + 2 / (3 m) * log(2 log(n) / delta),    1 / m = 1 / n0 + 1 / n1

    (n values in the window, variance v), and then the oldest values are dropped until no two parts differ. Values are
    kept in an exponential histogram: buckets of 1, 2, 4, ... values, at most five of each size, so n values take
    memory of the order of log(n), and the window is cut between buckets only.

    Parameters
    ----------
    delta : float, default=0.002
        Confidence: bounds the probability of a false alarm at each check.

    Attributes
    ----------
    width : int
        Number of values in the window.
    total : int
        Their sum.

    References
    ----------
    A. Bifet, R. Gavaldà. Learning from Time-Changing Data with Adaptive Windowing. SDM 2007.

    Examples
    --------
    >>> detector = Adwin()
    >>> changes = [t for t in range(2000) if detector.update(t >= 1000)]
    >>> 1000 < changes[0] < 1064
    True
    >>> detector.mean > 0.99
    True
    """

    def __init__(self, delta: float = 0.002) -> None:
        self.delta = delta
        self.restart()

    def restart(self) -> None:
        """Begin a new window."""
        self.width = 0
        self.total = 0
        self._n_updates = 0
        self._rows: list[list[int]] = [[]]  # row i: sums of buckets of 2**i values, the oldest first

    def to_values(self) -> dict[str, Any]:
        """Return the window as values that JSON can represent."""
        return {"n_updates": self._n_updates, "buckets": [list(row) for row in self._rows]}

    @classmethod
    def from_values(cls, delta: float, values: dict[str, Any]) -> Adwin:
        """Build a detector from the result of `to_values`."""
        detector = cls(delta)
        detector._n_updates, detector._rows = values["n_updates"], [list(row) for row in values["buckets"]]
        detector.width = sum(len(row) << size for size, row in enumerate(detector._rows))
        detector.total = sum(map(sum, detector._rows))
        return detector

    @property
    def mean(self) -> float:
        """Mean of the values in the window; 0 if it is empty."""
        return self.total / self.width if self.width else 0.0

    def update(self, value: bool) -> Change | None:
        """Add a value; return the most likely change if the window was cut because the mean has changed."""
        self.width += 1
        self.total += value
        self._n_updates += 1
        self._rows[0].append(int(value))
        if len(self._rows[0]) > MAX_BUCKETS:
            self._merge()
        if self._n_updates % _CHECK_EVERY or self.width <= _MIN_WIDTH:
            return None
        return self._shrink()

    def _merge(self) -> None:
        """Merge the two oldest buckets of each size of which there are too many."""
        for size, row in enumerate(self._rows):
            if len(row) <= MAX_BUCKETS:
                return
            if size + 1 == len(self._rows):
                self._rows.append([])
            self._rows[size + 1].append(row[0] + row[1])
            del row[:2]

    def _shrink(self) -> Change | None:
        """Drop the oldest buckets while some cut separates different means."""
        if not self._has_cut():
            return None
        change = max(self._cuts(), key=lambda cut: cut.evidence)
        while self.width > _MIN_WIDTH and self._has_cut():
            oldest = self._rows[-1]
            self.total -= oldest.pop(0)
            self.width -= 1 << (len(self._rows) - 1)
            if not oldest and len(self._rows) > 1:
                self._rows.pop()
        return change

    def _has_cut(self) -> bool:
        mean = self.mean
        logarithm = math.log(2 * math.log(self.width) / self.delta)
        spread = 2 * mean * (1 - mean) * logarithm
        for cut in self._cuts():
            inverse = 1 / (cut.n_before - MIN_PART + 1) + 1 / (cut.n_after - MIN_PART + 1)
            bound = math.sqrt(spread * inverse) + 2 / 3 * logarithm * inverse
            if abs(cut.mean_before - cut.mean_after) > bound:
                return True
        return False

    def _cuts(self) -> Iterator[Change]:
        """Yield the ways to cut the window between two buckets."""
        n_before, before = 0, 0
        for size in range(len(self._rows) - 1, -1, -1):
            for total in self._rows[size]:
                n_before += 1 << size
                before += total
                n_after = self.width - n_before
                if n_after < MIN_PART:
                    return
                if n_before >= MIN_PART:
                    yield Change(n_before, n_after, before / n_before, (self.total - before) / n_after)
