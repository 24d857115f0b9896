"""The size of a model does not grow with the stream."""

from __future__ import annotations

import gc
import pickle
import tracemalloc

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from hinge import ApproximateSVC, ApproximateSVR


def rows(n, seed):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, 5))
    return X, np.digitize(X[:, 0] + 0.5 * random.normal(size=n), [-0.5, 0.5])


@pytest.mark.parametrize("approximation", ["nystroem", "fourier"])
@pytest.mark.parametrize("kind", [ApproximateSVC, ApproximateSVR])
def test_nothing_grows(kind, approximation):
    model = kind(n_components=30, gamma=0.1, approximation=approximation, random_state=0)
    model.partial_fit(*rows(200, 0))
    sizes = {name: array.size for name, array in model._state.to_arrays()[0].items()}
    packed = len(pickle.dumps(model))
    for seed in range(20):
        model.partial_fit(*rows(500, seed))
    assert {name: array.size for name, array in model._state.to_arrays()[0].items()} == sizes
    assert abs(len(pickle.dumps(model)) - packed) < 100
    assert model.n_seen_ == 10_200


def test_the_first_examples_are_given_up():
    model = ApproximateSVC(n_components=30, gamma=0.1, random_state=0)
    X, y = rows(500, 0)
    held = []
    for stop in (1, 30, 119, 120, 500):
        model.partial_fit(X[model.n_seen_ if held else 0 : stop], y[model.n_seen_ if held else 0 : stop])
        arrays, _ = model._state.to_arrays()
        held.append(len(arrays.get("held_ids", ())))
        assert len(arrays["ids"]) <= 30
    assert held == [1, 30, 119, 0, 0]


def test_a_stream_leaves_nothing_behind():
    model = ApproximateSVC(n_components=30, gamma=0.1, random_state=0).partial_fit(*rows(2000, 0))
    chunk = rows(5000, 1)
    model.partial_fit(*chunk)
    gc.collect()
    tracemalloc.start()
    try:
        for _ in range(5):
            model.partial_fit(*chunk)
        gc.collect()
        kept, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert kept < 50_000
    assert peak < 1_000_000


def test_only_the_landmarks_of_a_training_set_are_kept():
    model = ApproximateSVC(n_components=30, gamma=0.1, random_state=0)
    assert len(pickle.dumps(model.fit(*rows(10_000, 0)))) < 40_000
    assert len(pickle.dumps(model)) < 40_000


def test_sparse_landmarks_stay_sparse():
    columns = np.random.default_rng(0).integers(0, 100_000, 3000)
    X = csr_matrix((np.ones(3000), (np.arange(3000) // 10, columns)), shape=(300, 100_000))
    model = ApproximateSVC(n_components=30, kernel="linear", random_state=0).fit(X, np.arange(300) % 2)
    assert len(pickle.dumps(model)) < 40_000
    assert np.isfinite(model.decision_function(X)).all()
