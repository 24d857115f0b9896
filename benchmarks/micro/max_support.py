"""Test error with a limited number of support vectors, on noisy streams."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.data import data_folder
from benchmarks.micro import Section
from benchmarks.tasks import Split
from hinge import KernelPerceptron, OnlineSVC, RobustOnlineSVC
from hinge.datasets import load

LIMITS = (50, 100, 300, 1000, None)


def measure(quick: bool) -> Section:
    """Make one pass with each limit; None is unlimited."""
    data_folder()
    columns = (
        "data",
        "max_support",
        "OnlineSVC",
        "Robust, hinge",
        "Robust, ramp",
        "perceptron",
        "OnlineSVC on as many rows",
    )
    rows = []
    for name, split, C, gamma in _problems(quick):
        for limit in LIMITS:
            models: list[Any] = [
                OnlineSVC(C=C, gamma=gamma, max_support=limit, random_state=0),
                RobustOnlineSVC(C=C, gamma=gamma, max_support=limit, variant="hinge", random_state=0),
                RobustOnlineSVC(C=C, gamma=gamma, max_support=limit, random_state=0),
                KernelPerceptron(gamma=gamma, max_support=limit, random_state=0),
            ]
            errors = [_error(model.fit(split.X, split.y), split) for model in models]
            errors.append(_error(OnlineSVC(C=C, gamma=gamma).fit(split.X[:limit], split.y[:limit]), split))
            rows.append((name, str(limit), *(f"{error:.2f}" for error in errors)))
    return Section("Test error in % with at most max_support support vectors per class", columns, rows)


def _error(model: Any, split: Split) -> float:
    return 100 * float(np.mean(model.predict(split.X_test) != split.y_test))


def _problems(quick: bool) -> Iterator[tuple[str, Split, float, float]]:
    X, y, _ = _curved(20_000, 0.1, seed=0)
    X_test, _, clean = _curved(4_000, 0.0, seed=1)
    yield "curved boundary, 10 % noise", Split(X, y, X_test, clean), 1.0, 0.2
    for name, C, gamma in (("banana", 10.0, 1.0), ("a9a", 1.0, 0.05)):
        data = load(name)
        split = Split(data.X_train, data.y_train, data.X_test, data.y_test)
        yield name, split.head(5000, 5000) if quick else split, C, gamma


def _curved(n_rows: int, noise: float, seed: int) -> tuple[Any, Any, Any]:
    random = np.random.default_rng(seed)
    X = random.normal(size=(n_rows, 5))
    clean = X[:, 0] + X[:, 1] ** 2 > 0.7
    return X, clean ^ (random.random(n_rows) < noise), clean
