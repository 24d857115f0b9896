"""The five batch tasks, with C and gamma of table 1 of the paper.

The paper does not say how it scaled columns. With unscaled ADULT and IJCNN, pixels divided by 255 and columns of
COVTYPE from 0 to 1, models of both sizes have the errors of the paper (with standardised columns the error of COVTYPE
is 28 % instead of 18 %). The rows of its validation sets are test rows here.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from experiments.problems import Problem, adult, load_cached, mnist

if TYPE_CHECKING:
    from collections.abc import Callable

QUICK_TRAIN, QUICK_TEST = 3_000, 2_000
FEW_TEST = 5_000  # test rows where times are compared: predictions of LIBSVM are slow as well


@dataclass(frozen=True)
class Task:
    """A row of table 1.

    Attributes
    ----------
    title : str
        Its name in the paper.
    load : callable
        Loads the problem.
    note : str
        Which rows are used here.
    """

    title: str
    load: Callable[[], Problem]
    note: str


def _adult() -> Problem:
    return replace(adult(), C=1000.0, gamma=0.001)


def _mnist() -> Problem:
    problem = mnist()
    problem = replace(problem, y=problem.y < 5, y_test=problem.y_test < 5, C=100.0, gamma=0.01)
    return problem.random_split(0, 58_100, 11_900)


def _ccat() -> Problem:
    data = load_cached("rcv1-ccat")
    return Problem(data.X_train, data.y_train == 1, data.X_test, data.y_test == 1, C=10.0, gamma=1.0)


def _ijcnn() -> Problem:
    data = load_cached("ijcnn1")
    problem = Problem(data.X_train, data.y_train == 1, data.X_test, data.y_test == 1, C=100.0, gamma=1.0)
    return problem.random_split(0, 113_352, 28_339)


def _covtype() -> Problem:
    data = load_cached("covtype")
    lowest, highest = data.X_train.min(axis=0), data.X_train.max(axis=0)
    widths = np.where(highest > lowest, highest - lowest, 1)
    X, X_test = ((rows - lowest) / widths for rows in (data.X_train[:464_809], data.X_test[:58_101]))
    return Problem(
        X.astype(np.float32),
        data.y_train[: len(X)] == 1,
        X_test.astype(np.float32),
        data.y_test[: len(X_test)] == 1,
        C=3.0,
        gamma=1.0,
    )


TASKS = {
    "adult": Task("ADULT", _adult, "32,561 rows; tested on all 16,281 others"),
    "mnist": Task("MNIST", _mnist, "0-4 against 5-9, 58,100 random rows; tested on the 11,900 others"),
    "ccat": Task("CCAT", _ccat, "a sample of the same articles: 14,401 rows instead of 78,127; 13,212 test rows"),
    "ijcnn": Task("IJCNN", _ijcnn, "113,352 random rows; tested on the 28,339 others"),
    "covtype": Task("COVTYPE", _covtype, "464,809 random rows; tested on 58,101 others"),
    "covtype-part": Task("COVTYPE", lambda: _covtype().head(100_000), "100,000 rows"),
    "adult-few": Task("ADULT", lambda: _adult().head(10_000, FEW_TEST), "10,000 rows"),
    "mnist-few": Task("MNIST", lambda: _mnist().head(20_000, FEW_TEST), "20,000 rows"),
    "ccat-few": Task("CCAT", lambda: _ccat().head(5_000, FEW_TEST), "5,000 rows"),
    "covtype-few": Task("COVTYPE", lambda: _covtype().head(20_000, FEW_TEST), "20,000 rows"),
}
BATCH = ("adult", "mnist", "ccat", "ijcnn", "covtype")  # the order of the paper
ROWS = "Rows: " + "; ".join(f"{TASKS[name].title}, {TASKS[name].note}" for name in BATCH) + "."
EXACT = {name: name for name in BATCH} | {"covtype": "covtype-part"}  # the rows that LASVM learns
TIMED = {  # the rows that LIBSVM and LinearSVC learn
    "ijcnn": "ijcnn",
    "covtype": "covtype-few",
    "ccat": "ccat-few",
    "adult": "adult-few",
    "mnist": "mnist-few",
}


@lru_cache(maxsize=2)
def problem(name: str, *, quick: bool) -> Problem:
    """Load a task, or the first rows of it for a quick run."""
    whole = TASKS[name].load()
    return whole.head(QUICK_TRAIN, QUICK_TEST) if quick else whole
