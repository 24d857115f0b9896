"""The threshold of decision values from which the rarer of two classes is predicted.

It is chosen by decisions of models that have not learned the example. Rows in memory, if they are not too many, are
decided by models of the other folds, which are like the finished model. Otherwise progressive decisions count, those
about examples that come next; their first half is left out, since the model was another then.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold

from hinge import streaming
from hinge._terminal import Terminal
from hinge.cli.train._learn import learn
from hinge.cli.train._sources import InMemorySource
from hinge.exceptions import ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hinge.cli.train._job import TrainJob
    from hinge.streaming import Model
    from hinge.tables import Labels, Matrix

_MAX_ROWS, _MAX_ROWS_EXACT = 10_000, 2_000  # in memory, decided by models of folds; of exact models
_N_FOLDS = 5
_MAX_TIES, _MAX_EXCESS = 0.1, 0.02  # share of equal decisions, and excess of recall, that are worth a warning
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
        The largest F1 of the rarer class; the largest threshold with this recall; the smallest cost, where missing
        one of its rows costs `number` times as much as a false alarm; or `number` itself.
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
        """Choose the threshold, keep it in the preparation of a job, and describe it.

        Parameters
        ----------
        job : TrainJob
            The job, whose model has learned.
        decisions : Decisions
            What the model decided about examples before it learned them.
        """
        values, labels = held_out_decisions(job) or decisions.later_half()
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
            f"Threshold {wanted:.4g}: on {len(values):,} examples, decided by models that had not learned them, class "
            f"{classes[rarer]} has recall {recall:.3f} and precision {precision:.3f}."
            f"{self._warn_of_ties(sign * values[found], is_rare[found], n_rare=int(is_rare.sum()))}"
        )

    def _warn_of_ties(self, values: NDArray[np.float64], is_rare: NDArray[np.bool_], *, n_rare: int) -> str:
        """Say so if equal decisions, which no threshold can separate, make the recall larger than asked for."""
        if self.kind != "recall" or not len(values):
            return ""
        above = values > values.min()
        is_tie = np.count_nonzero(~above) > _MAX_TIES * len(values) and is_rare.mean() < 1
        if not is_tie or is_rare.sum() <= (self.number + _MAX_EXCESS) * n_rare:
            return ""
        return (
            f" The recall is larger than asked for: {np.count_nonzero(~above):,} of these decisions are equal, and "
            f"without them it is {is_rare[above].sum() / n_rare:.3f}; --class-weight balanced may tell them apart."
        )


def held_out_decisions(job: TrainJob) -> tuple[NDArray[np.float64], Labels] | None:
    """Return decisions about all rows of a job, by models of the other folds, and the labels; None if too costly."""
    source, kind = job.source, streaming.traits(job.model)
    if not isinstance(source, InMemorySource) or kind.is_ordered or len(job.model.classes_) != 2:
        return None
    y = source.y
    n_folds = min(_N_FOLDS, *np.unique(y, return_counts=True)[1])
    if len(y) > (_MAX_ROWS_EXACT if kind.is_exact else _MAX_ROWS) or job.model.n_seen_ < len(y) or n_folds < 2:
        return None
    values = np.empty(len(y))
    folds = StratifiedKFold(n_folds, shuffle=True, random_state=source.seed)
    for learned, asked in folds.split(y, y):
        model = clone(job.model)
        fold = replace(source, X=source.X[learned], y=y[learned], n_rows=len(learned))
        try:
            if learn(model, fold, 1, None, Terminal(quiet=True)).is_interrupted:
                return None
        except KeyboardInterrupt:
            return None
        values[asked] = model.decision_function(source.X[asked])
    return values, y


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
        # Among thresholds with so much recall, precision would be a matter of chance where decisions pile up.
        worth = np.where(hits >= goal.number * n_positive, -called, -np.inf)
    else:
        worth = -(goal.number * (n_positive - hits) + (called - hits)).astype(np.float64)
    last = int(np.argmax(np.where(ends, worth, -np.inf)))
    after = ordered[last + 1] if last + 1 < len(ordered) else ordered[last] - 2.0
    return float((ordered[last] + after) / 2)
