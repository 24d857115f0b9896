"""Selection of examples: the common part of figures 11 to 15.

One pass of `OnlineSVC(selection=...)` learns labels one at a time, in the order that a criterion chooses. Among rows
that were not yet processed,

    RANDOM      chooses any,
    GRADIENT    chooses of 50 random ones the most misclassified, argmin y f(x), which uses their labels,
    ACTIVE      chooses of 50 random ones the closest to the boundary, argmin |f(x)|,
    AUTOACTIVE  does the same, but stops drawing candidates, at most 100, when five of them are inside the margin,
                |f(x)| < 1 + delta / 2.

A point of a curve is one call of `fit` with that many labels (`max_visits`), which ends with the finishing step. With
the same seed, the pass with fewer labels is the beginning of the one with more.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from experiments.measure import fit_and_measure
from experiments.plotting import BLACK
from hinge import OnlineSVC

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from experiments.problems import Labels, Problem
    from experiments.records import Record, Records

N_INITIAL = 5  # labels of each class that are given at the start
POOL = 50
CACHE = 1000.0  # megabytes; enough for all models
LIBSVM, EXACT = "LIBSVM", "exact"
RANDOM, GRADIENT, ACTIVE, AUTOACTIVE = "RANDOM", "GRADIENT", "ACTIVE", "AUTOACTIVE"
COLOURS = {RANDOM: "#64748b", GRADIENT: "#d97706", ACTIVE: "#2563eb", AUTOACTIVE: "#059669", LIBSVM: BLACK}


def initial_rows(y: Labels, seed: int) -> NDArray[np.int64]:
    """Return a few random rows of each class, whose labels are given at the start."""
    order = np.random.default_rng(seed).permutation(len(y))
    return np.concatenate([order[y[order] == label][:N_INITIAL] for label in np.unique(y)])


def run_selection(problem: Problem, criterion: str, checkpoints: Sequence[int], seed: int) -> list[Record]:
    """Learn so many labels in the order of a criterion, for each checkpoint; return what the models cost and reach.

    Seconds and kernel values include all selection and learning so far, and one finishing step.
    """
    return [{"labels": n_labels, **_fit(problem, criterion, n_labels, seed)} for n_labels in checkpoints]


def _fit(problem: Problem, criterion: str, n_labels: int, seed: int) -> Record:
    model = _online(problem, seed, epochs=1)
    if criterion == RANDOM:
        order = np.random.default_rng(seed).permutation(len(problem.y))[:n_labels]
        rows = replace(problem, X=problem.X[order], y=problem.y[order])
    else:
        rows = problem
        model.set_params(selection=criterion.lower(), pool_size=POOL, when_confident="draw", max_visits=n_labels)
    record = fit_and_measure(model, rows)
    return {**record, "bounded": 100 * float(np.mean(np.abs(model.dual_coef_) > (1 - 1e-6) * problem.C))}


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
