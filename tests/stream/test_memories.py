"""The native memories against a slow reference."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics.pairwise import rbf_kernel

from hinge import _core

GAMMA, TOL = 0.5, 1e-7


def _memories(choices, *, features=3, tol=TOL, limit=0.0, factors=(1.0,), max_updates=1_000_000):
    return _core.Memories(features, _core.Kernel("rbf", GAMMA), list(factors), choices, limit, tol, max_updates)


def _stream(n, classes, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    noise = rng.normal(scale=0.4, size=(n, classes))
    y = (np.sin(2 * X) @ rng.normal(size=(3, classes)) + noise).argmax(axis=1)
    return X, y.astype(np.int32)


def _reference(X, y, queries, C, gamma=GAMMA):
    """Solve the dual by many sweeps of coordinate ascent; return decision values."""
    K = rbf_kernel(X, gamma=gamma) + 1.0
    low, high = np.minimum(0, C * y), np.maximum(0, C * y)
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
    windows, factors = (7, 30), (0.5, 2.0)
    choices = [(kernel, window, C, False) for kernel in (0, 1) for window in windows]
    memories = _memories(choices, factors=factors)
    for row, label in zip(X, y, strict=True):
        memories.learn(row, int(label))
    queries = X[:20] + 0.1
    decisions = memories.decide(queries)
    for number, (kernel, window, _, _) in enumerate(choices):
        for target in range(classes):
            signs = np.where(y[-window:] == target, 1.0, -1.0)
            expected = _reference(X[-window:], signs, queries, C, GAMMA * factors[kernel])
            np.testing.assert_allclose(decisions[:, number, target], expected, atol=2e-4)
    assert memories.duality_gaps().max() < 1e-3


def test_forgetting_gives_the_model_that_never_saw_the_examples():
    X, y = _stream(120, 3)
    choices = [(0, 25, 1.0, False), (0, 80, 1.0, False)]
    whole, last = _memories(choices), _memories(choices)
    for row, label in zip(X, y, strict=True):
        whole.learn(row, int(label))
    whole.keep_last(40)
    last.learn(X[80], 2)  # makes all classes known, then leaves
    for row, label in zip(X[80:], y[80:], strict=True):
        last.learn(row, int(label))
    last.keep_last(40)
    np.testing.assert_allclose(whole.decide(X[:30]), last.decide(X[:30]), atol=1e-5)
    assert whole.held().tolist() == [25, 40]
    for row, label in zip(X[:60], y[:60], strict=True):  # and it goes on
        whole.learn(row, int(label))
        last.learn(row, int(label))
    np.testing.assert_allclose(whole.decide(X[:30]), last.decide(X[:30]), atol=1e-5)


def test_selective_memory_takes_informative_examples_only():
    X, y = _stream(400, 2)
    y[:] = X[:, 0] > 0
    X[:, 0] += np.where(y, 1.0, -1.0)  # easy
    memories = _memories([(0, 300, 1.0, False), (0, 300, 1.0, True)])
    for row, label in zip(X, y, strict=True):
        memories.learn(row, int(label))
    everything, informative = memories.held()
    assert everything == 300
    assert informative < 200  # of 400
    guesses = memories.decide(X).argmax(axis=2)
    assert (guesses == y[:, None]).mean(axis=0).min() > 0.99


def test_standardisation_makes_units_irrelevant():
    X, y = _stream(200, 2)
    scale, shift = np.array([1e-3, 1.0, 1e4]), np.array([5.0, -2.0, 1e5])
    plain, scaled = (_memories([(0, 50, 1.0, False)], limit=5.0) for _ in range(2))
    for row, label in zip(X, y, strict=True):
        plain.learn(row, int(label))
        scaled.learn(row * scale + shift, int(label))
    np.testing.assert_allclose(plain.decide(X), scaled.decide(X * scale + shift), atol=1e-3)


@pytest.mark.parametrize("cut", [1, 40, 150])
def test_restored_memories_go_on_identically(cut):
    X, y = _stream(250, 3)
    choices = [(0, 20, 1.0, False), (1, 60, 2.0, False), (1, 30, 1.0, True)]
    options = (3, _core.Kernel("rbf", -1.0), [0.5, 2.0], choices, 5.0, 0.01, 2000)
    memories = _core.Memories(*options)
    for row, label in zip(X[:cut], y[:cut], strict=True):
        memories.learn(row, int(label))
    restored = _core.Memories(*options, memories.to_arrays())
    np.testing.assert_array_equal(memories.decide(X[:50]), restored.decide(X[:50]))
    for row, label in zip(X[cut:], y[cut:], strict=True):
        np.testing.assert_array_equal(memories.learn(row, int(label)), restored.learn(row, int(label)))


@pytest.mark.parametrize("name", ["places", "rows", "classes", "coefficients"])
def test_damaged_arrays_are_refused(name):
    X, y = _stream(30, 2)
    options = (3, _core.Kernel("rbf", 1.0), [1.0], [(0, 20, 1.0, False)], 0.0, 0.01, 2000)
    memories = _core.Memories(*options)
    for row, label in zip(X, y, strict=True):
        memories.learn(row, int(label))
    arrays = memories.to_arrays()
    arrays[name] = arrays[name][:-1] if name in ("rows", "coefficients") else arrays[name] + 1000
    with pytest.raises(ValueError, match="do not fit together"):
        _core.Memories(*options, arrays)
