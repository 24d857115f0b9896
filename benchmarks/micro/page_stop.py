"""When the labelling page first says that labelling may stop, and what the model is worth then.

POOLS=digits,usps and RUNS=10 choose what is measured; SIZE is the number of labels at which a run ends.
"""

import os
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.preprocessing import scale

from benchmarks.data import read
from benchmarks.micro import Section
from benchmarks.micro.page_accuracy import accuracy_on_the_rest, label, parameters_of
from hinge.incremental import IncrementalSVC
from hinge.web._labels import LabelRecord
from hinge.web._learners import Learners
from hinge.web._learning_curve import LabelHistory, LearningCurve, Point, _evaluate, curve_sizes
from hinge.web._settings import SessionSettings
from hinge.web._stop_advice import StopAdvice, stop_advice

POOLS = ("digits", "usps", "cancer", "banana")
N_EXAMPLES = 2000  # of the larger pools, drawn at random
N_MONITORED = 1000  # as on the page
COLUMNS = (
    "pool",
    "runs that stop",
    "labels at the stop, median (range)",
    "true then, % (worst)",
    "true at the end, %",
    "gained after it, points (most)",
    "withdrawals",
    "changed by a restart",
)


class Outcome(NamedTuple):
    """One run: labels and accuracy at the first stop (NaN if there is none), accuracy at the end, and counts."""

    labels: float
    true: float
    final: float
    withdrawals: int
    changed: int


def measure(quick: bool) -> Section:
    """Label each pool several times with the default strategy; ask for advice wherever it can change."""
    n_runs = 1 if quick else int(os.environ.get("RUNS", "10"))
    size = int(os.environ.get("SIZE", "100" if quick else "500"))
    names = os.environ.get("POOLS", ",".join(POOLS[:1] if quick else POOLS)).split(",")
    rows = [_row(name, *_pool(name), n_runs, size) for name in names]
    return Section(f"advice to stop on the labelling page, {n_runs} runs of {size} labels", COLUMNS, rows)


def _pool(name: str) -> tuple[Any, NDArray[np.str_]]:
    if name in ("digits", "cancer"):
        data = load_digits() if name == "digits" else load_breast_cancer()
        X = data.data / 16 if name == "digits" else scale(data.data)
        return X, data.target.astype(str)
    X, y = read(name, dense=True)
    rows = np.random.default_rng(0).permutation(len(y))[:N_EXAMPLES]
    return X[rows].astype(np.float64), y[rows].astype(int).astype(str)


def _row(name: str, X: Any, y: NDArray[np.str_], n_runs: int, size: int) -> tuple[str, ...]:
    runs = [simulate(X, y, seed, min(size, len(y) - 50)) for seed in range(n_runs)]
    stopped = [each for each in runs if np.isfinite(each.labels)]
    labels = [each.labels for each in stopped] or [np.nan]
    true = [each.true for each in stopped] or [np.nan]
    gained = [each.final - each.true for each in stopped] or [np.nan]
    return (
        name,
        f"{len(stopped)} of {n_runs}",
        f"{np.median(labels):.0f} ({min(labels):.0f} to {max(labels):.0f})",
        f"{100 * np.mean(true):.1f} ({100 * min(true):.1f})",
        f"{100 * np.mean([each.final for each in runs]):.1f}",
        f"{100 * np.mean(gained):.1f} ({100 * max(gained):.1f})",
        f"{sum(each.withdrawals for each in runs)}",
        f"{sum(each.changed for each in runs)}",
    )


def simulate(X: Any, y: NDArray[np.str_], seed: int, n_labels: int) -> Outcome:
    """Label up to a size; the truth is the accuracy on the examples without a label."""
    learners = Learners(X, SessionSettings(seed=seed), lambda _: None)
    parameters, monitored, points = parameters_of(learners), _monitored(len(y)), list[Point]()
    drawn: dict[int, str] = {}
    first, before, withdrawals, changed = (np.nan, np.nan), False, 0, 0
    for size in curve_sizes(n_labels):
        label(learners, y, drawn, size)
        rows = np.array(list(drawn))
        if len(set(y[rows])) > 1:
            model = IncrementalSVC(**parameters).fit(X[rows], y[rows])
            points.append(Point(size, np.nan, np.nan, np.nan, model.predict(X[monitored])))
        stop = _advice(drawn, y, points)["stop"]
        withdrawals += before and not stop
        if stop and np.isnan(first[0]):
            first = size, accuracy_on_the_rest(learners, X, y, drawn)
        if stop != before or size == n_labels:  # as after a restart: everything from the labels
            history = LabelHistory(rows, y[rows], np.array([each == "random" for each in drawn.values()]))
            curve = LearningCurve(partial(_evaluate, X, parameters, monitored)).points(history)
            changed += _advice(drawn, y, curve)["stop"] != stop
        before = stop
    return Outcome(*first, accuracy_on_the_rest(learners, X, y, drawn), withdrawals, changed)


def _advice(drawn: dict[int, str], y: NDArray[np.str_], points: list[Point]) -> StopAdvice:
    records = [LabelRecord(str(row), str(y[row]), "ann", how, "0f") for row, how in drawn.items()]
    return stop_advice(records, points, len(y))


def _monitored(n: int) -> NDArray[np.int64]:
    rows = np.arange(n)
    return rows if n <= N_MONITORED else np.sort(np.random.default_rng(0).choice(rows, N_MONITORED, replace=False))
