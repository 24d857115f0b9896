"""`Continued`: the model is always one of the rows of the last call, and no row is learned twice."""

from __future__ import annotations

import pickle
from copy import deepcopy

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import SGDClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from hinge import DataError, IncrementalSVC, OnlineSVC, ParameterError
from hinge.active._continued import Continued

EXACT = IncrementalSVC(gamma=0.5, C=2.0)


@pytest.mark.slow
@parametrize_with_checks([Continued(IncrementalSVC()), Continued(OnlineSVC(), probabilities="margins")])
def test_scikit_learn_estimator(estimator, check):
    check(estimator)


class Diary(GaussianNB):
    """A model that records its calls and cannot forget."""

    def fit(self, X, y, sample_weight=None):
        super().fit(X, y, sample_weight)
        self.diary_ = [("fit", X[:, 0].tolist())]
        return self

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        super().partial_fit(X, y, classes, sample_weight)
        self.diary_ = [*getattr(self, "diary_", []), ("partial_fit", X[:, 0].tolist())]
        return self


def assert_like_fit_from_scratch(model, X, y, sample_weight=None, template=EXACT):
    """The model must be the exact solution for these rows."""
    expected = clone(template).fit(X, y, sample_weight=sample_weight)
    np.testing.assert_array_equal(model.classes_, expected.classes_)
    np.testing.assert_allclose(model.decision_function(X), expected.decision_function(X), atol=1e-8)


def test_only_new_rows_are_learned_in_any_order(three):
    X, y = three
    random = np.random.default_rng(0)
    model = Continued(EXACT)
    for n in (20, 21, 40, 40, 150):
        rows = random.permutation(n)
        model.fit(X[rows], y[rows])
        assert model.estimator_.n_seen_ == n
        assert_like_fit_from_scratch(model, X[:n], y[:n])


def test_relabelled_and_removed_rows(three):
    X, y = three
    model = Continued(EXACT).fit(X, y)
    other = y.copy()
    other[:10] = (y[:10] + 1) % 3
    model.fit(X[5:], other[5:])
    assert model.estimator_.n_seen_ == 150
    assert_like_fit_from_scratch(model, X[5:], other[5:])
    model.fit(X, y)
    assert model.estimator_.n_seen_ == 155
    assert_like_fit_from_scratch(model, X, y)


def test_a_class_is_removed_with_its_last_row(three):
    X, y = three
    model = Continued(EXACT).fit(X, y).fit(X[y != 1], y[y != 1])
    assert model.classes_.tolist() == [0, 2]
    assert model.estimator_.n_seen_ == 150


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 2)), min_size=1, max_size=12), min_size=1, max_size=4)
)
def test_the_model_holds_the_rows_of_the_last_call(calls):
    """Few values, so that equal rows with equal and different labels are common."""
    model = Continued(EXACT)
    for call in calls:
        X, y = np.array([[float(value)] for value, _ in call]), np.array([label for _, label in call])
        model.fit(X, y)
        assert len(model.estimator_.ids_) == len(call)
        expected = clone(EXACT).partial_fit(X, y)
        np.testing.assert_array_equal(model.classes_, expected.classes_)
        # Where equal rows have different labels any constant within bounds may do, but the optimum is one.
        np.testing.assert_allclose(model.estimator_.dual_objective(), expected.dual_objective(), atol=1e-8)
        assert model.estimator_.kkt_violation() < 1e-8


def test_the_number_of_equal_rows_counts():
    X, y = [[0.0], [1.0], [1.0], [1.0]], [0, 1, 1, 1]
    model = Continued(EXACT).fit(X, y)
    assert len(model.fit(X[:2], y[:2]).estimator_.ids_) == 2
    assert len(model.fit(X, [0, 1, 0, 1]).estimator_.ids_) == 4
    assert_like_fit_from_scratch(model, X, [0, 1, 0, 1])


@pytest.mark.parametrize(
    "kind",
    [csr_matrix, np.float32, np.ndarray.tolist, lambda X: pd.DataFrame(X, columns=["a", "b"])],
    ids=["CSR", "float32", "list", "DataFrame"],
)
def test_rows_are_compared_by_value(two, kind):
    X, y = two[0].astype(np.float32).astype(np.float64), two[1]
    X[0] = [-0.0, 1.0]
    model = Continued(EXACT).fit(X, y)
    X[0, 0] = 0.0
    model.fit(kind(X), y.astype(np.float32))
    assert model.estimator_.n_seen_ == 120
    assert model.predict(kind(X)).shape == (120,)
    assert model.score(kind(X), y) > 0.8


def test_explicit_zeros_are_zeros():
    X = csr_matrix(([1.0, 0.0, 2.0], [0, 1, 1], [0, 2, 3]), shape=(2, 2))
    model = Continued(EXACT).fit(X, ["a", "b"]).fit([[1.0, 0.0], [0.0, 2.0]], ["a", "b"])
    assert model.estimator_.n_seen_ == 2
    assert X.nnz == 3
    assert Continued(EXACT).fit(np.zeros((2, 3)), [0, 1]).fit(csr_matrix((3, 3)), [0, 1, 1]).estimator_.n_seen_ == 3


