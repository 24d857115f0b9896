"""Streams whose classes come in blocks, or one after the other: processor time and accuracy beside shuffled rows."""

import time
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import make_classification, make_moons

from benchmarks.data import data_folder
from benchmarks.micro import Section
from benchmarks.micro.stream_accuracy import STREAMS, Data
from hinge import OnlineSVC, StreamWarning

CHUNK = 100
BLOCKS = (178, 400)
COSTS = (1.0, 100.0)


def measure(quick: bool) -> Section:
    """Learn each stream in each order."""
    data_folder()
    rows = []
    for name, n_train, (X, y) in _sets(quick):
        orders = [np.arange(n_train), *(_blocks(y[:n_train], size) for size in BLOCKS), np.argsort(y[:n_train])]
        for C in COSTS:
            found = [_learn(X, y, order, n_train, C) for order in orders]
            cells = (f"{seconds / found[0][0]:.2f}, {accuracy - found[0][1]:+.1f}" for seconds, accuracy in found[1:])
            rows.append((name, f"{C:g}", f"{found[0][0]:.2f}", f"{found[0][1]:.1f}", *cells))
    columns = ("stream", "C", "shuffled, s", "accuracy, %", *(f"blocks of {size}" for size in BLOCKS), "sorted")
    return Section("Time as a multiple of that of shuffled rows, and accuracy minus theirs, points", columns, rows)


def _sets(quick: bool) -> Iterator[tuple[str, int, Data]]:
    four = make_classification(8000, 10, n_informative=6, n_classes=4, flip_y=0.05, random_state=0)
    yield "four classes", 1000 if quick else 5000, four
    yield "moons", 1000 if quick else 5000, make_moons(8000, noise=0.35, random_state=0)
    for name in () if quick else ("usps, 10 classes", "mnist, 8 vs rest", "ijcnn1"):
        data = STREAMS[name]()
        yield name, 2 * len(data[1]) // 3, data


def _blocks(y: NDArray[Any], size: int) -> NDArray[Any]:
    """Return rows in blocks of one class, those of each class spread over the whole stream."""
    parts = []
    for label in np.unique(y):
        own = np.flatnonzero(y == label)
        starts = range(0, len(own), size)
        parts += [((number + 0.5) / len(starts), own[start : start + size]) for number, start in enumerate(starts)]
    return np.concatenate([rows for _, rows in sorted(parts, key=lambda part: part[0])])


def _learn(X: Any, y: NDArray[Any], order: NDArray[Any], n_train: int, C: float) -> tuple[float, float]:
    gamma = 1.0 / (X.shape[1] * X[:n_train].var())
    model, classes = OnlineSVC(C=C, gamma=gamma, cache_size=1000, n_jobs=1), np.unique(y)
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", StreamWarning)
        for begin in range(0, n_train, CHUNK):
            rows = order[begin : begin + CHUNK]
            model.partial_fit(X[rows], y[rows], classes=classes)
    return time.process_time() - start, 100 * float(model.score(X[n_train:], y[n_train:]))
