"""The learning curve: the accuracy of the model on the examples without a label.

Every few examples one is drawn at random and kept out of choosing (`_learners.py`). These test examples are a random
sample of the examples that were not chosen. For n labels, the exact model of the first n predicts each test example as
if it had never seen it (leave-one-out, which costs little more than training). The fraction of correct predictions is
the accuracy, with the exact binomial interval (Clopper and Pearson). The curve depends only on the labels, so a
corrected label changes the whole curve, and a restart changes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, TypedDict

import numpy as np
from scipy.stats import binomtest

from hinge.incremental import IncrementalSVC
from hinge.web._background import Background

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from hinge.web._labels import LabelRecord
    from hinge.web.pools import Features

    Evaluate = Callable[["LabelHistory", int], "Evaluation"]

MAX_LABELS = 800  # of an evaluated model: leave-one-out takes about a second at this size
MIN_LABELS = 10  # where the curve begins
MIN_RANDOM = 5  # random examples needed to estimate an accuracy
_STEP_RATIO = 1.25  # between successive numbers of labels on the curve
_MAX_CACHED_POINTS = 1000
_MAX_MONITORED = 1000  # examples whose predictions are compared between the points of the curve


class ModelParameters(TypedDict):
    """The parameters of the model that do not depend on the solver."""

    C: float
    gamma: float | str
    kernel: str


@dataclass(frozen=True)
class Point:
    """A point of the curve: number of labels, accuracy, and the bounds of its 95 % confidence interval.

    `predictions` are those for the monitored examples; they do not depend on test examples.
    """

    labels: int
    accuracy: float
    low: float
    high: float
    predictions: NDArray[np.str_] | None = field(default=None, compare=False, repr=False)


class Evaluation(NamedTuple):
    """Whether each test example is predicted correctly, and the predictions for the monitored examples."""

    correct: NDArray[np.bool_]
    predictions: NDArray[np.str_]


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


class LearningCurve:
    """A learning curve that caches its points, so that only what has changed is computed.

    Parameters
    ----------
    evaluate : callable
        Receives all labels and n; returns for each test example whether the model of the first n, without it, is right,
        and the predictions of that model for the monitored examples.
    """

    def __init__(self, evaluate: Evaluate) -> None:
        self._evaluate = evaluate
        self._points: dict[tuple[int, int], Point | None] = {}

    def points(self, history: LabelHistory) -> list[Point]:
        """Compute the points of the curve."""
        points = [self._point(history, n) for n in curve_sizes(min(len(history.rows), MAX_LABELS))]
        return [point for point in points if point is not None]

    def _point(self, history: LabelHistory, n: int) -> Point | None:
        rows, labels, is_test = history.rows, history.labels, history.is_random
        key = n, hash((rows.tobytes(), is_test.tobytes(), *labels.tolist()))
        if len(self._points) > _MAX_CACHED_POINTS:
            self._points.clear()
        if key not in self._points:
            enough = len(set(labels[:n])) > 1
            self._points[key] = accuracy_point(n, *self._evaluate(history, n)) if enough else None
        return self._points[key]


class LearningCurveEstimator(Background["LabelHistory", list[Point]]):
    """Computes the learning curve in a background thread, with pauses between computations.

    Parameters
    ----------
    X : ndarray or CSR matrix
        The features of the pool.
    parameters : ModelParameters
        Parameters of the model. The exact model is evaluated, whichever solver learns.
    """

    def __init__(self, X: Features, parameters: ModelParameters) -> None:
        monitored = np.arange(X.shape[0])
        if len(monitored) > _MAX_MONITORED:
            monitored = np.sort(np.random.default_rng(0).choice(monitored, _MAX_MONITORED, replace=False))
        curve = LearningCurve(partial(_evaluate, X, parameters, monitored))
        super().__init__(curve.points, [], "hinge-learning-curve")


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


def accuracy_point(labels: int, correct: NDArray[np.bool_], predictions: NDArray[np.str_] | None = None) -> Point:
    """Estimate the accuracy and its interval from the outcomes of test predictions; NaN if there are too few.

    Examples
    --------
    >>> import numpy as np
    >>> point = accuracy_point(100, np.array([True] * 18 + [False] * 2))
    >>> point.accuracy, round(point.low, 2), round(point.high, 2)
    (0.9, 0.68, 0.99)
    """
    if len(correct) < MIN_RANDOM:
        return Point(labels, np.nan, np.nan, np.nan, predictions)
    interval = binomtest(int(correct.sum()), len(correct)).proportion_ci()
    return Point(labels, float(correct.mean()), float(interval.low), float(interval.high), predictions)


def _evaluate(
    X: Features, parameters: ModelParameters, monitored: NDArray[np.int64], history: LabelHistory, n: int
) -> Evaluation:
    """Return whether the model of the first n labels predicts each test example, and what it predicts elsewhere.

    A test example among the first n is predicted by the model without it.
    """
    rows, labels, is_test = history.rows, history.labels, history.is_random
    model = IncrementalSVC(**parameters).fit(X[rows[:n]], labels[:n])
    inside = (model.leave_one_out() == labels[:n])[is_test[:n]]
    later = np.flatnonzero(is_test[n:]) + n
    outside = model.predict(X[rows[later]]) == labels[later] if len(later) else np.empty(0, dtype=bool)
    return Evaluation(np.concatenate([inside, outside]), model.predict(X[monitored]))
