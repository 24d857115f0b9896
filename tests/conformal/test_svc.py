"""Prediction sets: equal to brute force, and right as often as promised."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from scipy.stats import binom
from sklearn.datasets import load_iris, make_moons
from sklearn.svm import SVC

import hinge
from hinge.conformal import ConformalSVC
from hinge.exceptions import ParameterError


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
