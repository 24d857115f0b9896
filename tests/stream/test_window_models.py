"""The native window models and their vote against slow references."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics.pairwise import rbf_kernel

from hinge import _core

GAMMA, TOL = 0.5, 1e-7


def _model(windows, *, tol=TOL, limit=0.0, factors=(1.0,), max_updates=1_000_000):
    return _core.AdaptiveModel(3, _core.Kernel("rbf", GAMMA), False, list(factors), windows, limit, tol, max_updates)


def _stream(n, classes, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    noise = rng.normal(scale=0.4, size=(n, classes))
    y = (np.sin(2 * X) @ rng.normal(size=(3, classes)) + noise).argmax(axis=1)
    return X, y.astype(np.int32)


def _reference(X, y, queries, C, gamma=GAMMA):
    """Solve the dual by many sweeps of coordinate ascent; return decision values."""
    K = rbf_kernel(X, gamma=gamma) + 1.0
    low, high = np.minimum(0, C * y), np.maximum(0, C * y)  # C may differ from example to example
    alpha, gradient = np.zeros(len(y)), y.astype(float)
    for _ in range(3000):
        for i in range(len(y)):
            step = np.clip(alpha[i] + gradient[i] / K[i, i], low[i], high[i]) - alpha[i]
            alpha[i] += step
            gradient -= step * K[i]
        if np.where(alpha < high, gradient, 0).max() < 1e-8 and np.where(alpha > low, gradient, 0).min() > -1e-8:
            break
    return (rbf_kernel(queries, X, gamma=gamma) + 1.0) @ alpha


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("C", [0.3, 5.0])
def test_windows_are_solved_exactly(classes, C):
    X, y = _stream(90, classes)
    lengths, factors = (7, 30), (0.5, 2.0)
    windows = [(kernel, length, C, False) for kernel in (0, 1) for length in lengths]
    model = _model(windows, factors=factors)
    for row, label in zip(X, y, strict=True):
        model.learn(row, int(label))
    queries = X[:20] + 0.1
    decisions = model.decide(queries)
    for number, (kernel, window, _, _) in enumerate(windows):
        for target in range(classes):
            signs = np.where(y[-window:] == target, 1.0, -1.0)
            expected = _reference(X[-window:], signs, queries, C, GAMMA * factors[kernel])
            np.testing.assert_allclose(decisions[:, number, target], expected, atol=2e-4)
    assert model.duality_gaps().max() < 1e-3


def test_forgetting_gives_the_model_that_never_saw_the_examples():
    X, y = _stream(120, 3)
    windows = [(0, 25, 1.0, False), (0, 80, 1.0, False)]
    whole, last = _model(windows), _model(windows)
    for row, label in zip(X, y, strict=True):
        whole.learn(row, int(label))
    whole.forget_before(80)
    last.learn(X[80], 2)  # makes all classes known, then leaves
    for row, label in zip(X[80:], y[80:], strict=True):
        last.learn(row, int(label))
    last.forget_before(1)
    np.testing.assert_allclose(whole.decide(X[:30]), last.decide(X[:30]), atol=1e-5)
    assert whole.held().tolist() == [25, 40]
    for row, label in zip(X[:60], y[:60], strict=True):  # and it goes on
        whole.learn(row, int(label))
        last.learn(row, int(label))
    np.testing.assert_allclose(whole.decide(X[:30]), last.decide(X[:30]), atol=1e-5)


def test_a_selective_window_takes_informative_examples_only():
    X, y = _stream(400, 2)
    y[:] = X[:, 0] > 0
    X[:, 0] += np.where(y, 1.0, -1.0)  # easy
    model = _model([(0, 300, 1.0, False), (0, 300, 1.0, True)])
    for row, label in zip(X, y, strict=True):
        model.learn(row, int(label))
    everything, informative = model.held()
    assert everything == 300
    assert informative < 200  # of 400
    guesses = model.decide(X).argmax(axis=2)
    assert (guesses == y[:, None]).mean(axis=0).min() > 0.99


def test_standardisation_makes_units_irrelevant():
    X, y = _stream(200, 2)
    scale, shift = np.array([1e-3, 1.0, 1e4]), np.array([5.0, -2.0, 1e5])
    plain, scaled = (_model([(0, 50, 1.0, False)], limit=5.0) for _ in range(2))
    for row, label in zip(X, y, strict=True):
        plain.learn(row, int(label))
        scaled.learn(row * scale + shift, int(label))
    np.testing.assert_allclose(plain.decide(X), scaled.decide(X * scale + shift), atol=1e-3)


@pytest.mark.parametrize("cut", [1, 40, 150])
def test_restored_models_go_on_identically(cut):
    X, y = _stream(250, 3)
    windows = [(0, 20, 1.0, False), (1, 60, 2.0, False), (1, 30, 1.0, True)]
    options = (3, _core.Kernel("rbf", 1 / 3), True, [0.5, 2.0], windows, 5.0, 0.01, 2000)
    model = _core.AdaptiveModel(*options)
    for row, label in zip(X[:cut], y[:cut], strict=True):
        model.learn(row, int(label))
    restored = _core.AdaptiveModel(3, _core.Kernel("rbf", model.gamma), *options[2:], model.state(), model.n_seen)
    np.testing.assert_array_equal(model.decide(X[:50]), restored.decide(X[:50]))
    for row, label in zip(X[cut:], y[cut:], strict=True):
        assert model.learn(row, int(label)) == restored.learn(row, int(label))
    np.testing.assert_array_equal(model.decide(X[:50]), restored.decide(X[:50]))


@pytest.mark.parametrize("name", ["places", "values", "labels", "alpha"])
def test_damaged_arrays_are_refused(name):
    X, y = _stream(30, 2)
    options = (3, _core.Kernel("rbf", 1.0), False, [1.0], [(0, 20, 1.0, False)], 0.0, 0.01, 2000)
    model = _core.AdaptiveModel(*options)
    for row, label in zip(X, y, strict=True):
        model.learn(row, int(label))
    arrays = model.state()
    arrays[name] = arrays[name][:-1] if name in ("values", "alpha") else arrays[name] + 1000
    with pytest.raises(ValueError, match="do not fit together"):
        _core.AdaptiveModel(*options, arrays)


def test_weights_are_boxes():
    """An example of weight w has the box [0, w C]."""
    X, y = _stream(40, 2)
    weights = np.random.default_rng(1).uniform(0.2, 3.0, size=40)
    model = _model([(0, 40, 0.7, False)])
    for row, label, weight in zip(X, y, weights, strict=True):
        model.learn(row, int(label), weight)
    expected = _reference(X, np.where(y == 1, 1.0, -1.0), X, 0.7 * weights)
    np.testing.assert_allclose(model.decide(X)[:, 0, 1], expected, atol=2e-4)


def _softmax(values):
    raised = np.exp(2.0 * (values - values.max(axis=-1, keepdims=True)))
    return raised / raised.sum(axis=-1, keepdims=True)


@pytest.mark.parametrize("classes", [2, 4])
def test_votes_are_weighted_probabilities(classes):
    """Votes, weights and predictions follow from the decision values of the window models, row by row."""
    X, y = _stream(150, classes)
    model = _model([(0, 10, 1.0, False), (1, 40, 2.0, False)], factors=(0.5, 2.0), tol=0.01)
    share, repeats, last = _core.FixedShare(3, 0.5, 0.01), 0.5, -1
    for row, label in zip(X, y, strict=True):
        known, answer = model.n_classes, -1
        if known:
            values = model.decide(row[None])[0]
            previous = np.full(known, (1.0 - repeats) / max(known - 1, 1))
            previous[last] = repeats if known > 1 else 1.0
            expected = share.weights[:2] @ _softmax(values) + share.weights[2] * previous
            np.testing.assert_allclose(model.votes(row[None])[0], expected, atol=1e-12)
            answer = int(expected.argmax())
            share.update([*(values.argmax(axis=1) != label).tolist(), bool(last != label)])
            repeats += 0.01 * (float(last == label) - repeats)
        assert model.learn(row, int(label)) == answer
        last = int(label)
    np.testing.assert_allclose(model.state()["vote_weights"], share.weights, atol=1e-12)


def test_a_snapshot_keeps_its_answers():
    X, y = _stream(120, 3)
    model = _model([(0, 20, 1.0, False), (0, 30, 1.0, True)], tol=0.01, limit=5.0)
    for row, label in zip(X[:80], y[:80], strict=True):
        model.learn(row, int(label))
    before, snapshot = model.votes(X), model.predictor()
    for row, label in zip(X[80:], y[80:], strict=True):
        model.learn(row, int(label))
    np.testing.assert_array_equal(snapshot.votes(X), before)
    assert (model.votes(X) != before).any()
