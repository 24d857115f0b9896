"""The native machines beside others that are written down literally."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics.pairwise import rbf_kernel

from hinge import ApproximateSVC, ApproximateSVR

from .common import features, scaled_features
from .reference import Machine, Stream, learn_in_panels, visits

CLASSIFIERS = ["hinge", "squared_hinge", "log_loss"]
REGRESSIONS = ["epsilon_insensitive", "squared_epsilon_insensitive"]
SEED = 7
PAPER_RULES = pytest.mark.parametrize(("steps", "intercept"), [("asset", True), ("asset", False), ("asset*", False)])


@pytest.fixture(scope="module")
def data():
    """Return 208 rows, two classes as -1 and 1, values, and weights."""
    random = np.random.default_rng(0)
    X = random.normal(size=(208, 3))
    margin = np.sin(2.0 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.3 * random.normal(size=208)
    return X, np.where(margin > 0.0, 1.0, -1.0), margin, random.uniform(0.2, 3.0, 208)


def make(loss, **parameters):
    parameters = {"C": 3.0, "gamma": 0.3, "n_components": 25, "epochs": 2, "random_state": SEED} | parameters
    if loss in REGRESSIONS:
        return ApproximateSVR(loss=loss, epsilon=0.2, **parameters)
    return ApproximateSVC(loss=loss, **parameters)


def landmarks(random, rows):
    return rows[np.sort(random.permutation(len(rows))[:25])]


def frequencies(random, rows):
    return random.standard_normal((3, 25)), random.uniform(0.0, 2.0 * np.pi, 25)


def reference(model, X, targets, weights=None, *, typical=None, draw=landmarks, held=()):
    """Return literal machines that have learned what the model has, and what its map is made of."""
    if typical is None:
        typical = np.mean(np.sum(scaled_features(model, model.support_vectors_) ** 2, axis=1))
    drawn, order = visits(np.random.RandomState(SEED), len(X), model.epochs, draw, held)
    options = {
        "C": model.C,
        "loss": model.loss,
        "epsilon": getattr(model, "epsilon", 0.0),
        "intercept": model.fit_intercept,
        "steps": model.steps,
        "average_last": model.average_last,
        "n_total": len(X) - len(held),
        "max_intercept": model.max_intercept,
        "gradient_bound": model.gradient_bound,
    }
    machines = [Machine(model._state.features.arrays["penalty"], typical, **options) for _ in targets]
    selective = model.steps == "adaptive" and model.loss != "log_loss" and model.approximation == "nystroem"
    rows, costs = scaled_features(model, X), np.ones(len(X)) if weights is None else weights
    for part in order.reshape(model.epochs, -1):
        wanted = [target[part] for target in targets]
        numbers = {"total": len(part), "planned": None if model.early_stopping else len(order)}
        if selective:
            learn_in_panels(machines, rows[part], wanted, costs[part], len(part) // 16, **numbers)
            continue
        for machine, target in zip(machines, wanted, strict=True):
            machine.learn(rows[part], target, costs[part], **numbers)
    return machines, drawn


def assert_same(model, machine, rtol=1e-9):
    arrays = model._state.native.state()
    scale = np.abs(machine.average).max()
    np.testing.assert_allclose(arrays["average"], machine.average, atol=rtol * scale)
    np.testing.assert_allclose(arrays["weights"], machine.weights, atol=rtol * np.abs(machine.weights).max())
    np.testing.assert_allclose(arrays["bias"], machine.bias, atol=rtol * scale)
    np.testing.assert_allclose(
        model.component_coef_[0], machine.average * np.sqrt(machine.penalty), atol=rtol * scale * 50
    )
    np.testing.assert_allclose(model.intercept_, machine.average_bias, atol=rtol * scale)


@pytest.mark.parametrize("average_last", [0.5, 1.0, 0.013, 1, 100, 10_000])
@PAPER_RULES
def test_steps_of_the_paper(data, steps, intercept, average_last):
    X, y, _, _ = data
    model = make("hinge", steps=steps, fit_intercept=intercept, average_last=average_last).fit(X, y)
    [machine], rows = reference(model, X, [y], typical=1.0)
    np.testing.assert_array_equal(np.sort(model.support_), np.sort(rows))
    assert_same(model, machine)
    assert model.n_iter_ == machine.steps == 416


def test_the_answer_is_the_last_iterate(data):
    X, y, _, _ = data
    arrays = make("hinge", steps="asset", average_last=1).fit(X, y)._state.native.state()
    np.testing.assert_allclose(arrays["average"], arrays["weights"], rtol=1e-12)


@pytest.mark.parametrize("C", [1e-3, 1e4])
@PAPER_RULES
def test_projections(data, steps, intercept, C):
    X, y, _, _ = data
    model = make("hinge", steps=steps, C=C, fit_intercept=intercept).fit(X, y)
    [machine], _ = reference(model, X, [y], typical=1.0)
    assert_same(model, machine, rtol=1e-8)
    assert np.linalg.norm(machine.weights) <= np.sqrt(C * 208) * (1 + 1e-12)


@pytest.mark.parametrize(
    ("steps", "intercept"),
    [("asset", True), ("asset", False), ("asset*", False), ("adaptive", True), ("adaptive", False)],
)
@pytest.mark.parametrize("loss", CLASSIFIERS + REGRESSIONS)
def test_losses_and_weights(data, loss, steps, intercept):
    X, y, values, weights = data
    targets = values if loss in REGRESSIONS else y
    model = make(loss, steps=steps, fit_intercept=intercept).fit(X, targets, weights)
    [machine], _ = reference(model, X, [targets], weights)
    swings = steps != "adaptive" and loss.startswith("squared")  # and rounding with it
    assert_same(model, machine, rtol=1e-6 if swings else 1e-8)


@pytest.mark.parametrize("average_last", [1.0, 0.013, 1, 100, 10_000])
def test_averages_of_adaptive_steps(data, average_last):
    X, y, _, _ = data
    model = make("hinge", average_last=average_last).fit(X, y)
    [machine], _ = reference(model, X, [y])
    assert_same(model, machine, rtol=1e-8)


@pytest.mark.parametrize("C", [1e-5, 1e-2, 1e4])
@pytest.mark.parametrize("loss", ["hinge", "epsilon_insensitive"])
def test_costs_of_adaptive_steps(data, loss, C):
    X, y, values, weights = data
    targets = values if loss in REGRESSIONS else y
    model = make(loss, C=C).fit(X, targets, weights)
    [machine], _ = reference(model, X, [targets], weights)
    assert_same(model, machine, rtol=1e-8)


@pytest.mark.parametrize("steps", ["asset", "adaptive"])
def test_fourier_features(data, steps):
    X, y, _, _ = data
    model = make("hinge", steps=steps, approximation="fourier").fit(X, y)
    [machine], (normal, phases) = reference(model, X, [y], typical=1.0, draw=frequencies)
    assert_same(model, machine)
    expected = np.sqrt(2.0 / 25) * np.cos(X @ normal * np.sqrt(2.0 * 0.3) + phases)
    np.testing.assert_allclose(features(model, X), expected, atol=1e-14)


@pytest.mark.parametrize("steps", ["asset", "adaptive"])
def test_one_machine_a_class(data, steps):
    X, _, values, _ = data
    y = np.digitize(values, [-0.5, 0.5])
    model = make("hinge", steps=steps).fit(X, y)
    machines, _ = reference(model, X, [np.where(y == place, 1.0, -1.0) for place in range(3)])
    for place, machine in enumerate(machines):
        np.testing.assert_allclose(model.component_coef_[place], machine.average * np.sqrt(machine.penalty), atol=1e-7)
        np.testing.assert_allclose(model.intercept_[place], machine.average_bias, atol=1e-8)


@pytest.mark.parametrize("steps", ["asset", "adaptive"])
@pytest.mark.parametrize("average_last", [0.5, 30])
def test_early_stopping(monkeypatch, data, steps, average_last):
    """Where the end is open there is no half of the planned steps: averages are those of recent iterates."""
    X, y, _, _ = data
    asked, scores = [], iter(range(9))

    def score(self, state, rows, labels, weights):
        asked.append(rows)
        return float(next(scores))

    monkeypatch.setattr(ApproximateSVC, "_validation_score", score)
    model = make("hinge", steps=steps, early_stopping=True, epochs=4, average_last=average_last).fit(X, y)
    held = np.flatnonzero(np.isin(X[:, 0], asked[0][:, 0]))
    [machine], _ = reference(model, X, [y], held=held)
    assert_same(model, machine, rtol=1e-8)
    assert np.abs(machine.average - machine.weights).max() > 1e-3 * np.abs(machine.weights).max()


def scale(rows):
    """Return the kernel of gamma="scale"."""
    spread = rows.var()
    gamma = 1.0 / (rows.shape[1] * spread) if spread else 1.0
    return lambda A, B: rbf_kernel(A, B, gamma=gamma)


@pytest.mark.parametrize("loss", ["hinge", "squared_epsilon_insensitive"])
@pytest.mark.parametrize("steps", [("asset", None), ("asset", 300), ("adaptive", None)], ids=str)
@pytest.mark.parametrize(("average_last", "gamma"), [(20, 0.3), (0.5, "scale")])
def test_streams(data, loss, steps, average_last, gamma):
    steps, n_total = steps
    X, y, values = (array[:140] for array in data[:3])
    targets = values if loss in REGRESSIONS else y
    model = make(loss, steps=steps, average_last=average_last, gamma=gamma, n_total=n_total)
    expected = Stream(
        scale if gamma == "scale" else lambda _: lambda A, B: rbf_kernel(A, B, gamma=0.3),
        25,
        SEED,
        C=3.0,
        loss=loss,
        epsilon=getattr(model, "epsilon", 0.0),
        steps=steps,
        average_last=average_last,
        n_total=10_000 if n_total is None else n_total,
    )
    answer = model.predict if loss in REGRESSIONS else model.decision_function
    for row in range(len(X)):
        model.partial_fit(X[row : row + 1], targets[row : row + 1])
        expected.learn(X[row], targets[row])
        if row in {0, 2, 3, 4, 15, 16, 40, 63, 64, 99, 100, 139}:
            decisions, wanted = answer(X), expected.decide(X)
            if len(np.unique(targets[: row + 1])) == 1:  # the sign is not decided while there is one class
                decisions, wanted = np.abs(decisions), np.abs(wanted)
            np.testing.assert_allclose(decisions, wanted, atol=1e-7 * (1.0 + np.abs(wanted).max()))
