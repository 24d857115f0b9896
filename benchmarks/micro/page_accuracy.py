"""The accuracy that the labelling page shows, compared with the truth on the examples without a label.

POOLS=usps,reuters and RUNS=25 choose what is measured. A run with as many labels but without test examples shows their
cost: the accuracy lost, and how many labels would have been enough without them.
"""

import os
from collections.abc import Collection
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.preprocessing import scale

from benchmarks.data import read
from benchmarks.micro import Section
from hinge.web._learners import Learners, next_candidate
from hinge.web._learning_curve import LabelHistory, ModelParameters, _evaluate, accuracy_point
from hinge.web._settings import SessionSettings

SIZES = (60, 100, 200)
POOLS = ("digits", "cancer", "usps", "reuters")
_NEVER = 10**9
_STEP = 4  # labels between two looks at the accuracy without tests


def measure(quick: bool) -> Section:
    """Label each pool 25 times with the default strategy; compare shown and true accuracy."""
    n_runs = 1 if quick else int(os.environ.get("RUNS", "25"))
    names = os.environ.get("POOLS", ",".join(POOLS[:2] if quick else POOLS)).split(",")
    columns: tuple[str, ...] = (
        "pool",
        "labels",
        "with estimate, %",
        "shown, %",
        "true, %",
        "bias, points",
        "± (2 s.e.)",
        "band covers, %",
        "mean band, %",
    )
    columns += ("tests", "without tests, %", "cost, labels")
    rows = [row for name in names for row in _rows(name, *_pool(name), n_runs)]
    return Section(f"accuracy shown by the labelling page, {n_runs} runs (aims: bias < 2, cover >= 90)", columns, rows)


def _pool(name: str) -> tuple[Any, NDArray[np.str_]]:
    if name in ("digits", "cancer"):
        data = load_digits() if name == "digits" else load_breast_cancer()
        X = data.data / 16 if name == "digits" else scale(data.data)
        return X, data.target.astype(str)
    X, y = read("usps", dense=True) if name == "usps" else read("reuters-moneyfx", dense=False)
    return X.astype(np.float64), y.astype(int).astype(str)


def _rows(name: str, X: Any, y: NDArray[np.str_], n_runs: int) -> list[tuple[str, ...]]:
    runs = np.array([simulate(X, y, seed) for seed in range(n_runs)])
    found = []
    for size, outcome in zip(SIZES, runs.transpose(1, 0, 2), strict=True):
        shown, low, high, true, tests, without, enough = outcome.T
        has = np.isfinite(shown)  # fewer than five test examples: the page shows no accuracy yet
        bias, width = (shown - true)[has], (high - low)[has]
        error = 2 * bias.std(ddof=1) / np.sqrt(len(bias)) if len(bias) > 1 else np.nan
        covers = ((low <= true) & (true <= high))[has].mean()
        figures = (has.mean(), shown[has].mean(), true.mean(), bias.mean(), error, covers, width.mean())
        cells = [f"{100 * each:.1f}" for each in figures]
        costs = f"{100 * without.mean():.1f}", f"{size - np.median(enough):.0f}"
        found.append((name, f"{size}", *cells, f"{tests.mean():.1f}", *costs))
    return found


def accuracies_without_tests(X: Any, y: NDArray[np.str_], seed: int) -> dict[int, float]:
    """Label without test examples; return the accuracy on the rest by number of labels."""
    learners, found = Learners(X, SessionSettings(seed=seed), lambda _: None), {}
    labelled: list[int] = []
    while len(labelled) < SIZES[-1]:
        candidate = next_candidate(learners.candidates((), 1), len(labelled), _NEVER)
        if candidate is None:
            raise RuntimeError("The pool is too small.")
        labelled.append(candidate.row)
        learners.tell([candidate.row], [str(y[candidate.row])])
        if len(labelled) % _STEP == 0 and learners.full.can_choose:
            found[len(labelled)] = accuracy_on_the_rest(learners, X, y, labelled)
    return found


def parameters_of(learners: Learners) -> ModelParameters:
    """Return the parameters of the model, the width of its kernel resolved."""
    found = learners.full.model.get_params()
    return ModelParameters(C=found["C"], gamma=found["gamma"], kernel=found["kernel"])


def label(learners: Learners, y: NDArray[np.str_], drawn: dict[int, str], size: int) -> None:
    """Label as the page does until there are `size` labels; `drawn` says for each row how it was chosen."""
    while len(drawn) < size:
        candidate = next_candidate(learners.candidates((), 1), len(drawn), SessionSettings().check_every)
        if candidate is None:
            raise RuntimeError("The pool is too small.")
        drawn[candidate.row] = candidate.drawn
        tests = [candidate.row] if candidate.drawn == "random" else []
        learners.tell([candidate.row], [str(y[candidate.row])], tests)


def accuracy_on_the_rest(learners: Learners, X: Any, y: NDArray[np.str_], labelled: Collection[int]) -> float:
    """Return the true accuracy on the examples without a label."""
    rest = np.setdiff1d(np.arange(len(y)), list(labelled))
    return float(np.mean(learners.full.model.predict(X[rest]) == y[rest]))


def simulate(X: Any, y: NDArray[np.str_], seed: int) -> list[tuple[float, ...]]:
    """Label up to the largest size; return the columns of the table at each size."""
    wanted: set[int] = set()
    learners = Learners(X, SessionSettings(seed=seed), wanted.add)
    evaluate = partial(_evaluate, X, parameters_of(learners), np.arange(2))
    without = accuracies_without_tests(X, y, seed)
    drawn: dict[int, str] = {}
    found: list[tuple[float, ...]] = []
    for size in SIZES:
        label(learners, y, drawn, size)
        rows = np.array(list(drawn))
        history = LabelHistory(rows, y[rows], np.array([row in learners.tests for row in drawn]))
        point = accuracy_point(size, evaluate(history, size).correct)
        true = accuracy_on_the_rest(learners, X, y, drawn)
        enough = next((n for n, accuracy in without.items() if accuracy >= true), size)
        n_tests = int(history.is_random.sum())
        found.append((point.accuracy, point.low, point.high, true, n_tests, without[size], enough))
    return found
