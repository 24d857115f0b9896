"""`hinge.svm.OneClassSVM` next to `sklearn.svm.OneClassSVM`, which is its specification."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn.svm
from scipy.sparse import csr_matrix
from sklearn.datasets import make_blobs
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import check_estimator

from hinge.svm import OneClassSVM
from tests.svm.test_svc import AS_SCIKIT_LEARN, dense

X = make_blobs(200, 4, centers=2, random_state=0)[0] / 5


@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "sparse"])
@pytest.mark.parametrize("nu", [0.05, 0.5, 0.873])
@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf"])
def test_the_model_is_that_of_scikit_learn(kernel, nu, sparse):
    rows = csr_matrix(X) if sparse else X
    ours, theirs = (kind(kernel=kernel, nu=nu, tol=1e-6).fit(rows) for kind in (OneClassSVM, sklearn.svm.OneClassSVM))
    scale = np.abs(theirs.decision_function(rows)).max()
    np.testing.assert_allclose(ours.decision_function(rows), theirs.decision_function(rows), atol=1e-4 * scale)
    assert (ours.predict(rows) == theirs.predict(rows)).mean() > 0.98  # some rows lie on the boundary
    np.testing.assert_allclose(dense(ours.dual_coef_).sum(), nu * len(X))
    np.testing.assert_allclose(ours.offset_, theirs.offset_, rtol=1e-4, atol=1e-4 * scale)
    for name in ("support_", "support_vectors_", "dual_coef_", "intercept_", "n_support_", "n_iter_", "fit_status_"):
        one, other = getattr(ours, name), getattr(theirs, name)
        assert type(one) is type(other), name
        assert getattr(one, "dtype", None) == getattr(other, "dtype", None), name


def test_weights():
    weights = np.random.default_rng(0).integers(-1, 4, len(X)).astype(float)
    ours, theirs = (
        kind(nu=0.2, tol=1e-6).fit(X, sample_weight=weights) for kind in (OneClassSVM, sklearn.svm.OneClassSVM)
    )
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-3)
    for kind in (OneClassSVM, sklearn.svm.OneClassSVM):
        with pytest.raises(ValueError, match="weight"):
            kind().fit(X, sample_weight=np.zeros(len(X)))


def test_kernel_functions_and_limits():
    ours = OneClassSVM(kernel=lambda A, B: A @ B.T, tol=1e-6).fit(X)
    theirs = sklearn.svm.OneClassSVM(kernel="linear", tol=1e-6).fit(X)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-3)
    with pytest.warns(ConvergenceWarning):
        assert OneClassSVM(max_iter=3, nu=0.3).fit(X).fit_status_ == 1


def test_scikit_learns_own_checks():
    check_estimator(OneClassSVM(), expected_failed_checks=AS_SCIKIT_LEARN, on_skip=None)
