"""Selection of examples: the common part of figures 11 to 15.

Labels are learned one at a time, in the order that a criterion chooses. Among the rows without a label,

    RANDOM      chooses any,
    GRADIENT    chooses of 50 random ones the most misclassified, argmin y f(x), which uses their labels,
    ACTIVE      chooses of 50 random ones the closest to the boundary, argmin |f(x)|,
    AUTOACTIVE  does the same, but stops drawing candidates, at most 100, when five of them are inside the margin,
                |f(x)| < 1 + delta / 2.

At each checkpoint the model is copied, and the copy is finished and measured; the original continues unfinished.
"""

from __future__ import annotations

import math
from copy import deepcopy
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from experiments.measure import cpu_time, fit_and_measure, test_error
from experiments.plotting import BLACK
from hinge import OnlineSVC
from hinge._model.validation import PooledRows
from hinge.active import ActiveLearner

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from experiments.problems import Labels, Problem
    from experiments.records import Record, Records

N_INITIAL = 5  # labels of each class that are given at the start
POOL = 50
CACHE = 1000.0  # megabytes; enough for all models
LIBSVM, EXACT, FIT = "LIBSVM", "exact", "one pass of fit"
RANDOM, GRADIENT, ACTIVE, AUTOACTIVE = "RANDOM", "GRADIENT", "ACTIVE", "AUTOACTIVE"
COLOURS = {RANDOM: "#64748b", GRADIENT: "#d97706", ACTIVE: "#2563eb", AUTOACTIVE: "#059669", LIBSVM: BLACK}
_N_INSIDE, _MAX_CANDIDATES, _STEP = 5, 100, 10  # AUTOACTIVE: inside the margin, in total, scored at a time


def initial_rows(y: Labels, seed: int) -> NDArray[np.int64]:
    """Return a few random rows of each class, whose labels are given at the start."""
    order = np.random.default_rng(seed).permutation(len(y))
    return np.concatenate([order[y[order] == label][:N_INITIAL] for label in np.unique(y)])


def run_selection(problem: Problem, criterion: str, checkpoints: Sequence[int], seed: int) -> list[Record]:
    """Learn labels in the order of a criterion; return the results of finished copies at checkpoints.

    Seconds and kernel values include all selection and learning so far, and one finishing step.
    """
    run = _SelectionRun(problem, criterion, seed)
    records: list[Record] = []
    online, selection_evals, support = 0.0, 0.0, 2 * N_INITIAL
    for n_labels in checkpoints:
        scored_before = run.n_candidates
        online += cpu_time(partial(run.learn_until, n_labels))[0]
        before, support = support, len(run.learner.model.support_)  # counting at every choice would take too long
        selection_evals += (run.n_candidates - scored_before) * (before + support) / 2
        copy = deepcopy(run.learner.model)
        finishing, _ = cpu_time(copy.finish)
        cost: Record = {
            "seconds": online + finishing,
            "kernel_evals": round(selection_evals) + int(copy.n_kernel_evals_),
        }
        records.append({"labels": n_labels, **cost, **_measure(copy, problem)})
    return records


