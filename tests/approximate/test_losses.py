"""Single steps of the native machines: what they cost, and where they end."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from hinge import _core
from hinge._model.kernels import KernelSpec

from .common import losses
from .reference import descent, proximal

LOSSES = ["hinge", "squared_hinge", "log_loss", "epsilon_insensitive", "squared_epsilon_insensitive"]
EPSILON = 0.3
EXAMPLES = 1e9
NO_SHIFT = np.zeros(0)


def options(loss, *, adaptive=True):
    steps, total = "adaptive" if adaptive else "asset*", {"total": EXAMPLES, "penalty_total": EXAMPLES}
    return _core.LinearOptions(loss=loss, epsilon=EPSILON, intercept=False, steps=steps, cost=1.0, **total)


def bank(chosen, weights):
    """Return a machine over features that are the columns of X, ten steps after its start."""
    length = len(weights)
    kernel = KernelSpec("linear")
    landmarks, unit = _core.Batch64.dense(np.eye(length)), np.eye(length)
    native = _core.Map64.nystroem(kernel.native(np.float64), landmarks, np.arange(length), NO_SHIFT, unit)
    machine = _core.LinearModel64(native, np.ones(length), 1.0, chosen, 2)
    nothing = _core.Batch64.dense(np.zeros((10, length)))
    machine.learn(nothing, np.resize([1.0, -1.0], 10), np.ones(10), 0, np.arange(10))
    machine.recall(machine.state() | {"weights": weights, "average": weights})
    return machine


def step(loss, answer, target, weight, x, *, adaptive=True):
    """Return how far one step goes, in units of the row, and the square of the row's length."""
    machine = bank(options(loss, adaptive=adaptive), np.array([answer, 0.0]))
    row = np.array([[1.0, x]])
    label = target if loss.endswith("insensitive") else float(target > 0)
    machine.learn(_core.Batch64.dense(row), np.array([label]), np.array([weight]), 0, np.array([0]))
    return machine.state()["weights"][1] / x, 1.0 + x * x


def strength(loss, weight, target):
    """Return the strength of a step: how far it goes when the loss is far from being zero, and rises linearly."""
    linear = "epsilon_insensitive" if loss == "epsilon_insensitive" else "hinge"
    size, _ = step(linear, -1e20 * target, target, weight, 1.0)
    return abs(size)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("weight", [1e-6, 0.03, 1.0, 40.0, 1e6])
@pytest.mark.parametrize("x", [0.01, 1.0, 30.0])
def test_proximal_steps_solve_their_problem(loss, weight, x):
    for answer in (-30.0, -2.0, -0.1, 0.0, 0.65, 1.4, 12.0):
        for target in (-1.0, 1.0):
            size, reach = step(loss, answer, target, weight, x)
            force = strength(loss, weight, target)
            expected = proximal(loss, answer, target, force, reach, epsilon=EPSILON)
            np.testing.assert_allclose(size, expected, rtol=1e-8, atol=1e-14 * (1.0 + abs(answer)))
            if weight in {0.03, 1.0, 40.0}:
                assert_minimal((loss, answer, target), force, reach, size)


def assert_minimal(example, force, reach, size):
    loss, answer, target = example

    def cost(c):
        return force * losses(loss, answer + c * reach, target, EPSILON) + 0.5 * c * c * reach

    farthest = 1.5 * force * max(1.0, abs(descent(loss, answer, target, EPSILON)))
    best = minimize_scalar(cost, bounds=(-farthest, farthest), method="bounded", options={"xatol": 1e-12})
    assert cost(size) <= best.fun + 1e-9 * (1.0 + abs(best.fun))


@pytest.mark.parametrize("loss", LOSSES)
def test_steps_of_the_paper(loss):
    """They are subgradient steps, except on squared losses, on which they would swing."""
    for answer in (-800.0, -30.0, -0.1, 0.0, 0.65, 1.4, 12.0, 800.0):
        for target in (-1.0, 1.0):
            size, reach = step(loss, answer, target, 1e-9, 1.0, adaptive=False)
            force = 1e-9 * EXAMPLES / 11  # eta is 1 / (lambda t)
            if loss.startswith("squared"):
                expected = proximal(loss, answer, target, force, reach, epsilon=EPSILON)
            else:
                expected = force * descent(loss, answer, target, EPSILON)
            np.testing.assert_allclose(size, expected, rtol=1e-9, atol=1e-300)


@pytest.mark.parametrize("adaptive", [True, False])
@pytest.mark.parametrize("loss", LOSSES)
def test_huge_and_tiny_arguments(loss, adaptive):
    for answer in (0.0, 1e-300, 1e5, 1e100, -1e100):
        for weight in (1e-300, 1.0, 1e25):
            size, reach = step(loss, answer, 1.0, weight, 1.0, adaptive=adaptive)
            assert np.isfinite(size)
            if adaptive:  # such a step does not go beyond where the loss is next to nothing
                end, slack = answer + size * reach, 1e-9 * abs(answer)
                assert min(answer, 1.0) - slack <= end <= max(answer, 500.0) + slack


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("answers", [[-3.0, -0.5, 0.0, 0.2, 0.9, 1.1, 2.0, 6.0], [-1e4, 1e4], [-1e-9, 1e-9]])
@pytest.mark.usefixtures("asking_at_once")
def test_values(loss, answers):
    """The mean loss is reported to whoever watches; rows of next to no weight leave the machine as it is."""
    seen = []
    machine = bank(options(loss), np.ones(1))
    rows, targets = np.array(answers)[:, None], np.resize([1.0, -1.0, 1.0], len(answers))
    labels = targets if loss.endswith("insensitive") else (targets > 0).astype(float)
    weights, order = np.full(len(answers), 1e-300), np.arange(len(answers))

    def watch(progress):
        seen.append((progress.seen, progress.measure))
        return True

    machine.learn(_core.Batch64.dense(rows), labels, weights, 0, order, watch)
    assert seen[-1][0] == len(answers)
    np.testing.assert_allclose(seen[-1][1], losses(loss, rows[:, 0], targets, EPSILON).mean(), rtol=1e-13)
