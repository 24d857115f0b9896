"""Threads per task, samples, and how little is transferred."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from hinge import ApproximateSVC, OnlineSVC, distributed
from hinge._model.threads import count_threads
from hinge.distributed import _train
from hinge.distributed._engine import Engine, task
from hinge.distributed._examples import Examples
from hinge.distributed._model_access import worker_copy
from hinge.distributed._statistics import collect_statistics

pytestmark = pytest.mark.slow  # together they take seconds

da = pytest.importorskip("dask.array", reason="dask is not installed")


def test_threads_are_shared(cluster):
    engine = Engine(cluster, 0)
    assert engine.n_workers == 2
    assert [engine.threads_per_task(n_tasks) for n_tasks in (1, 2, 7)] == [2, 1, 1]
    alone = Engine(None, 0)
    assert alone.n_workers == 1
    assert alone.threads_per_task(1) == count_threads(None)


def test_a_configured_scheduler_takes_precedence_over_a_client(cluster):
    dask = pytest.importorskip("dask", reason="dask is not installed")
    with cluster.as_current(), dask.config.set(scheduler="synchronous"):
        assert Engine(None, 0).n_workers == 1


def test_training_transfers_only_statistics_a_sample_and_models(two, monkeypatch):
    """Labels are not among the statistics, and rows only in the sample."""
    X, y = two
    monkeypatch.setattr(_train, "_MIN_SAMPLE", 40)
    brought = []
    compute = Engine.compute
    monkeypatch.setattr(Engine, "compute", lambda *call: brought.append(compute(*call)) or brought[-1])
    distributed.train(ApproximateSVC(n_components=8, random_state=0), da.from_array(X, chunks=(30, 2)), y)
    kinds = [{type(one).__name__ for one in batch} for batch in brought]
    assert kinds == [{"Statistics"}, {"Examples"}, *[{"ApproximateSVC"}] * 5]
    assert sum(len(part) for part in brought[1]) == 40


def test_a_sample_is_uniform(monkeypatch):
    """Rows of small and large partitions are equally likely; those of weight 0 are never drawn."""
    engine, random, counts = Engine(None, 0), np.random.default_rng(0), np.zeros(30)
    rows = np.arange(30)
    weights = np.where(rows % 10 == 9, 0.0, 1.0)
    borders = [0, 3, 4, 20, 30]
    slices = [slice(*pair) for pair in itertools.pairwise(borders)]
    parts = [task(Examples, rows[s, None], rows[s], weights[s], np.arange(s.stop - s.start)) for s in slices]
    _, each = collect_statistics(engine, ApproximateSVC(), parts)
    monkeypatch.setattr(_train, "_MIN_SAMPLE", 9)
    for _ in range(400):
        drawn = _train._draw_sample(engine, ApproximateSVC(n_components=1), parts, each, random)
        assert len(set(drawn.y)) == 9
        np.testing.assert_array_equal(drawn.rows, drawn.y)
        counts[drawn.y] += 1
    assert not counts[weights == 0].any()
    expected = 400 * 9 / 27
    assert abs(counts[weights > 0] - expected).max() < 5 * np.sqrt(expected)


def test_persisted_results_can_be_used_by_tasks(cluster):
    engine = Engine(cluster, 0)
    kept = engine.persist([task(np.arange, 5)])
    assert engine.compute([task(np.sum, kept[0])]) == [10]


def test_a_model_for_many_tasks_has_one_thread(two):
    X, y = two
    assert worker_copy(OnlineSVC().fit(X, y)).n_jobs == 1
    assert worker_copy(OnlineSVC(n_jobs=3).fit(X, y)).n_jobs == 3
