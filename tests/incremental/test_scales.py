"""Distant outliers, ties and failing kernel functions leave no errors behind."""

import numpy as np
import pytest

from hinge import IncrementalOneClassSVM, IncrementalSVC


@pytest.mark.parametrize("size", [1e2, 1e4])
@pytest.mark.parametrize("label", [0, 1])
def test_forgotten_outlier(size, label):
    random = np.random.default_rng(0)
    X = random.normal(size=(80, 3))
    y = (X[:, 0] + 0.3 * random.normal(size=80) > 0).astype(int)
    model = IncrementalSVC(kernel="linear").partial_fit(X[:50], y[:50])
    model.partial_fit([[size, -size, size]], [label], ids=["outlier"]).forget("outlier")
    model.partial_fit(X[50:], y[50:])
    fresh = IncrementalSVC(kernel="linear").partial_fit(X, y)
    np.testing.assert_allclose(model.decision_function(X), fresh.decision_function(X), atol=1e-6)
    assert model.kkt_violation() < 1e-9


def test_forgotten_outlier_of_a_one_class_model():
    X = np.random.default_rng(1).normal(size=(60, 2)) + 3
    model = IncrementalOneClassSVM(kernel="linear", nu=0.2).partial_fit(X[:30])
    model.partial_fit([[1e6, 1e6]], ids=["outlier"]).forget("outlier").partial_fit(X[30:])
    fresh = IncrementalOneClassSVM(kernel="linear", nu=0.2).partial_fit(X)
    np.testing.assert_allclose(model.decision_function(X), fresh.decision_function(X), atol=1e-6)


def test_ties_do_not_cause_cycles():
    """Few distinct rows, each many times, and a window: paths must stay short."""
    random = np.random.default_rng(2)
    X = random.integers(0, 3, (600, 3)).astype(float)
    y = (X.sum(axis=1) + random.normal(size=600) > 3).astype(int)
    model = IncrementalSVC(kernel="linear", C=0.1, max_examples=100).partial_fit(X, y)
    assert model.kkt_violation() < 1e-8
    assert model.n_iter_ < 100 * 600


@pytest.mark.parametrize("parameters", [{"kernel": "linear"}, {"kernel": "poly", "degree": 2, "gamma": 1.0}], ids=str)
@pytest.mark.parametrize("C", [10.0, 1e4])
@pytest.mark.parametrize("seed", [18, 21, 40, 66, 125])
def test_forgetting_most_of_many_examples_in_few_dimensions(parameters, C, seed):
    """The margin set is as large as the rank of the kernel, so all other examples depend on it."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(180, 3))
    y = np.where(X[:, 0] * X[:, 1] + 0.3 * random.normal(size=180) > 0, 0, 1)
    model = IncrementalSVC(C=C, **parameters).fit(X, 1 - y).relabel(range(180), y).forget(range(60, 180))
    assert model.kkt_violation() < 1e-6
    fresh = IncrementalSVC(C=C, **parameters).fit(X[:60], y[:60])
    np.testing.assert_allclose(model.dual_objective(), fresh.dual_objective(), rtol=1e-8)
    np.testing.assert_allclose(model.decision_function(X), fresh.decision_function(X), atol=1e-5)


@pytest.mark.parametrize(
    ("scale", "parameters"),
    [(1000.0, {"kernel": "linear"}), (1.0, {"gamma": 0.3, "C": 1e6}), (1.0, {"gamma": 1e-6, "C": 10.0})],
)
def test_fit_is_exact_where_lasvm_does_not_converge(scale, parameters):
    random = np.random.default_rng(3)
    X = scale * random.normal(size=(400, 4))
    y = (X[:, 0] + scale * random.normal(size=400) > 0).astype(int)
    model = IncrementalSVC(**parameters).fit(X, y)
    assert model.kkt_violation() < 1e-6
    grown = IncrementalSVC(**parameters).partial_fit(X, y)
    np.testing.assert_allclose(model.dual_objective(), grown.dual_objective(), rtol=1e-8)


def test_kernel_function_that_fails_during_prediction():
    failing = False

    def kernel(A, B):
        if failing:
            raise KeyError("no such kernel")
        return A @ B.T

    X = np.random.default_rng(4).normal(size=(30, 2))
    model = IncrementalSVC(kernel=kernel).partial_fit(X, X[:, 0] > 0)
    before = model.decision_function(X)
    failing = True
    for work in (
        lambda: model.decision_function(X),
        model.kkt_violation,
        lambda: model.partial_fit(X + 1, X[:, 1] > 0),
    ):
        with pytest.raises(KeyError, match="no such kernel"):
            work()
    failing = False
    np.testing.assert_array_equal(model.decision_function(X), before)


def test_overflowing_kernel_values_are_rejected():
    X = np.random.default_rng(5).normal(size=(20, 2))
    model = IncrementalSVC(kernel="poly", gamma=1.0, coef0=1.0).partial_fit(X, X[:, 0] > 0)
    before = model.decision_function(X)
    with pytest.raises(ValueError, match="Kernel values must be at most"):
        model.partial_fit(1e60 * X[:1], [True])
    np.testing.assert_array_equal(model.decision_function(X), before)
    assert len(model.ids_) == 20
