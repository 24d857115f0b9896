"""The native machines beside machines that solve every problem from nothing."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.datasets import make_blobs

from hinge import IncrementalSVC

from .reference import install


def run_history(model, container):
    """Yield what a model says about some rows at many moments of a long life."""
    X, y = make_blobs(35, centers=4, n_features=3, cluster_std=4.0, random_state=2)
    random = np.random.default_rng(0)
    weights = random.uniform(0.5, 2.0, 35)
    for start in range(0, 35, 7):
        rows = slice(start, start + 7)
        model.partial_fit(container(X[rows]), y[rows], sample_weight=weights[rows], ids=range(start, start + 7))
        yield from (model.decision_function(container(X)), model.classes_, model.ids_)
        model.forget(random.permutation(model.ids_)[:2])
        model.relabel([model.ids_[0], model.ids_[-1]], [int(random.integers(4)), 9])
        yield from (model.decision_function(container(X)), model.classes_, model.dual_objective())
    yield model.leave_one_out("decision_function")
    yield model.duality_gap()
    model.forget([name for name in model.ids_ if y[name] != 1])
    yield from (model.classes_, model.decision_function(container(X)), model.n_bounded_)


@pytest.mark.parametrize(("kernel", "container"), [("rbf", np.asarray), ("rbf", csr_matrix), ("laplacian", np.asarray)])
@pytest.mark.parametrize("parameters", [{}, {"max_examples": 20, "eviction": "age"}], ids=["all", "window"])
def test_native_and_reference_models_agree(monkeypatch, kernel, parameters, container):
    parameters = {"kernel": kernel, "gamma": 0.2, "C": 2.0} | parameters
    answers = list(run_history(IncrementalSVC(**parameters), container))
    install(monkeypatch)
    for answer, expected in zip(answers, run_history(IncrementalSVC(**parameters), container), strict=True):
        np.testing.assert_allclose(answer, expected, atol=1e-5)
