"""The Newton steps at the end of `fit`: near the optimum for any C and any weights."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from hinge import ApproximateSVC
from hinge.approximate import _finishing
from hinge.approximate._finishing import Features, Objective, minimise

from .common import assert_identical, features, objective
from .test_convergence import EPSILON, REGRESSIONS, excess, make, optimum, problem

LOSSES = ["hinge", "epsilon_insensitive"]


def examples(loss, n, ratio=1.0, seed=0):
    """Return rows, targets, and weights of which every tenth is larger by the ratio."""
    X, values = problem(n, seed)
    weights = np.where(np.random.default_rng(5).permutation(n) < n // 10, ratio, 1.0)
    return X, values if loss in REGRESSIONS else np.where(values > 0, 1.0, -1.0), weights


@pytest.mark.parametrize("ratio", [1.0, 200.0])
@pytest.mark.parametrize("C", [0.1, 10.0])
@pytest.mark.parametrize("loss", LOSSES)
def test_optimum(loss, C, ratio):
    X, targets, weights = examples(loss, 300, ratio)
    model = make(loss, C=C, epochs="auto").fit(X, targets, weights)
    assert excess(model, X, targets, weights) < 0.01


@pytest.mark.slow
@pytest.mark.parametrize("approximation", ["nystroem", "fourier"])
@pytest.mark.parametrize("loss", LOSSES)
def test_optimum_for_many_costs_and_weights(loss, approximation):
    for C in (0.01, 1.0, 100.0):
        for ratio in (1.0, 20.0, 200.0):
            X, targets, weights = examples(loss, 200, ratio, seed=int(ratio))
            model = make(loss, C=C, epochs="auto", approximation=approximation, n_components=60)
            rows = features(model.fit(X, targets, weights), X)
            best = optimum(loss, C, rows, targets, costs=weights)  # or a little above: LIBSVM is not exact either
            answer = (model.component_coef_[0], model.intercept_[0])
            found = objective(loss, C, (rows, targets), answer, epsilon=EPSILON, costs=weights)
            assert found < 1.01 * best, (C, ratio)


def test_optimum_without_an_intercept():
    X, targets, weights = examples("hinge", 200, 20.0)
    model = make("hinge", C=1.0, fit_intercept=False, epochs="auto").fit(X, targets, weights)
    assert excess(model, X, targets, weights) < 0.01


@pytest.mark.slow
def test_rare_class_of_great_weight():
    for C in (0.1, 10.0, 1000.0):
        X, values = problem(600)
        y = np.where(values > np.quantile(values, 0.96), 1.0, -1.0)
        model = make("hinge", C=C, class_weight={1.0: 50.0}, epochs="auto").fit(X, y)
        assert excess(model, X, y, np.where(y > 0, 50.0, 1.0)) < 0.01, C


def test_all_classes_are_finished():
    X, values = problem(300)
    y = np.digitize(values, [-0.5, 0.5])
    model = make("hinge", C=10.0, epochs="auto").fit(X, y)
    rows = features(model, X)
    for place in range(3):
        targets = np.where(y == place, 1.0, -1.0)
        best = optimum("hinge", 10.0, rows, targets, costs=np.ones(300))
        found = objective("hinge", 10.0, (rows, targets), (model.component_coef_[place], model.intercept_[place]))
        assert found < 1.01 * best


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_storage_does_not_matter(dtype):
    X, y, weights = examples("hinge", 300, 50.0)
    X, weights = X.astype(dtype), np.where(np.arange(300) < 40, 0.0, weights)
    dense = make("hinge", C=10.0, epochs="auto").fit(X, y, weights)
    sparse = make("hinge", C=10.0, epochs="auto").fit(csr_matrix(X), y, weights)
    assert excess(dense, X[40:], y[40:], weights[40:]) < 0.01
    assert excess(sparse, X[40:], y[40:], weights[40:]) < 0.01


def test_an_integer_is_taken_literally(monkeypatch):
    X, y, _ = examples("hinge", 200)
    monkeypatch.setattr(_finishing, "minimise", None)  # would raise if it were called
    for parameters in ({"epochs": 3}, {"early_stopping": True}, {"steps": "asset"}, {"loss": "log_loss"}):
        ApproximateSVC(n_components=10, random_state=0, **parameters).fit(X, y)


def test_learning_goes_on():
    X, y, _ = examples("hinge", 600)
    model = make("hinge", epochs="auto").fit(X[:300], y[:300])
    score = model.score(X[300:], y[300:])
    assert model.partial_fit(X[:300], y[:300]).score(X[300:], y[300:]) > score - 0.03


def test_interrupted_steps_leave_the_model_of_the_passes(monkeypatch):
    X, y, _ = examples("hinge", 300)
    literal = make("hinge", epochs=3).fit(X, y)

    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(_finishing, "minimise", interrupt)
    model = make("hinge", epochs="auto")
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    assert_identical(model, literal)


@pytest.mark.parametrize("intercept", [True, False])
def test_the_direction_is_that_of_newton(intercept):
    """Gradient and matrix are those of differences of the rounded objective."""
    random = np.random.default_rng(0)
    rows, targets = random.normal(size=(40, 4)), random.choice([-1.0, 1.0], 40)
    penalty, costs = random.uniform(0.5, 2.0, 4), random.uniform(0.1, 3.0, 40)
    known = Objective(Features(rows, None), penalty, costs, targets, None, intercept)
    start = random.normal(size=5) * [1, 1, 1, 1, intercept]

    def value(point):
        return known.value(known.point(point[:4], point[4]), 0.7)

    size = 5 if intercept else 4
    unit, h = np.eye(5)[:size], 1e-4
    gradient = [(value(start + h * u) - value(start - h * u)) / (2 * h) for u in unit]
    matrix = [[_mixed(value, start, u, v, h) for u in unit] for v in unit]
    direction, decrease = known.direction(known.point(start[:4], start[4]), 0.7)
    found = np.append(direction.weights, direction.bias)[:size]
    np.testing.assert_allclose(np.array(matrix) @ found, gradient, rtol=0.02, atol=0.02)
    assert decrease == pytest.approx(np.dot(gradient, found), rel=1e-3)


def _mixed(value, at, u, v, h):
    first, second = (value(at + h * u + s * h * v) - value(at - h * u + s * h * v) for s in (1, -1))
    return (first - second) / (4 * h * h)


def test_the_start_stays_if_nothing_is_better():
    rows, targets = np.eye(2), np.array([1.0, -1.0])
    known = Objective(Features(rows, None), np.ones(2), np.ones(2), targets, None, intercept=False)
    best = known.point(np.array([1.0, -1.0]), 0.0)
    assert known.value(minimise(known, best, 1.0)) <= known.value(best)


@pytest.mark.parametrize("seed", range(5))
def test_the_optimum_of_the_first_width_is_a_good_start(seed):
    """There, the length of a step is rounding, which must not stop the steps from going on to smaller widths."""
    random = np.random.default_rng(seed)
    rows, targets = random.normal(size=(27, 3)), random.choice([-1.0, 1.0], 27)
    known = Objective(Features(rows, None), np.ones(3), np.ones(27), targets, None, intercept=True)
    optimum = known.value(minimise(known, known.point(np.zeros(3), 0.0), 1.0))
    point = known.point(np.zeros(3), 0.0)
    for _ in range(30):
        direction, _ = known.direction(point, 1.0)
        point = point.minus(_finishing._best_length(known, point, direction, 1.0), direction)
    assert known.value(minimise(known, point, 1.0)) == pytest.approx(optimum, rel=2 * _finishing._TOLERANCE)
