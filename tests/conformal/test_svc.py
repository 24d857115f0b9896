"""Prediction sets: equal to brute force, and right as often as promised."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from scipy.stats import binom
from sklearn.datasets import load_digits, load_iris, make_moons
from sklearn.svm import SVC

import hinge
from hinge.conformal import ConformalSVC, ExchangeabilityMartingale
from hinge.exceptions import ParameterError
from hinge.incremental import leave_one_out_margins


def brute_margins(X, y, C, gamma):
    """Leave-one-out margins by as many fits."""
    classes, out = np.unique(y), []
    for i in range(len(y)):
        rest = np.arange(len(y)) != i
        fits = [SVC(C=C, gamma=gamma, tol=1e-8).fit(X[rest], y[rest] == c) for c in classes]
        f = np.array([fit.decision_function(X[i : i + 1])[0] for fit in fits])
        own = np.searchsorted(classes, y[i])
        out.append(f[own] - np.delete(f, own).max())
    return np.array(out)


@pytest.mark.parametrize("mondrian", [False, True])
def test_p_values_are_those_of_brute_force(mondrian):
    X, y = load_iris(return_X_y=True)
    rows = np.random.default_rng(0).permutation(len(y))[:33]
    X, y = X[rows], y[rows]
    model = ConformalSVC(C=10.0, gamma=0.3, mondrian=mondrian).fit(X[:30], y[:30])
    for row, found in zip(X[30:], model.p_values(X[30:]), strict=True):
        for label, p in zip(model.classes_, found, strict=True):
            labels = np.append(y[:30], label)
            margins = brute_margins(np.vstack([X[:30], row]), labels, 10.0, 0.3)
            among = margins[labels == label] if mondrian else margins
            assert p == pytest.approx(np.mean(among <= among[-1] + 1e-5))


def random_problem(seed):
    """Rows, labels and settings of all sorts: duplicates, coefficients at bounds, weights, few free coefficients."""
    random = np.random.default_rng(seed)
    n, classes = int(random.integers(4, 40)), int(random.integers(2, 5))
    X = random.normal(size=(n + 2, int(random.integers(1, 5))))
    X = X if seed % 3 else np.round(X)
    y = (1.5 * X[:, 0] + random.normal(size=n + 2) * random.choice([0, 0.5, 2])).round().astype(int) % classes
    weights = {c: float(10 ** random.uniform(-1, 1)) for c in range(classes)} if seed % 4 == 0 else None
    kernel = {"kernel": str(random.choice(["rbf", "linear", "poly", "laplacian"])), "coef0": 1.0}
    kernel["gamma"] = float(10 ** random.uniform(-1.5, 0.7))
    return (
        X,
        y,
        ConformalSVC(C=float(10 ** random.uniform(-2, 2.5)), class_weight=weights, mondrian=seed % 5 == 0, **kernel),
    )


def limits_of_p_value(model, row, label):
    """Learn the row in a copy, leave all examples out, and rank: with ties as smaller and as larger margins."""
    changed = copy.deepcopy(model).partial_fit(row, np.array([label]), ids=["candidate"])
    margins, places, _ = leave_one_out_margins(changed)
    among = margins[places == places[-1]] if model.mondrian else margins
    slack = 1e-6 * max(1.0, abs(margins[-1]))
    return np.mean(among < margins[-1] - slack) + 1 / len(among), np.mean(among <= margins[-1] + slack)


@pytest.mark.parametrize(
    "seeds", [range(12), pytest.param(range(12, 400), marks=pytest.mark.slow)], ids=["few", "many"]
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_p_values_are_those_of_learning_and_leaving_out(seeds):
    for seed in seeds:
        X, y, model = random_problem(seed)
        if len(set(y[:-2])) < 2:
            continue
        model.fit(X[:-2], y[:-2])
        found = model.p_values(X[-2:])
        for alpha in (0.1, 0.4):
            np.testing.assert_array_equal(model.predict_set(X[-2:], alpha), found > alpha)
        for row, values in zip((X[-2:-1], X[-1:]), found, strict=True):
            for label, p in zip(model.classes_, values, strict=True):
                low, high = limits_of_p_value(model, row, label)
                assert low - 1e-12 <= p <= high + 1e-12, (seed, label)


@pytest.mark.slow
def test_p_values_among_two_hundred_digits_are_those_of_brute_force():
    X, y = load_digits(return_X_y=True)
    X, y = X[:201] / 16, y[:201] % 3
    model = ConformalSVC(C=10.0, gamma=0.1).fit(X[:200], y[:200])
    for label, p in zip(model.classes_, model.p_values(X[200:])[0], strict=True):
        margins = brute_margins(X, np.append(y[:200], label), 10.0, 0.1)
        assert p == pytest.approx(np.mean(margins <= margins[-1] + 1e-5))


def test_sets_miss_the_label_as_often_as_allowed():
    missed = tried = 0
    for seed in range(12):
        X, y = make_moons(60, noise=0.35, random_state=seed)
        sets = ConformalSVC(gamma=1.0, alpha=0.2).fit(X[:45], y[:45]).predict_set(X[45:])
        missed, tried = missed + int(np.sum(~sets[np.arange(15), y[45:]])), tried + 15
    assert binom.ppf(0.0005, tried, 0.1) <= missed <= binom.ppf(0.9995, tried, 0.2)


def test_asking_changes_nothing_and_files_answer_the_same(tmp_path):
    X, y = make_moons(40, noise=0.3, random_state=0)
    model = ConformalSVC(gamma=1.0).fit(X[:30], y[:30])
    coefficients, decisions = model.dual_coef_.copy(), model.decision_function(X)
    before = model.p_values(X[30:33])
    np.testing.assert_array_equal(model.decision_function(X), decisions)
    np.testing.assert_array_equal(model.dual_coef_, coefficients)
    assert model.ids_ == list(range(30))
    hinge.save(model, tmp_path / "model.hinge")
    for other in (pickle.loads(pickle.dumps(model)), hinge.load(tmp_path / "model.hinge")):
        np.testing.assert_array_equal(other.p_values(X[30:33]), before)
    model.partial_fit(X[33:35], y[33:35]).forget([30, 31])
    np.testing.assert_allclose(model.p_values(X[30:33]), before)


def test_bad_alpha():
    X, y = make_moons(20, random_state=0)
    with pytest.raises(ParameterError, match="alpha"):
        ConformalSVC().fit(X, y).predict_set(X, alpha=1.5)


def test_ctrl_c_leaves_the_model_as_it_was(monkeypatch, asking_at_once):
    X, y = make_moons(60, noise=0.3, random_state=0)
    model = ConformalSVC(gamma=1.0, verbose=True).fit(X[:50], y[:50])
    before = model.p_values(X[50:])

    def interrupt(self, progress):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("hinge._fit.progress.ProgressBar.__call__", interrupt)
        with pytest.raises(KeyboardInterrupt):
            model.p_values(X[50:])
    np.testing.assert_array_equal(model.p_values(X[50:]), before)


def test_a_change_is_noticed_and_its_absence_is_not():
    X, y = make_moons(130, noise=0.2, random_state=1)
    y[80:] = 1 - y[80:]
    p_values = ConformalSVC(gamma=1.0).learn_with_p_values(X, y, random_state=0)
    assert np.isnan(p_values).sum() == 2  # the first of each class
    assert 80 <= ExchangeabilityMartingale().update(p_values).changed_at_ < 120
    random = np.random.default_rng(0).uniform(size=(100, 150))
    alarms = sum(ExchangeabilityMartingale(threshold=20).update(each).changed_at_ is not None for each in random)
    assert alarms <= binom.ppf(0.9995, 100, 1 / 20)


def test_equal_rows_are_not_a_change():
    X = np.random.default_rng(0).integers(0, 2, size=(80, 2)).astype(float)
    p_values = ConformalSVC(gamma=1.0).learn_with_p_values(X, X[:, 0] > 0, random_state=0)
    assert ExchangeabilityMartingale().update(p_values).changed_at_ is None
