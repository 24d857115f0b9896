"""Two models of the same labels: one of all labels, and one that chooses the examples.

Some examples are drawn at random to measure the accuracy (the test examples). The model that is shown and saved learns
all labels. The one that chooses, the chooser, does not learn the test examples: it works as if nobody had drawn them.
When it chooses one of them, the label is known already, so it learns that label at once, and the example is no test
example any more. What is chosen therefore does not depend on which examples were drawn, and the remaining test examples
are a random sample of all examples that were not chosen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hinge.active import ActiveLearner
from hinge.web._assignments import Candidate

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from numpy.typing import NDArray

    from hinge.web._settings import SessionSettings
    from hinge.web.pools import Features

_N_SPARE = 4  # candidates prepared beyond one per active person
_MIN_RANDOM = 2  # of the candidates, drawn at random


class Learners:
    """The model of all labels, and the chooser, which does not learn the test examples.

    Parameters
    ----------
    X : ndarray or CSR matrix
        The features of the pool.
    settings : SessionSettings
        The model and the strategy.
    on_choose_test : callable
        Called with the row of a test example that the chooser has chosen, before it learns the label.

    Attributes
    ----------
    full : ActiveLearner
        The model of all labels.
    chooser : ActiveLearner
        The model of all labels but those of the test examples.
    tests : set of int
        The rows of the test examples.
    """

    def __init__(self, X: Features, settings: SessionSettings, on_choose_test: Callable[[int], None]) -> None:
        self._X, self.on_choose_test = X, on_choose_test
        options = settings.strategy, settings.sample, settings.seed
        self.full = ActiveLearner(settings.model(), X, *options, target=settings.target)
        self.chooser = ActiveLearner(settings.model(), X, *options, target=settings.target)
        self.tests: set[int] = set()

    def tell(self, rows: Sequence[int], labels: Sequence[str], tests: Collection[int] = ()) -> None:
        """Learn labels; `tests` are the rows that the chooser must not learn."""
        self.tests.update(tests)  # first: if learning fails, it is tried again later
        self.full.tell(rows, labels)
        others = [position for position, row in enumerate(rows) if row not in self.tests]
        if others:
            self.chooser.tell([rows[each] for each in others], [labels[each] for each in others])

    def forget(self, rows: Sequence[int]) -> None:
        """Forget the labels of rows."""
        self.tests.difference_update(rows)
        self.full.forget(rows)
        if learned := [row for row in rows if row in self.chooser.labels]:
            self.chooser.forget(learned)

    def candidates(self, unavailable: Iterable[int], n_people: int) -> list[Candidate]:
        """Choose the next candidates for so many people, best first."""
        excluded = {*unavailable} - self.tests
        n = n_people + _N_SPARE
        chosen = self._choose(n, excluded, max(n_people, 1))
        n_random = max(n // 4, _MIN_RANDOM) if len(chosen) else n
        drawn = self.full.ask(n_random, {*excluded, *chosen.tolist()}, "random") if self.full.n_open else chosen[:0]
        return [*self._scored(chosen, "chosen"), *self._scored(drawn, "random" if len(chosen) else "first")]

    def _choose(self, n: int, excluded: set[int], n_used: int) -> NDArray[np.int64]:
        """Return the rows without a label that the chooser chooses; none while it knows fewer than two classes.

        Test examples among the first `n_used` rows are learned by the chooser, which then chooses again.
        """
        is_left = self.full.n_open > 0  # otherwise the chooser would choose the test examples, one after the other
        while is_left and self.chooser.can_choose:
            missing = {row for row in self.full.labels if row not in self.chooser.labels} - self.tests
            chosen = self.chooser.ask(n, excluded | missing)
            wanted = [row for row in chosen[:n_used].tolist() if row in self.tests and row in self.full.labels]
            if not wanted:
                return chosen[[row not in self.tests for row in chosen.tolist()]]
            for row in wanted:
                self.on_choose_test(row)
                self.tests.discard(row)
                self.chooser.tell([row], [self.full.labels[row]])
        return np.empty(0, dtype=np.int64)

    def _scored(self, rows: NDArray[np.int64], drawn: str) -> list[Candidate]:
        """Return candidates with the scores of the model of all labels."""
        if not len(rows):
            return []
        scores = class_scores(self.full, self._X, rows)
        return [Candidate(row, drawn, values) for row, values in zip(rows.tolist(), scores, strict=True)]


def class_scores(learner: ActiveLearner, X: Features, rows: NDArray[np.int64]) -> list[dict[str, float]]:
    """Return the score of each class for some rows; of two classes, plus and minus half the decision value."""
    if not learner.can_choose:
        return [{} for _ in rows]
    model = learner.model
    values = np.asarray(model.decision_function(X[rows]))
    if values.ndim == 1:
        values = np.column_stack([-values, values]) / 2
    labels = [str(label) for label in model.classes_]
    return [dict(zip(labels, row, strict=True)) for row in values.tolist()]


def next_candidate(candidates: Sequence[Candidate], n_assigned: int, check_every: int) -> Candidate | None:
    """Return the candidate to assign after `n_assigned` others: every few examples one drawn at random."""
    wanted = "random" if (n_assigned + 1) % check_every == 0 else "chosen"
    return next((each for each in candidates if each.drawn == wanted), candidates[0] if candidates else None)
