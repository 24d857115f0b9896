"""Parts of the experiments on incremental learning: the NumPy solver, the intrusion scenario, the window."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from experiments.incremental import fig8, intrusion
from experiments.incremental.memory_layouts import Contiguous, Gathered
from experiments.incremental.mnist_runs import GAMMA, SETTINGS, value
from experiments.incremental.numpy_solver import Plain
from hinge import IncrementalSVC
from hinge.datasets import Dataset


@pytest.fixture
def overlapping():
    random = np.random.default_rng(0)
    y = np.where(random.random(150) < 0.5, 1.0, -1.0)
    return random.normal(size=(150, 20)) + 0.3 * y[:, None], y


@pytest.mark.parametrize("layout", [Gathered, Contiguous])
@pytest.mark.parametrize("kernel", SETTINGS)
def test_plain_programmes_find_the_weights_of_the_library(overlapping, kernel, layout):
    X, y = overlapping
    X = X * np.sqrt(0.1 / GAMMA) if kernel == "rbf" else X
    machine = Plain(layout(X, y, partial(value, kernel)), 1.0)
    machine.learn(len(y))
    model = IncrementalSVC(C=1.0, **SETTINGS[kernel]).partial_fit(X, y)
    weights = np.zeros(len(y))
    weights[model.support_] = np.abs(model.dual_coef_[0])
    assert machine.alpha == pytest.approx(weights, abs=1e-6)
    assert machine.threshold == pytest.approx(model.intercept_[0], abs=1e-6)
    assert machine.n_support == len(model.support_)


def test_clocks_see_the_copies(overlapping):
    X, y = overlapping
    seen = {}
    for layout in (Gathered, Contiguous):
        machine = Plain(layout(X, y, partial(value, "linear")), 1.0)
        machine.learn(len(y))
        seen[layout] = set(machine.layout.clock.seconds)
    assert seen[Gathered] - seen[Contiguous] == {"selection", "gamma: matrix"}


def made_up(random, n=2_000):
    """Traffic with two kinds of attacks, one of them a flood."""
    labels = np.array(["normal."] * n + ["flood."] * n + ["probe."] * (n // 4))
    X = random.random(size=(len(labels), len(intrusion.LARGEST)))
    X[:, 0] += (labels != "normal.") + (labels == "probe.")
    return X / 3, labels


@pytest.fixture
def network():
    random = np.random.default_rng(0)
    return Dataset("made up", *made_up(random), *made_up(random), 1.0, 1.0)


def test_traffic(network):
    train, test = intrusion.traffic(network, seed=1)
    for rows in (train, test):
        assert len(rows.X) == 1_000
        assert rows.is_attack.sum() == 100
    assert train.X.min() == 0
    assert train.X.max() == 1
    assert np.array_equal(train.X, intrusion.traffic(network, seed=1)[0].X)


def test_scenario_is_sane(network):
    training, unseen = intrusion.scenario(*intrusion.traffic(network, seed=0), "linear")
    assert unseen["full SVM"].at(np.array([0.3]))[0] > 0.9
    assert unseen["reduced SVM"].n_support <= unseen["near boundary"].n_support
    for curve in (*training.values(), *unseen.values()):
        assert curve.at(np.array([1.0]))[0] == 1
        assert np.all(np.diff(curve.at(intrusion.RATES)) >= 0)


def test_sparse_expansion_is_optimal():
    points = np.random.default_rng(0).normal(size=(12, 30))
    gram, wanted = points @ points.T, np.linspace(-1, 1, 12)
    found = intrusion.sparse_expansion(gram, wanted, 6)
    slopes = gram @ (found - wanted)
    weight = np.abs(slopes).max()
    assert 0 < np.count_nonzero(found) <= 6
    assert slopes[found != 0] == pytest.approx(-weight * np.sign(found[found != 0]), rel=1e-6)


def test_least_weight_leaves(overlapping):
    X, y = overlapping
    machine = fig8._least_weight(X, y > 0, 40)
    assert len(machine.ids_) == 40
    again = IncrementalSVC(C=fig8.C, gamma=fig8.GAMMA).fit(X[machine.ids_], y[machine.ids_] > 0)
    assert machine.decision_function(X) == pytest.approx(again.decision_function(X), abs=1e-6)
