"""Bad input of distributed training raises the errors of the model where it has one, else a clear one."""

from __future__ import annotations

import numpy as np
import pytest

from hinge import ApproximateSVC, ApproximateSVR, DataError, OnlineSVC, ParameterError, distributed

pytestmark = pytest.mark.slow  # together they take seconds

da = pytest.importorskip("dask.array", reason="dask is not installed")

VERBS = {"train": (distributed.train, ApproximateSVC), "cascade": (distributed.cascade, OnlineSVC)}


@pytest.fixture(params=VERBS)
def attempt(request):
    """Train a model with some parameters, one way or the other."""
    verb, kind = VERBS[request.param]

    def training(X, y, *, model=None, **keywords):
        return verb(kind(**model or {}), X, y, **keywords)

    return training


@pytest.fixture
def parts(two):
    """Examples in three partitions, and labels in two."""
    return da.from_array(two[0], chunks=(50, 1)), da.from_array(two[1], chunks=60)


PARAMETERS = {
    "of the model": ({"model": {"C": -1}}, "C must be a finite number above 0, got -1"),
    "of its kernel": ({"model": {"gamma": "wide"}}, "gamma must be a finite number above 0, got 'wide'"),
    "rounds": ({"rounds": 0}, "rounds must be a whole number of at least 1, got 0"),
    "persist": ({"persist": "yes"}, "persist must be True or False, got 'yes'"),
    "client": ({"client": "here"}, "client must be a dask.distributed.Client or None, got 'here'"),
    "retries": ({"retries": -1}, "retries must be a whole number of at least 0, got -1"),
}


@pytest.mark.parametrize("name", PARAMETERS)
def test_parameters(attempt, parts, name):
    keywords, complaint = PARAMETERS[name]
    with pytest.raises(ParameterError, match=rf"^{complaint}"):
        attempt(*parts, **keywords)


def test_models_and_learners(parts):
    with pytest.raises(ParameterError, match=r"^model must be an ApproximateSVC or ApproximateSVR, got OnlineSVC"):
        distributed.train(OnlineSVC(), *parts)
    with pytest.raises(ParameterError, match=r"^learners must be a whole number of at least 1, got 0"):
        distributed.train(ApproximateSVC(), *parts, learners=0)
    with pytest.raises(ParameterError, match=r"^early_stopping must be False over partitions, got True; set rounds"):
        distributed.train(ApproximateSVC(early_stopping=True), *parts)
    with pytest.raises(ParameterError, match=r"^kernel must not be 'precomputed' over partitions"):
        distributed.train(ApproximateSVC(kernel="precomputed"), *parts)


EXAMPLES = {
    "NaN": (lambda X, y: (X * np.where(np.arange(120) == 77, np.nan, 1.0)[:, None], y), "X contains NaN"),
    "too large": (lambda X, y: (X * 1e200, y), "X must hold values of at most"),
    "one-dimensional": (lambda X, y: (X[:, 0], y), "Expected 2D array"),
    "one class": (lambda X, y: (X, y * 0), "at least two classes, got only one class of positive weight, 0"),
    "continuous": (lambda X, y: (X, y + 0.5), "Unknown label type: continuous"),
    "labels of two kinds": (lambda X, y: (X, np.array([1] * 60 + ["a"] * 60, dtype=object)), "labels|Labels"),
    "short": (lambda X, y: (X, y[:100]), "y must have one value per row of X, 120, got 100"),
    "two columns": (lambda X, y: (X, y[:, None]), "y must have one dimension, got 2"),
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples(scheduler, attempt, two, name):
    spoil, complaint = EXAMPLES[name]
    X, y = spoil(*two)
    with pytest.raises(ValueError, match=complaint):
        attempt(da.from_array(X, chunks=40), da.from_array(y, chunks=30))


def test_values_of_a_regression(scheduler, two):
    X, y = two
    values = np.where(np.arange(120) == 77, np.nan, y)
    with pytest.raises(ValueError, match="y contains NaN"):
        distributed.train(ApproximateSVR(), da.from_array(X, chunks=(40, 2)), values)


def test_partitions_that_do_not_fit(attempt, parts, two):
    with pytest.raises(DataError, match=r"^X must be a dask array or DataFrame, got ndarray"):
        attempt(*two)
    with pytest.raises(DataError, match=r"^y must have one value per row of X, 120, got shape \(100,\)"):
        attempt(parts[0], two[1][:100])


def test_partitions_of_unknown_sizes(attempt, parts, two):
    X, y = parts[0][parts[0][:, 0] > 0], two[1]
    with pytest.raises(DataError, match=r"^y must be a dask array or Series if partitions of X have unknown sizes"):
        attempt(X, y)
    with pytest.raises(DataError, match=r"^y must have the partitions of X, got 2 and 3 of unknown sizes"):
        attempt(X, da.from_array(y, chunks=60))
    with pytest.raises(DataError, match=r"^The partitions of y must have as many rows as those of X, got"):
        attempt(X, da.from_array(y, chunks=50))


def test_weights(attempt, parts):
    with pytest.raises(DataError, match="sample_weight must not be negative"):
        attempt(*parts, sample_weight=-np.ones(120))
    with pytest.raises(DataError, match="sample_weight must have one value per row of X, 120, got 100"):
        attempt(*parts, sample_weight=da.ones(100))
    with pytest.raises(DataError, match="Some row must have a weight above zero, got none in any partition"):
        attempt(*parts, sample_weight=np.zeros(120))


def test_no_rows(attempt, two):
    X, y = da.from_array(two[0], chunks=(50, 2)), da.from_array(two[1], chunks=50)
    with pytest.raises(DataError, match="Some row must have a weight above zero, got none in any partition"):
        attempt(X[X[:, 0] > 100], y[X[:, 0] > 100])
