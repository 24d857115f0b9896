"""`hinge.svm.SVC.forget` next to a fit without the rows."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.datasets import load_breast_cancer, load_iris

import hinge
from hinge.svm import SVC


def problem(name, sparse):
    X, y = (load_iris if name == "iris" else load_breast_cancer)(return_X_y=True)
    X = X / (1 if name == "iris" else 100)
    return (csr_matrix(X) if sparse else X), y


@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "sparse"])
@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf"])
@pytest.mark.parametrize("name", ["iris", "cancer"])
def test_the_model_is_that_of_the_rows_left(name, kernel, sparse):
    X, y = problem(name, sparse)
    parameters = {"kernel": kernel, "gamma": 0.05, "C": 10.0, "tol": 1e-6}
    model = SVC(**parameters).fit(X, y)
    rows = np.random.default_rng(0).permutation(len(y))[:30]
    model.forget(rows[:20], X, y).forget(rows[20:], X, y)  # support vectors and others
    left = np.setdiff1d(np.arange(len(y)), rows)
    again = SVC(**parameters).fit(X[left], y[left])
    np.testing.assert_allclose(model.decision_function(X), again.decision_function(X), atol=1e-3)
    assert not np.isin(model.support_, rows).any()
    assert model.fit_status_ == 0


def test_all_support_vectors_of_a_pair():
    X, y = problem("iris", sparse=False)
    model = SVC(tol=1e-6, gamma=0.5).fit(X, y)
    own = model.support_[y[model.support_] == 0]
    model.forget(own, X, y)
    left = np.setdiff1d(np.arange(len(y)), own)
    again = SVC(tol=1e-6, gamma=0.5).fit(X[left], y[left])
    np.testing.assert_allclose(model.decision_function(X), again.decision_function(X), atol=1e-3)


def test_weights_kernels_and_files(tmp_path):
    X, y = problem("iris", sparse=False)
    weights = np.random.default_rng(0).integers(1, 4, len(y)).astype(float)
    model = SVC(kernel="precomputed", tol=1e-6).fit(X @ X.T, y, weights).forget(7, X @ X.T, y, weights)
    hinge.save(model, tmp_path / "model.hinge")
    model = hinge.load(tmp_path / "model.hinge").forget(8, X @ X.T, y, weights)
    left = np.setdiff1d(np.arange(len(y)), [7, 8])
    again = SVC(kernel="linear", tol=1e-6).fit(X[left], y[left], weights[left])
    np.testing.assert_allclose(model.decision_function(X @ X.T), again.decision_function(X), atol=1e-3)
    function = SVC(kernel=np.inner, tol=1e-6).fit(X, y).forget([7, 8], X, y)
    plain = SVC(kernel="linear", tol=1e-6).fit(X[left], y[left])
    np.testing.assert_allclose(function.decision_function(X), plain.decision_function(X), atol=1e-3)


def test_what_cannot_be_forgotten():
    X, y = problem("iris", sparse=False)
    model = SVC().fit(X, y)
    before = model.decision_function(X)
    for rows, examples, labels, message in (
        (150, X, y, "from 0 to 149"),
        ("a", X, y, "numbers of rows"),
        (0, X[:100], y[:100], "150 rows"),
        (np.arange(50), X, y, "Every class must keep"),
    ):
        with pytest.raises(ValueError, match=message):
            model.forget(rows, examples, labels)
    np.testing.assert_array_equal(model.decision_function(X), before)
