"""The solution agrees with LIBSVM after every step."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.datasets import make_moons
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.svm import SVC

from hinge import IncrementalSVC

KERNELS = {
    "linear": {},
    "rbf": {"gamma": 0.7},
    "poly": {"gamma": 0.5, "coef0": 1.0, "degree": 2},
    "sigmoid": {"gamma": 0.05, "coef0": 0.0},
    "laplacian": {"gamma": 0.4},
}


def kernel_matrix(kernel, X, Y=None):
    return pairwise_kernels(X, Y, metric=kernel, **KERNELS[kernel])


def solve_with_svc(K, y, weights=None, C=1.0):
    """Return the dual objective of LIBSVM and its decision values for all rows."""
    machine = SVC(kernel="precomputed", tol=1e-10, C=C).fit(K, y, weights)
    alpha = machine.dual_coef_.ravel()
    held = np.ix_(machine.support_, machine.support_)
    return np.abs(alpha).sum() - 0.5 * alpha @ K[held] @ alpha, machine.decision_function(K)


@pytest.mark.parametrize("container", [np.asarray, csr_matrix])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("C", [0.3, 10.0])
@pytest.mark.parametrize("kernel", KERNELS)
def test_two_classes(two, kernel, C, weighted, container):
    X, y = two
    weights = np.random.default_rng(1).uniform(0.1, 3.0, len(y)) if weighted else None
    model = IncrementalSVC(kernel=kernel, C=C, **KERNELS[kernel]).fit(container(X), y, weights)
    objective, decisions = solve_with_svc(kernel_matrix(kernel, X), y, weights, C)
    np.testing.assert_allclose(model.dual_objective(), objective, rtol=1e-8)
    np.testing.assert_allclose(model.decision_function(X), decisions, atol=1e-4)
    assert model.kkt_violation() <= 1e-6
    assert model.kkt_violation(container(X), y, weights) <= 1e-6
    assert model.duality_gap() <= 1e-7 * objective


@pytest.mark.parametrize("container", [np.asarray, csr_matrix])
@pytest.mark.parametrize("kernel", KERNELS)
def test_several_classes(three, kernel, container):
    X, y = three
    model = IncrementalSVC(kernel=kernel, **KERNELS[kernel]).fit(container(X), y)
    parts = [solve_with_svc(kernel_matrix(kernel, X), y == label) for label in range(3)]
    np.testing.assert_allclose(model.dual_objective(), sum(objective for objective, _ in parts), rtol=1e-8)
    expected = np.column_stack([decisions for _, decisions in parts])
    np.testing.assert_allclose(model.decision_function(X), expected, atol=1e-4)
    assert model.kkt_violation() <= 1e-6


def test_precomputed_kernels_and_kernel_functions(two):
    X, y = two
    model = IncrementalSVC(gamma=0.7).fit(X, y)
    K = kernel_matrix("rbf", X)
    for other, rows in (
        (IncrementalSVC(kernel="precomputed"), K),
        (IncrementalSVC(kernel=lambda A, B: kernel_matrix("rbf", A, B)), X),
    ):
        other.fit(rows, y)
        np.testing.assert_allclose(other.decision_function(rows), model.decision_function(X), atol=1e-8)


@pytest.mark.parametrize("class_weight", [{0: 0.5, 1: 4.0}, "balanced"])
def test_class_weights(two, class_weight):
    X, y = two
    y = np.where(np.arange(120) % 3 == 0, y, 0)
    model = IncrementalSVC(gamma=0.7, class_weight=class_weight).fit(X, y)
    reference = SVC(gamma=0.7, tol=1e-10, class_weight=class_weight).fit(X, y)
    np.testing.assert_allclose(model.decision_function(X), reference.decision_function(X), atol=1e-5)


def test_optimal_after_every_step(two):
    X, y = two
    K, model = kernel_matrix("rbf", X), IncrementalSVC(gamma=0.7, C=5.0)
    for row in range(len(y)):
        model.partial_fit(X[row : row + 1], y[row : row + 1], classes=[0, 1])
        assert model.kkt_violation() <= 1e-6
        if len(set(y[: row + 1])) == 2:
            objective, _ = solve_with_svc(K[: row + 1, : row + 1], y[: row + 1], C=5.0)
            np.testing.assert_allclose(model.dual_objective(), objective, rtol=1e-8)
    for row in range(len(y) - 10):
        model.forget(row)
        assert model.kkt_violation() <= 1e-6
        objective, _ = solve_with_svc(K[row + 1 :, row + 1 :], y[row + 1 :], C=5.0)
        np.testing.assert_allclose(model.dual_objective(), objective, rtol=1e-8)


def test_order_does_not_matter(three):
    X, y = three
    expected = IncrementalSVC(gamma=0.5).fit(X, y).decision_function(X)
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(len(y))
        model = IncrementalSVC(gamma=0.5).partial_fit(X[order], y[order])
        np.testing.assert_allclose(model.decision_function(X), expected, atol=1e-7)


@pytest.mark.parametrize("cycles", [700, pytest.param(10_000, marks=pytest.mark.slow)])
def test_thousands_of_learn_and_forget_cycles(cycles):
    X, y = make_moons(40, noise=0.3, random_state=0)
    model, random = IncrementalSVC(gamma=1.0, C=3.0).fit(X, y), np.random.default_rng(0)
    expected = model.decision_function(X)
    for _ in range(cycles):
        row = int(random.integers(40))
        model.forget(row) if random.random() < 0.5 else model.relabel(row, 1 - y[row])
        if row in model.ids_:
            model.relabel(row, y[row])
        else:
            model.partial_fit(X[row : row + 1], y[row : row + 1], ids=[row])
    np.testing.assert_allclose(model.decision_function(X), expected, atol=1e-8)
    assert model.kkt_violation() <= 1e-9
