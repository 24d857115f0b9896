"""With many passes the machines come near the optimum that other solvers find over the same features."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC, SVR, LinearSVC, LinearSVR

from hinge import ApproximateSVC, ApproximateSVR

from .common import features, losses, objective

pytestmark = pytest.mark.slow  # together they take seconds

EPSILON = 0.2
CLASSIFIERS = ["hinge", "squared_hinge", "log_loss"]
REGRESSIONS = ["epsilon_insensitive", "squared_epsilon_insensitive"]


def problem(n, seed=0):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, 3))
    values = np.sin(2.0 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.3 * random.normal(size=n)
    return X, values


def smooth_optimum(loss, C, rows, targets, *, intercept, costs):
    """Minimise a squared loss by Newton's method: it is a quadratic function wherever the same rows have a loss."""
    wide = np.column_stack([rows, np.ones(len(rows))]) if intercept else rows
    point, damping = np.zeros(wide.shape[1]), np.ones(wide.shape[1])
    damping[rows.shape[1] :] = 0.0

    def value(point):
        return 0.5 * point @ (damping * point) + C * np.sum(costs * losses(loss, wide @ point, targets, EPSILON))

    for _ in range(100):
        answers = wide @ point
        past = np.sqrt(losses(loss, answers, targets, EPSILON))
        sense = np.sign(targets - answers) if loss in REGRESSIONS else targets
        gradient = damping * point - 2.0 * C * wide.T @ (costs * past * sense)
        curvature = np.diag(damping + 1e-12) + 2.0 * C * (wide[past > 0] * costs[past > 0, None]).T @ wide[past > 0]
        step, size = np.linalg.solve(curvature, gradient), 1.0
        while value(point - size * step) > value(point) and size > 1e-6:
            size *= 0.5
        point = point - size * step
        if np.abs(gradient).max() < 1e-9 * C * len(rows):
            break
    return value(point)


def optimum(loss, C, rows, targets, *, intercept=True, costs):
    if loss.startswith("squared"):
        return smooth_optimum(loss, C, rows, targets, intercept=intercept, costs=costs)
    if loss == "log_loss":
        machine = LogisticRegression(C=C, fit_intercept=intercept, tol=1e-9, solver="newton-cholesky")
    elif loss == "hinge":
        machine = SVC(kernel="linear", C=C, tol=1e-4)
        if not intercept:
            machine = LinearSVC(loss="hinge", C=C, fit_intercept=False, tol=1e-7, max_iter=2_000_000)
    else:
        machine = SVR(kernel="linear", C=C, epsilon=EPSILON, tol=1e-4)
        if not intercept:
            machine = LinearSVR(C=C, epsilon=EPSILON, fit_intercept=False, tol=1e-7, max_iter=2_000_000)
    machine.fit(rows, targets, sample_weight=costs)
    constant = np.ravel(machine.intercept_)[0] if intercept else 0.0
    return objective(loss, C, (rows, targets), (np.ravel(machine.coef_), constant), epsilon=EPSILON, costs=costs)


def make(loss, **parameters):
    kind = ApproximateSVR if loss in REGRESSIONS else ApproximateSVC
    parameters = {"gamma": 0.3, "n_components": 25, "epochs": 300, "random_state": 0} | parameters
    return kind(loss=loss, **parameters | ({"epsilon": EPSILON} if loss in REGRESSIONS else {}))


def excess(model, X, targets, costs=1.0):
    """Return how much higher the objective of a model is than it could be over its features, relative to that."""
    costs = np.array(np.broadcast_to(costs, len(X)), dtype=float)
    rows = features(model, X)
    best = optimum(model.loss, model.C, rows, targets, intercept=model.fit_intercept, costs=costs)
    constant = model.intercept_[0] if model.fit_intercept else 0.0
    answer = (model.component_coef_[0], constant)
    found = objective(model.loss, model.C, (rows, targets), answer, epsilon=EPSILON, costs=costs)
    assert found >= best * (1.0 - 1e-3)
    return found / best - 1.0


@pytest.mark.parametrize("C", [0.1, 10.0])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("loss", CLASSIFIERS + REGRESSIONS)
def test_optimum(loss, intercept, C):
    X, values = problem(500)
    targets = values if loss in REGRESSIONS else np.where(values > 0, 1.0, -1.0)
    model = make(loss, C=C, fit_intercept=intercept).fit(X, targets)
    assert excess(model, X, targets) < 0.02


