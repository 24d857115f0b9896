"""The warm start of `IncrementalOneClassSVM.fit` gives what learning row by row gives."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.metrics.pairwise import rbf_kernel

from hinge import IncrementalOneClassSVM
from hinge.incremental import _one_class_start

PARAMETERS = [
    {"gamma": 0.3, "nu": 0.2},
    {"gamma": 0.3, "nu": 1.0},
    {"gamma": 0.3, "C": 0.01},
    {"kernel": "linear", "nu": 0.1},
    {"kernel": "poly", "degree": 2, "gamma": 0.5, "coef0": 1.0, "nu": 0.3},
    {"kernel": lambda one, other: one @ other.T + rbf_kernel(one, other, gamma=0.5), "nu": 0.3},
]


@pytest.fixture
def cloud():
    random = np.random.default_rng(0)
    X = random.normal(size=(400, 3)) + 2.0
    X[::16] += random.normal(scale=4.0, size=(25, 3))
    return X


def assert_same(model, reference, X):
    """Agree up to rounding, relative to the sums that decide."""
    scale = max(1.0, np.abs(reference.score_samples(X)).max())
    assert model.kkt_violation() < 1e-9 * scale
    np.testing.assert_allclose(model.dual_objective(), reference.dual_objective(), rtol=1e-9)
    np.testing.assert_allclose(model.decision_function(X), reference.decision_function(X), atol=1e-7 * scale)


@pytest.mark.parametrize("container", [np.asarray, csr_matrix])
@pytest.mark.parametrize("shape", ["plane", "sphere"])
@pytest.mark.parametrize("number", range(len(PARAMETERS)))
def test_as_row_by_row(cloud, number, shape, container):
    model = IncrementalOneClassSVM(shape=shape, **PARAMETERS[number])
    weights = np.random.default_rng(1).choice([0.0, 0.5, 2.0], size=400)
    reference = IncrementalOneClassSVM(shape=shape, **PARAMETERS[number])
    for start in range(0, 400, 100):
        reference.partial_fit(container(cloud[start : start + 100]), sample_weight=weights[start : start + 100])
    model.fit(container(cloud), sample_weight=weights)
    model._state.native.check_invariants()
    assert model.ids_ == reference.ids_
    assert_same(model, reference, container(cloud))
    model.forget([5, 8] if weights[[5, 8]].all() else model.ids_[:2])
    model.partial_fit(container(cloud[:3] + 1.0))
    assert model.kkt_violation() < 1e-7


@pytest.mark.parametrize("shape", ["plane", "sphere"])
def test_precomputed(cloud, shape):
    square = rbf_kernel(cloud, gamma=0.3)
    model = IncrementalOneClassSVM(kernel="precomputed", nu=0.2, shape=shape).fit(square)
    reference = IncrementalOneClassSVM(gamma=0.3, nu=0.2, shape=shape).fit(cloud)
    np.testing.assert_allclose(model.decision_function(square), reference.decision_function(cloud), atol=1e-7)


def test_interrupted(cloud, monkeypatch):
    """The model holds the whole training set, and is exact as there was time for it."""
    begin = _one_class_start._begin

    class Interrupted:
        """A model whose finishing is interrupted."""

        def __init__(self, model):
            self._model = model

        def __getattr__(self, name):
            return self if name == "native" else getattr(self._model.native, name)

        def finish(self, monitor):
            raise KeyboardInterrupt

    monkeypatch.setattr(_one_class_start, "_begin", lambda *arguments: Interrupted(begin(*arguments)))
    model = IncrementalOneClassSVM(gamma=0.3, nu=0.2)
    with pytest.raises(KeyboardInterrupt):
        model.fit(cloud)
    assert model.ids_ == list(range(400))
    monkeypatch.undo()
    reference = IncrementalOneClassSVM(gamma=0.3, nu=0.2).fit(cloud)
    extra = np.full((1, 3), 2.5)
    assert_same(model.partial_fit(extra), reference.partial_fit(extra), cloud)
