"""Test error of bounded models on small generated streams with wrong labels, at small and large C.

The yardstick is the better of two models of as many rows: the most recent ones, and random ones. The figures are errors
minus that, in points, averaged over seeds.
"""

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, make_blobs, make_circles, make_classification, make_moons
from sklearn.preprocessing import StandardScaler

from benchmarks.micro import Section
from benchmarks.micro.windows import Stream
from hinge import IncrementalSVC, OnlineSVC

N_ROWS = 1000
NOISE = (0.0, 0.2, 0.3)
SIZES = (50, 100, 200, 500)
COSTS = (0.05, 0.2, 1.0, 10.0, 100.0)
SEEDS = 5
N_SAMPLES = 2

Maker = Callable[[int], tuple[Any, Any]]


def _classification(n_classes: int, **options: Any) -> Maker:
    def make(seed: int) -> tuple[Any, Any]:
        X, y = make_classification(
            2 * N_ROWS, 10, n_informative=6, n_classes=n_classes, n_clusters_per_class=1, random_state=seed, **options
        )
        return X, y

    return make


def _shuffled(load: Callable[..., tuple[Any, Any]]) -> Maker:
    def make(seed: int) -> tuple[Any, Any]:
        X, y = load(return_X_y=True)
        order = np.random.default_rng(100 + seed).permutation(len(y))
        return StandardScaler().fit_transform(X)[order], y[order]

    return make


MAKERS: dict[str, Maker] = {
    "moons": lambda seed: make_moons(2 * N_ROWS, noise=0.3, random_state=seed),
    "circles": lambda seed: make_circles(2 * N_ROWS, noise=0.15, factor=0.6, random_state=seed),
    "blobs, 5 classes": lambda seed: make_blobs(2 * N_ROWS, 5, centers=5, cluster_std=3.0, random_state=seed)[:2],
    "digits": _shuffled(load_digits),
    "cancer": _shuffled(load_breast_cancer),
    "2 classes": _classification(2),
    "3 classes": _classification(3),
    "4 classes": _classification(4),
    "6 classes": _classification(6),
    "2 classes, one of 7 %": _classification(2, weights=[0.93]),
}


def measure(quick: bool) -> Section:
    """Learn each stream with each share of wrong labels, size and C."""
    n_seeds, costs = (1, COSTS[::2]) if quick else (SEEDS, COSTS)
    models = ("OnlineSVC", "IncrementalSVC")
    columns = ("data", "runs", *(f"{name}, C={C:g}" for name in models for C in costs), "worst")
    rows = []
    for name, make in MAKERS.items():
        excess = np.array([_excess(make, *case, costs, n_seeds) for case in product(NOISE, SIZES)])
        known = excess[~np.isnan(excess).any(axis=(1, 2))]
        means = known.mean(axis=0).T.ravel()
        n_runs = str(len(known) * n_seeds * len(costs))
        rows.append((name, n_runs, *(f"{mean:+.1f}" for mean in means), f"{known.max():+.1f}"))
    return Section("Test error of bounded models beyond that of as many recent or random rows, points", columns, rows)


def _excess(make: Maker, noise: float, size: int, costs: tuple[float, ...], n_seeds: int) -> Any:
    """Return the excess of both models for each C; NaN if the stream is shorter than the window."""
    streams = [_stream(make, noise, seed) for seed in range(n_seeds)]
    if len(streams[0].y) <= size:
        return np.full((len(costs), 2), np.nan)
    errors = np.array([[_errors(stream, size, C, seed) for C in costs] for seed, stream in enumerate(streams)])
    means = errors.mean(axis=0)
    return means[:, :2] - means[:, 2:].min(axis=1, keepdims=True)


def _stream(make: Maker, noise: float, seed: int) -> Stream:
    X, y = make(seed)
    n_train, random = min(N_ROWS, 7 * len(y) // 10), np.random.default_rng(200 + seed)
    n_classes = len(np.unique(y))
    wrong = (y[:n_train] + random.integers(1, n_classes, n_train)) % n_classes
    labels = np.where(random.random(n_train) < noise, wrong, y[:n_train])
    gamma = 1.0 / (X.shape[1] * X[:n_train].var())
    return Stream(X[:n_train], labels, X[n_train:], y[n_train:], gamma=gamma)


def _errors(stream: Stream, size: int, C: float, seed: int) -> list[float]:
    settings: dict[str, Any] = {"C": C, "gamma": stream.gamma, "n_jobs": 1}
    bounded = OnlineSVC(max_support=size, **settings), IncrementalSVC(max_examples=size, **settings)
    errors = [_error(model.partial_fit(stream.X, stream.y), stream) for model in bounded]
    random, n_rows = np.random.default_rng(seed), len(stream.y)
    errors.append(_sample_error(stream, np.arange(n_rows - size, n_rows), settings))
    samples = [random.permutation(n_rows)[:size] for _ in range(N_SAMPLES)]
    errors.append(float(np.mean([_sample_error(stream, rows, settings) for rows in samples])))
    return errors


def _sample_error(stream: Stream, rows: Any, settings: dict[str, Any]) -> float:
    if len(np.unique(stream.y[rows])) < 2:
        return 100.0
    return _error(IncrementalSVC(**settings).fit(stream.X[rows], stream.y[rows]), stream)


def _error(model: Any, stream: Stream) -> float:
    return 100 * float(np.mean(model.predict(stream.X_test) != stream.y_test))
