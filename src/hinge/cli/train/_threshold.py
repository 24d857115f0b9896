"""The threshold of decision values from which the rarer of two classes is predicted.

It is chosen by progressive decisions: those about examples that were not learned yet. Decisions of the first half are
left out, since the model was another then.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from hinge import streaming
from hinge.exceptions import ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hinge.cli.train._job import TrainJob
    from hinge.streaming import Model
    from hinge.tables import Labels, Matrix

_WRONG = "--threshold must be f1, recall=R (from 0 to 1), cost=X (above 0) or a number, got {!r}."


@dataclass
class Decisions:
    """Decision values about examples that were not learned yet, and their labels."""

    values: list[NDArray[np.float64]] = field(default_factory=list)
    labels: list[Labels] = field(default_factory=list)

    def add(self, model: Model, X: Matrix, y: Labels) -> None:
        """Ask a model about examples that it will learn next."""
        if streaming.is_fitted(model) and len(model.classes_) == 2:
            self.values.append(model.decision_function(X))
            self.labels.append(y)

    def count(self, label: object) -> int:
        """Count the examples of a class."""
        return sum(int(np.count_nonzero(labels == label)) for labels in self.labels)

    def later_half(self) -> tuple[NDArray[np.float64], Labels]:
        """Return the decisions of the second half of the examples."""
        values, labels = np.concatenate(self.values or [np.empty(0)]), np.concatenate(self.labels or [np.empty(0)])
        return values[len(values) // 2 :], labels[len(labels) // 2 :]


@dataclass(frozen=True)
class Goal:
    """What a threshold is chosen for.

    Attributes
    ----------
    kind : {"f1", "recall", "cost", "value"}
        The largest F1 of the rarer class; its recall at the highest precision; the smallest cost, where missing one of
        its rows costs `number` times as much as a false alarm; or `number` itself.
    number : float
        See above.
    """

    kind: str
    number: float = 0.0

    @classmethod
    def parse(cls, text: str) -> Goal:
        """Return what the user asks for.

        Examples
        --------
        >>> Goal.parse("f1"), Goal.parse("recall=0.9"), Goal.parse("-0.5")
        (Goal(kind='f1', number=0.0), Goal(kind='recall', number=0.9), Goal(kind='value', number=-0.5))
        """
        if text == "f1":
            return cls("f1")
        kind, _, rest = text.rpartition("=")
        try:
            number = float(rest)
        except ValueError:
            raise ParameterError(_WRONG.format(text)) from None
        allowed = {"": np.isfinite(number), "recall": 0 <= number <= 1, "cost": 0 < number < np.inf}
        if not allowed.get(kind, False):
            raise ParameterError(_WRONG.format(text))
        return cls(kind or "value", number)

    def check(self, job: TrainJob) -> None:
        """Raise an error if a job has not two classes."""
        classes = job.source.classes
        known = getattr(job.model, "classes_", None) if streaming.is_fitted(job.model) else classes
        if not job.source.has_classes or (known is not None and len(known) != 2):
            raise ParameterError("--threshold must be left out: it is for two classes.")

    def apply(self, job: TrainJob, decisions: Decisions) -> str:
        """Choose the threshold, keep it in the preparation of a job, and describe it."""
        values, labels = decisions.later_half()
        classes = job.model.classes_
        if len(classes) != 2 or (self.kind != "value" and len(np.unique(labels)) < 2):
            return "The threshold stays as it was: it needs two classes, and enough examples of both to choose it."
        rarer = int(decisions.count(classes[1]) <= decisions.count(classes[0]))
        sign = 1 if rarer else -1  # decision values are for the second class
        is_rare = labels == classes[rarer]
        wanted = self.number if self.kind == "value" else choose_threshold(sign * values, is_rare, self)
        threshold = sign * wanted
        source = job.source
        answers = replace(source.preparation.answers, threshold=threshold)
        source.preparation = replace(source.preparation, answers=answers)
        found = answers.choose(classes, values) == classes[rarer] if len(values) else np.empty(0, bool)
        hits = int(np.count_nonzero(found & is_rare))
        recall, precision = hits / max(int(is_rare.sum()), 1), hits / max(int(found.sum()), 1)
        return (
            f"Threshold {wanted:.4g}: on {len(values):,} examples before they were learned, class {classes[rarer]} "
            f"has recall {recall:.3f} and precision {precision:.3f}."
        )


def choose_threshold(values: NDArray[np.float64], is_positive: NDArray[np.bool_], goal: Goal) -> float:
    """Return the threshold that serves a goal best; values from it on are called positive.

    Examples
    --------
    >>> values, is_positive = np.array([-2.0, -1.0, -0.5, 1.0]), np.array([False, True, False, True])
    >>> [choose_threshold(values, is_positive, goal) for goal in (Goal("recall", 1.0), Goal("cost", 0.5))]
    [-1.5, 0.25]
    """
    order = np.argsort(-values, kind="stable")
    hits = np.cumsum(is_positive[order])  # if the first i + 1 are called positive
    called = np.arange(1, len(values) + 1)
    ordered = values[order]
    ends = np.append(ordered[:-1] > ordered[1:], True)  # equal values cannot be told apart
    n_positive = int(hits[-1])
    if goal.kind == "f1":
        worth = 2 * hits / (called + n_positive)
    elif goal.kind == "recall":
        worth = np.where(hits >= goal.number * n_positive, hits / called, -1.0)
    else:
        worth = -(goal.number * (n_positive - hits) + (called - hits)).astype(np.float64)
    last = int(np.argmax(np.where(ends, worth, -np.inf)))
    after = ordered[last + 1] if last + 1 < len(ordered) else ordered[last] - 2.0
    return float((ordered[last] + after) / 2)
