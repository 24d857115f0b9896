"""The learning curve: how good the model is, and how good it would be with labels drawn at random.

Every few questions one is drawn at random. What the model said about it before the answer came is an honest test (test,
then learn): such examples are as frequent as in the pool, unlike those that the model chose. Accuracy is the share of
right answers among the last 30 such tests, with Wilson's interval.

The same examples teach a second model that gets no others. Its tests show what labelling at random would have given for
as many labels as were drawn; for more than these, the error is continued as the power of the number of labels that fits
best.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

_WINDOW = 30
_FEWEST = 5  # tests below which no accuracy is shown
_ENOUGH_TO_CONTINUE = 8
_EXTRA_POINTS = 20
_MOST_POINTS = 400


@dataclass(frozen=True)
class Test:
    """What was said about an example drawn at random, before its label was known.

    Attributes
    ----------
    labels : int
        Labels that the model had.
    right : bool
        Whether it was right.
    """

    __test__ = False  # not one of pytest's

    labels: int
    right: bool


@dataclass(frozen=True)
class Point:
    """A point of the curve: labels, accuracy, and the interval in which it lies with 95 % certainty."""

    labels: int
    accuracy: float
    low: float
    high: float


def curve(tests: Sequence[Test]) -> list[Point]:
    """Return the accuracy over the last tests, after each of them.

    Examples
    --------
    >>> points = curve([Test(labels, labels > 3) for labels in range(1, 11)])
    >>> points[-1].labels, points[-1].accuracy
    (10, 0.7)
    """
    right = np.cumsum([0, *(test.right for test in tests)])
    points = []
    for end in range(_FEWEST, len(tests) + 1):
        start = max(0, end - _WINDOW)
        points.append(_point(tests[end - 1].labels, int(right[end] - right[start]), end - start))
    return _thinned(points)


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
    errors = np.log([max(1 - point.accuracy, 0.5 / _WINDOW) for point in points])
    slope = float(np.clip(np.polyfit(counts, errors, 1)[0], -1.0, 0.0))
    places = np.unique(np.geomspace(last.labels + 1, labels, _EXTRA_POINTS).astype(int))
    ratios = (places / last.labels) ** slope
    return [_scaled(last, int(place), float(ratio)) for place, ratio in zip(places, ratios, strict=True)]


def _scaled(last: Point, labels: int, ratio: float) -> Point:
    """Return a point whose errors are those of another times a ratio."""
    return Point(labels, 1 - (1 - last.accuracy) * ratio, 1 - (1 - last.low) * ratio, 1 - (1 - last.high) * ratio)


def _point(labels: int, right: int, tests: int) -> Point:
    accuracy, z = right / tests, 1.96
    centre = (accuracy + z * z / (2 * tests)) / (1 + z * z / tests)
    half = z * math.sqrt(accuracy * (1 - accuracy) / tests + (z / (2 * tests)) ** 2) / (1 + z * z / tests)
    return Point(labels, accuracy, centre - half, centre + half)


def _thinned(points: list[Point]) -> list[Point]:
    """Return at most so many points as a screen can show, with the last."""
    step = max(1, math.ceil(len(points) / _MOST_POINTS))
    return points[::-step][::-1]