@pytest.mark.parametrize("loss", ["hinge", "log_loss"])
def test_weak_directions_with_a_small_cost(loss):
    """The penalty is brought in now and then; where it is large, often enough for averages over the steps between."""
    X, values = problem(500)
    targets = np.where(values > 0, 1.0, -1.0)
    model = make(loss, C=0.01, n_components=60, epochs="auto").fit(X, targets)
    rows = features(model, X)
    exact = SVC(kernel="linear", C=0.01, tol=1e-6)
    if loss == "log_loss":
        exact = LogisticRegression(C=0.01, tol=1e-9, solver="newton-cholesky")
    expected = exact.fit(rows, targets).coef_[0]
    weak = len(expected) // 2  # features are in the order of their spread
    assert np.linalg.norm(model.component_coef_[0, :weak]) == pytest.approx(np.linalg.norm(expected[:weak]), rel=0.15)
    assert excess(model, X, targets) < 1e-3


@pytest.mark.parametrize("loss", CLASSIFIERS + REGRESSIONS)
def test_optimum_with_fourier_features(loss):
    X, values = problem(500)
    targets = values if loss in REGRESSIONS else np.where(values > 0, 1.0, -1.0)
    model = make(loss, C=1.0, approximation="fourier").fit(X, targets)
    assert excess(model, X, targets) < 0.02


@pytest.mark.parametrize("loss", CLASSIFIERS + REGRESSIONS)
def test_optimum_with_weights(loss):
    X, values = problem(500)
    costs = np.random.default_rng(5).uniform(0.0, 4.0, 500)
    targets = values if loss in REGRESSIONS else np.where(values > 0, 1.0, -1.0)
    model = make(loss, C=1.0).fit(X, targets, costs)
    assert excess(model, X, targets, costs) < 0.02


def test_class_weights_are_weights():
    X, values = problem(500)
    targets = np.where(values > 0.8, 1.0, -1.0)
    model = make("hinge", class_weight={1.0: 5.0}).fit(X, targets)
    plain = make("hinge").fit(X, targets, np.where(targets == 1.0, 5.0, 1.0))
    np.testing.assert_allclose(model.component_coef_, plain.component_coef_)
    balanced = make("hinge", class_weight="balanced").fit(X, targets)
    share = len(targets) / (2.0 * np.array([np.sum(targets == -1.0), np.sum(targets == 1.0)]))
    costs = np.where(targets == 1.0, share[1], share[0])
    assert excess(balanced, X, targets, costs) < 0.02


@pytest.mark.parametrize("factor", [1e-3, 1e4])
@pytest.mark.parametrize("loss", ["hinge", "log_loss", "epsilon_insensitive"])
def test_weights_are_factors_of_the_cost(loss, factor):
    X, values = problem(600)
    targets = values if loss in REGRESSIONS else np.where(values > 0, 1.0, -1.0)
    model = make(loss, C=2.0 / factor).fit(X, targets, np.full(600, factor))
    assert excess(model, X, targets, factor) < 0.05


@pytest.mark.parametrize("steps", ["adaptive", "asset"])
@pytest.mark.parametrize("loss", CLASSIFIERS + REGRESSIONS)
@pytest.mark.parametrize("verb", ["fit", "partial_fit"])
def test_the_level_of_the_weights_is_a_factor_of_the_cost(loss, steps, verb):
    X, values = problem(300)
    targets = values if loss in REGRESSIONS else np.where(values > 0, 1.0, -1.0)
    weights = np.random.default_rng(5).uniform(0.1, 4.0, 300)
    model, other = make(loss, steps=steps, C=1.0, epochs=3), make(loss, steps=steps, C=1024.0, epochs=3)
    getattr(model, verb)(X, targets, sample_weight=weights)
    getattr(other, verb)(X, targets, sample_weight=weights / 1024.0)
    np.testing.assert_array_equal(model.component_coef_, other.component_coef_)
    np.testing.assert_array_equal(model.intercept_, other.intercept_)


def test_weights_are_repetitions():
    X, values = problem(200)
    targets = np.where(values > 0, 1.0, -1.0)
    times = np.random.default_rng(1).integers(1, 5, 200)
    weighted = make("hinge", n_components=200, epochs=100).fit(X, targets, times)
    repeated = make("hinge", n_components=10_000, epochs=100)
    repeated.fit(np.repeat(X, times, axis=0), np.repeat(targets, times))
    for model in (weighted, repeated):
        rows = features(model, X)
        best = optimum("hinge", 1.0, rows, targets, costs=times)
        found = objective("hinge", 1.0, (rows, targets), (model.component_coef_[0], model.intercept_[0]), costs=times)
        assert found < 1.05 * best


def test_one_machine_a_class_is_near_its_optimum():
    X, values = problem(500)
    y = np.digitize(values, [-0.5, 0.5])
    model = make("hinge").fit(X, y)
    rows = features(model, X)
    for place in range(3):
        targets = np.where(y == place, 1.0, -1.0)
        best = optimum("hinge", 1.0, rows, targets, costs=np.ones(500))
        found = objective("hinge", 1.0, (rows, targets), (model.component_coef_[place], model.intercept_[place]))
        assert found < 1.02 * best


