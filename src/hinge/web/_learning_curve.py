"""The learning curve: the accuracy of the model, and its accuracy with labels drawn at random.

Every few examples one is drawn at random. Unlike the examples that the model chose, these represent the pool, so they
are an unbiased test set for a model that has not learned them. For n labels, the exact model of the first n predicts
each random example among them as if it had never seen it (leave-one-out, which costs little more than training). The
fraction of correct predictions is the accuracy, with Wilson's interval. The curve depends only on the labels, so a
corrected label changes the whole curve, and a restart changes nothing.

A model of the random examples alone gives the curve of labelling at random, up to the number of random examples.
Beyond that, the error is extrapolated with the power law that fits best.
"""

from __future__ import annotations

import math
import threading
import time
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, TypedDict

import numpy as np

from hinge.incremental import IncrementalSVC

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from hinge.web._labels import LabelRecord
    from hinge.web.pools import Features

    Evaluate = Callable[[NDArray[np.int64], NDArray[np.str_]], NDArray[np.bool_]]

MAX_LABELS = 800  # of an evaluated model: leave-one-out takes about a second at this size
MIN_LABELS = 10  # where the curve begins
MIN_RANDOM = 5  # random examples needed to estimate an accuracy
_STEP_RATIO = 1.25  # between successive numbers of labels on the curve
_MIN_POINTS_TO_EXTRAPOLATE = 4
_MAX_EXTRAPOLATED_POINTS = 20
_MAX_CACHED_POINTS = 1000
_PAUSE_RATIO = 4.0  # pause after a computation, as a multiple of its duration


class ModelParameters(TypedDict):
    """The parameters of the model that do not depend on the solver."""

    C: float
    gamma: float | str
    kernel: str


@dataclass(frozen=True)
class Point:
    """A point of the curve: number of labels, accuracy, and the bounds of its 95 % confidence interval."""

    labels: int
    accuracy: float
    low: float
    high: float


class Curves(NamedTuple):
    """The learning curve of the model, and that of the random examples alone."""

    model: list[Point]
    random: list[Point]


@dataclass(frozen=True)
class LabelHistory:
    """All labels in the order of labelling.

    Attributes
    ----------
    rows : ndarray of int
        Rows of the pool.
    labels : ndarray of str
        Their labels.
    is_random : ndarray of bool
        Which rows were drawn at random.
    """

    rows: NDArray[np.int64]
    labels: NDArray[np.str_]
    is_random: NDArray[np.bool_]

    @classmethod
    def of(cls, records: Mapping[int, LabelRecord]) -> LabelHistory:
        """Convert label records by row, which are in the order of labelling."""
        return cls(
            np.array(list(records), dtype=np.int64),
            np.array([record.label for record in records.values()]),
            np.array([record.drawn == "random" for record in records.values()], dtype=bool),
        )

    def random_only(self) -> LabelHistory:
        """Return the labels of the rows that were drawn at random."""
        return LabelHistory(self.rows[self.is_random], self.labels[self.is_random], self.is_random[self.is_random])


class LearningCurve:
    """A learning curve that caches its points, so that only what has changed is computed.

    Parameters
    ----------
    evaluate : callable
        Receives rows and labels; returns for each row whether the model of the other rows predicts it correctly.
    """

    def __init__(self, evaluate: Evaluate) -> None:
        self._evaluate = evaluate
        self._points: dict[tuple[int, int], Point | None] = {}

    def points(self, history: LabelHistory) -> list[Point]:
        """Compute the points of the curve."""
        points = [self._point(history, n) for n in curve_sizes(min(len(history.rows), MAX_LABELS))]
        return [point for point in points if point is not None]

    def _point(self, history: LabelHistory, n: int) -> Point | None:
        rows, labels, is_test = history.rows[:n], history.labels[:n], history.is_random[:n]
        key = n, hash((rows.tobytes(), is_test.tobytes(), *labels.tolist()))
        if len(self._points) > _MAX_CACHED_POINTS:
            self._points.clear()
        if key not in self._points:
            enough = is_test.sum() >= MIN_RANDOM and len(set(labels)) > 1
            self._points[key] = accuracy_point(n, self._evaluate(rows, labels)[is_test]) if enough else None
        return self._points[key]


