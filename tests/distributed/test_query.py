"""`query` on a distributed pool selects the same rows as on the whole pool."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator
from sklearn.linear_model import LogisticRegression

from hinge import OnlineSVC, ParameterError, active, distributed

da = pytest.importorskip("dask.array", reason="dask is not installed")

STRATEGIES = ("boundary", "positive", "autoactive", "random")


class Plain(BaseEstimator):
    """A model whose scores are the first column of X."""

    def __sklearn_is_fitted__(self):
        return True

    def fit(self, X, y):
        return self

    def decision_function(self, X):
        return np.asarray(X)[:, 0]


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("sample", [None, 40, 1000])
def test_as_on_the_whole_pool(scheduler, two, strategy, sample):
    X, y = two
    model, pool = OnlineSVC(random_state=0).fit(X, y), X + 0.01
    for n in (1, 6):
        found = distributed.query(model, da.from_array(pool, chunks=(35, 1)), n, strategy, sample, random_state=3)
        np.testing.assert_array_equal(found, active.query(model, pool, n, strategy, sample, random_state=3, spread=0))


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_equal_rows(scheduler, strategy):
    """Few different values, so that ties cross all partitions."""
    pool = np.random.default_rng(0).integers(-2, 3, size=(200, 1)).astype(float)
    for chunks in ((50, 50, 50, 50), (0, 1, 0, 100, 99, 0)):
        for n in (1, 45, 200):
            found = distributed.query(Plain(), da.from_array(pool, chunks=(chunks, 1)), n, strategy, random_state=1)
            np.testing.assert_array_equal(found, active.query(Plain(), pool, n, strategy, random_state=1, spread=0))


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_frames(scheduler, three, strategy):
    dd = pytest.importorskip("dask.dataframe", reason="dask's DataFrames are not installed")
    X, y = three
    frame = pd.DataFrame(X, columns=list("abcd"))
    model = LogisticRegression().fit(frame, y)
    parts = dd.from_pandas(frame, npartitions=4)
    chosen = frame["a"] > 0.3
    found = distributed.query(model, parts[parts["a"] > 0.3], 5, strategy, random_state=1)
    np.testing.assert_array_equal(found, active.query(model, frame[chosen], 5, strategy, random_state=1, spread=0))


def test_a_client_by_name(cluster, two):
    X, y = two
    model = OnlineSVC(random_state=0).fit(X, y)
    found = distributed.query(model, da.from_array(X, chunks=(50, 2)), 4, client=cluster)
    np.testing.assert_array_equal(found, active.query(model, X, 4, spread=0))


def test_bad_input(two):
    X, y = two
    model, parts = OnlineSVC().fit(X, y), da.from_array(X, chunks=(50, 2))
    with pytest.raises(ParameterError, match=r"^n must be at most the number of rows, 120, got 121"):
        distributed.query(model, parts, 121)
    with pytest.raises(ParameterError, match=r"^client must be a dask.distributed.Client or None, got 'here'"):
        distributed.query(model, parts, client="here")
    with pytest.raises(ParameterError, match=r"^retries must be a whole number of at least 0, got -1"):
        distributed.query(model, parts, retries=-1)
