"""Streams that forget: an example counts half after `half_life` further rows."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import LinearSVC

import hinge
from hinge import ApproximateSVC, ApproximateSVR
from hinge.exceptions import ParameterError

from .common import assert_identical, scaled_features
from .reference import Machine
from .test_reference import CLASSIFIERS, REGRESSIONS, data, make  # noqa: F401

SETTINGS = {"collecting": {"half_life": 30.0}, "skipping": {"half_life": 1000.0, "n_components": 5}}


def switching(n, *, every, seed=0):
    """Return a stream whose labels are swapped again and again."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, 3))
    is_positive = X[:, 0] + X[:, 1] * X[:, 2] > 0
    return X, (is_positive ^ ((np.arange(n) // every) % 2 == 1)).astype(int)


def moving(n, *, speed, seed=0):
    """Return a stream whose examples move away together with their rule."""
    random = np.random.default_rng(seed)
    Z = random.normal(size=(n, 2))
    return Z + speed * np.arange(n)[:, None], (Z[:, 0] * Z[:, 1] > 0).astype(int)


def progressive_errors(model, X, y, chunk=10):
    """Return whether each row was predicted wrongly before it was learned, except for the first ones."""
    model.partial_fit(X[:50], y[:50], classes=[0, 1])
    wrong = np.zeros(len(y))
    for start in range(50, len(y), chunk):
        rows = slice(start, start + chunk)
        wrong[rows] = model.predict(X[rows]) != y[rows]
        model.partial_fit(X[rows], y[rows])
    return wrong


@pytest.mark.parametrize("steps", ["asset", "adaptive"])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("loss", CLASSIFIERS + REGRESSIONS)
def test_steps_are_those_of_the_reference(data, loss, steps, intercept):  # noqa: F811
    X, y, values, weights = data
    targets = values if loss in REGRESSIONS else y
    common = {"steps": steps, "fit_intercept": intercept, "half_life": 20.0}
    model = make(loss, approximation="fourier", **common).partial_fit(X, targets, sample_weight=weights)
    sign = 1.0 if loss in REGRESSIONS or model._state.table.numbers[0] == 0 else -1.0
    options = {"C": 3.0, "loss": loss, "epsilon": getattr(model, "epsilon", 0.0), "intercept": intercept}
    machine = Machine(np.ones(25), 1.0, steps=steps, half_life=20.0, **options)
    machine.learn(scaled_features(model, X), sign * targets, weights)
    machine.average, machine.average_bias = sign * machine.average, sign * machine.average_bias
    np.testing.assert_allclose(model.component_coef_[0], machine.average, atol=1e-7 * np.abs(machine.average).max())
    np.testing.assert_allclose(model.intercept_, machine.average_bias, atol=1e-7)


@pytest.mark.parametrize("half_life", [1.0, 7.5, 300.0])
def test_examples_count_as_much_as_their_age_says(half_life):
    X, y = switching(400, every=1000)
    kept = 0.5 ** (1.0 / half_life)
    model = ApproximateSVC(half_life=half_life, approximation="fourier", n_components=8, gamma=0.3, random_state=0)
    model.partial_fit(X, y)
    assert model._state.native.state()["n_examples"][0] == pytest.approx((1 - kept**400) / (1 - kept))
    model.fit(X[:100], y[:100]).partial_fit(X[100:150], y[100:150])  # the rows of a training set are equally old
    expected = 100 * kept**50 + (1 - kept**50) / (1 - kept)
    assert model._state.native.state()["n_examples"][0] == pytest.approx(expected)


def test_fit_ignores_it():
    X, y = switching(200, every=1000)
    models = [ApproximateSVC(n_components=10, half_life=h, random_state=0).fit(X, y) for h in (None, 5.0)]
    assert_identical(*models)


def test_a_very_long_half_life_is_none():
    X, y = switching(500, every=1000)
    models = [ApproximateSVC(n_components=20, half_life=h, random_state=0).partial_fit(X, y) for h in (None, 1e12)]
    first, second = (model.decision_function(X) for model in models)
    np.testing.assert_allclose(first, second, atol=1e-6)


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
@pytest.mark.parametrize("kind", [ApproximateSVC, ApproximateSVR])
def test_saved_models_go_on(tmp_path, kind, settings):
    X, y = moving(500, speed=0.01)
    model = kind(**{"n_components": 10, "random_state": 0} | settings)
    for stop in (3, 90, 301):
        model.partial_fit(X[_seen(model) : stop], y[_seen(model) : stop])
        hinge.save(model, tmp_path / "model.hinge")
        for other in (hinge.load(tmp_path / "model.hinge"), pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
            assert_identical(model, other)
            rest = slice(stop, stop + 150)
            expected = copy.deepcopy(model).partial_fit(X[rest], y[rest])
            assert_identical(expected, other.partial_fit(X[rest], y[rest]))


def _seen(model):
    return model.n_seen_ if hasattr(model, "_state") else 0


def test_half_life_may_change():
    """A model may begin to forget after `fit`, and stop again; the map is then final."""
    X, y = moving(600, speed=0.01)
    model = ApproximateSVC(n_components=10, random_state=0).fit(X[:200], y[:200])
    before = model.support_vectors_.copy()
    model.set_params(half_life=20.0).partial_fit(X[200:500], y[200:500])
    assert model.support_vectors_.min() > before.max() - 5.0
    assert model.support_.min() >= 400
    model.set_params(half_life=None).partial_fit(X[500:], y[500:])
    assert model._state.reservoir is None


def test_labels_that_change():
    X, y = switching(3000, every=1000)
    forgetting = ApproximateSVC(C=10, n_components=50, half_life=100, random_state=0)
    lasting = ApproximateSVC(C=10, n_components=50, random_state=0)
    errors = progressive_errors(forgetting, X, y)
    assert errors[1000:].mean() < 0.5 * progressive_errors(lasting, X, y)[1000:].mean()
    assert errors[np.arange(3000) % 1000 >= 500].mean() < 0.1


def test_landmarks_follow_the_examples():
    X, y = moving(3000, speed=0.003)
    model = ApproximateSVC(gamma=0.5, n_components=40, half_life=200, random_state=0)
    wrong = progressive_errors(model, X, y)
    assert wrong[-1000:].mean() < 0.3  # without new landmarks, half of all answers are wrong
    assert model.support_.min() > 3000 - 3 * model._state.reservoir.capacity


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_new_map_keeps_the_decisions(n_classes):
    random = np.random.default_rng(0)
    X = random.normal(size=(1200, 2))
    y = np.digitize(X[:, 0] * X[:, 1], [-0.4, 0.4] if n_classes == 3 else [0.0])
    model = ApproximateSVC(gamma=0.5, n_components=60, half_life=480, random_state=0)
    model.partial_fit(X[:959], y[:959])
    before, landmarks = model.decision_function(X), set(model.support_)
    model.partial_fit(X[959:960], y[959:960])
    after = model.decision_function(X)
    assert landmarks.isdisjoint(model.support_)
    assert np.abs(after - before).mean() < 0.05 * np.abs(before).mean()


def test_rows_cannot_be_learned_again():
    X, y = switching(100, every=1000)
    model = ApproximateSVC(half_life=10, n_components=5, epochs=2, random_state=0)
    with pytest.raises(ParameterError, match="half_life must be None if rows are learned again, got 10"):
        model.fit(lambda: iter([(X, y)]))
    model.partial_fit(X, y)
    with pytest.raises(ParameterError, match="half_life must be None"):
        model.learn_again(X, y)
    assert model.set_params(epochs=1).fit(iter([(X, y)])).n_seen_ == 100


@pytest.mark.parametrize("wrong", [0, 0.5, -3, np.nan, np.inf, "10", True])
def test_bad_half_life(wrong):
    X, y = switching(20, every=1000)
    with pytest.raises(ParameterError, match="half_life must be"):
        ApproximateSVC(half_life=wrong).partial_fit(X, y)


def refitted_errors(X, y, half_life, moments, *, gamma, C=1.0):
    """Return the errors on the next hundred rows of a model refitted at each moment with weights that halve."""
    errors = []
    for moment in moments:
        weights = 0.5 ** (np.arange(moment)[::-1] / half_life)
        used = np.flatnonzero(weights > 1e-3)
        random = np.random.default_rng(0)
        drawn = random.choice(used, 100, replace=False, p=weights[used] / weights[used].sum())
        values, vectors = np.linalg.eigh(rbf_kernel(X[drawn], gamma=gamma))
        projection = vectors[:, values > 1e-10 * values[-1]] / np.sqrt(values[values > 1e-10 * values[-1]])

        def mapped(rows, drawn=drawn, projection=projection):
            return rbf_kernel(rows, X[drawn], gamma=gamma) @ projection

        exact = LinearSVC(C=C, loss="hinge", max_iter=100_000, tol=1e-2, intercept_scaling=3)
        exact.fit(mapped(X[used]), y[used], sample_weight=weights[used])
        after = slice(moment, moment + 100)
        errors.append(np.mean(exact.predict(mapped(X[after])) != y[after]))
    return np.array(errors)


@pytest.mark.slow
@pytest.mark.parametrize("half_life", [100, 400])
@pytest.mark.parametrize("stream", ["switching", "moving"])
def test_errors_are_near_those_of_refitted_models(stream, half_life):
    """The oracle is fitted from scratch at many moments, with the weights that the rows have at the time."""
    differences, moments = [], np.arange(1000, 5900, 350)
    for seed in range(3):
        X, y = switching(6000, every=2000, seed=seed) if stream == "switching" else moving(6000, speed=1e-3, seed=seed)
        model = ApproximateSVC(gamma=0.3, n_components=100, half_life=half_life, random_state=seed)
        wrong = progressive_errors(model, X, y)
        ours = np.array([wrong[moment : moment + 100].mean() for moment in moments])
        differences.append(np.mean(ours - refitted_errors(X, y, half_life, moments, gamma=0.3)))
    assert np.mean(differences) < 0.02
    assert np.max(differences) < 0.03
