"""Time from a label to the next query in large pools; `python -m experiments lasvm fig16` measures accuracy."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.data import data_folder, read
from benchmarks.micro import Section
from benchmarks.worker import timed
from hinge import OnlineSVC
from hinge.active import ActiveLearner

QUERIES = 500


def measure(quick: bool) -> Section:
    """Time single queries."""
    data_folder()
    return Section(
        "Queries in large pools (aim: the next query within 50 ms of a label)",
        ("pool", "ms from a label to the next query: median", "95 %", "maximum"),
        [_latency(*pool) for pool in _pools(quick)],
    )


def _pools(quick: bool) -> Iterator[tuple[str, NDArray[Any], NDArray[Any], dict[str, Any], int | None]]:
    """Yield large pools: title, rows, labels, settings, candidates."""
    n_queries = 60 if quick else QUERIES
    digits, y = read("mnist", dense=True)
    X, settings = digits[:10_000] / np.float32(255), {"C": 10.0, "gamma": 0.02, "n_queries": n_queries}
    yield "10 000, mnist, 8 vs rest", X, y[:10_000] == 8, settings, None
    yield "10 000, mnist, 10 classes", X, y[:10_000], settings, None
    X, y = read("covtype", dense=True)
    rows = np.random.default_rng(0).integers(len(y), size=10_000 if quick else 1_000_000)
    X = (X - X.mean(axis=0)) / np.maximum(X.std(axis=0), np.float32(1e-6))
    X, y, settings = X[rows], y[rows] == 2, {"C": 3.0, "gamma": 0.5, "n_queries": n_queries}
    for sample in (50, 1_000):
        yield f"{len(y):,}, covtype, sample={sample}", X, y, settings, sample


def _latency(
    title: str, X: NDArray[Any], y: NDArray[Any], settings: dict[str, Any], sample: int | None
) -> tuple[str, ...]:
    """Return the table row of a pool."""
    settings = dict(settings)
    n_queries = settings.pop("n_queries")
    learner = ActiveLearner(OnlineSVC(**settings), X, sample=sample, random_state=0)
    first = learner.ask(10)  # random ones
    rows, milliseconds = learner.tell(first, y[first]).ask(), []
    for _ in range(n_queries):
        seconds, rows = timed(lambda row: learner.tell(row, y[row]).ask(), rows)
        milliseconds.append(1e3 * seconds)
    return title, *(f"{value:.1f}" for value in (*np.percentile(milliseconds, [50, 95]), max(milliseconds)))