def test_names_of_features_are_those_of_the_last_call(two):
    X, y = two
    model = Continued(EXACT).fit(pd.DataFrame(X, columns=["a", "b"]), y)
    assert model.feature_names_in_.tolist() == ["a", "b"]
    with pytest.raises(ValueError, match="feature names"):
        model.predict(pd.DataFrame(X, columns=["a", "c"]))
    assert not hasattr(model.fit(X, y), "feature_names_in_")
    assert model.n_features_in_ == 2


def test_weights_belong_to_the_rows(two):
    X, y = two
    weights = np.random.default_rng(0).integers(0, 3, size=120).astype(float)
    model = Continued(EXACT).fit(X[:80], y[:80], weights[:80]).fit(X, y, weights)
    assert model.estimator_.n_seen_ == np.count_nonzero(weights)
    assert_like_fit_from_scratch(model, X, y, weights)
    seen = model.estimator_.n_seen_
    model.fit(X, y)
    assert model.estimator_.n_seen_ == seen + np.count_nonzero(weights != 1)
    assert_like_fit_from_scratch(model, X, y)


def test_start_with_one_class():
    for estimator in (EXACT, OnlineSVC(gamma=1.0)):
        model = Continued(estimator, probabilities="margins").fit([[0.0], [1.0]], ["a", "a"])
        assert model.predict([[5.0]]).tolist() == ["a"]
        assert model.predict_proba([[5.0]]).tolist() == [[1.0]]
        model.fit([[0.0], [1.0], [5.0]], ["a", "a", "b"])
        assert model.classes_.tolist() == ["a", "b"]
        assert model.estimator_.n_seen_ == 3


def test_classes_to_expect():
    model = Continued(EXACT, classes=["a", "b"]).fit([[0.0]], ["a"])
    assert model.classes_.tolist() == ["a", "b"]
    linear = Continued(SGDClassifier(random_state=0), classes=[0, 1]).fit([[0.0]], [0]).fit([[0.0], [9.0]], [0, 1])
    assert linear.estimator_.t_ == 3
    with pytest.raises(ValueError, match="class"):
        Continued(SGDClassifier()).fit([[0.0]], [0])


def test_models_that_cannot_forget_are_fitted_from_scratch():
    model = Continued(Diary()).fit([[0.0], [1.0]], [0, 1]).fit([[2.0], [1.0], [0.0]], [1, 1, 0])
    assert model.estimator_.diary_ == [("fit", [0.0, 1.0]), ("partial_fit", [2.0])]
    model.fit([[2.0], [1.0], [0.0]], [1, 0, 0])
    assert model.estimator_.diary_ == [("fit", [2.0, 1.0, 0.0])]
    model.fit([[2.0], [0.0]], [1, 0])
    assert model.estimator_.diary_ == [("fit", [2.0, 0.0])]
    model.fit([[2.0], [0.0], [3.0]], [1, 0, 2])  # a class that it does not take later on
    assert model.estimator_.diary_ == [("fit", [2.0, 0.0, 3.0])]


def test_a_failed_call_is_followed_by_a_fit_from_scratch():
    model = Continued(SGDClassifier(random_state=0)).fit([[0.0], [9.0]], [0, 1])
    with pytest.raises(ValueError, match="class"):
        model.fit([[0.0]], [0])
    assert model.predict([[9.0]]).tolist() == [1]
    expected = SGDClassifier(random_state=0).fit([[0.0], [5.0]], [0, 1])
    assert model.fit([[0.0], [5.0]], [0, 1]).estimator_.coef_.tolist() == expected.coef_.tolist()


def test_a_model_that_evicts_examples(two):
    X, y = two
    model = Continued(IncrementalSVC(gamma=0.5, max_examples=30)).fit(X[:60], y[:60]).fit(X, y)
    assert model.estimator_.n_seen_ == 120
    assert len(model.fit(X[:100], 1 - y[:100]).estimator_.ids_) == 30
    assert model.score(X, 1 - y) > 0.7


def test_balanced_weights_depend_on_all_labels(two):
    X, y = two
    template = IncrementalSVC(gamma=0.5, class_weight="balanced")
    model = Continued(template).fit(X[:80], y[:80]).fit(X, y)
    assert_like_fit_from_scratch(model, X, y, template=template)


def test_changed_settings_cause_a_fit_from_scratch(two, three):
    X, y = two
    model = Continued(IncrementalSVC(gamma=0.5, class_weight={0: 1.0})).fit(X, y)
    first = model.estimator_
    assert model.fit(X, y).estimator_ is first
    model.estimator.class_weight[0] = 3.0
    assert model.fit(X, y).estimator_ is not first
    model.set_params(estimator__C=7.0).fit(X, y)
    assert model.estimator_.C == 7.0
    assert_like_fit_from_scratch(model, X, y, template=model.estimator)
    assert model.fit(*three).n_features_in_ == 4


