"""Partitions become tasks with keys of their own."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from hinge import OnlineSVC, distributed

dask = pytest.importorskip("dask", reason="dask is not installed")
da = pytest.importorskip("dask.array", reason="dask's arrays are not installed")


@pytest.mark.parametrize("steps", ["values", "a sum", "a frame"])
def test_no_key_has_two_tasks(two, steps):
    """Else a scheduler that still knows the first fails at the second with KeyError (dask issue 9888)."""
    X, y = two
    task_spec = pytest.importorskip("dask._task_spec")
    known: dict[object, set[object]] = {}

    def get(graph, keys, **options):
        graph = dict(graph.__dask_graph__())
        for key, node in task_spec.convert_legacy_graph(graph).items():
            assert known.setdefault(key, node.dependencies) == node.dependencies
        return dask.get(graph, keys, **options)

    model = OnlineSVC(random_state=0).fit(X, y)
    pool = da.from_array(X, chunks=(30, 2))
    if steps == "a sum":
        pool = pool[:60] + 0.0
    if steps == "a frame":
        pool = pytest.importorskip("dask.dataframe").from_pandas(pd.DataFrame(X), npartitions=4)
    with dask.config.set(scheduler=get):
        for _ in range(2):
            distributed.query(model, pool, 3)
            first = distributed.predict(model, pool).blocks[0].compute()[:20]
            np.testing.assert_array_equal(first, model.predict(X[:20]))
            pool.sum().compute()
            distributed.predict(model, pool).compute()


@pytest.mark.parametrize("is_frame", [False, True])
def test_results_on_workers_stay_there(cluster, two, is_frame):
    """Partitions that were persisted are used as they are, also when nobody else holds them any more."""
    X, y = two
    model = OnlineSVC(random_state=0).fit(X, y)
    with cluster.as_current(), dask.config.set(scheduler="dask.distributed"):
        if is_frame:
            pool = pytest.importorskip("dask.dataframe").from_pandas(pd.DataFrame(X), npartitions=3).persist()
        else:
            pool = da.from_array(X, chunks=(30, 2)).persist()
        held = pytest.importorskip("distributed").futures_of(pool)
        expected = model.predict(X)
        distributed.query(model, pool, 3)
        predictions = distributed.predict(model, pool)
        assert {future.key for future in pytest.importorskip("distributed").futures_of(predictions)} == {
            future.key for future in held
        }
        del pool, held
        np.testing.assert_array_equal(predictions.compute(), expected)