def test_steps_of_the_paper_converge():
    """The mean of f - f* falls with the square root of the number of steps, and is below what Theorem 1 allows."""
    X, values = problem(500)
    targets = np.where(values > 0, 1.0, -1.0)
    means = []
    for epochs in (4, 64):
        gaps = []
        for seed in range(5):
            model = make("hinge", steps="asset", epochs=epochs, random_state=seed, C=1.0).fit(X, targets)
            rows = features(model, X)
            best = optimum("hinge", 1.0, rows, targets, costs=np.ones(500))
            found = objective("hinge", 1.0, (rows, targets), (model.component_coef_[0], model.intercept_[0]))
            gaps.append((found - best) / 500)
        means.append(np.mean(gaps))
        assert means[-1] < np.sqrt(2.0 * 500) * np.sqrt(2.0) / np.sqrt(epochs * 500)
    assert means[1] < means[0] / 2.5


@pytest.mark.parametrize("intercept", [True, False])
def test_steps_of_the_paper_reach_the_optimum(intercept):
    X, values = problem(500)
    targets = np.where(values > 0, 1.0, -1.0)
    model = make("hinge", steps="asset", epochs=400, fit_intercept=intercept, C=1.0).fit(X, targets)
    assert excess(model, X, targets) < (0.1 if intercept else 0.01)


@pytest.mark.parametrize("C", [1.0, 100.0])
@pytest.mark.parametrize("loss", ["squared_hinge", "squared_epsilon_insensitive"])
def test_steps_of_the_paper_do_not_swing(loss, C):
    """Subgradient steps ended at many times the optimum here, the farther the larger C was."""
    X, values = problem(500)
    targets = values if loss in REGRESSIONS else np.where(values > 0, 1.0, -1.0)
    gaps = [
        excess(make(loss, steps="asset", C=C, epochs=epochs).fit(X, targets), X, targets) for epochs in (3, 30, 200)
    ]
    assert gaps[0] < 0.3
    assert gaps[0] > gaps[1] > gaps[2]
    assert gaps[2] < 0.05


@pytest.mark.parametrize("approximation", ["nystroem", "fourier"])
@pytest.mark.parametrize("steps", ["adaptive", "asset"])
def test_a_stream_is_nearly_a_training_set(steps, approximation):
    X, values = problem(4000)
    targets = np.where(values > 0, 1.0, -1.0)
    common = {"steps": steps, "approximation": approximation, "C": 1.0, "n_components": 60}
    stream = make("hinge", **common).partial_fit(X[:3000], targets[:3000])
    fitted = make("hinge", **common, epochs=5).fit(X[:3000], targets[:3000])
    assert stream.score(X[3000:], targets[3000:]) > fitted.score(X[3000:], targets[3000:]) - 0.03


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e4])
@pytest.mark.parametrize("steps", ["adaptive", "asset"])
@pytest.mark.parametrize("loss", REGRESSIONS)
def test_targets_far_from_zero(loss, steps, scale):
    X, values = problem(1000)
    values = scale * (500.0 + values)
    cost = scale if loss == "epsilon_insensitive" else 1.0  # the same problem in other units
    common = {"loss": loss, "steps": steps, "epsilon": 0.1 * scale, "C": 10.0 * cost, "gamma": 0.3, "n_components": 60}
    fitted = ApproximateSVR(**common, epochs=20, random_state=0).fit(X, values)
    assert fitted.score(X, values) > 0.7
    # ASSET must know lambda beforehand. Its first steps are long, and take several passes to be averaged out.
    n_total, passes = (None, 1) if steps == "adaptive" else (1000, 20)
    stream = ApproximateSVR(**common, n_total=n_total, random_state=0)
    stream.partial_fit(np.tile(X, (passes, 1)), np.tile(values, passes))
    if steps == "adaptive" or loss == "epsilon_insensitive":  # the others swing too much for one pass
        assert stream.score(X, values) > 0.6


@pytest.mark.parametrize("loss", REGRESSIONS)
def test_units_of_targets(loss):
    """Other units of the targets give the same answers in these units."""
    X, values = problem(500)
    answers = []
    for scale in (1.0, 1024.0):
        cost = scale if loss == "epsilon_insensitive" else 1.0
        model = make(loss, C=cost).set_params(epsilon=EPSILON * scale).fit(X, scale * values)
        answers.append(model.predict(X) / scale)
    np.testing.assert_allclose(*answers, atol=1e-6)