class LearningCurveEstimator:
    """Computes the learning curves in a background thread, with pauses between computations.

    Parameters
    ----------
    X : ndarray or CSR matrix
        The features of the pool.
    parameters : ModelParameters
        Parameters of the model. The exact model is evaluated, whichever solver learns.
    """

    def __init__(self, X: Features, parameters: ModelParameters) -> None:
        evaluate = partial(_leave_one_out, X, parameters)
        self._model_curve, self._random_curve = LearningCurve(evaluate), LearningCurve(evaluate)
        self._result = Curves([], [])
        self._thread: threading.Thread | None = None
        self._next_start = 0.0
        self._start_lock = threading.Lock()

    def update(self, history: LabelHistory) -> Curves:
        """Return the latest curves; start a new computation unless one is running or has just ended."""
        with self._start_lock:
            is_running = self._thread is not None and self._thread.is_alive()
            if not is_running and time.monotonic() >= self._next_start:
                self._thread = threading.Thread(
                    target=self.compute, args=(history,), name="hinge-learning-curve", daemon=True
                )
                self._thread.start()
        return self._result

    def compute(self, history: LabelHistory) -> Curves:
        """Compute the curves of these labels."""
        began = time.monotonic()
        try:
            model = self._model_curve.points(history)
            self._result = Curves(model, self._random_curve.points(history.random_only()))
        finally:
            now = time.monotonic()
            self._next_start = now + _PAUSE_RATIO * (now - began)
        return self._result

    def wait(self, timeout: float | None = None) -> None:
        """Wait for a running computation, at most `timeout` seconds."""
        if self._thread is not None:
            self._thread.join(timeout)


def curve_sizes(n: int) -> list[int]:
    """Return the numbers of labels, up to n, at which a curve has points.

    Examples
    --------
    >>> curve_sizes(20)
    [10, 12, 16, 20]
    """
    sizes, size = [], float(MIN_LABELS)
    while round(size) < n:
        sizes.append(round(size))
        size *= _STEP_RATIO
    return [*sizes, n] if n >= MIN_LABELS else []


def accuracy_point(labels: int, correct: NDArray[np.bool_]) -> Point:
    """Estimate the accuracy and its interval from the outcomes of test predictions.

    Examples
    --------
    >>> import numpy as np
    >>> point = accuracy_point(100, np.array([True] * 18 + [False] * 2))
    >>> point.accuracy, round(point.low, 2), round(point.high, 2)
    (0.9, 0.7, 0.97)
    """
    n_tests, z = len(correct), 1.96
    accuracy = float(correct.mean())
    centre = (accuracy + z * z / (2 * n_tests)) / (1 + z * z / n_tests)
    half = z * math.sqrt(accuracy * (1 - accuracy) / n_tests + (z / (2 * n_tests)) ** 2) / (1 + z * z / n_tests)
    return Point(labels, accuracy, max(0.0, centre - half), min(1.0, centre + half))


def extrapolate(points: Sequence[Point], labels: int) -> list[Point]:
    """Extrapolate a curve up to a number of labels; return no points if the curve is too short.

    Examples
    --------
    >>> points = [Point(n, 1 - 1 / n, 0.0, 1.0) for n in range(2, 20)]
    >>> extrapolated = extrapolate(points, 100)
    >>> round(1 - extrapolated[-1].accuracy, 3)  # 1 / 100
    0.01
    """
    if len(points) < _MIN_POINTS_TO_EXTRAPOLATE or labels <= points[-1].labels:
        return []
    last = points[-1]
    counts = np.log([point.labels for point in points])
    errors = np.log([max(1 - point.accuracy, 0.5 / point.labels) for point in points])
    slope = float(np.clip(np.polyfit(counts, errors, 1)[0], -1.0, 0.0))
    sizes = np.unique(np.geomspace(last.labels + 1, labels, _MAX_EXTRAPOLATED_POINTS).astype(int))
    ratios = (sizes / last.labels) ** slope
    return [_scale_error(last, int(size), float(ratio)) for size, ratio in zip(sizes, ratios, strict=True)]


def _scale_error(point: Point, labels: int, ratio: float) -> Point:
    """Multiply the error rates of a point by a ratio."""
    return Point(labels, 1 - (1 - point.accuracy) * ratio, 1 - (1 - point.low) * ratio, 1 - (1 - point.high) * ratio)


def _leave_one_out(
    X: Features, parameters: ModelParameters, rows: NDArray[np.int64], labels: NDArray[np.str_]
) -> NDArray[np.bool_]:
    """Return for each row whether the model of the other rows predicts it correctly."""
    model = IncrementalSVC(**parameters).fit(X[rows], labels)
    correct: NDArray[np.bool_] = model.leave_one_out() == labels
    return correct
