"""Which example leaves a full window."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_digits, make_circles, make_classification, make_moons

import hinge
from hinge import IncrementalOneClassSVM, IncrementalSVC, OnlineSVC

from .common import make

RULES = ["balanced", "relevance", "weight", "age"]


class Brute:
    """A window over two classes that is solved from scratch for each row, and evicts as documented."""

    def __init__(self, rule, size):
        self.rule, self.size, self.held, self.mistaken = rule, size, [], set()

    def learn(self, X, y):
        for row in range(len(y)):
            if len(self.held) == self.size:
                self.held.remove(self.leaving(self.fitted(X, y), X, y, row))
            decision = self.fitted(X, y).decision_function(X[row : row + 1])[0] if self.held else 0.0
            if (2 * y[row] - 1) * decision <= 0:
                self.mistaken.add(row)
            self.held.append(row)

    def fitted(self, X, y):
        return make().partial_fit(X[self.held], y[self.held], classes=[0, 1])

    def leaving(self, model, X, y, seen):
        held = np.array(self.held)
        alpha = np.zeros(len(held))
        alpha[np.searchsorted(held, held[model.support_])] = np.abs(model.dual_coef_[0])
        slack = 1 - (2 * y[held] - 1) * model.decision_function(X[held])
        if self.rule == "age":
            return held[0]
        if self.rule == "weight":
            return held[np.argmin(np.where(alpha == 0, slack - 1e9, alpha))]
        mistaken = np.isin(held, list(self.mistaken))
        old = np.arange(len(held)) < len(held) - int(min(1, 3 * len(self.mistaken) / seen) * len(held))
        wrong = [np.mean(np.isin(np.flatnonzero(y[:seen] == label), list(self.mistaken))) for label in (0, 1)]
        excess = [np.sum(mistaken[y[held] == label]) - wrong[label] * np.sum(y[held] == label) for label in (0, 1)]
        counts, shares = np.bincount(y[held], minlength=2), np.bincount(y[:seen], minlength=2) / seen
        may_leave = (counts > np.maximum(1, np.minimum(shares, 0.5) * len(held) - 1))[y[held]]
        noise = mistaken & old & (y[held] == np.argmax(excess)) & may_leave
        if max(excess) > 1 and noise.any():
            return held[np.argmax(noise)]
        idle = (alpha == 0) & ~mistaken & old & may_leave
        return held[np.argmin(np.where(idle, slack, np.inf)) if idle.any() else np.argmax(may_leave)]


@pytest.mark.parametrize("rule", ["balanced", "weight", "age"])
@pytest.mark.parametrize("noise", [0.1, 0.5])
def test_evicts_as_documented(rule, noise):
    X, y = make_moons(90, noise=noise, random_state=3)
    brute = Brute(rule, 25)
    brute.learn(X, y)
    assert make(max_examples=25, eviction=rule).partial_fit(X, y).ids_ == brute.held


@pytest.mark.parametrize("size", [100, pytest.param(300, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    ("make_points", "settings"), [(make_moons, {"noise": 0.35}), (make_circles, {"noise": 0.1, "factor": 0.5})]
)
def test_the_default_survives_noise(make_points, settings, size):
    errors = {"balanced": [], "age": []}
    for seed in range(4):
        X, y = make_points(5000, random_state=seed, **settings)
        clean = y[2000:]
        y = np.where(np.random.default_rng(seed).random(5000) < (0.2 if "factor" in settings else 0.0), 1 - y, y)
        for rule, found in errors.items():
            model = IncrementalSVC(max_examples=size, eviction=rule, gamma=1.0).partial_fit(X[:2000], y[:2000])
            found.append(1 - model.score(X[2000:], clean))
    assert np.mean(errors["balanced"]) <= np.mean(errors["age"]) + 0.01


def several_classes(n_classes, seed):
    """1000 rows to learn and 1000 to test with, and a usual gamma."""
    X, y = make_classification(
        2000, 10, n_informative=6, n_classes=n_classes, n_clusters_per_class=1, random_state=seed
    )
    return X[:1000], y[:1000], X[1000:], y[1000:], 1 / (10 * X[:1000].var())


@pytest.mark.parametrize(("n_classes", "size", "C"), [(2, 100, 0.05), (4, 200, 0.1)])
def test_the_default_at_small_c(n_classes, size, C):
    """Each class against the rest is ignored, so that mistakes say nothing about noise."""
    scores = {"balanced": [], "age": []}
    for seed in range(4):
        X, y, X_test, y_test, gamma = several_classes(n_classes, seed)
        for rule, found in scores.items():
            model = IncrementalSVC(C=C, gamma=gamma, max_examples=size, eviction=rule).partial_fit(X, y)
            found.append(model.score(X_test, y_test))
    assert np.mean(scores["balanced"]) >= np.mean(scores["age"]) - 0.01


@pytest.mark.parametrize(("n_classes", "size", "C"), [(2, 100, 0.05), (4, 200, 0.1)])
@pytest.mark.parametrize("seed", range(3))
def test_no_class_becomes_rare_at_small_c(n_classes, size, C, seed):
    X, y, _, _, gamma = several_classes(n_classes, seed)
    for model in (IncrementalSVC(C=C, gamma=gamma, max_examples=size), OnlineSVC(C=C, gamma=gamma, max_support=size)):
        assert_no_class_is_rarer(model.partial_fit(X, y), y, size)


def assert_no_class_is_rarer(model, y, size):
    """No binary model holds less of a class than the stream had, up to the example that came last."""
    arrays = model._state.native.state()
    owners = np.repeat(np.arange(len(arrays["member_counts"])), arrays["member_counts"])
    labels = arrays["labels"][arrays["members"]]
    for m in range(len(arrays["member_counts"])):
        positive = 1 if len(arrays["member_counts"]) == 1 else m
        share, held = np.mean(y == positive), np.sum(labels[owners == m] == positive)
        assert held >= size * min(share, 0.5) - 4
        assert size - held >= size * min(1 - share, 0.5) - 4


def test_the_default_keeps_what_matters_in_clean_data():
    X, y = load_digits(return_X_y=True)
    scores = {
        rule: IncrementalSVC(max_examples=100, eviction=rule, gamma=0.001)
        .partial_fit(X[:900], y[:900])
        .score(X[900:], y[900:])
        for rule in RULES
    }
    assert scores["balanced"] >= max(scores.values()) - 0.025
    assert scores["balanced"] >= scores["age"] + 0.05


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("turn", [0.0, 0.3, 1.2])
def test_of_equal_rows_the_oldest_leaves(rule, turn):
    """Rounding does not decide: a rotation changes the last digits of all kernel values, and no choice."""
    X, y = make_moons(20, noise=0.1, random_state=0)
    X, y = np.vstack([X, np.repeat([[-2.0, 1.5]], 60, axis=0)]), np.append(y, np.zeros(60, int))
    turned = X @ np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    model = make(C=100.0, max_examples=40, eviction=rule).partial_fit(turned, y)
    copies = [number for number in model.ids_ if number >= 20]
    assert copies == list(range(80 - len(copies), 80))
    assert len(copies) >= 20


@pytest.mark.parametrize("kinds", [2, 3])
def test_a_loaded_window_evicts_as_before(tmp_path, kinds):
    X, y = make_moons(400, noise=0.4, random_state=1)
    y = np.where((X[:, 0] > 1.5) & (kinds > 2), 2, y)
    model = make(max_examples=30).partial_fit(X[:200], y[:200])
    hinge.save(model, tmp_path / "model.hinge")
    loaded = hinge.load(tmp_path / "model.hinge").partial_fit(X[200:], y[200:])
    assert loaded.ids_ == model.partial_fit(X[200:], y[200:]).ids_


@pytest.mark.parametrize("rule", ["age", "relevance", "weight"])
def test_one_class_windows(rule):
    X = np.random.default_rng(0).normal(size=(200, 2))
    model = IncrementalOneClassSVM(nu=0.2, gamma=0.3, max_examples=50, eviction=rule).partial_fit(X)
    assert len(model.ids_) == 50
    held = IncrementalOneClassSVM(nu=0.2, gamma=0.3).fit(X[model.ids_])
    np.testing.assert_allclose(model.decision_function(X), held.decision_function(X), atol=1e-6)
