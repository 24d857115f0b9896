"""`IncrementalSVC` on the real data sets in the folder HINGE_DATA."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_svmlight_file
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.preprocessing import normalize
from sklearn.svm import SVC

from hinge import IncrementalSVC

pytestmark = pytest.mark.slow

SETS = {
    "banana": (1000, {"C": 316.0, "gamma": 0.5}),
    "usps": (2000, {"C": 1000.0, "gamma": 2.0}),
    "a9a": (2000, {"C": 100.0, "gamma": 0.005}),
}


def load_rows(data_folder, name):
    n, parameters = SETS[name]
    X, y = load_svmlight_file(str(data_folder / f"{name}.bz2"))
    X, y = X[:n].toarray(), y[:n]
    return (normalize(X) if name == "usps" else X), y, parameters


def svc_optimum(K, y, C):
    """Return the dual objective of LIBSVM."""
    machine = SVC(kernel="precomputed", C=C, tol=1e-10).fit(K, y)
    alpha, held = machine.dual_coef_.ravel(), machine.support_
    return np.abs(alpha).sum() - 0.5 * alpha @ K[np.ix_(held, held)] @ alpha


@pytest.mark.parametrize("name", SETS)
def test_optimal_after_every_step(data_folder, name):
    X, y, parameters = load_rows(data_folder, name)
    y = np.where(y == y[0], 1, 0)
    K, model = rbf_kernel(X, gamma=parameters["gamma"]), IncrementalSVC(**parameters)
    for row in range(len(y)):
        model.partial_fit(X[row : row + 1], y[row : row + 1])
        assert model._state.native.violation.max() <= 1e-6
        if row % 10 == 9:
            assert model.kkt_violation() <= 1e-6
        if row % 250 == 249:
            seen = slice(0, row + 1)
            expected = svc_optimum(K[seen, seen], y[seen], parameters["C"])
            np.testing.assert_allclose(model.dual_objective(), expected, rtol=1e-8)
    fresh = IncrementalSVC(**parameters).fit(X[::2], y[::2])
    model.forget(np.random.default_rng(0).permutation(np.arange(1, len(y), 2)))
    assert model.kkt_violation() <= 1e-6
    np.testing.assert_allclose(model.decision_function(X), fresh.decision_function(X), atol=1e-6)


def test_ten_classes(data_folder):
    X, y, parameters = load_rows(data_folder, "usps")
    model = IncrementalSVC(**parameters).fit(X, y)
    gone = np.random.default_rng(0).permutation(len(y))[:300]
    left = np.setdiff1d(np.arange(len(y)), gone)
    fresh = IncrementalSVC(**parameters).fit(X[left], y[left])
    np.testing.assert_allclose(model.forget(gone).decision_function(X), fresh.decision_function(X), atol=1e-6)
    assert model.kkt_violation() <= 1e-6


def test_leave_one_out(data_folder):
    X, y, parameters = load_rows(data_folder, "usps")
    y = np.where(y == y[0], 1, 0)
    model = IncrementalSVC(**parameters).fit(X, y)
    values = model.leave_one_out("decision_function")
    for row in np.random.default_rng(0).permutation(len(y))[:20]:
        rest = np.arange(len(y)) != row
        fresh = IncrementalSVC(**parameters).fit(X[rest], y[rest])
        np.testing.assert_allclose(values[row], fresh.decision_function(X[row : row + 1])[0], atol=1e-6)


def test_window_is_nearly_as_accurate(data_folder):
    X, y, parameters = load_rows(data_folder, "usps")
    train, test = slice(0, 1500), slice(1500, None)
    whole = IncrementalSVC(**parameters).fit(X[train], y[train])
    window = IncrementalSVC(max_examples=150, **parameters).fit(X[train], y[train])
    assert len(window.ids_) <= 1500
    assert window._state.native.state()["member_counts"].tolist() == [150] * 10
    assert 1 - window.score(X[test], y[test]) <= (1 - whole.score(X[test], y[test])) * 1.5
