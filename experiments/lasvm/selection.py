"""Which example next: what figures 11 to 15 have in common.

Labels are learned one at a time, in the order that a criterion chooses. Of the rows without a label,

    RANDOM      takes any,
    GRADIENT    takes of 50 random ones the most misclassified, argmin y f(x): it looks at their labels,
    ACTIVE      takes of 50 random ones the nearest to the boundary, argmin |f(x)|,
    AUTOACTIVE  does so among as few as it takes to see five inside the margin, |f(x)| < 1 + delta / 2, at most 100.

After some numbers of labels the model is copied, the copy is finished and measured, and the unfinished one goes on.
"""

from __future__ import annotations

import math
from copy import deepcopy
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from experiments.measure import cpu_time, fit_and_measure, test_error
from experiments.plotting import BLACK
from hinge import OnlineSVC
from hinge._model.validation import PooledRows
from hinge.active import ActiveLearner

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from experiments.problems import Problem
    from experiments.records import Record, Records

SEEDS = 5  # labels of each class that are given before anything is chosen
POOL = 50
CACHE = 1000.0  # megabytes, more than anything here needs
LIBSVM, EXACT, FIT = "LIBSVM", "exact", "one pass of fit"
RANDOM, GRADIENT, ACTIVE, AUTOACTIVE = "RANDOM", "GRADIENT", "ACTIVE", "AUTOACTIVE"
COLOURS = {RANDOM: "#64748b", GRADIENT: "#d97706", ACTIVE: "#2563eb", AUTOACTIVE: "#059669", LIBSVM: BLACK}
_ENOUGH_INSIDE, _MOST, _STEP = 5, 100, 10  # AUTOACTIVE: candidates inside the margin, in all, scored at a time


def first_rows(y: NDArray[Any], seed: int) -> NDArray[np.int64]:
    """Return a few rows of each class, whose labels are given before anything is chosen."""
    order = np.random.default_rng(seed).permutation(len(y))
    return np.concatenate([order[y[order] == label][:SEEDS] for label in np.unique(y)])


def chosen(problem: Problem, criterion: str, checkpoints: Sequence[int], seed: int) -> list[Record]:
    """Learn labels in the order of a criterion; return what finished copies show after some numbers of them.

    Seconds and kernel values are those of all choices and lessons so far, and of one finishing.
    """
    course = _Course(problem, criterion, seed)
    records: list[Record] = []
    online, choosing, support = 0.0, 0.0, 2 * SEEDS
    for n_labels in checkpoints:
        looked_at = course.n_candidates
        online += cpu_time(partial(course.learn_until, n_labels))[0]
        before, support = support, len(course.learner.model.support_)  # to count it at every choice takes too long
        choosing += (course.n_candidates - looked_at) * (before + support) / 2
        copy = deepcopy(course.learner.model)
        finishing, _ = cpu_time(copy.finish)
        cost: Record = {"seconds": online + finishing, "kernel_evals": round(choosing) + int(copy.n_kernel_evals_)}
        records.append({"labels": n_labels, **cost, **_measured(copy, problem)})
    return records


