"""Test error of `IncrementalSVC` with a window, for each rule of eviction, next to samples of the same size.

The environment variable FIRST_SEED chooses other streams than those of seeds 0, 1 and 2.
"""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, make_circles, make_moons
from sklearn.preprocessing import StandardScaler

from benchmarks.data import data_folder
from benchmarks.micro import Section
from hinge import IncrementalSVC
from hinge.datasets import load

WINDOWS = (100, 300, 1000, 3000)
RULES = ("balanced", "relevance", "weight", "age")
SEEDS = 3
FIRST_SEED = int(os.environ.get("FIRST_SEED", "0"))
N_TEST = 4_000


@dataclass(frozen=True)
class Stream:
    """Rows in the order of the stream, rows to test with, and settings."""

    X: Any
    y: Any
    X_test: Any
    y_test: Any
    C: float = 1.0
    gamma: float | str = "scale"


def measure(quick: bool) -> Section:
    """Learn each stream with each window, and compare with a random sample of the stream."""
    data_folder()
    columns = ("data", "window", *RULES, "random sample", "no window")
    rows = []
    for name, make in streams(quick):
        for window in WINDOWS[:2] if quick else WINDOWS:
            errors = [_errors(make(FIRST_SEED + seed), window, seed) for seed in range(1 if quick else SEEDS)]
            if errors[0]:
                rows.append((name, str(window), *(f"{error:.2f}" for error in np.mean(errors, axis=0))))
    return Section(f"Test error in %, mean of {1 if quick else SEEDS} streams", columns, rows)


def _errors(stream: Stream, window: int, seed: int) -> list[float]:
    """Return the errors of each rule, of a random sample, and of all rows; nothing if the stream fits the window."""
    n_rows = stream.X.shape[0]
    if n_rows <= window:
        return []
    settings: dict[str, Any] = {"C": stream.C, "gamma": stream.gamma, "n_jobs": 1}
    models = [IncrementalSVC(max_examples=window, eviction=rule, **settings) for rule in RULES]
    errors = [_error(model.partial_fit(stream.X, stream.y), stream) for model in models]
    sample = np.random.default_rng(seed).permutation(n_rows)[:window]
    parts = sample, np.arange(n_rows)
    return errors + [_error(IncrementalSVC(**settings).fit(stream.X[part], stream.y[part]), stream) for part in parts]


def _error(model: IncrementalSVC, stream: Stream) -> float:
    return 100 * float(np.mean(model.predict(stream.X_test) != stream.y_test))


def streams(quick: bool) -> Iterator[tuple[str, Callable[[int], Stream]]]:
    """Yield the name of each data set, and a function from a seed to a stream of it."""
    n_rows = 1_500 if quick else 6_000
    yield "moons, overlapping", partial(_plane, make_moons, {"noise": 0.35}, 0.0, n_rows)
    yield "circles, 10 % flipped", partial(_plane, make_circles, {"noise": 0.15, "factor": 0.6}, 0.1, n_rows)
    yield "curved, 10 % flipped", partial(_curved, n_rows)
    yield "cancer", _cancer
    yield "digits", partial(_digits, 0.0)
    yield "digits, 30 % flipped", partial(_digits, 0.3)
    for name, C, gamma in (("banana", 10.0, 1.0), ("usps", 10.0, 0.01), ("a9a", 1.0, 0.05), ("ijcnn1", 10.0, 2.0)):
        yield name, partial(_stored, name, C, gamma, n_rows, None)
    yield "mnist, 8 vs rest", partial(_stored, "mnist", 10.0, 0.02, n_rows, 8)
    yield "moneyfx", partial(_stored, "reuters-moneyfx", 1.0, 1.0, n_rows, None)


def _plane(make: Any, settings: dict[str, float], rate: float, n_rows: int, seed: int) -> Stream:
    X, y = make(n_rows + N_TEST, **settings, random_state=seed)
    return Stream(X[:n_rows], _flipped(y[:n_rows], rate, seed), X[n_rows:], y[n_rows:])


def _curved(n_rows: int, seed: int) -> Stream:
    X = np.random.default_rng(seed).normal(size=(n_rows + N_TEST, 5))
    y = (X[:, 0] + X[:, 1] ** 2 > 0.7).astype(int)
    return Stream(X[:n_rows], _flipped(y[:n_rows], 0.1, seed), X[n_rows:], y[n_rows:])


def _cancer(seed: int) -> Stream:
    X, y = load_breast_cancer(return_X_y=True)
    return _split(StandardScaler().fit_transform(X), y, 0.0, seed)


def _digits(rate: float, seed: int) -> Stream:
    X, y = load_digits(return_X_y=True)
    return _split(X, y, rate, seed)


def _split(X: Any, y: Any, rate: float, seed: int) -> Stream:
    order = np.random.default_rng(100 + seed).permutation(len(y))
    X, y, n_rows = X[order], y[order], 7 * len(y) // 10
    return Stream(X[:n_rows], _flipped(y[:n_rows], rate, seed), X[n_rows:], y[n_rows:])


def _stored(  # noqa: PLR0917
    name: str, C: float, gamma: float, n_rows: int, one: int | None, seed: int
) -> Stream:
    data = load(name)
    random = np.random.default_rng(seed)
    rows = random.permutation(len(data.y_train))[:n_rows]
    tests = random.permutation(len(data.y_test))[:N_TEST]
    y, y_test = (data.y_train, data.y_test) if one is None else (data.y_train == one, data.y_test == one)
    return Stream(data.X_train[rows], y[rows], data.X_test[tests], y_test[tests], C, gamma)


def _flipped(y: Any, rate: float, seed: int) -> Any:
    random = np.random.default_rng(200 + seed)
    classes = np.unique(y)
    places = np.searchsorted(classes, y)
    others = (places + random.integers(1, len(classes), len(y))) % len(classes)
    return np.where(random.random(len(y)) < rate, classes[others], y)
