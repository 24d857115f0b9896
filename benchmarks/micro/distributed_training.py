"""Training on two dask workers compared with one process, also when a worker is killed half-way."""

import os
import signal
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.approximate import PROBLEMS
from benchmarks.micro import Section
from benchmarks.tasks import Split
from benchmarks.worker import timed
from hinge import ApproximateSVC, distributed

PASSES, PARTS, WORKERS = 5, 16, 2


def measure(quick: bool) -> Section:
    """Train on covtype, 1 vs rest, in one process with one and two threads, and on two workers of one thread each."""
    problem = PROBLEMS["covtype"]
    split = problem.load()
    split = split.head(40_000, 10_000) if quick else split
    settings: dict[str, Any] = {"C": problem.C, "gamma": problem.gamma, "n_components": 512, "random_state": 0}
    rows = [_plain(split, settings, threads) for threads in (1, WORKERS)]
    with tempfile.TemporaryDirectory() as folder, _cluster() as (cluster, client):
        X, y = _partitions(Path(folder), split)
        distributed.train(ApproximateSVC(n_components=8), X[:1000], y[:1000])  # lets the workers load their libraries
        for kill in (False, True):
            before = _processor_time(client)
            with _kill_half_way(cluster, client) if kill else nullcontext():
                seconds, model = timed(lambda: distributed.train(ApproximateSVC(**settings), X, y, rounds=PASSES))
            title = f"{WORKERS} dask workers, one thread each" + (", one killed half-way" if kill else "")
            spent = "-" if kill else f"{_processor_time(client) - before:.1f}"  # unknown for a killed worker
            rows.append((title, f"{seconds:.1f}", spent, _error(model, split)))
    columns = ("covtype, 1 vs rest", "seconds", "processor seconds", "test error, %")
    return Section(f"ApproximateSVC, 512 landmarks, {PASSES} passes over {len(split.y):,} rows", columns, rows)


def _plain(split: Split, settings: dict[str, Any], threads: int) -> tuple[str, str, str, str]:
    model = ApproximateSVC(**settings, epochs=PASSES, n_jobs=threads)
    before = time.process_time()
    seconds, _ = timed(model.fit, split.X, split.y)
    spent = time.process_time() - before
    title = f"one process, {threads} thread{'s' * (threads > 1)}"
    return title, f"{seconds:.1f}", f"{spent:.1f}", _error(model, split)


def _processor_time(client: Any) -> float:
    """Return the processor time of all workers so far."""
    return float(sum(client.run(time.process_time).values()))


def _error(model: Any, split: Split) -> str:
    return f"{100 * float(np.mean(model.predict(split.X_test) != split.y_test)):.2f}"


@contextmanager
def _cluster() -> Iterator[tuple[Any, Any]]:
    engine: Any = import_module("distributed")  # no types
    with (
        engine.LocalCluster(n_workers=WORKERS, threads_per_worker=1, dashboard_address=None) as cluster,
        engine.Client(cluster) as client,
    ):
        yield cluster, client


def _partitions(folder: Path, split: Split) -> tuple[Any, Any]:
    """Return rows and labels as dask arrays whose blocks workers read from files."""
    array: Any = import_module("dask.array")
    np.save(folder / "X.npy", split.X)
    np.save(folder / "y.npy", split.y)
    size = -(-len(split.y) // PARTS)
    chunks = tuple(len(split.y[start : start + size]) for start in range(0, len(split.y), size))
    X = array.map_blocks(_rows, str(folder / "X.npy"), size, chunks=(chunks, split.X.shape[1:]), dtype=split.X.dtype)
    return X, array.map_blocks(_rows, str(folder / "y.npy"), size, chunks=(chunks,), dtype=split.y.dtype)


def _rows(path: str, size: int, block_info: Any = None) -> NDArray[Any]:
    first = size * block_info[None]["chunk-location"][0]
    return np.array(np.load(path, mmap_mode="r")[first : first + size])


@contextmanager
def _kill_half_way(cluster: Any, client: Any) -> Iterator[None]:
    """Kill a worker when half of the passes over partitions are done."""
    worker = next(iter(client.run(os.getpid).values()))
    enough, over = _n_passes(cluster) + PASSES * PARTS // 2, threading.Event()

    def watch() -> None:
        while not over.wait(0.05):
            if _n_passes(cluster) >= enough:
                os.kill(worker, signal.SIGKILL)
                return

    watcher = threading.Thread(target=watch)
    watcher.start()
    yield
    over.set()
    watcher.join()


def _n_passes(cluster: Any) -> int:
    passes = cluster.scheduler.task_prefixes.get("pass_over_partition")
    return 0 if passes is None else int(passes.state_counts.get("memory", 0))
