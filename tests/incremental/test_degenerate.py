"""Degenerate problems: empty margin sets, duplicates, rank-deficient kernels, extreme scales."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from sklearn.metrics.pairwise import pairwise_kernels

from hinge import IncrementalSVC


def assert_exact(model, X, y, weights=None):
    """Check that the model is optimal and decides like one that learned all examples in another order."""
    assert model.kkt_violation() <= 1e-6
    assert model.duality_gap() <= 1e-6 * max(1.0, abs(model.dual_objective()))
    order = np.arange(len(y))[::-1]
    other = IncrementalSVC(**model.get_params()).partial_fit(X[order], y[order], None, _weights_at(weights, order))
    np.testing.assert_allclose(model.dual_objective(), other.dual_objective(), rtol=1e-8, atol=1e-10)
    if (model.n_margin_ > 0).all():  # else the constant may be any of an interval, of which both take the middle
        np.testing.assert_allclose(model.decision_function(X), other.decision_function(X), atol=1e-6)


def _weights_at(weights, rows):
    return None if weights is None else weights[rows]


def learn_one_by_one(X, y, **parameters):
    """Return a model that learned the rows one by one; check that it was optimal after each."""
    model = IncrementalSVC(**{"gamma": 0.5} | parameters)
    for row in range(len(y)):
        model.partial_fit(X[row : row + 1], y[row : row + 1])
        assert model.kkt_violation() <= 1e-6, row
    return model


def forget_one_by_one(model, X, y, order):
    """Forget examples one by one; check that the model is exact after each."""
    left = list(range(len(y)))
    for row in order:
        left.remove(row)
        model.forget(row)
        assert model.kkt_violation() <= 1e-6, row
        if left:
            fresh = IncrementalSVC(**model.get_params()).partial_fit(X[left], y[left])
            np.testing.assert_allclose(model.dual_objective(), fresh.dual_objective(), rtol=1e-8, atol=1e-10)
            assert model.classes_.tolist() == fresh.classes_.tolist()
    assert model.ids_ == []


@pytest.fixture
def points():
    random = np.random.default_rng(2)
    X = random.normal(size=(24, 3))
    return X, (X[:, 0] + random.normal(0, 0.5, 24) > 0).astype(int)


def test_first_example():
    model = IncrementalSVC(gamma=1.0).partial_fit([[1.0, 2.0]], [7])
    assert model.predict([[0.0, 0.0], [9.0, 9.0]]).tolist() == [7, 7]
    assert model.dual_objective() == model.kkt_violation() == 0.0
    assert model.ids_ == [0]


def test_single_class(points):
    X, _ = points
    model = learn_one_by_one(X, np.ones(24, dtype=int))
    assert model.dual_objective() == 0.0
    assert len(model.support_) == 0
    np.testing.assert_allclose(np.abs(model.decision_function(X)), 1.0)
    model.partial_fit(X[:1] + 1.0, [0])
    assert_exact(model, np.vstack([X, X[:1] + 1.0]), np.array([1] * 24 + [0]))


def test_two_examples():
    X = np.array([[0.0], [1.0]])
    for C in (1e-3, 1.0, 1e3):
        model = learn_one_by_one(X, np.array([0, 1]), kernel="linear", C=C)
        size = min(C, 2.0)  # the optimum of 2 a - a^2 / 2 over 0 <= a <= C
        np.testing.assert_allclose(np.abs(model.dual_coef_), size)
        np.testing.assert_allclose(model.decision_function([[0.5]]), 0.0, atol=1e-12)


def test_empty_margin_set(points):
    X, y = points
    assert_exact(learn_one_by_one(X, y, C=1e-3), X, y)
    balanced = np.arange(24) % 2
    model = learn_one_by_one(X, balanced, C=1e-3)  # empty whenever the classes are of one size
    assert np.abs(model.dual_coef_).tolist() == [[1e-3] * 24]
    forget_one_by_one(model, X, balanced, range(24))


@pytest.mark.parametrize("kernel", ["linear", "rbf", "laplacian"])
@pytest.mark.parametrize("C", [0.1, 1.0, 100.0])
def test_duplicates_with_equal_labels(points, kernel, C):
    X, y = np.repeat(points[0][:8], 3, axis=0), np.repeat(points[1][:8], 3)
    model = learn_one_by_one(X, y, kernel=kernel, C=C)
    assert_exact(model, X, y)
    once = learn_one_by_one(points[0][:8], points[1][:8], kernel=kernel, C=3 * C)
    np.testing.assert_allclose(model.decision_function(X), once.decision_function(X), atol=1e-6)
    forget_one_by_one(model, X, y, np.random.default_rng(0).permutation(24))


@pytest.mark.parametrize("kernel", ["linear", "rbf", "laplacian"])
@pytest.mark.parametrize("C", [0.1, 1.0, 100.0])
def test_duplicates_with_opposite_labels(points, kernel, C):
    X = np.repeat(points[0][:8], 2, axis=0)
    y = np.tile([0, 1], 8)
    model = learn_one_by_one(X, y, kernel=kernel, C=C)
    np.testing.assert_allclose(model.dual_objective(), 16 * C, rtol=1e-9)
    np.testing.assert_allclose(model.decision_function(X), 0.0, atol=1e-6)
    forget_one_by_one(model, X, y, np.random.default_rng(0).permutation(16))


def test_many_copies_of_one_example():
    X, y = np.ones((30, 2)), np.array([0, 1, 1] * 10)
    for kernel in ("linear", "rbf"):
        model = learn_one_by_one(X, y, kernel=kernel)
        np.testing.assert_allclose(model.dual_objective(), 20.0)
        assert model.predict([[1.0, 1.0]]).tolist() == [1]
        forget_one_by_one(model, X, y, range(30))


@pytest.mark.parametrize("features", [1, 2, 3])
@pytest.mark.parametrize("C", [0.01, 1.0, 1000.0])
def test_linear_kernel_with_more_examples_than_dimensions(features, C):
    random = np.random.default_rng(features)
    X = random.normal(size=(40, features))
    y = (X[:, 0] + random.normal(0, 0.3, 40) > 0).astype(int)
    model = learn_one_by_one(X, y, kernel="linear", C=C)
    assert model.n_margin_[0] <= features + 1
    assert_exact(model, X, y)
    forget_one_by_one(model, X, y, random.permutation(40))


@pytest.mark.parametrize("kernel", ["linear", "poly"])
@pytest.mark.parametrize("C", [0.1, 10.0])
def test_examples_on_a_grid(kernel, C):
    X = np.array(list(itertools.product(range(-2, 3), repeat=2)), dtype=float)  # many events come at once
    for y in ((X[:, 0] > 0).astype(int), (np.abs(X).sum(axis=1) > 2).astype(int), (X.sum(axis=1) % 2).astype(int)):
        model = learn_one_by_one(X, y, kernel=kernel, degree=2, C=C)
        assert_exact(model, X, y)
        forget_one_by_one(model, X, y, np.random.default_rng(0).permutation(25))


@pytest.mark.parametrize("rank", [0, 1, 2])
@pytest.mark.parametrize("C", [0.5, 50.0])
def test_rank_deficient_and_zero_kernels(rank, C):
    random = np.random.default_rng(rank)
    Z = random.normal(size=(20, rank)) if rank else np.zeros((20, 1))
    K, y = Z @ Z.T, random.integers(0, 2, 20)
    model = IncrementalSVC(kernel="precomputed", C=C)
    for row in range(20):
        model.partial_fit(K[row : row + 1], y[row : row + 1], classes=[0, 1])
        assert model.kkt_violation() <= 1e-6
    if rank == 0:
        np.testing.assert_allclose(model.dual_objective(), 2 * C * min((y == 0).sum(), (y == 1).sum()))
        assert len(set(model.predict(K))) == 1
    fresh = IncrementalSVC(kernel="linear", C=C).fit(Z, y)
    np.testing.assert_allclose(model.dual_objective(), fresh.dual_objective(), rtol=1e-8)
    for row in range(19):
        model.forget(row)
        assert model.kkt_violation() <= 1e-6


@pytest.mark.parametrize("C", [1e-8, 1e-4, 1e4, 1e8])
@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly", "laplacian"])
def test_tiny_and_huge_penalties(points, kernel, C):
    X, y = points
    model = learn_one_by_one(X[:16], y[:16], kernel=kernel, C=C, degree=2, coef0=1.0)
    assert_exact(model, X[:16], y[:16])
    forget_one_by_one(model, X[:16], y[:16], np.random.default_rng(0).permutation(16))


def test_very_different_weights(points):
    X, y = points
    weights = 10.0 ** np.random.default_rng(0).integers(-6, 6, 24)
    model = IncrementalSVC(gamma=0.5).partial_fit(X, y, sample_weight=weights)
    assert_exact(model, X, y, weights)


def test_last_example_of_a_class(points):
    X, y = points
    for label in (0, 1):
        model = learn_one_by_one(X, y)
        model.forget(np.flatnonzero(y == label))
        assert model.classes_.tolist() == [1 - label]
        assert model.dual_objective() == pytest.approx(0.0, abs=1e-12)
        np.testing.assert_allclose(np.abs(model.decision_function(X)), 1.0)
        model.partial_fit(X[y == label], y[y == label])
        assert_exact(model, np.vstack([X[y != label], X[y == label]]), np.sort(y) if label else -np.sort(-y))


def test_repeatedly_forgetting_everything(points):
    X, y = points
    model, expected = learn_one_by_one(X, y), learn_one_by_one(X, y).decision_function(X)
    for _ in range(3):
        model.forget(model.ids_)
        assert model.dual_objective() == 0.0
        model.partial_fit(X, y)
        np.testing.assert_allclose(model.decision_function(X), expected, atol=1e-8)


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly"])
@pytest.mark.parametrize("scale", [1e-4, 1e3])
def test_very_large_and_small_features(points, kernel, scale):
    X, y = points[0] * scale, points[1]
    model = learn_one_by_one(X, y, kernel=kernel, gamma=0.5 / scale**2, coef0=1.0, degree=2, C=1.0)
    assert_exact(model, X, y)


def test_features_far_from_zero(points):
    X, y = points[0] + 1e4, points[1]
    model = learn_one_by_one(X, y)
    expected = learn_one_by_one(X - 1e4, y).decision_function(X - 1e4)
    np.testing.assert_allclose(model.decision_function(X), expected, atol=1e-6)


@pytest.mark.parametrize("kernel", ["sigmoid"])
def test_indefinite_kernels(points, kernel):
    """Nothing is guaranteed, but the model predicts, as LIBSVM does."""
    X, y = points
    model = IncrementalSVC(kernel=kernel, gamma=1.0, coef0=-0.5, C=10.0, tol=1e6)
    for row in range(24):
        model.partial_fit(X[row : row + 1], y[row : row + 1])
    assert np.isfinite(model.decision_function(X)).all()
    K = pairwise_kernels(X, metric=kernel, gamma=1.0, coef0=-0.5)
    shown = K[:, model.support_] @ model.dual_coef_.T + model.intercept_
    np.testing.assert_allclose(model.decision_function(X), shown.ravel(), atol=1e-8)
    for row in range(20):
        model.forget(row)
    assert np.isfinite(model.decision_function(X)).all()