class _SelectionRun:
    """A model that learns one selected example at a time.

    Attributes
    ----------
    learner : ActiveLearner
        The model, and the rows without a label.
    n_candidates : int
        Candidates that were scored; each takes one kernel value per support vector.
    """

    def __init__(self, problem: Problem, criterion: str, seed: int) -> None:
        self._problem, self._criterion = problem, criterion
        self._pool = PooledRows(problem.X)  # checked once; to check single rows takes longer than to score them
        model = OnlineSVC(max_gap=None, C=problem.C, gamma=problem.gamma, cache_size=CACHE, n_jobs=1)
        strategy, sample = ("boundary", POOL) if criterion == ACTIVE else ("random", None)
        self.learner = ActiveLearner(model, problem.X, strategy=strategy, sample=sample, random_state=seed)
        self.n_candidates = 0
        first = initial_rows(problem.y, seed)
        self.learner.tell(first, problem.y[first])

    def learn_until(self, n_labels: int) -> None:
        """Select and learn rows until there are `n_labels` labels."""
        choose = {GRADIENT: self._most_misclassified, AUTOACTIVE: self._closest_of_few}.get(self._criterion, self._ask)
        while len(self.learner.labels) < n_labels:
            row = choose()
            self.learner.tell(row, self._problem.y[row])

    def _ask(self) -> NDArray[np.int64]:
        """Return a row by the strategy of the learner: a random one, or the closest to the boundary."""
        if self._criterion == ACTIVE:
            self.n_candidates += min(POOL, self.learner.n_open)
        return self.learner.ask()

    def _most_misclassified(self) -> NDArray[np.int64]:
        rows = self.learner.ask(min(POOL, self.learner.n_open))
        sides = np.where(self._problem.y[rows] == self.learner.model.classes_[1], 1, -1)
        return rows[[np.argmin(sides * self._decisions(rows))]]

    def _closest_of_few(self) -> NDArray[np.int64]:
        """Return the row closest to the boundary, among candidates up to the fifth one inside the margin.

        The strategy "autoactive" of `ActiveLearner` does the same; here the candidates are counted as well.
        """
        rows = self.learner.ask(min(_MAX_CANDIDATES, self.learner.n_open))
        margin = 1 + self.learner.model.kkt_violation() / 2
        distances = np.empty(0)
        while np.sum(distances < margin) < _N_INSIDE and len(distances) < len(rows):
            more = rows[len(distances) : len(distances) + _STEP]
            distances = np.concatenate([distances, np.abs(self._decisions(more))])
        enough = int(np.searchsorted(np.cumsum(distances < margin), _N_INSIDE)) + 1
        return rows[[np.argmin(distances[:enough])]]

    def _decisions(self, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        self.n_candidates += len(rows)
        decisions: NDArray[np.float64] = self.learner.model.decision_function(self._pool.take(rows))
        return decisions


def _measure(model: OnlineSVC, problem: Problem) -> Record:
    """Return error, support vectors, and the percentage of these with a coefficient at C."""
    bounded = 100 * float(np.mean(np.abs(model.dual_coef_) > (1 - 1e-6) * problem.C))
    return {"error": test_error(model, problem), "support": len(model.support_), "bounded": bounded}


def fit_one_pass(problem: Problem, seed: int) -> Record:
    """Make one pass with `fit`, which computes the kernel values of coming examples in blocks."""
    return fit_and_measure(_online(problem, seed, epochs=1), problem)


def fit_exact(problem: Problem, seed: int) -> Record:
    """Find the solution of LIBSVM with OnlineSVC run to convergence, which is several times faster."""
    return fit_and_measure(_online(problem, seed, epochs="converge"), problem)


def _online(problem: Problem, seed: int, *, epochs: int | str) -> OnlineSVC:
    return OnlineSVC(
        max_gap=None, C=problem.C, gamma=problem.gamma, epochs=epochs, random_state=seed, cache_size=CACHE, n_jobs=1
    )


def mean_curve(records: Records, criterion: str, column: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the means over the runs of a column and of the test error, by the number of labels."""
    own = records.where(method=criterion)
    return own.curve("labels", column)[1], own.curve("labels", "error")[1]


def draw_curves(
    axes: Axes, records: Records, criteria: Sequence[str], column: str, *, linestyle: str = "-", label: str = ""
) -> None:
    """Draw test errors, one line per criterion; the label is the criterion by default."""
    for criterion in criteria:
        x, y = mean_curve(records, criterion, column)
        if len(x):
            axes.plot(x, y, linestyle, color=COLOURS[criterion], marker=".", label=label or criterion)


def draw_level(axes: Axes, error: float, label: str = LIBSVM) -> None:
    """Draw the error of LIBSVM as a dashed line."""
    if not math.isnan(error):
        axes.axhline(error, color=BLACK, linestyle="--", linewidth=1, label=label)
