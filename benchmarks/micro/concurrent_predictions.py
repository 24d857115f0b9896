"""Threads that predict with one model at the same time, alone and while another thread is inside `partial_fit`."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.micro import Section
from benchmarks.models import MODELS
from benchmarks.tasks import TASKS, Split
from benchmarks.worker import timed

BLOCK_SIZES = (100, 1)
N_THREADS = 2
THROUGHPUT_S, REPEATS = 2.0, 5
LEARNING_S = 10.0
N_SINGLE_ROWS = 500
NOISE = 0.02  # added to rows that are learned again, so that they are new


def measure(quick: bool) -> Section:
    """Measure the mnist-8 model with n_jobs=1: throughput, latency during learning, `partial_fit` of one row."""
    task = TASKS["mnist8"]
    split = task.split(quick=quick)
    model = MODELS["hinge"].make(task, n_jobs=1).fit(split.X, split.y)
    seconds = 0.2 if quick else THROUGHPUT_S
    rows = [row for size in BLOCK_SIZES for row in _throughput(model, split, size, seconds)]
    rows.append(_one_row(model, split))
    rows += _latency(model, split, 1.0 if quick else LEARNING_S)
    return Section(
        f"Concurrent predictions, {task.title}, {len(model.support_):,} support vectors, n_jobs=1",
        ("measurement", "value", "aim"),
        rows,
    )


def _throughput(model: Any, split: Split, size: int, seconds: float) -> list[tuple[str, str, str]]:
    """Return the rows per second of one thread and of two, in turn, and the median of their ratio."""
    rates = np.array(
        [[_rate(model, split, size, n_threads, seconds) for n_threads in (1, N_THREADS)] for _ in range(REPEATS)]
    )
    one, several = np.median(rates, axis=0)
    ratio = np.median(rates[:, 1] / rates[:, 0])
    name = f"predict, {size} row{'s' * (size > 1)} per call"
    return [
        (f"{name}, 1 thread, rows per second", f"{one:,.0f}", ""),
        (f"{name}, {N_THREADS} threads, rows per second", f"{several:,.0f}", ""),
        (f"{name}, ratio", f"{ratio:.2f}", "at least 1.8" if size > 1 else ""),
    ]


def _rate(model: Any, split: Split, size: int, n_threads: int, seconds: float) -> float:
    start = threading.Barrier(n_threads)

    def predict(first: int) -> float:
        count, row = 0, first
        start.wait()
        begin = time.perf_counter()
        while (elapsed := time.perf_counter() - begin) < seconds:
            model.predict(split.X_test[row : row + size])
            count += size
            row = (row + size) % (len(split.y_test) - size)
        return count / elapsed

    with ThreadPoolExecutor(n_threads) as pool:
        return sum(pool.map(predict, range(0, 1000 * n_threads, 1000)))


def _one_row(model: Any, split: Split) -> tuple[str, str, str]:
    """Return the time of `partial_fit` for single rows."""
    rows = (slice(row, row + 1) for row in range(N_SINGLE_ROWS))
    seconds = [timed(model.partial_fit, split.X_test[row], split.y_test[row])[0] for row in rows]
    return "partial_fit of one row, median, ms", f"{1e3 * np.median(seconds):.2f}", "0.4"


def _latency(model: Any, split: Split, seconds: float) -> list[tuple[str, str, str]]:
    """Predict 100 rows again and again while another thread is inside one long `partial_fit`."""
    X, y = _rows_for(model, split, seconds)
    block = split.X_test[: BLOCK_SIZES[0]]
    waits: list[float] = []
    with ThreadPoolExecutor(1) as pool:
        learning = pool.submit(timed, model.partial_fit, X, y)
        time.sleep(0.05 * seconds)  # until it is inside
        while not learning.done():
            waits.append(1e3 * timed(model.predict, block)[0])
            time.sleep(0.005)
        learned, _ = learning.result()
    name = "predict, 100 rows, during partial_fit"
    return [
        ("partial_fit of many rows, s", f"{learned:.1f}", ""),
        (f"{name}, calls", f"{len(waits):,}", ""),
        (f"{name}, median, ms", f"{np.median(waits):,.1f}", ""),
        (f"{name}, 95th percentile, ms", f"{np.percentile(waits, 95):,.1f}", "under 50"),
        (f"{name}, maximum, ms", f"{max(waits):,.1f}", ""),
    ]


def _rows_for(model: Any, split: Split, seconds: float) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Return as many noisy copies of training rows as `partial_fit` learns in about so many seconds."""
    trial = 2000
    spent, _ = timed(model.partial_fit, *_noisy(split, trial, seed=0))
    return _noisy(split, max(trial, round(trial * seconds / spent)), seed=1)


def _noisy(split: Split, n_rows: int, seed: int) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    random = np.random.default_rng(seed)
    rows = random.integers(len(split.y), size=n_rows)
    noise = random.normal(scale=NOISE, size=(n_rows, split.X.shape[1])).astype(np.float32)
    return np.asarray(split.X[rows] + noise), split.y[rows]
