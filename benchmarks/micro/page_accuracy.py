"""The accuracy that the labelling page shows, compared with the truth on the examples without a label."""

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.preprocessing import scale

from benchmarks.data import read
from benchmarks.micro import Section
from hinge.web._learners import Learners, next_candidate
from hinge.web._learning_curve import LabelHistory, ModelParameters, _correct_tests, accuracy_point
from hinge.web._settings import SessionSettings

SIZES = (60, 100, 200)


def measure(quick: bool) -> Section:
    """Label each pool 25 times with the default strategy; compare shown and true accuracy."""
    n_runs = 2 if quick else 25
    columns = ("pool", "labels", "shown, %", "true, %", "bias, points", "band covers, %", "mean band, %", "tests")
    rows = [row for name, X, y in _pools() for row in _rows(name, X, y, n_runs)]
    return Section(f"accuracy shown by the labelling page, {n_runs} runs (aims: bias < 2, cover >= 90)", columns, rows)


def _pools() -> list[tuple[str, Any, NDArray[np.str_]]]:
    digits, cancer = load_digits(), load_breast_cancer()
    X, y = read("usps", dense=True)
    texts, topics = read("reuters-moneyfx", dense=False)
    return [
        ("digits", digits.data / 16, digits.target.astype(str)),
        ("cancer, a table", scale(cancer.data), cancer.target.astype(str)),
        ("usps", X.astype(np.float64), y.astype(int).astype(str)),
        ("reuters", texts.astype(np.float64), topics.astype(int).astype(str)),
    ]


def _rows(name: str, X: Any, y: NDArray[np.str_], n_runs: int) -> list[tuple[str, ...]]:
    runs = np.array([simulate(X, y, seed) for seed in range(n_runs)])
    found = []
    for size, outcome in zip(SIZES, runs.transpose(1, 0, 2), strict=True):
        shown, low, high, true, tests = outcome.T
        figures = (shown.mean(), true.mean(), (shown - true).mean(), ((low <= true) & (true <= high)).mean())
        cells = [f"{100 * each:.1f}" for each in (*figures, (high - low).mean())]
        found.append((name, f"{size}", *cells, f"{tests.mean():.1f}"))
    return found


def simulate(X: Any, y: NDArray[np.str_], seed: int) -> list[tuple[float, float, float, float, int]]:
    """Label up to the largest size; return shown accuracy, its band, the truth and the number of tests at each size."""
    wanted: set[int] = set()
    learners = Learners(X, SessionSettings(seed=seed), wanted.add)
    model = learners.full.model.get_params()
    parameters = ModelParameters(C=model["C"], gamma=model["gamma"], kernel=model["kernel"])
    evaluate = partial(_correct_tests, X, parameters)
    drawn: dict[int, str] = {}
    found = []
    for size in SIZES:
        while len(drawn) < size:
            candidate = next_candidate(learners.candidates((), 1), len(drawn), SessionSettings().check_every)
            if candidate is None:
                raise RuntimeError("The pool is too small.")
            drawn[candidate.row] = candidate.drawn
            tests = [candidate.row] if candidate.drawn == "random" else []
            learners.tell([candidate.row], [str(y[candidate.row])], tests)
        rows = np.array(list(drawn))
        history = LabelHistory(rows, y[rows], np.array([row in learners.tests for row in drawn]))
        point = accuracy_point(size, evaluate(history, size))
        rest = np.setdiff1d(np.arange(len(y)), rows)
        true = float(np.mean(learners.full.model.predict(X[rest]) == y[rest]))
        found.append((point.accuracy, point.low, point.high, true, int(history.is_random.sum())))
    return found
