"""The learning curve: how good the model is, and how good it would be with labels drawn at random.

Every few questions one is drawn at random. Such examples are as frequent as in the pool, unlike those that the model
chose, and an honest test of it as long as the model that is asked has not learned them. For any number n of labels, the
exact model of the first n is asked about each of the random ones among them as if it had never seen that one
(leave-one-out, which costs hardly more than training). The share of right answers is the accuracy, with Wilson's
interval. As nothing but the labels is needed, a correction changes the whole curve, and a restart nothing.

A model of the random ones alone shows in the same way what labelling at random gives for as many labels as were drawn;
for more than these, the error is continued as the power of the number of labels that fits best.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    Examiner = Callable[[NDArray[np.int64], NDArray[Any]], NDArray[np.bool_]]

MOST_LABELS = 800  # of a model that is examined: leave-one-out takes a second then
FIRST, _RATIO = 10, 1.25  # the numbers of labels at which the curve is looked at
FEWEST = 5  # tests below which no accuracy is shown
_ENOUGH_TO_CONTINUE = 4
_EXTRA_POINTS = 20
_REMEMBERED = 1000  # points


@dataclass(frozen=True)
class Point:
    """A point of the curve: labels, accuracy, and the interval in which it lies with 95 % certainty."""

    labels: int
    accuracy: float
    low: float
    high: float


@dataclass(frozen=True)
class History:
    """All labels in the order in which they came.

    Attributes
    ----------
    rows : ndarray of int
        Rows of the pool.
    labels : ndarray of str
        What they are.
    at_random : ndarray of bool
        Which were drawn at random.
    """

    rows: NDArray[np.int64]
    labels: NDArray[Any]
    at_random: NDArray[np.bool_]

    def random_only(self) -> History:
        """Return the part of it that was drawn at random."""
        return History(self.rows[self.at_random], self.labels[self.at_random], self.at_random[self.at_random])


class Curve:
    """A learning curve that is looked at again and again: only what has changed is computed.

    Parameters
    ----------
    examine : callable
        Gets rows and labels, and returns for each row whether the model of the others is right about it.
    """

    def __init__(self, examine: Examiner) -> None:
        self._examine = examine
        self._points: dict[tuple[int, int], Point | None] = {}

    def points(self, history: History) -> list[Point]:
        """Return the curve: labels, accuracy, and where it may be."""
        found = [self._point(history, n) for n in sizes(min(len(history.rows), MOST_LABELS))]
        return [point for point in found if point is not None]

    def _point(self, history: History, n: int) -> Point | None:
        rows, labels, tests = history.rows[:n], history.labels[:n], history.at_random[:n]
        key = n, hash((rows.tobytes(), tests.tobytes(), *labels.tolist()))
        if len(self._points) > _REMEMBERED:
            self._points.clear()
        if key not in self._points:
            enough = tests.sum() >= FEWEST and len(set(labels)) > 1
            self._points[key] = judged(n, self._examine(rows, labels)[tests]) if enough else None
        return self._points[key]


def sizes(n: int) -> list[int]:
    """Return the numbers of labels, up to n, at which a curve is looked at.

    Examples
    --------
    >>> sizes(20)
    [10, 12, 16, 20]
    """
    found, size = [], float(FIRST)
    while round(size) < n:
        found.append(round(size))
        size *= _RATIO
    return [*found, n] if n >= FIRST else []


def judged(labels: int, right: NDArray[np.bool_]) -> Point:
    """Return the point of a curve that tests show.

    Examples
    --------
    >>> import numpy as np
    >>> point = judged(100, np.array([True] * 18 + [False] * 2))
    >>> point.accuracy, round(point.low, 2), round(point.high, 2)
    (0.9, 0.7, 0.97)
    """
    tests, z = len(right), 1.96
    accuracy = float(right.mean())
    centre = (accuracy + z * z / (2 * tests)) / (1 + z * z / tests)
    half = z * math.sqrt(accuracy * (1 - accuracy) / tests + (z / (2 * tests)) ** 2) / (1 + z * z / tests)
    return Point(labels, accuracy, max(0.0, centre - half), min(1.0, centre + half))


def continued(points: Sequence[Point], labels: int) -> list[Point]:
    """Return points that lie beyond the last, up to a number of labels; none where there is too little to go by.

    Examples
    --------
    >>> points = [Point(n, 1 - 1 / n, 0.0, 1.0) for n in range(2, 20)]
    >>> further = continued(points, 100)
    >>> round(1 - further[-1].accuracy, 3)  # 1 / 100
    0.01
    """
    if len(points) < _ENOUGH_TO_CONTINUE or labels <= points[-1].labels:
        return []
    last = points[-1]
    counts = np.log([point.labels for point in points])
    errors = np.log([max(1 - point.accuracy, 0.5 / point.labels) for point in points])
    slope = float(np.clip(np.polyfit(counts, errors, 1)[0], -1.0, 0.0))
    places = np.unique(np.geomspace(last.labels + 1, labels, _EXTRA_POINTS).astype(int))
    ratios = (places / last.labels) ** slope
    return [_scaled(last, int(place), float(ratio)) for place, ratio in zip(places, ratios, strict=True)]


def _scaled(last: Point, labels: int, ratio: float) -> Point:
    """Return a point whose errors are those of another times a ratio."""
    return Point(labels, 1 - (1 - last.accuracy) * ratio, 1 - (1 - last.low) * ratio, 1 - (1 - last.high) * ratio)
