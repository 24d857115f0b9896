"""Schedulers for distributed tests: synchronous, threads, and a small cluster in this process."""

from __future__ import annotations

import pytest


@pytest.fixture(scope="session")
def cluster():
    """A client of two workers, which are threads of this process."""
    distributed = pytest.importorskip("distributed", reason="distributed is not installed")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=False, dashboard_address=":0", protocol="inproc://"
        ) as workers,
        distributed.Client(workers, set_as_default=False) as client,
    ):
        yield client


@pytest.fixture(params=["synchronous", "threads", "client"])
def scheduler(request):
    """Run a test without a client on either of dask's local schedulers, and with a current client."""
    dask = pytest.importorskip("dask", reason="dask is not installed")
    if request.param == "client":
        with request.getfixturevalue("cluster").as_current(), dask.config.set(scheduler="dask.distributed"):
            yield
    else:
        with dask.config.set(scheduler=request.param):
            yield
