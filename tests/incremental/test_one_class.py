"""`IncrementalOneClassSVM` with a plane agrees with scikit-learn's `OneClassSVM` after any learning and forgetting."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.metrics.pairwise import laplacian_kernel, rbf_kernel
from sklearn.svm import OneClassSVM

from hinge import IncrementalOneClassSVM

KERNELS = [
    {"kernel": "rbf", "gamma": 0.3},
    {"kernel": "linear"},
    {"kernel": "poly", "degree": 2, "gamma": 0.5, "coef0": 1.0},
    {"kernel": "sigmoid", "gamma": 0.05, "coef0": 0.1},
]


@pytest.fixture
def cloud():
    """A cloud away from the origin, so that a linear plane exists, and a few outliers."""
    random = np.random.default_rng(0)
    X = random.normal(size=(80, 3)) + 2.0
    X[::16] += random.normal(scale=4.0, size=(5, 3))
    return X


def refit(X, sample_weight=None, **parameters):
    return OneClassSVM(tol=1e-10, **parameters).fit(X, sample_weight=sample_weight)


def assert_same(model, reference, X, tolerance=1e-5):
    np.testing.assert_allclose(model.score_samples(X), reference.score_samples(X), rtol=1e-6, atol=tolerance)
    np.testing.assert_allclose(model.decision_function(X), reference.decision_function(X), atol=2 * tolerance)
    np.testing.assert_allclose(model.offset_, reference.offset_[0], rtol=1e-6, atol=tolerance)


@pytest.mark.parametrize("parameters", KERNELS, ids=lambda parameters: parameters["kernel"])
@pytest.mark.parametrize("nu", [0.1, 0.47])
def test_fit_agrees_with_scikit_learn(cloud, parameters, nu):
    model = IncrementalOneClassSVM(nu=nu, **parameters).fit(cloud)
    assert_same(model, refit(cloud, nu=nu, **parameters), cloud)


def test_attributes_agree_with_scikit_learn(cloud):
    model, reference = IncrementalOneClassSVM(nu=0.22).fit(cloud), refit(cloud, nu=0.22)
    np.testing.assert_array_equal(model.support_, reference.support_)
    np.testing.assert_array_equal(model.support_vectors_, reference.support_vectors_)
    np.testing.assert_allclose(model.dual_coef_, reference.dual_coef_, atol=1e-5)
    np.testing.assert_allclose(model.intercept_, reference.intercept_, rtol=1e-6)
    np.testing.assert_array_equal(model.n_support_, reference.n_support_)
    assert model.n_features_in_ == 3
    assert isinstance(model.offset_, float)
    assert model.dual_coef_.sum() == pytest.approx(0.22 * len(cloud))


def test_growing_from_ten_examples():
    X = np.random.default_rng(1).normal(size=(300, 4))
    model = IncrementalOneClassSVM(nu=0.13, gamma=0.2)
    for size, before in ((10, 0), (11, 10), (50, 11), (137, 50), (300, 137)):
        model.partial_fit(X[before:size])
        assert_same(model, refit(X[:size], nu=0.13, gamma=0.2), X)
        assert model.kkt_violation() < 1e-8
        assert abs(model.duality_gap()) < 1e-7


@pytest.mark.slow
@pytest.mark.parametrize("nu", [0.01, 0.2])
def test_growing_to_three_thousand(nu):
    X = np.random.default_rng(2).normal(size=(3000, 5)) * [1, 2, 3, 1, 1]
    model = IncrementalOneClassSVM(nu=nu, gamma=0.1).partial_fit(X[:10])
    for size in (500, 1500, 3000):
        model.partial_fit(X[model.n_seen_ : size])
        assert_same(model, refit(X[:size], nu=nu, gamma=0.1), X[::3])
        assert model.kkt_violation() < 1e-6


@pytest.mark.parametrize("parameters", KERNELS, ids=lambda parameters: parameters["kernel"])
def test_forget_equals_never_learned(cloud, parameters):
    model = IncrementalOneClassSVM(nu=0.23, **parameters).fit(cloud)
    gone = np.random.default_rng(3).permutation(80)[:50]
    model.forget(gone[:1]).forget(gone[1:])
    kept = np.delete(np.arange(80), gone)
    assert list(model.ids_) == kept.tolist()
    assert_same(model, refit(cloud[kept], nu=0.23, **parameters), cloud)


def test_weights(cloud):
    weights = np.random.default_rng(4).uniform(0.2, 3.0, len(cloud))
    weights[7] = 0.0
    model = IncrementalOneClassSVM(nu=0.3, gamma=0.2).fit(cloud, sample_weight=weights)
    assert 7 not in model.ids_
    assert_same(model, refit(cloud, weights, nu=0.3, gamma=0.2), cloud)
    model.forget([0, 11, 12])
    rest = np.delete(np.arange(80), [0, 11, 12])
    assert_same(model, refit(cloud[rest], weights[rest], nu=0.3, gamma=0.2), cloud)
    more = IncrementalOneClassSVM(nu=0.3, gamma=0.2).partial_fit(cloud[:30], sample_weight=weights[:30])
    more.partial_fit(cloud[30:], sample_weight=weights[30:])
    assert_same(more, refit(cloud, weights, nu=0.3, gamma=0.2), cloud)


def test_c_instead_of_nu(cloud):
    model = IncrementalOneClassSVM(C=0.05, nu=0.001, gamma=0.2).fit(cloud)  # nu is without use
    assert model.dual_coef_.sum() == pytest.approx(1.0)
    assert model.dual_coef_.max() <= 0.05 * (1 + 1e-9)
    reference = refit(cloud, nu=1 / (0.05 * 80), gamma=0.2)
    np.testing.assert_allclose(model.score_samples(cloud), 0.05 * reference.score_samples(cloud), atol=1e-6)
    np.testing.assert_array_equal(model.support_, reference.support_)


def test_c_too_small_for_a_sum_of_one(cloud):
    model = IncrementalOneClassSVM(C=0.01, gamma=0.2).fit(cloud)
    np.testing.assert_allclose(model.dual_coef_, 0.01)
    assert model.decision_function(cloud).max() == pytest.approx(0.0, abs=1e-9)
    model.partial_fit(np.concatenate([cloud, cloud]) + 0.1)  # now 240 examples share a sum of 1
    assert model.dual_coef_.sum() == pytest.approx(1.0)
    assert model.kkt_violation() < 1e-9


def test_laplacian_precomputed_and_function(cloud):
    def similarity(A, B):
        return laplacian_kernel(A, B, gamma=0.3)

    K = similarity(cloud, cloud)
    reference = refit(K, nu=0.2, kernel="precomputed")
    for kernel, X in (("laplacian", cloud), (similarity, cloud), ("precomputed", K)):
        model = IncrementalOneClassSVM(nu=0.2, kernel=kernel, gamma=0.3).fit(X)
        assert_same(model, reference if kernel == "precomputed" else refit(cloud, nu=0.2, kernel=similarity), X)
    assert model.support_vectors_.shape == (len(model.support_), 0)


def test_precomputed_stream(cloud):
    K = rbf_kernel(cloud, gamma=0.2)
    model = IncrementalOneClassSVM(nu=0.2, kernel="precomputed")
    for start in range(0, 80, 20):
        model.partial_fit(K[start : start + 20])
    model.forget(range(30))
    kept = np.arange(30, 80)
    reference = refit(K[np.ix_(kept, kept)], nu=0.2, kernel="precomputed")
    np.testing.assert_allclose(model.decision_function(K), reference.decision_function(K[:, kept]), atol=1e-5)


def test_sparse_rows(cloud):
    X = np.where(np.abs(cloud) > 1.5, cloud, 0.0)
    reference = refit(X, nu=0.2, gamma=0.2)
    model = IncrementalOneClassSVM(nu=0.2, gamma=0.2).fit(csr_matrix(X))
    assert_same(model, reference, X)
    assert model.support_vectors_.format == "csr"
    before = model.decision_function(csr_matrix(X))
    model.forget([3, 5]).partial_fit(X[[3, 5]])
    np.testing.assert_allclose(model.decision_function(csr_matrix(X)), before, atol=1e-9)


def test_first_rows_determine_gamma_scale(cloud):
    model = IncrementalOneClassSVM(nu=0.2).partial_fit(cloud[:40]).partial_fit(3 * cloud[40:])
    rows = np.concatenate([cloud[:40], 3 * cloud[40:]])
    assert_same(model, refit(rows, nu=0.2, gamma=1 / (3 * rows[:64].var())), cloud)


@pytest.mark.parametrize("nu", [0.02, 0.1, 0.5, 0.9])
@pytest.mark.parametrize("shape", ["plane", "sphere"])
def test_nu_bounds_the_share_of_outliers(nu, shape):
    X = np.random.default_rng(5).normal(size=(200, 2))
    model = IncrementalOneClassSVM(nu=nu, gamma=0.5, shape=shape)
    for start in range(0, 200, 50):
        model.partial_fit(X[start : start + 50])
        outliers = (model.predict(X[: start + 50]) == -1).mean()
        assert outliers <= nu <= len(model.support_) / (start + 50) + 1e-12
    model.forget(range(0, 200, 3))
    held = np.asarray(model.ids_)
    assert (model.predict(X[held]) == -1).mean() <= nu <= len(model.support_) / len(held) + 1e-12


def test_nu_of_one(cloud):
    model = IncrementalOneClassSVM(nu=1.0, gamma=0.2).fit(cloud)
    np.testing.assert_allclose(model.dual_coef_, np.ones((1, 80)))
    density = rbf_kernel(cloud, gamma=0.2).sum(axis=1)
    np.testing.assert_allclose(model.score_samples(cloud), density, rtol=1e-9)
    assert model.offset_ == pytest.approx(density.max())  # all but the densest may be outliers
    model.forget(range(40))
    np.testing.assert_allclose(model.score_samples(cloud), rbf_kernel(cloud, cloud[40:], gamma=0.2).sum(axis=1))


def test_tiny_nu(cloud):
    model = IncrementalOneClassSVM(nu=1e-6, gamma=0.2).fit(cloud)
    assert (model.predict(cloud) == 1).all()
    scaled = refit(cloud, nu=0.012, gamma=0.2)  # below 1 / 80 no example reaches its bound: scores just shrink
    np.testing.assert_allclose(model.score_samples(cloud) / 1e-6, scaled.score_samples(cloud) / 0.012, atol=1e-4)
    assert model.offset_ / 1e-6 == pytest.approx(scaled.offset_[0] / 0.012, rel=1e-5)


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_duplicates(cloud, kernel):
    X = np.repeat(cloud[:20], 4, axis=0)
    model = IncrementalOneClassSVM(nu=0.31, kernel=kernel, gamma=0.2)
    model.fit(X)
    assert_same(model, refit(X, nu=0.31, kernel=kernel, gamma=0.2), cloud)
    model.forget(range(0, 80, 4)).forget(range(1, 80, 4))
    half = np.repeat(cloud[:20], 2, axis=0)
    assert_same(model, refit(half, nu=0.31, kernel=kernel, gamma=0.2), cloud)


def test_identical_examples():
    X = np.ones((30, 2))
    model = IncrementalOneClassSVM(nu=0.4, gamma=1.0).fit(X)
    assert model.dual_coef_.sum() == pytest.approx(12.0)
    np.testing.assert_allclose(model.score_samples(X), 12.0)
    assert (model.predict(X) == 1).all()
    model.forget(range(29))
    assert model.offset_ == pytest.approx(0.4)


def test_zero_kernel():
    X = np.zeros((12, 3))
    model = IncrementalOneClassSVM(nu=0.3, kernel="linear").fit(X)
    np.testing.assert_array_equal(model.decision_function(X), 0.0)
    model.partial_fit(X).forget(range(12))
    np.testing.assert_array_equal(model.score_samples(np.ones((2, 3))), 0.0)
    model.partial_fit(np.eye(3))
    assert model.kkt_violation() < 1e-9


@pytest.mark.parametrize("nu", [0.1, 0.5])
@pytest.mark.parametrize("features", [2, 5, 20])
def test_no_separating_plane(features, nu):
    """No plane separates examples around the origin from it, so all of them lie on the surface."""
    X = np.random.default_rng(6).normal(size=(150, features))
    model = IncrementalOneClassSVM(nu=nu, kernel="linear")
    for start in range(0, 150, 30):
        model.partial_fit(X[start : start + 30])
        assert model.kkt_violation() < 1e-6
    model.forget(range(0, 150, 2))
    assert model.kkt_violation() < 1e-6
    assert model.duality_gap() < 1e-5


@pytest.mark.parametrize("shape", ["plane", "sphere"])
def test_one_example(shape):
    model = IncrementalOneClassSVM(nu=0.5, gamma=1.0, shape=shape).fit([[1.0, 2.0]])
    assert model.predict([[1.0, 2.0], [5.0, 5.0]]).tolist() == [1, -1]
    assert model.dual_coef_.tolist() == [[0.5]]
    assert model.support_.tolist() == [0]


@pytest.mark.parametrize("shape", ["plane", "sphere"])
def test_learning_after_forgetting_everything(cloud, shape):
    model = IncrementalOneClassSVM(nu=0.2, gamma=0.2, shape=shape).fit(cloud)
    model.forget(model.ids_)
    assert len(model.ids_) == 0
    assert model.support_.shape == (0,)
    assert model.dual_coef_.shape == (1, 0)
    for method in (model.predict, model.decision_function, model.score_samples):
        with pytest.raises(ValueError, match="must hold examples"):
            method(cloud)
    model.partial_fit(cloud[:50])
    fresh = IncrementalOneClassSVM(nu=0.2, gamma=0.2, shape=shape).fit(cloud[:50])
    np.testing.assert_allclose(model.decision_function(cloud), fresh.decision_function(cloud), atol=1e-9)
    assert model.n_seen_ == 130


@pytest.mark.parametrize("shape", ["plane", "sphere"])
@pytest.mark.parametrize("rule", [{"nu": 0.3}, {"C": 0.04}])
def test_leave_one_out(cloud, shape, rule):
    X = cloud[:40]
    model = IncrementalOneClassSVM(gamma=0.2, shape=shape, **rule).fit(X)
    before = model.decision_function(cloud)
    values = model.leave_one_out()
    np.testing.assert_allclose(model.decision_function(cloud), before, atol=1e-9)
    assert values.shape == (40,)
    for row in range(0, 40, 7):
        refitted = IncrementalOneClassSVM(gamma=0.2, shape=shape, **rule).fit(np.delete(X, row, axis=0))
        assert values[row] == pytest.approx(refitted.decision_function(X[[row]])[0], abs=1e-8)


def test_objective(cloud):
    model, reference = IncrementalOneClassSVM(nu=0.2, gamma=0.2).fit(cloud), refit(cloud, nu=0.2, gamma=0.2)
    coefficients = reference.dual_coef_[0]
    K = rbf_kernel(reference.support_vectors_, gamma=0.2)
    assert model.dual_objective() == pytest.approx(-0.5 * coefficients @ K @ coefficients, rel=1e-8)
