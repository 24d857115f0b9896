"""Contributions add up to decisions, gradients are those of the decision function, and both come with every kernel."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.metrics.pairwise import rbf_kernel

from hinge import IncrementalSVC, OnlineSVC, RobustOnlineSVC, TrackingSVC
from hinge.exceptions import ParameterError

KERNELS = {
    "linear": {"kernel": "linear"},
    "rbf": {"kernel": "rbf", "gamma": 0.7},
    "poly": {"kernel": "poly", "gamma": 0.5, "coef0": 1.0, "degree": 2},
    "sigmoid": {"kernel": "sigmoid", "gamma": 0.2, "coef0": -0.5},
    "laplacian": {"kernel": "laplacian", "gamma": 0.4},
}
CLASSIFIERS = [OnlineSVC, RobustOnlineSVC, TrackingSVC, IncrementalSVC]


def require_explained(model, X, n):
    """The parts add up to the decision, come from the examples they name, and n is enough for the largest."""
    decisions = model.decision_function(X)
    for row, reason in enumerate(model.explain(X, n)):
        place = model.classes_.tolist().index(reason.label)
        decision = decisions[row, place] if len(model.classes_) > 2 else abs(decisions[row])
        assert reason.label == model.predict(X[row : row + 1])[0]
        parts = [each.value for each in (*reason.supporting, *reason.opposing)]
        np.testing.assert_allclose(reason.decision, decision, rtol=1e-5, atol=1e-5)
        np.testing.assert_allclose(reason.intercept + sum(parts) + reason.rest, decision, rtol=1e-5, atol=1e-5)
        assert all(each.value > 0 for each in reason.supporting)
        assert all(each.value < 0 for each in reason.opposing)
        assert len(reason.supporting) <= n
        assert len(reason.opposing) <= n


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_contributions_add_up(classifier, kernel, two, three):
    for X, y in (two, three):
        model = classifier(**KERNELS[kernel]).fit(X, y)
        require_explained(model, X[:7], 3)
        sparse = classifier(**KERNELS[kernel]).fit(csr_matrix(X), y)
        require_explained(sparse, csr_matrix(X[:7]), 3)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_each_contribution_is_that_of_its_example(two, dtype):
    """Recomputed from the training set, which far-away rows make the native code shift."""
    X, y = (two[0] + 50.0).astype(dtype), np.where(two[1] == 1, "yes", "no")
    model = OnlineSVC(gamma=0.7).fit(X, y)
    coefficients = dict(zip(model.support_.tolist(), model.dual_coef_[0], strict=True))
    values = rbf_kernel(X.astype(np.float64), gamma=0.7)
    for row, reason in enumerate(model.explain(X[:9], n=4)):
        sign = 1 if reason.label == "yes" else -1
        all_values = sorted(sign * alpha * values[row, i] for i, alpha in coefficients.items())
        for each in (*reason.supporting, *reason.opposing):
            assert y[each.id] == each.label
            np.testing.assert_allclose(each.value, sign * coefficients[each.id] * values[row, each.id], rtol=1e-3)
        found = [each.value for each in reason.supporting]
        np.testing.assert_allclose(found, all_values[::-1][: len(found)], rtol=1e-3)
        found = [each.value for each in reason.opposing]
        np.testing.assert_allclose(found, all_values[: len(found)], rtol=1e-3)


def test_ids_and_labels_of_the_user_are_named(two):
    X, y = two[0], np.where(two[1] == 1, "yes", "no").astype(object)
    names = [f"row {i}" for i in range(len(X))]
    model = IncrementalSVC().partial_fit(X, y, ids=names)
    (reason,) = model.explain(X[:1], n=2)
    assert {each.id for each in reason.supporting} <= set(names)
    assert {each.label for each in reason.supporting} == {reason.label}
    assert {type(each.label) for each in model.suspects()} == {str}


def test_precomputed_and_callable_kernels(two):
    X, y = two
    values = rbf_kernel(X, gamma=0.7)
    expected = OnlineSVC(gamma=0.7).fit(X, y).explain(X[:5], n=3)
    for model, rows in (
        (OnlineSVC(kernel="precomputed").fit(values, y), values[:5]),
        (OnlineSVC(kernel=lambda A, B: rbf_kernel(A, B, gamma=0.7)).fit(X, y), X[:5]),
    ):
        for reason, other in zip(model.explain(rows, n=3), expected, strict=True):
            assert [each.id for each in reason.supporting] == [each.id for each in other.supporting]
            np.testing.assert_allclose(reason.decision, other.decision, atol=1e-3)


@pytest.mark.parametrize("kernel", KERNELS)
def test_gradients_are_differences_of_decisions(kernel, two, three):
    step = 1e-5
    for X, y in (two, three):
        model = IncrementalSVC(**KERNELS[kernel]).fit(X, y)
        rows = X[:6] + 0.01  # the Laplacian has kinks at the examples
        gradients = model.sensitivity(rows)
        for feature in range(X.shape[1]):
            moved = np.zeros(X.shape[1])
            moved[feature] = step
            expected = (model.decision_function(rows + moved) - model.decision_function(rows - moved)) / (2 * step)
            np.testing.assert_allclose(gradients[..., feature], expected, rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(model.sensitivity(csr_matrix(rows)), gradients, rtol=1e-6, atol=1e-9)


def test_what_cannot_be_explained_says_so(three):
    X, y = three
    with pytest.raises(ParameterError, match="one-vs-one models cannot be explained; use"):
        OnlineSVC(multi_class="ovo").fit(X, y).explain(X[:1])
    with pytest.raises(ParameterError, match="got kernel='precomputed'; use explain"):
        OnlineSVC(kernel="precomputed").fit(X @ X.T, y).sensitivity(X[:1] @ X.T)
    with pytest.raises(ParameterError, match="n must be a whole number of at least 1, got 0"):
        OnlineSVC().fit(X, y).explain(X[:1], n=0)
