"""Rows of very different weights, and weights that are very small or very large."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import balanced_accuracy_score
from sklearn.svm import SVC

from hinge import ApproximateSVC

from .test_convergence import CLASSIFIERS, REGRESSIONS, excess, make, problem


@pytest.mark.parametrize("loss", CLASSIFIERS + REGRESSIONS)
def test_a_few_rows_of_great_weight(loss):
    """A step ends where its loss does, so that a heavy row needs short steps to have its due."""
    X, values = problem(1000)
    targets = values if loss in REGRESSIONS else np.where(values > 0, 1.0, -1.0)
    costs = np.where(np.random.default_rng(5).permutation(1000) < 50, 50.0, 1.0)
    model = make(loss, C=1.0, epochs="auto").fit(X, targets, costs)
    assert excess(model, X, targets, costs) < (0.01 if loss in {"hinge", "epsilon_insensitive"} else 0.12)


@pytest.mark.parametrize("loss", CLASSIFIERS)
def test_a_rare_class_in_balance(loss):
    random = np.random.default_rng(1)
    X = random.normal(size=(6000, 5))
    margin = X[:, 0] * X[:, 1] + X[:, 2] + 0.3 * random.normal(size=6000)
    y = (margin > np.quantile(margin, 0.96)).astype(int)
    learned, fresh = slice(0, 3000), slice(3000, 6000)
    exact = SVC(class_weight="balanced").fit(X[learned], y[learned])
    model = ApproximateSVC(class_weight="balanced", n_components=200, epochs=10, loss=loss, random_state=0)
    model.fit(X[learned], y[learned])
    expected = balanced_accuracy_score(y[fresh], exact.predict(X[fresh]))
    assert balanced_accuracy_score(y[fresh], model.predict(X[fresh])) > expected - 0.02


@pytest.mark.parametrize("steps", ["adaptive", "asset"])
@pytest.mark.parametrize("loss", CLASSIFIERS + REGRESSIONS)
@pytest.mark.parametrize("verb", ["fit", "partial_fit"])
@pytest.mark.parametrize(("exponent", "cost"), [(-300, 0), (300, 0), (-600, -300), (600, 300)])
def test_weights_of_any_level(loss, steps, verb, exponent, cost):
    """Only the product of weights and C matters; powers of two change no digit of it."""
    X, values = problem(100)
    targets = values if loss in REGRESSIONS else np.where(values > 0, 1.0, -1.0)
    weights = np.random.default_rng(5).uniform(0.1, 4.0, 100)
    model = make(loss, steps=steps, C=2.0 ** (cost - exponent), epochs=2)
    plain = make(loss, steps=steps, C=2.0**cost, epochs=2)
    getattr(model, verb)(X, targets, sample_weight=weights * 2.0**exponent)
    getattr(plain, verb)(X, targets, sample_weight=weights)
    assert np.isfinite(plain.component_coef_).all()
    np.testing.assert_array_equal(model.component_coef_, plain.component_coef_)
    np.testing.assert_array_equal(model.intercept_, plain.intercept_)


@pytest.mark.parametrize("steps", ["adaptive", "asset"])
@pytest.mark.parametrize("loss", CLASSIFIERS + REGRESSIONS)
@pytest.mark.parametrize("level", [1e-200, 1e200])
def test_weights_that_no_cost_makes_up_for(loss, steps, level):
    X, values = problem(100)
    targets = values if loss in REGRESSIONS else np.where(values > 0, 1.0, -1.0)
    weights = level * np.random.default_rng(5).uniform(0.1, 4.0, 100)
    for verb in ("fit", "partial_fit"):
        model = make(loss, steps=steps, epochs=2)
        getattr(model, verb)(X, targets, sample_weight=weights)
        assert np.isfinite(model.component_coef_).all()
        assert np.isfinite(model.intercept_).all()
