"""Prediction sets around other estimators: right as often as promised, whatever the estimator."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from scipy.stats import binom
from sklearn.datasets import make_blobs
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC

from hinge import OnlineSVC
from hinge.conformal import CrossConformalClassifier, SplitConformalClassifier
from hinge.exceptions import DataError, ParameterError


def draw(seed, n):
    X, y = make_blobs(n, centers=3, cluster_std=5.0, random_state=5)
    rows = np.random.default_rng(seed).permutation(n)
    return X[rows], np.array(["low", "mid", "top"])[y[rows]]


@pytest.mark.parametrize("estimator", [GaussianNB(), OnlineSVC(gamma=0.1)], ids=["probabilities", "decisions"])
@pytest.mark.parametrize("mondrian", [False, True])
def test_split_sets_miss_the_label_as_often_as_allowed(estimator, mondrian):
    missed = 0
    for seed in range(8):
        X, y = draw(seed, 200)
        model = SplitConformalClassifier(estimator, alpha=0.2, mondrian=mondrian, random_state=seed)
        sets = model.fit(X[:150], y[:150]).predict_set(X[150:])
        missed += int(np.sum(~sets[np.arange(50), np.searchsorted(model.classes_, y[150:])]))
    assert binom.ppf(0.0005, 400, 0.1) <= missed <= binom.ppf(0.9995, 400, 0.22)


def test_split_p_values_are_shares_of_calibration_rows():
    X, y = draw(0, 120)
    fitted = LogisticRegression().fit(X[:60], y[:60])
    model = SplitConformalClassifier(fitted).conformalize(X[60:100], y[60:100])
    values = fitted.decision_function(X)
    others = np.stack([np.delete(values, c, axis=1).max(axis=1) for c in range(3)], axis=1)
    margins, places = values - others, np.searchsorted(fitted.classes_, y)
    own = margins[np.arange(60, 100), places[60:100]]
    expected = (1 + (own[:, None, None] <= margins[100:]).sum(axis=0)) / 41
    np.testing.assert_allclose(model.p_values(X[100:]), expected)
    np.testing.assert_array_equal(model.predict(X), fitted.predict(X))
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).p_values(X), model.p_values(X))


@pytest.mark.parametrize("mondrian", [False, True])
def test_cross_p_values_count_the_rows_of_every_fold(mondrian):
    X, y = draw(1, 66)
    model = CrossConformalClassifier(SVC(gamma=0.1), cv=3, mondrian=mondrian).fit(X[:60], y[:60])
    found = model.p_values(X[60:])
    for r, c in np.ndindex(6, 3):
        label = model.classes_[c]
        below = 0
        for i in range(60):
            if mondrian and y[i] != label:
                continue
            values = model.estimators_[model.folds_[i]].decision_function(np.stack([X[i], X[60 + r]]))
            places = [int(np.flatnonzero(model.classes_ == y[i])[0]), c]
            own, candidate = (v[k] - np.delete(v, k).max() for v, k in zip(values, places, strict=True))
            below += own <= candidate
        assert found[r, c] == pytest.approx((1 + below) / (1 + (np.sum(y[:60] == label) if mondrian else 60)))


def test_what_cannot_work_is_said():
    X, y = draw(0, 60)
    with pytest.raises(DataError, match="one label per row"):
        SplitConformalClassifier(GaussianNB()).fit(X, y[:10])
    four = np.arange(60) % 4
    with pytest.raises(ParameterError, match='decision_function_shape="ovr"'):
        SplitConformalClassifier(SVC(decision_function_shape="ovo")).fit(X, four)
    with pytest.raises(ParameterError, match="alpha"):
        SplitConformalClassifier(GaussianNB()).fit(X, y).predict_set(X, alpha=0)
