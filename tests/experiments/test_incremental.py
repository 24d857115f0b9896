"""Parts of the experiments on incremental learning: the paper's programs, the intrusion scenario, the window."""

from __future__ import annotations

import shutil
from functools import partial

import numpy as np
import pytest

from experiments.incremental import intrusion
from experiments.incremental.memory_layouts import ContiguousLayout, CopyingLayout
from experiments.incremental.mnist_runs import GAMMA, SETTINGS, kernel_values
from experiments.incremental.native_solver import ALGORITHM_3, ALGORITHM_4, COPIES, NativeSolver, _compile
from experiments.incremental.numpy_solver import NumpySolver
from hinge import IncrementalSVC
from hinge.datasets import Dataset


@pytest.fixture
def overlapping():
    random = np.random.default_rng(0)
    y = np.where(random.random(150) < 0.5, 1.0, -1.0)
    return random.normal(size=(150, 20)) + 0.3 * y[:, None], y


@pytest.mark.parametrize("layout", [CopyingLayout, ContiguousLayout])
@pytest.mark.parametrize("kernel", SETTINGS)
def test_numpy_solver_finds_the_coefficients_of_the_library(overlapping, kernel, layout):
    X, y = overlapping
    X = X * np.sqrt(0.1 / GAMMA) if kernel == "rbf" else X
    solver = NumpySolver(layout(X, y, partial(kernel_values, kernel)), 1.0)
    solver.learn(len(y))
    model = IncrementalSVC(C=1.0, **SETTINGS[kernel]).partial_fit(X, y)
    weights = np.zeros(len(y))
    weights[model.support_] = np.abs(model.dual_coef_[0])
    assert solver.alpha == pytest.approx(weights, abs=1e-6)
    assert solver.threshold == pytest.approx(model.intercept_[0], abs=1e-6)
    assert solver.n_support == len(model.support_)


LAYOUTS = [COPIES, ALGORITHM_4, ALGORITHM_3]
needs_compiler = pytest.mark.skipif(shutil.which("c++") is None, reason="needs a C++ compiler")


@needs_compiler
@pytest.mark.parametrize("C", [0.02, 1.0, 50.0])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("kernel", SETTINGS)
def test_native_solver_finds_the_coefficients_of_the_library(overlapping, kernel, layout, C):
    X, y = overlapping
    X = X * np.sqrt(0.1 / GAMMA) if kernel == "rbf" else X
    solver = NativeSolver(X, y, kernel=kernel, gamma=GAMMA, C=C, layout=layout)
    for until in (1, 40, len(y)):
        solver.learn(until)
        model = IncrementalSVC(C=C, **SETTINGS[kernel]).partial_fit(X[:until], y[:until], classes=[-1.0, 1.0])
        weights = np.zeros(len(y))
        weights[model.support_] = np.abs(model.dual_coef_[0])
        assert solver.alpha == pytest.approx(weights, abs=1e-6)
        assert solver.n_support == len(model.support_)
    assert solver.threshold == pytest.approx(model.intercept_[0], abs=1e-6)


@needs_compiler
def test_native_layouts_differ_in_what_they_copy(overlapping):
    X, y = overlapping
    seen, steps = {}, set()
    for layout in LAYOUTS:
        solver = NativeSolver(X, y, kernel="linear", gamma=1.0, C=1.0, layout=layout)
        solver.learn(len(y))
        seen[layout] = set(solver.seconds)
        steps.add(solver.n_steps)
    assert len(steps) == 1
    assert seen[COPIES] - seen[ALGORITHM_4] == {"selection"}
    assert seen[ALGORITHM_4] - seen[ALGORITHM_3] == {"gamma: matrix"}


def test_without_a_compiler_cells_are_skipped(monkeypatch):
    monkeypatch.setenv("CXX", "no-such-compiler")
    with pytest.raises(FileNotFoundError, match="need a C\\+\\+ compiler, and no-such-compiler was not found; set CXX"):
        _compile()


def test_only_the_copying_layout_spends_time_on_copies(overlapping):
    X, y = overlapping
    seen = {}
    for layout in (CopyingLayout, ContiguousLayout):
        solver = NumpySolver(layout(X, y, partial(kernel_values, "linear")), 1.0)
        solver.learn(len(y))
        seen[layout] = set(solver.layout.clock.seconds)
    assert seen[CopyingLayout] - seen[ContiguousLayout] == {"selection", "gamma: matrix"}


def random_traffic(random, n=2_000):
    """Return connections with two kinds of attacks, one of them a flood."""
    labels = np.array(["normal."] * n + ["flood."] * n + ["probe."] * (n // 4))
    X = random.random(size=(len(labels), len(intrusion.LARGEST)))
    X[:, 0] += (labels != "normal.") + (labels == "probe.")
    return X / 3, labels


@pytest.fixture
def network():
    random = np.random.default_rng(0)
    return Dataset("made up", *random_traffic(random), *random_traffic(random), 1.0, 1.0)


def test_traffic_has_one_attack_in_ten(network):
    train, test = intrusion.traffic(network, seed=1)
    for rows in (train, test):
        assert len(rows.X) == 1_000
        assert rows.is_attack.sum() == 100
    assert train.X.min() == 0
    assert train.X.max() == 1
    assert np.array_equal(train.X, intrusion.traffic(network, seed=1)[0].X)


def test_rankings_are_plausible(network):
    training, unseen = intrusion.compare_rankings(*intrusion.traffic(network, seed=0), "linear")
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
