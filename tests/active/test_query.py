"""`query`: each strategy against a simple reference implementation."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from hinge import DataError, IncrementalOneClassSVM, IncrementalSVC, OnlineSVC, ParameterError
from hinge.active import query as diverse_query

query = partial(diverse_query, spread=0)  # the best rows, whatever they are
STRATEGIES = ("boundary", "positive", "autoactive", "random")
MODELS = {
    "OnlineSVC": OnlineSVC(random_state=0),
    "IncrementalSVC": IncrementalSVC(),
    "SVC": SVC(),
    "pipeline": make_pipeline(StandardScaler(), LogisticRegression()),
}


class Answers:
    """A model whose scores are the first column of X, and which counts the rows it scores."""

    def __init__(self):
        self.asked = 0

    def decision_function(self, X):
        self.asked += len(X)
        return np.asarray(X)[:, 0]


class Probabilities:
    """A model whose probabilities are X."""

    def predict_proba(self, X):
        return np.asarray(X)


def pool(n=500, seed=0):
    return np.random.default_rng(seed).normal(scale=3.0, size=(n, 1))


@pytest.mark.parametrize("name", MODELS)
def test_two_classes(two, name):
    X, y = two
    model = MODELS[name].fit(X, y)
    scores = model.decision_function(X)
    np.testing.assert_array_equal(query(model, X, n=7), np.argsort(np.abs(scores), kind="stable")[:7])
    np.testing.assert_array_equal(query(model, X, 7, "positive"), np.argsort(-scores, kind="stable")[:7])


@pytest.mark.parametrize("name", MODELS)
def test_several_classes(three, name):
    X, y = three
    model = MODELS[name].fit(X, y)
    scores = np.sort(model.decision_function(X), axis=1)
    margins = scores[:, -1] - scores[:, -2]
    np.testing.assert_array_equal(query(model, X, n=7), np.argsort(margins, kind="stable")[:7])
    np.testing.assert_array_equal(query(model, X, 7, "positive"), np.argsort(-scores[:, -1], kind="stable")[:7])


def test_one_class(two):
    X, _ = two
    model = IncrementalOneClassSVM(nu=0.2).fit(X)
    assert query(model, X)[0] == np.argmin(np.abs(model.decision_function(X)))


def test_probabilities(two, three):
    for X, y in (two, three):
        model = GaussianNB().fit(X, y)
        best = np.sort(model.predict_proba(X), axis=1)
        margins = best[:, -1] - best[:, -2]
        np.testing.assert_allclose(margins[query(model, X, n=7)], np.sort(margins)[:7])
    model = KNeighborsClassifier().fit(*two)
    assert model.predict_proba(two[0][query(model, two[0], strategy="positive")])[0, 1] == 1.0


def test_equal_scores_keep_the_order_of_rows():
    X = np.array([[2.0], [1.0], [-1.0], [1.0], [0.5], [-2.0]])
    assert query(Answers(), X, n=3).tolist() == [4, 1, 2]
    assert query(Answers(), X, n=6).tolist() == [4, 1, 2, 3, 0, 5]
    assert query(Answers(), X, 2, "positive").tolist() == [0, 1]


@pytest.mark.parametrize("n", [1, 3, 8])
@pytest.mark.parametrize("scale", [0.1, 1.0, 20.0, 1e4])
def test_autoactive_equals_the_sequential_algorithm(n, scale):
    """Draw random rows until five (or n) are inside the margin, at most 100, and select the closest."""
    X = pool() * scale
    order = query(Answers(), X, n=100, strategy="random", random_state=4)
    seen, inside = [], 0
    for row in order:
        seen.append(row)
        inside += abs(X[row, 0]) < 1
        if inside == max(5, n):
            break
    expected = sorted(seen, key=lambda row: abs(X[row, 0]))[:n]
    assert query(Answers(), X, n, "autoactive", random_state=4).tolist() == expected


def test_autoactive_knows_the_margin_of_probabilities():
    """Log-odds of 1 are the margin of probabilities: with the same scores the same rows."""
    X = pool()
    odds = 1 / (1 + np.exp(-X))
    expected = query(Answers(), X, 2, "autoactive", random_state=1)
    found = query(Probabilities(), np.hstack([1 - odds, odds]), 2, "autoactive", random_state=1)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("strategy", ["boundary", "positive"])
def test_only_the_sample_is_scored(strategy):
    model, X = Answers(), pool()
    row = query(model, X, strategy=strategy, sample=50, random_state=0)
    assert model.asked == 50
    np.testing.assert_array_equal(row, query(model, X, strategy=strategy, sample=50, random_state=0))
    np.testing.assert_array_equal(query(model, X, 3, strategy, sample=500), query(model, X, 3, strategy))


@pytest.mark.parametrize("sample", [None, 20])
@pytest.mark.parametrize("n", [1, 8])
@pytest.mark.parametrize("scale", [0.1, 1.0, 20.0, 1e4])
def test_autoactive_scores_no_row_too_many(scale, n, sample):
    """It draws until five (or n) are inside the margin, or 100 (or `sample`) were drawn."""
    model, X, most = Answers(), pool() * scale, sample or 100
    order = query(None, X, n=most, strategy="random", random_state=3)
    enough = np.searchsorted(np.cumsum(np.abs(X[order, 0]) < 1), max(5, n)) + 1
    query(model, X, n, "autoactive", sample=sample, random_state=3)
    assert model.asked == min(enough, most)


def test_autoactive_uses_the_margin_of_lasvm(two):
    """Inside the margin is |f(x)| < 1 + delta / 2, where delta is the largest violation."""
    X, y = two
    model = OnlineSVC(gamma=1.0, C=100.0, max_gap=None).partial_fit(X, y)
    margin = 1 + model.kkt_violation() / 2
    assert margin > 1.5
    random = np.random.default_rng(0)
    rows = random.normal(size=(2000, X.shape[1])) * 2
    distance = np.abs(model.decision_function(rows))
    differs = 0
    for seed in range(20):
        order = query(None, rows, n=100, strategy="random", random_state=seed)
        seen = order[: np.searchsorted(np.cumsum(distance[order] < margin), 5) + 1]
        assert query(model, rows, strategy="autoactive", random_state=seed) == seen[distance[seen].argmin()]
        narrow = order[: np.searchsorted(np.cumsum(distance[order] < 1), 5) + 1]
        differs += distance[narrow].min() < distance[seen].min()
    assert differs > 0


def test_random_rows_are_distinct_and_need_no_model():
    rows = query(None, pool(), n=500, strategy="random", random_state=0)
    assert sorted(rows) == list(range(500))
    few = query(None, np.zeros((10_000, 1)), n=20, strategy="random", random_state=0)
    assert len(set(few)) == 20
    assert max(few) > 5000


def test_draws_are_uniform():
    counts = np.zeros(20)
    random = np.random.RandomState(0)
    for _ in range(2000):
        counts[query(None, np.zeros((20, 1)), n=5, strategy="random", random_state=random)] += 1
    assert abs(counts - 500).max() < 5 * np.sqrt(500)


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("sample", [None, 50])
@pytest.mark.parametrize("kind", [pd.DataFrame, csr_matrix, np.ndarray.tolist])
def test_pool_types(two, strategy, sample, kind):
    X, y = two
    others = X + 0.01  # support vectors themselves lie on the margin, where rounding says on which side
    expected = query(OnlineSVC(random_state=0).fit(X, y), others, 4, strategy, sample, random_state=2)
    names = (lambda rows: pd.DataFrame(rows, columns=["a", "b"])) if kind is pd.DataFrame else kind
    model = OnlineSVC(random_state=0).fit(names(X), y)
    np.testing.assert_array_equal(query(model, names(others), 4, strategy, sample, random_state=2), expected)


def test_boundary_rows_help_more_than_random_ones(two):
    """Learning from rows near the boundary is better than from random ones, as the papers say."""
    X, y = two
    start = np.r_[np.flatnonzero(y == 0)[:2], np.flatnonzero(y == 1)[:2]]
    full = SVC(C=10).fit(X, y).predict(X)

    def agreement(strategy):
        held = start.tolist()
        for _ in range(20):
            model = OnlineSVC(C=10, gamma=0.5, random_state=0).fit(X[held], y[held])
            rest = np.setdiff1d(np.arange(len(y)), held)
            held.append(int(rest[query(model, X[rest], strategy=strategy, random_state=0)[0]]))
        return np.mean(OnlineSVC(C=10, gamma=0.5).fit(X[held], y[held]).predict(X) == full)

    assert agreement("boundary") > agreement("random")


BAD = {
    "n": ({"n": 0}, "n must be a whole number of at least 1, got 0"),
    "more rows than there are": ({"n": 121}, "n must be at most the number of rows, 120, got 121"),
    "strategy": ({"strategy": "wild"}, "strategy must be one of 'boundary', .*, got 'wild'"),
    "sample": ({"n": 5, "sample": 4}, "sample must be a whole number of at least 5, got 4"),
    "seed": ({"strategy": "random", "random_state": "x"}, "random_state must be None, a whole number"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_parameters(two, name):
    keywords, complaint = BAD[name]
    with pytest.raises(ParameterError, match=complaint):
        query(OnlineSVC().fit(*two), two[0], **keywords)


def test_models_without_scores(two):
    with pytest.raises(ParameterError, match=r"^model must have decision_function or predict_proba, got LinearReg"):
        query(LinearRegression().fit(*two), two[0])


def test_nan_scores():
    with pytest.raises(DataError, match=r"^The scores of the model must not be NaN, got NaN"):
        query(Answers(), np.array([[1.0], [np.nan]]))
