"""Long random histories: whatever was learned, forgotten and relabelled, what counts is what is held."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from sklearn.metrics.pairwise import pairwise_kernels

from hinge import IncrementalSVC

KERNELS = {
    "linear": {},
    "rbf": {"gamma": 0.5},
    "poly": {"gamma": 0.5, "coef0": 1.0, "degree": 2},
    "laplacian": {"gamma": 0.3},
}
QUICK = settings(max_examples=60, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))
LONG = settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))


class History:
    """A model, and what it should hold: rows, labels and weights by id."""

    def __init__(self, parameters, features, *, sparse):
        self.model = IncrementalSVC(**parameters)
        self.parameters = parameters
        self.features = features
        self.container = csr_matrix if sparse else np.asarray
        self.held = {}
        self.count = 0

    def learn(self, random, labels, *, grid, weighted):
        n = len(labels)
        X = random.integers(-2, 3, (n, self.features)) * 1.0 if grid else random.normal(size=(n, self.features))
        weights = random.choice([0.0, 0.5, 1.0, 3.0], n) if weighted else np.ones(n)
        if not self.count and not weights.any():
            weights[0] = 1.0
        ids = [f"row {self.count + row}" for row in range(n)]
        self.model.partial_fit(self.container(X), labels, sample_weight=weights, ids=ids)
        self.count += n
        self.held.update(
            {name: (x, y, w) for name, x, y, w in zip(ids, X, labels, weights, strict=True) if w > 0},
        )

    def pick(self, random, share):
        names = [name for name in self.held if random.random() < share]
        return [names[place] for place in random.permutation(len(names))]

    def forget(self, names):
        self.model.forget(names)
        for name in names:
            del self.held[name]

    def relabel(self, names, labels):
        self.model.relabel(names, labels)
        for name, label in zip(names, labels, strict=True):
            self.held[name] = (self.held[name][0], label, self.held[name][2])

    def check(self):
        model = self.model
        assert model.ids_ == list(self.held)
        assert model.kkt_violation() <= 1e-6
        if not self.held:
            return
        X, y, weights = (np.array(part) for part in zip(*self.held.values(), strict=True))
        self.check_optimum(X, y, weights)
        fresh = IncrementalSVC(**self.parameters).partial_fit(self.container(X), y, sample_weight=weights)
        assert model.classes_.tolist() == fresh.classes_.tolist()
        np.testing.assert_allclose(model.dual_objective(), fresh.dual_objective(), rtol=1e-8, atol=1e-9)
        queries = np.vstack([X, np.random.default_rng(0).normal(size=(5, self.features))])
        np.testing.assert_allclose(model.decision_function(queries), fresh.decision_function(queries), atol=1e-6)

    def check_optimum(self, X, y, weights):
        """What the model shows closes the gap between the primal and the dual problem."""
        model, classes = self.model, self.model.classes_
        if len(classes) < 2:
            return
        places = {int(name.split()[1]): row for row, name in enumerate(self.held)}
        alpha = np.zeros((len(model.dual_coef_), len(y)))
        alpha[:, [places[place] for place in model.support_]] = model.dual_coef_
        targets = np.where(y == (classes[:, None] if len(classes) > 2 else classes[1]), 1.0, -1.0)
        costs = self.parameters["C"] * weights
        assert (alpha * targets >= -1e-9 * costs).all()
        assert (alpha * targets <= (1 + 1e-9) * costs).all()
        np.testing.assert_allclose(alpha.sum(axis=1), 0.0, atol=1e-8 * costs.sum())
        settled = {name: value for name, value in self.parameters.items() if name in ("gamma", "coef0", "degree")}
        sums = alpha @ pairwise_kernels(X, metric=self.parameters["kernel"], **settled)
        norm = 0.5 * (sums * alpha).sum()
        losses = np.maximum(0.0, 1.0 - targets * (sums + model.intercept_[:, None]))
        primal, dual = norm + (costs * losses).sum(), (alpha * targets).sum() - norm
        np.testing.assert_allclose(primal, dual, rtol=1e-8, atol=1e-9)
        np.testing.assert_allclose(model.dual_objective(), dual, rtol=1e-8, atol=1e-9)


@st.composite
def problems(draw):
    kernel = draw(st.sampled_from(sorted(KERNELS)))
    return {
        "parameters": KERNELS[kernel] | {"kernel": kernel, "C": draw(st.sampled_from([0.05, 1.0, 30.0]))},
        "features": draw(st.integers(1, 4)),
        "sparse": draw(st.booleans()),
        "grid": draw(st.booleans()),  # with exact duplicates and many events at once
        "weighted": draw(st.booleans()),
        "classes": draw(st.integers(1, 4)),
        "seed": draw(st.integers(0, 2**32 - 1)),
    }


def run(problem, steps):
    random = np.random.default_rng(problem["seed"])
    history = History(problem["parameters"], problem["features"], sparse=problem["sparse"])
    for step in steps:
        labels = random.integers(0, problem["classes"], 60)
        if step == "learn" or not history.count:
            size = int(random.integers(1, 9))
            history.learn(random, labels[:size], grid=problem["grid"], weighted=problem["weighted"])
        elif step == "forget":
            history.forget(history.pick(random, random.choice([0.1, 0.5])))
        elif step == "forget all":
            history.forget(list(history.held))
        else:
            names = history.pick(random, 0.3)[:60]
            history.relabel(names, labels[: len(names)])
        history.check()


STEPS = st.sampled_from(["learn", "learn", "learn", "forget", "relabel", "relabel", "forget all"])


@given(problems(), st.lists(STEPS, min_size=2, max_size=12))
@QUICK
def test_only_what_is_held_counts(problem, steps):
    run(problem, steps)


@pytest.mark.slow
@given(problems(), st.lists(STEPS, min_size=10, max_size=60))
@LONG
def test_long_histories(problem, steps):
    run(problem, steps)
