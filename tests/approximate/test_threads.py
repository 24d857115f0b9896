"""A model is copied by some threads while another one streams examples into it."""

from __future__ import annotations

import pickle
import threading

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from hinge import ApproximateSVC
from tests.concurrency.common import hasty

from .common import snapshot


def copies_while(model, learn, n_threads=2):
    """Return copies that threads have made while a model learned, or raise what went wrong in them."""
    ended, copies, errors = threading.Event(), [], []

    def look():
        try:
            while not ended.is_set():
                copies.append(pickle.dumps(model))
                del copies[:-200]
        except BaseException as error:  # noqa: BLE001 - shown by the test
            errors.append(error)

    threads = [threading.Thread(target=look) for _ in range(n_threads)]
    for thread in threads:
        thread.start()
    try:
        learn()
    finally:
        ended.set()
        for thread in threads:
            thread.join()
    assert not errors, errors
    return copies


@pytest.mark.parametrize("container", [np.asarray, pytest.param(csr_matrix, marks=pytest.mark.slow)])
def test_copies_during_a_stream(container):
    random = np.random.default_rng(0)
    X = random.normal(size=(200, 3))
    y, X = (X[:, 0] > 0).astype(int), container(X)
    plain, model = (
        ApproximateSVC(n_components=100, gamma=0.3, random_state=0).partial_fit(X[:2], y[:2], classes=[0, 1])
        for _ in range(2)
    )

    def learn(model):
        for start in range(2, 200, 2):
            model.partial_fit(X[start : start + 2], y[start : start + 2])

    learn(plain)
    with hasty():
        copies = copies_while(model, lambda: learn(model))
    (arrays, _), (expected, _) = snapshot(model), snapshot(plain)
    assert arrays.keys() == expected.keys()
    for name, array in arrays.items():  # machines that are looked at multiply factors out, which rounds
        np.testing.assert_allclose(array, expected[name], rtol=1e-7, atol=1e-9, err_msg=name)
    assert len(model._state.reservoir) == 200
    assert copies
    for copy in map(pickle.loads, copies[::40]):
        arrays, _ = snapshot(copy)
        held = arrays["held_ids"]
        np.testing.assert_array_equal(held, np.arange(len(held)))
        assert len(copy._state.reservoir) == len(held)
        assert np.isin(arrays["ids"], held).all()
        copy.partial_fit(X[:2], y[:2])
        assert np.isfinite(copy.decision_function(X)).all()
