"""`OnlineSVC` on real data sets, which the folder named by HINGE_DATA holds as svmlight files."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_svmlight_file
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC

from hinge import OnlineSVC

pytestmark = pytest.mark.slow

A9A = {"C": 100.0, "gamma": 0.005}


@pytest.fixture(scope="module")
def a9a(data_folder):
    train = load_svmlight_file(str(data_folder / "a9a.bz2"), n_features=123)
    test = load_svmlight_file(str(data_folder / "a9a.t.bz2"), n_features=123)
    return *train, *test


def test_converged_solution_is_that_of_libsvm(a9a):
    X, y = a9a[0][:3000].toarray(), a9a[1][:3000]
    reference = SVC(tol=1e-6, **A9A).fit(X, y)
    alpha, vectors = reference.dual_coef_.ravel(), reference.support_vectors_
    optimum = np.abs(alpha).sum() - 0.5 * alpha @ rbf_kernel(vectors, gamma=A9A["gamma"]) @ alpha
    model = OnlineSVC(epochs="converge", tol=1e-6, random_state=0, **A9A).fit(X, y)
    np.testing.assert_allclose(model.dual_objective(), optimum, rtol=1e-6)
    # libsvm keeps kernel values in single precision
    np.testing.assert_allclose(model.decision_function(X), reference.decision_function(X), atol=1e-3)
    assert model.kkt_violation(X, y) <= 2e-6
    assert 0 <= model.duality_gap(X, y) <= 1e-5 * optimum


def test_sparse_single_precision_is_close_to_dense_double_precision(a9a):
    X, y = a9a[0][:3000], a9a[1][:3000]
    dense = OnlineSVC(epochs="converge", random_state=0, **A9A).fit(X.toarray(), y)
    sparse = OnlineSVC(epochs="converge", random_state=0, **A9A).fit(X.astype(np.float32), y)
    np.testing.assert_allclose(sparse.dual_objective(), dense.dual_objective(), rtol=1e-4)
    np.testing.assert_allclose(sparse.decision_function(X), dense.decision_function(X), atol=2e-2)


def test_one_pass_has_the_error_of_the_exact_solution(a9a):
    X, y, X_test, y_test = a9a
    model = OnlineSVC(random_state=0, cache_size=500, **A9A).fit(X, y)
    assert 1 - model.score(X_test, y_test) <= 0.1488 + 0.0015  # libsvm: 14.88 %


def test_a_stream_in_chunks_has_the_error_of_the_exact_solution(a9a):
    X, y, X_test, y_test = a9a
    model = OnlineSVC(cache_size=500, **A9A)
    for rows in np.array_split(np.random.default_rng(0).permutation(len(y)), 50):
        model.partial_fit(X[rows], y[rows])
    assert 1 - model.finish().score(X_test, y_test) <= 0.1488 + 0.004
    assert model.n_seen_ == len(y)
    assert model.kkt_violation() <= model.tol


def test_ten_classes(data_folder):
    X, y = load_svmlight_file(str(data_folder / "usps.bz2"))
    X_test, y_test = load_svmlight_file(str(data_folder / "usps.t.bz2"), n_features=X.shape[1])
    model = OnlineSVC(C=10.0, gamma=0.01, random_state=0).fit(X.toarray().astype(np.float32), y)
    assert 1 - model.score(X_test.toarray(), y_test) <= 0.055


@pytest.mark.parametrize("seed", range(3))
def test_fit_with_uneven_weights_is_exact_enough(seed):
    """With weights 49:1, one pass dismissed light examples that were needed: a third of the labels were wrong."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(20_000, 5))
    score = X[:, 0] + X[:, 1] ** 2 - 0.5 * X[:, 2]
    y = (score > np.quantile(score, 0.99)) ^ (random.random(len(X)) < 0.01)
    settings = {"C": 0.1, "gamma": 0.2, "class_weight": {False: 1, True: 49}}
    exact = SVC(**settings).fit(X[:3000], y[:3000])
    model = OnlineSVC(**settings, random_state=0).fit(X[:3000], y[:3000])
    assert np.mean(model.predict(X[3000:]) == exact.predict(X[3000:])) > 0.98