def test_partial_fit_passes_through(two):
    X, y = two
    for model in (Continued(EXACT), Continued(EXACT).fit(X[:50], y[:50])):
        model.partial_fit(X[50:60], y[50:60]).partial_fit(X[50:60], y[50:60], classes=[0, 1, 2])
        seen = model.estimator_.n_seen_
        model.fit(X[:60], y[:60])
        assert model.estimator_.n_seen_ in {seen, seen + 50}
        assert len(model.estimator_.ids_) == 60
    assert Continued(EXACT, classes=[0, 5]).partial_fit(X[:1], [0]).classes_.tolist() == [0, 5]


@pytest.mark.parametrize("copy", [deepcopy, lambda model: pickle.loads(pickle.dumps(model))])
def test_copies_are_independent(two, copy):
    X, y = two
    model = Continued(EXACT).fit(X[:50], y[:50])
    other = copy(model).fit(X, y)
    assert (other.estimator_.n_seen_, model.estimator_.n_seen_) == (120, 50)
    assert_like_fit_from_scratch(other, X, y)
    assert_like_fit_from_scratch(model, X[:50], y[:50])
    with pytest.raises(NotFittedError):
        clone(model).predict(X)


def test_an_error_leaves_the_model_unchanged(two):
    X, y = two
    model = Continued(EXACT).fit(X[:50], y[:50])
    before = model.decision_function(X)
    with pytest.raises(ValueError, match="NaN"):
        model.fit([[np.nan, 0.0, 1.0]], [0])
    with pytest.raises(DataError, match=r"^Labels must be all text or all numbers"):
        model.fit(X[:2], ["a", 1])
    with pytest.raises(DataError, match=r"^sample_weight must be above zero for some row, got none"):
        model.fit(X[:2], y[:2], [0.0, 0.0])
    np.testing.assert_array_equal(model.decision_function(X), before)
    assert model.fit(X, y).estimator_.n_seen_ == 120


def test_an_interrupted_call_is_followed_by_a_fit_from_scratch(two, monkeypatch):
    X, y = two
    model = Continued(EXACT).fit(X[:50], y[:50])
    with monkeypatch.context() as patch:
        patch.setattr(IncrementalSVC, "forget", lambda model, ids: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            model.fit(X[10:60], y[10:60])
    assert len(model.partial_fit(X[60:70], y[60:70]).estimator_.ids_) == 70
    model.fit(X, y)
    assert model.estimator_.n_seen_ == 120
    assert_like_fit_from_scratch(model, X, y)


@pytest.mark.parametrize("data", ["two", "three"])
def test_margin_probabilities_keep_the_order_of_the_margins(data, request):
    X, y = request.getfixturevalue(data)
    model = Continued(OnlineSVC(C=100.0, gamma=2.0, random_state=0), probabilities="margins").fit(X, y)
    grid = np.random.default_rng(0).normal(size=(2000, X.shape[1]))
    shares, decisions = model.predict_proba(grid), model.decision_function(grid)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    np.testing.assert_array_equal(model.classes_[shares.argmax(axis=1)], model.predict(grid))
    columns = decisions if decisions.ndim == 2 else np.column_stack([-decisions, decisions])
    for share, decision in zip(shares, columns, strict=True):
        assert (np.diff(share[np.argsort(decision)]) >= 0).all()
    if decisions.ndim == 1:
        np.testing.assert_allclose(np.log(shares[:, 1] / shares[:, 0]), decisions, atol=1e-9)


def test_predict_proba_exists_if_the_estimator_has_it_or_margins_are_used(two):
    X, y = two
    assert not hasattr(Continued(OnlineSVC()), "predict_proba")
    assert not hasattr(Continued(GaussianNB()), "decision_function")
    model = Continued(GaussianNB(), probabilities="margins").fit(X, y)
    np.testing.assert_array_equal(model.predict_proba(X), GaussianNB().fit(X, y).predict_proba(X))


BAD = {
    "no partial_fit": (Continued(SVC()), {}, "estimator must be a classifier with partial_fit, got SVC"),
    "precomputed": (Continued(OnlineSVC(kernel="precomputed")), {}, "estimator must learn from rows of features, got"),
    "probabilities": (Continued(EXACT, probabilities="platt"), {}, "probabilities must be None or 'margins', got 'pla"),
    "weight": (Continued(EXACT), {"sample_weight": [1.0, -1.0]}, "sample_weight must not be negative, got -1"),
    "weights": (Continued(EXACT), {"sample_weight": [1.0]}, "sample_weight must have one value per row"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_parameters(name):
    model, keywords, complaint = BAD[name]
    for verb in ("fit", "partial_fit"):
        with pytest.raises((ParameterError, DataError), match=f"^{complaint}"):
            getattr(clone(model), verb)([[0.0], [1.0]], [0, 1], **keywords)


def test_weights_for_a_model_that_takes_none():
    class Weightless(Diary):
        def fit(self, X, y):
            return super().fit(X, y)

    with pytest.raises(ParameterError, match=r"^sample_weight must be None, since Weightless takes no weights"):
        Continued(Weightless()).fit([[0.0], [1.0]], [0, 1], sample_weight=[1.0, 2.0])