class _Course:
    """One model on its way, an example at a time.

    Attributes
    ----------
    learner : ActiveLearner
        The model, and the rows that have no label yet.
    n_candidates : int
        How many decisions choosing has taken: each as many kernel values as there are support vectors.
    """

    def __init__(self, problem: Problem, criterion: str, seed: int) -> None:
        self._problem, self._criterion = problem, criterion
        self._pool = PooledRows(problem.X)
        model = OnlineSVC(C=problem.C, gamma=problem.gamma, cache_size=CACHE, n_jobs=1)
        strategy: dict[str, Any] = {"strategy": "boundary", "sample": POOL}
        self.learner = ActiveLearner(
            model, problem.X, random_state=seed, **(strategy if criterion == ACTIVE else {"strategy": "random"})
        )
        self.n_candidates = 0
        first = first_rows(problem.y, seed)
        self.learner.tell(first, problem.y[first])

    def learn_until(self, n_labels: int) -> None:
        """Choose and learn until there are so many labels."""
        choose = {GRADIENT: self._most_misclassified, AUTOACTIVE: self._nearest_of_few}.get(self._criterion, self._ask)
        while len(self.learner.labels) < n_labels:
            row = choose()
            self.learner.tell(row, self._problem.y[row])

    def _ask(self) -> NDArray[np.int64]:
        """Return any row, or the one nearest to the boundary: what the learner's own strategy names."""
        if self._criterion == ACTIVE:
            self.n_candidates += min(POOL, self.learner.n_open)
        return self.learner.ask()

    def _most_misclassified(self) -> NDArray[np.int64]:
        rows = self.learner.ask(min(POOL, self.learner.n_open))
        sides = np.where(self._problem.y[rows] == self.learner.model.classes_[1], 1, -1)
        return rows[[np.argmin(sides * self._decisions(rows))]]

    def _nearest_of_few(self) -> NDArray[np.int64]:
        """Return the nearest of the rows up to the fifth inside the margin.

        The learner's strategy "autoactive" has a margin of 1 instead of 1 + delta / 2, and scores all 100 at once.
        """
        rows = self.learner.ask(min(_MOST, self.learner.n_open))
        margin = 1 + self.learner.model.kkt_violation() / 2
        distances = np.empty(0)
        while np.sum(distances < margin) < _ENOUGH_INSIDE and len(distances) < len(rows):
            more = rows[len(distances) : len(distances) + _STEP]
            distances = np.concatenate([distances, np.abs(self._decisions(more))])
        enough = int(np.searchsorted(np.cumsum(distances < margin), _ENOUGH_INSIDE)) + 1
        return rows[[np.argmin(distances[:enough])]]

    def _decisions(self, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        self.n_candidates += len(rows)
        decisions: NDArray[np.float64] = self.learner.model.decision_function(self._pool.take(rows))
        return decisions


def _measured(model: OnlineSVC, problem: Problem) -> Record:
    """Return error, support vectors, and the per cent of these that are held by the box."""
    bounded = 100 * float(np.mean(np.abs(model.dual_coef_) > (1 - 1e-6) * problem.C))
    return {"error": test_error(model, problem), "support": len(model.support_), "bounded": bounded}


def one_pass(problem: Problem, seed: int) -> Record:
    """Learn all examples once by `fit`, which knows those to come and takes their kernel values in blocks."""
    return fit_and_measure(_online(problem, seed, epochs=1), problem)


def exact(problem: Problem, seed: int) -> Record:
    """Find the solution of LIBSVM as OnlineSVC does that converges, which takes a fraction of the time."""
    return fit_and_measure(_online(problem, seed, epochs="converge"), problem)


def _online(problem: Problem, seed: int, *, epochs: int | str) -> OnlineSVC:
    return OnlineSVC(C=problem.C, gamma=problem.gamma, epochs=epochs, random_state=seed, cache_size=CACHE, n_jobs=1)


def mean_curve(records: Records, criterion: str, across: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return means over the runs after equal numbers of labels: of any column, and of the test error."""
    own = records.where(method=criterion)
    return own.curve("labels", across)[1], own.curve("labels", "error")[1]


def draw_curves(place: Any, records: Records, criteria: Sequence[str], across: str, **style: Any) -> None:
    """Draw test errors, of each criterion a line."""
    for criterion in criteria:
        x, y = mean_curve(records, criterion, across)
        if len(x):
            place.plot(x, y, **{"color": COLOURS[criterion], "marker": ".", "label": criterion} | style)


def draw_level(place: Any, error: float, label: str = LIBSVM) -> None:
    """Draw the error of LIBSVM as a dashed line."""
    if not math.isnan(error):
        place.axhline(error, color=BLACK, linestyle="--", linewidth=1, label=label)
