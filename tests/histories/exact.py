"""What holds for exact models: whatever was learned, forgotten and relabelled, what counts is what is held."""

from __future__ import annotations

import copy

import numpy as np
from sklearn.svm import SVC

import hinge

from .checks import kernel_values

EXACT = 1e-6  # of decisions, in units of the largest
PEER = 1e-10  # the tolerance of scikit-learn's machines


def check_held(machine):
    """A model holds what is expected, solves its problem, and is equal to one that never saw anything else."""
    model, expected = machine.model, machine.expected
    assert model.ids_ == list(expected.held)
    if machine.problem.wild or not expected.held:
        return
    assert model.kkt_violation() <= EXACT
    if expected.is_diverged:
        return
    check_optimum(machine)
    fresh, columns = fresh_model(machine)
    queries = machine.queries[:, columns]
    answers = model.decision_function(machine.queries)
    np.testing.assert_allclose(answers, fresh.decision_function(queries), atol=EXACT * (1 + np.abs(answers).max()))
    np.testing.assert_allclose(model.dual_objective(), fresh.dual_objective(), rtol=1e-8, atol=1e-8)


def fresh_model(machine):
    """Return a model that saw nothing but what is held, and the columns of queries that it knows."""
    model, held = machine.model, machine.expected.held.values()
    X, costs = np.array([example.x for example in held]), np.array([example.cost for example in held])
    columns = [example.place for example in held] if machine.problem.precomputed else slice(None)
    fresh = type(model)(**machine.parameters | {"max_examples": None, "gamma": model._state.kernel.gamma})
    if not machine.policy.is_classifier:
        fresh.set_params(C=model.C)
        weights = costs / (model.C or 1.0)
        return fresh.fit(X[:, columns], sample_weight=weights), columns
    fresh.set_params(C=1.0, class_weight=None)
    labels = np.array([example.label for example in held])
    if len(held) % 2 and set(labels.tolist()) == set(model.classes_.tolist()) and len(model.classes_) > 1:
        return fresh.fit(X[:, columns], labels, sample_weight=costs), columns
    return fresh.partial_fit(X[:, columns], labels, classes=model.classes_, sample_weight=costs), columns


def check_optimum(machine):
    """The coefficients that a model shows satisfy the conditions of its problem, worked out from nothing."""
    model, held = machine.model, list(machine.expected.held.values())
    X, costs = np.array([example.x for example in held]), np.array([example.cost for example in held])
    rows = {example.place: row for row, example in enumerate(held)}
    alpha = np.zeros((len(model.dual_coef_), len(held)))
    alpha[:, [rows[place] for place in model.support_]] = model.dual_coef_
    if not machine.policy.is_classifier:
        check_surface(model, X, alpha[0], costs)
    elif len(model.classes_) > 1:
        K = X[:, list(rows)] if machine.problem.precomputed else kernel_values(model, X, X)
        check_margin(model, K, np.array([example.label for example in held]), alpha, costs)


def check_margin(model, K, labels, alpha, costs):
    """Primal and dual objective are equal."""
    classes = model.classes_
    targets = np.where(labels == (classes[:, None] if len(classes) > 2 else classes[1]), 1.0, -1.0)
    assert (alpha * targets >= -1e-9 * costs).all()
    assert (alpha * targets <= (1 + 1e-9) * costs).all()
    np.testing.assert_allclose(alpha.sum(axis=1), 0.0, atol=1e-8 * costs.sum())
    sums = alpha @ K
    norm = 0.5 * (sums * alpha).sum()
    losses = np.maximum(0.0, 1.0 - targets * (sums + model.intercept_[:, None]))
    primal, dual = norm + (costs * losses).sum(), (alpha * targets).sum() - norm
    np.testing.assert_allclose(primal, dual, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(model.dual_objective(), dual, rtol=1e-8, atol=1e-8)


def check_peer(machine):
    """`SVC` agrees, as far as its tolerance allows.

    Its conditions are violated by at most `PEER`, so its duality gap is at most that times the costs, and half the
    squared distance of two weight vectors is at most the sum of their gaps. Constants, which may not be unique, are
    compared where an example is on the margin.
    """
    model, held = machine.model, list(machine.expected.held.values())
    labels = np.array([example.label for example in held])
    costs, places = np.array([example.cost for example in held]), [example.place for example in held]
    X = np.array([example.x for example in held])
    K = X[:, places] if machine.problem.precomputed else kernel_values(model, X, X)
    decisions = (model.decision_function(X) - model.intercept_).reshape(len(X), -1)
    free = model.n_margin_
    for place, label in enumerate(model.classes_ if len(model.classes_) > 2 else model.classes_[1:]):
        if not 0 < (labels == label).sum() < len(labels):
            continue
        peer = SVC(kernel="precomputed", C=1.0, tol=PEER).fit(K, labels == label, sample_weight=costs)
        slack = np.sqrt(4 * PEER * costs.sum() * K.max()) + 1e-9
        expected = peer.decision_function(K) - peer.intercept_
        np.testing.assert_allclose(decisions[:, place], expected, rtol=0, atol=slack)
        if free[place]:
            np.testing.assert_allclose(model.intercept_[place], peer.intercept_[0], rtol=0, atol=2 * slack)


def check_surface(model, X, alpha, costs):
    """Examples without a coefficient are inside, those with the largest one outside, others on the surface."""
    total = model.nu * costs.sum() if model.C is None else min(1.0, costs.sum())
    np.testing.assert_allclose(alpha.sum(), total, rtol=1e-9)
    assert (alpha >= 0).all()
    assert (alpha <= costs * (1 + 1e-9)).all()
    answers = model.decision_function(X)
    slack = EXACT * (1 + np.abs(answers).max())
    assert (answers[alpha < costs * (1 - 1e-9)] >= -slack).all()
    assert (answers[alpha > costs * 1e-9] <= slack).all()


def check_left_out(machine, seed):
    """What is said about an example left out is what a model says that has forgotten it."""
    model, held = machine.model, machine.expected.held
    if len(held) < 2:
        return
    before = model.decision_function(machine.queries)
    try:
        said = model.leave_one_out(*["decision_function"] * machine.policy.is_classifier)
    except hinge.DataError:  # too large for a number
        assert machine.problem.wild
        return
    assert len(said) == len(held)
    assert np.isfinite(said).all()
    np.testing.assert_array_equal(model.decision_function(machine.queries), before)
    if machine.problem.wild:
        return
    place = seed % len(held)
    name, example = list(held.items())[place]
    other = copy.deepcopy(model).forget([name])
    same = not machine.policy.is_classifier or other.classes_.tolist() == model.classes_.tolist()
    if same:
        expected = other.decision_function(example.x[None])[0]
        np.testing.assert_allclose(said[place], expected, atol=EXACT * (1 + np.abs(expected).max()))
