"""Training over parts: a pass over each, models averaged."""

from __future__ import annotations

import numpy as np
import pytest

from hinge import ApproximateSVC, ApproximateSVR, DataError
from hinge.approximate._averaging import average_models, start_model, train_one_pass


@pytest.fixture
def problem():
    random = np.random.default_rng(0)
    X = random.normal(size=(3001, 3))
    return X, (X[:, 0] * X[:, 1] + 0.5 * random.normal(size=3001) > 0).astype(int)


def trained(model, X, y, cuts, rounds):
    model = start_model(model, X[:1000], y[:1000], classes=np.unique(y), n_examples=len(y))
    parts = [part for part in np.split(np.arange(len(y)), cuts) if len(part)]
    for number in range(rounds):
        passes = [
            train_one_pass(model, X[part], y[part], seed=100 * number + place) for place, part in enumerate(parts)
        ]
        model = average_models(passes, [len(part) for part in parts])
    return model


def objective(model, X, y, C):
    loss = np.maximum(0.0, 1.0 - np.where(y == 1, 1, -1) * model.decision_function(X)).sum()
    return 0.5 * float((model.component_coef_**2).sum()) + C * loss


@pytest.mark.parametrize("cuts", [[1500], [1000], [1000, 1001], [7, 2000]])
@pytest.mark.parametrize("C", [0.01, 1.0])
def test_unequal_parts_minimise_the_same_objective(problem, cuts, C):
    X, y = problem
    model = ApproximateSVC(C=C, gamma=0.5, n_components=60, random_state=0)
    found = objective(trained(model, X, y, cuts, 12), X, y, C)
    best = objective(model.set_params(epochs=60).fit(X, y), X, y, C)
    assert found < 1.15 * best


def test_models_that_are_given_stay_as_they_are(problem):
    X, y = problem
    begun = start_model(ApproximateSVC(random_state=0), X, y, classes=[0, 1], n_examples=len(y))
    assert (begun.component_coef_ == 0).all()
    first, again = (train_one_pass(begun, X, y, seed=3) for _ in range(2))
    assert (begun.component_coef_ == 0).all()
    np.testing.assert_array_equal(first.component_coef_, again.component_coef_)
    assert (train_one_pass(begun, X, y, seed=4).component_coef_ != first.component_coef_).any()


def test_the_average_of_a_model_with_itself(problem):
    X, y = problem
    model = train_one_pass(start_model(ApproximateSVC(random_state=0), X, y, classes=[0, 1]), X, y)
    mean = average_models([model, model, model], [1, 1, 5])
    np.testing.assert_allclose(mean.decision_function(X), model.decision_function(X), atol=1e-9)
    assert (mean.n_iter_, mean.n_seen_) == (model.n_iter_, model.n_seen_)


def test_a_regression_over_parts(problem):
    X, _ = problem
    y = np.sin(X[:, 0]) + 100.0
    assert trained(ApproximateSVR(C=10.0, random_state=0), X, y, [2000], 5).score(X, y) > 0.95


def test_no_model_has_no_average():
    with pytest.raises(DataError, match="at least one model"):
        average_models([], [])
