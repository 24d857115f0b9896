"""Time of `hinge.svm.SVC` and `sklearn.svm.SVC` on thirty small problems, and how far the dual objectives differ.

Each time is the shortest of several fits of both in turn, with the default cache and two threads or as many as there
are. `--quick` leaves out problems of more than 1000 rows.
"""

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import sklearn.svm
from scipy.sparse import csr_matrix
from sklearn.datasets import (
    load_breast_cancer,
    load_digits,
    load_iris,
    load_wine,
    make_blobs,
    make_circles,
    make_classification,
    make_moons,
)
from sklearn.preprocessing import StandardScaler

from benchmarks.micro import Section
from hinge.svm import SVC

SECONDS = 0.3  # per problem and solver, at least three fits
Problem = tuple[Any, Any, dict[str, Any]]


def _generated(n: int, features: int, classes: int, noise: float = 0.0, **parameters: Any) -> Problem:
    X, y = make_classification(
        n, features, n_informative=max(4, features // 2), n_classes=classes, flip_y=noise, random_state=0
    )
    return X, y, parameters


def _loaded(load: Callable[..., tuple[Any, Any]], **parameters: Any) -> Problem:
    X, y = load(return_X_y=True)
    return StandardScaler().fit_transform(X), y, parameters


def _sparse(n: int, features: int, density: float, **parameters: Any) -> Problem:
    random = np.random.default_rng(0)
    X = random.random((n, features)) * (random.random((n, features)) < density)
    return csr_matrix(X), (X @ random.normal(size=features) > 0).astype(int), parameters


MAKERS: dict[str, Callable[[], Problem]] = {
    "iris": lambda: _loaded(load_iris),
    "iris, linear": lambda: _loaded(load_iris, kernel="linear"),
    "wine": lambda: _loaded(load_wine),
    "cancer": lambda: _loaded(load_breast_cancer),
    "cancer, C=100": lambda: _loaded(load_breast_cancer, C=100.0),
    "cancer, linear": lambda: _loaded(load_breast_cancer, kernel="linear"),
    "digits": lambda: _loaded(load_digits),
    "digits, C=10": lambda: _loaded(load_digits, C=10.0),
    "digits, poly": lambda: _loaded(load_digits, kernel="poly"),
    "200 rows": lambda: _generated(200, 20, 2),
    "200 rows, 5 classes": lambda: _generated(200, 20, 5),
    "200 rows, 10 classes": lambda: _generated(200, 20, 10),
    "300 rows, noise": lambda: _generated(300, 10, 2, 0.3),
    "500 rows": lambda: _generated(500, 20, 2),
    "500 rows, C=100": lambda: _generated(500, 20, 2, C=100.0),
    "500 rows, 4 classes": lambda: _generated(500, 20, 4),
    "1000 rows": lambda: _generated(1000, 20, 2),
    "1000 rows, noise": lambda: _generated(1000, 20, 2, 0.3),
    "1000 rows, balanced": lambda: _generated(1000, 20, 3, class_weight="balanced"),
    "1000 rows, 100 features": lambda: _generated(1000, 100, 2),
    "moons": lambda: (*make_moons(1000, noise=0.3, random_state=0), {}),
    "circles": lambda: (*make_circles(1000, noise=0.1, factor=0.5, random_state=0), {"C": 10.0}),
    "blobs, 8 classes": lambda: (*make_blobs(1000, 5, centers=8, random_state=0)[:2], {}),
    "1000 sparse rows": lambda: _sparse(1000, 300, 0.05),
    "2000 rows": lambda: _generated(2000, 20, 2),
    "2000 rows, 5 classes": lambda: _generated(2000, 20, 5),
    "2000 sparse rows": lambda: _sparse(2000, 1000, 0.02),
    "3000 rows, C=10": lambda: _generated(3000, 30, 2, C=10.0),
    "5000 rows": lambda: _generated(5000, 20, 2),
    "5000 rows, noise": lambda: _generated(5000, 20, 2, 0.2),
}


def measure(quick: bool) -> Section:
    """Fit all problems with both solvers."""
    rows = []
    for name, make in MAKERS.items():
        X, y, parameters = make()
        if not quick or X.shape[0] <= 1000:
            ours, theirs = _times(X, y, parameters)
            rows.append(
                (name, f"{1e3 * ours:.2f}", f"{1e3 * theirs:.2f}", f"{theirs / ours:.1f}", _gap(X, y, parameters))
            )
    slower = sum(float(row[3]) < 1.0 for row in rows)
    columns = ("problem", "hinge.svm [ms]", "sklearn.svm [ms]", "times faster", "dual, relative difference")
    return Section(f"Small problems: hinge.svm.SVC is slower in {slower} of {len(rows)}", columns, rows)


def _times(X: Any, y: Any, parameters: dict[str, Any]) -> tuple[float, float]:
    best = [np.inf, np.inf]
    end, count = time.perf_counter() + 2 * SECONDS, 0
    while count < 3 or time.perf_counter() < end:
        count += 1
        for place, kind in enumerate((SVC, sklearn.svm.SVC)):
            start = time.perf_counter()
            kind(**parameters).fit(X, y)
            best[place] = min(best[place], time.perf_counter() - start)
    return best[0], best[1]


def _gap(X: Any, y: Any, parameters: dict[str, Any]) -> str:
    """Return the relative difference of the dual objectives, of the first two classes."""
    two = np.isin(y, np.unique(y)[:2])
    X, y = X[two], y[two]
    gamma = {"gamma": SVC(**parameters).fit(X, y)._state.kernel.gamma} if parameters.get("kernel") != "linear" else {}
    duals = [_dual(kind(**(parameters | gamma)).fit(X, y), X) for kind in (SVC, sklearn.svm.SVC)]
    return f"{abs(duals[0] - duals[1]) / abs(duals[1]):.1e}"


def _dual(model: Any, X: Any) -> float:
    alpha = np.asarray(model.dual_coef_.todense() if hasattr(model.dual_coef_, "todense") else model.dual_coef_).ravel()
    sums = model.decision_function(X[model.support_]) - model.intercept_
    return float(np.abs(alpha).sum() - 0.5 * alpha @ sums)
