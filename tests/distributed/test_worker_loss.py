"""A worker dies during training: dask replaces it, and the model is that of an undisturbed run."""

from __future__ import annotations

import os
import signal
import threading
from contextlib import contextmanager

import numpy as np
import pytest
from sklearn.datasets import make_moons

from hinge import ApproximateSVC, distributed

da = pytest.importorskip("dask.array", reason="dask is not installed")
dask_distributed = pytest.importorskip("distributed", reason="distributed is not installed")

ROUNDS, PARTS = 10, 8


@contextmanager
def killing(cluster, worker, n_passes):
    """Kill a worker after a number of passes."""
    over = threading.Event()

    def wait_and_kill():
        enough = passes_made(cluster) + n_passes
        while passes_made(cluster) < enough and not over.wait(0.01):
            pass
        if not over.is_set():
            os.kill(worker, signal.SIGKILL)

    thread = threading.Thread(target=wait_and_kill)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def passes_made(cluster):
    passes = cluster.scheduler.task_prefixes.get("pass_over_partition")
    return 0 if passes is None else passes.state_counts.get("memory", 0)


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="processes are killed by a signal of POSIX systems")
def test_a_killed_worker_changes_nothing():
    X, y = make_moons(8000, noise=0.2, random_state=0)
    parts = da.from_array(X, chunks=(8000 // PARTS, 2)), da.from_array(y, chunks=8000 // PARTS)
    model = ApproximateSVC(n_components=256, random_state=0)
    with (
        dask_distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        dask_distributed.Client(cluster) as client,
    ):
        undisturbed = distributed.train(model, *parts, rounds=ROUNDS, learners=2)
        workers = list(client.run(os.getpid).values())
        with killing(cluster, workers[0], ROUNDS * PARTS // 3):
            survived = distributed.train(model, *parts, rounds=ROUNDS, learners=2)
        client.wait_for_workers(2)
        assert workers[0] not in client.run(os.getpid).values()
    np.testing.assert_array_equal(survived.decision_function(X), undisturbed.decision_function(X))
