"""The size of a model does not grow with the stream."""

from __future__ import annotations

import gc
import pickle
import resource
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from hinge import ApproximateSVC, ApproximateSVR

pytestmark = pytest.mark.slow  # together they take seconds


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


def resident():
    """Return the bytes that this process has in memory, those of native code with them."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * resource.getpagesize()


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="the system does not say how much memory is used")
@pytest.mark.parametrize("settings", [{}, {"approximation": "fourier", "loss": "log_loss"}, {"steps": "asset"}])
def test_a_stream_leaves_nothing_behind(settings):
    model = ApproximateSVC(n_components=64, gamma=0.1, random_state=0, **settings).partial_fit(*rows(2000, 0))
    X, y = rows(250, 1)

    def calls(number):
        for _ in range(number):
            model.partial_fit(X, y)
            model.decision_function(X)
        gc.collect()

    calls(30)
    before = resident()
    calls(200)
    assert resident() - before < 4_000_000  # features of one call are 128 kB, so that one in six would be seen


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="the system does not say how much memory is used")
def test_models_leave_nothing_behind():
    X, y = rows(300, 1)

    def models(number):
        for _ in range(number):
            model = ApproximateSVC(n_components=64, gamma=0.1, epochs=2, random_state=0).partial_fit(X, y)
            pickle.loads(pickle.dumps(model)).fit(X, y)
        gc.collect()

    models(10)
    before = resident()
    models(40)
    assert resident() - before < 4_000_000  # a model has features of 150 kB for its training set, and maps of 40 kB


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
