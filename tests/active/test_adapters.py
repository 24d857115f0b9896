"""The adapters for modAL and scikit-activeml, in loops as users of these packages write them."""

from __future__ import annotations

import importlib
import pickle
import sys
from copy import deepcopy

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.datasets import load_digits, load_iris
from sklearn.naive_bayes import GaussianNB

from hinge import IncrementalSVC, OnlineSVC, ParameterError
from hinge.active import modal, query
from hinge.active._acquisition import acquisition_scores
from hinge.active._continued import Continued

EXACT = IncrementalSVC(gamma=0.5, C=10.0)


@pytest.fixture
def iris():
    X, y = load_iris(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))
    return X[order], y[order]


class TestModal:
    """Strategies for learners of modAL; those without a learner need no modAL."""

    @pytest.mark.parametrize("name", ["boundary", "positive"])
    def test_rows_and_scores_are_those_of_query(self, iris, name):
        X, y = iris
        model = OnlineSVC(gamma=0.5, random_state=0).fit(X[:30], y[:30])
        rows, worth = modal.strategy(name)(model, X, n_instances=4)
        np.testing.assert_array_equal(rows, query(model, X, 4, name))
        np.testing.assert_array_equal(worth, acquisition_scores(model, X, name)[rows])

    @pytest.mark.parametrize("kind", [csr_matrix, pd.DataFrame, np.ndarray.tolist])
    def test_pool_types(self, iris, kind):
        X, y = iris
        model = OnlineSVC(gamma=0.5, random_state=0).fit(kind(X[:30]), y[:30])
        rows, _ = modal.strategy()(model, kind(X), n_instances=2)
        assert rows.tolist() == query(model, kind(X), 2).tolist()

    @pytest.mark.parametrize("model", [OnlineSVC(), Continued(EXACT), OnlineSVC().partial_fit([[0.0] * 4], [1])])
    def test_random_rows_until_two_classes_are_known(self, iris, model):
        ask = modal.strategy(random_state=0)
        first, second = ask(model, iris[0], n_instances=5), ask(model, iris[0], n_instances=5)
        assert first[0].tolist() != second[0].tolist()
        assert first[1].tolist() == [0.0] * 5
        again = modal.strategy(random_state=0)(model, iris[0], n_instances=5)
        np.testing.assert_array_equal(again[0], first[0])

    def test_a_strategy_can_be_copied(self, iris):
        ask = modal.strategy("random", random_state=3)
        rows = [pickle.loads(pickle.dumps(ask))(None, iris[0], 3)[0], deepcopy(ask)(None, iris[0], 3)[0]]
        np.testing.assert_array_equal(rows[0], rows[1])

    def test_bad_parameters_raise_at_once(self):
        with pytest.raises(ParameterError, match=r"^strategy must be one of"):
            modal.strategy("wild")
        with pytest.raises(ParameterError, match=r"^random_state must be"):
            modal.strategy(random_state="x")


@pytest.fixture
def learners(monkeypatch):
    """Learners of modAL, whose last version uses a keyword that scikit-learn has removed."""
    learners = pytest.importorskip("modAL.models.learners", reason="modAL is not installed")
    check = learners.check_X_y
    monkeypatch.setattr(learners, "check_X_y", lambda X, y, force_all_finite=True, **more: check(X, y, **more) and None)
    return learners


def taught(learner, X, y, n, size=1):
    """Ask and teach as in modAL's examples; return the rows in the order of asking."""
    rest, asked = np.arange(len(y)), []
    for _ in range(n):
        places, _ = learner.query(X[rest], n_instances=size)
        asked.extend(rest[places])
        learner.teach(X[rest[places]], y[rest[places]])
        rest = np.delete(rest, places)
    return asked


@pytest.mark.parametrize("size", [1, 2, 3])
def test_a_loop_of_modal_learns_every_row_once(learners, iris, size):
    X, y = iris
    learner = learners.ActiveLearner(Continued(EXACT), modal.strategy(), X_training=X[:6], y_training=y[:6])
    asked = taught(learner, X[6:], y[6:], 12, size)
    rows = np.r_[:6, np.array(asked) + 6]
    assert len(set(asked)) == 12 * size
    assert learner.estimator.estimator_.n_seen_ == len(rows)
    expected = clone(EXACT).fit(X[rows], y[rows])
    np.testing.assert_allclose(learner.estimator.decision_function(X), expected.decision_function(X), atol=1e-8)
    assert learner.score(X, y) > 0.85


def test_a_loop_of_modal_without_initial_labels(learners, iris):
    X, y = iris
    learner = learners.ActiveLearner(Continued(OnlineSVC(gamma=0.5)), modal.strategy(random_state=1))
    assert len(set(taught(learner, X, y, 25))) == 25
    assert learner.estimator.estimator_.n_seen_ == 25
    assert learner.score(X, y) > 0.85


def test_strategies_of_modal_accept_margin_probabilities(learners, iris):
    X, y = iris
    model = Continued(EXACT, probabilities="margins")
    learner = learners.ActiveLearner(model, X_training=X[:6], y_training=y[:6])  # uncertainty_sampling
    taught(learner, X[6:], y[6:], 12)
    assert learner.estimator.estimator_.n_seen_ == 18


def test_scores_are_returned_with_the_rows(learners, iris):
    X, y = iris
    learner = learners.ActiveLearner(Continued(EXACT), modal.strategy(), X_training=X[:9], y_training=y[:9])
    rows, chosen, worth = learner.query(X, n_instances=2, return_metrics=True)
    np.testing.assert_array_equal(chosen, X[rows])
    np.testing.assert_array_equal(worth, acquisition_scores(learner.estimator, X[rows], "boundary"))


def test_a_committee_of_modal(learners, iris):
    X, y = iris
    members = [
        learners.ActiveLearner(Continued(EXACT, probabilities="margins"), X_training=X[:9], y_training=y[:9]),
        learners.ActiveLearner(GaussianNB(), X_training=X[:9], y_training=y[:9]),
    ]
    committee = learners.Committee(members, query_strategy=modal.strategy())
    rows, _ = committee.query(X, n_instances=3)
    np.testing.assert_array_equal(rows, query(committee, X, 3))


@pytest.fixture
def tools():
    """Our side of scikit-activeml."""
    pytest.importorskip("skactiveml", reason="scikit-activeml is not installed")
    return importlib.import_module("hinge.active.skactiveml")


def wrapped(estimator, **keywords):
    from skactiveml.classifier import SklearnClassifier

    return SklearnClassifier(estimator, classes=[0, 1, 2], **keywords)


def some_labels(truth, rows):
    y = np.full(len(truth), np.nan)
    y[rows] = truth[rows]
    return y


@pytest.mark.parametrize("estimator", [OnlineSVC(gamma=0.5, random_state=0), EXACT, Continued(EXACT)])
@pytest.mark.parametrize("fit_clf", [True, False])
def test_a_loop_of_skactiveml(tools, iris, estimator, fit_clf):
    X, truth = iris
    y, clf = some_labels(truth, np.r_[:6]), wrapped(estimator)
    strategy = tools.HingeQuery(random_state=0)
    for _ in range(20):
        rows = strategy.query(X, y, clf if fit_clf else clf.fit(X, y), fit_clf=fit_clf)
        assert np.isnan(y[rows]).all()
        y[rows] = truth[rows]
    known = ~np.isnan(y)
    assert known.sum() == 26
    assert clf.fit(X, y).score(X, truth) > 0.9
    expected = clone(estimator).fit(X[known], truth[known])
    np.testing.assert_allclose(clf.decision_function(X), expected.decision_function(X), atol=1e-8)


def test_a_loop_on_digits_learns_every_row_once(tools):
    X, truth = load_digits(return_X_y=True)
    X = X / 16
    y, template = some_labels(truth, np.r_[:20]), IncrementalSVC(C=10.0, gamma=0.5)
    clf = tools.ContinuedClassifier(Continued(template), classes=range(10))
    strategy = tools.HingeQuery(random_state=0)
    for _ in range(40):
        rows = strategy.query(X, y, clf.fit(X, y), fit_clf=False, batch_size=5)
        y[rows] = truth[rows]
    known = ~np.isnan(y)
    assert clf.fit(X, y).estimator_.estimator_.n_seen_ == known.sum() == 220
    expected = clone(template).fit(X[known], truth[known])
    np.testing.assert_allclose(clf.decision_function(X), expected.decision_function(X), atol=1e-8)
    assert clf.score(X, truth) > 0.95


class TestContinuedClassifier:
    """`fit` continues from the previous `fit`."""

    def test_only_new_rows_are_learned(self, tools, iris):
        X, truth = iris
        clf = tools.ContinuedClassifier(Continued(EXACT), classes=[0, 1, 2])
        for n in (10, 11, 30, 150):
            clf.fit(X, some_labels(truth, np.r_[:n]))
            assert clf.estimator_.estimator_.n_seen_ == n
            expected = clone(EXACT).fit(X[:n], truth[:n])
            np.testing.assert_allclose(clf.decision_function(X), expected.decision_function(X), atol=1e-8)
        assert not hasattr(clf.estimator, "estimator_")

    def test_removed_and_corrected_labels(self, tools, iris):
        X, truth = iris
        y = some_labels(truth, np.r_[:60])
        clf = tools.ContinuedClassifier(Continued(EXACT), classes=[0, 1, 2]).fit(X, y)
        y[:10], y[10:20] = np.nan, (y[10:20] + 1) % 3
        clf.fit(X, y)
        assert clf.estimator_.estimator_.n_seen_ == 60
        expected = clone(EXACT).fit(X[10:60], y[10:60])
        np.testing.assert_allclose(clf.decision_function(X), expected.decision_function(X), atol=1e-8)

    def test_copies_and_clones(self, tools, iris):
        X, truth = iris
        clf = tools.ContinuedClassifier(Continued(EXACT, classes=[0, 1, 2]), classes=[0, 1, 2])
        clf.fit(X, some_labels(truth, np.r_[:30]))
        other = deepcopy(clf).fit(X, some_labels(truth, np.r_[:40]))
        assert (other.estimator_.estimator_.n_seen_, clf.estimator_.estimator_.n_seen_) == (40, 30)
        assert "estimator_" not in vars(clone(clf))
        clf.set_params(estimator__estimator__C=1.0).fit(X, some_labels(truth, np.r_[:40]))
        assert clf.estimator_.estimator_.C == 1.0
        assert clf.estimator_.estimator_.n_seen_ == 40

    def test_fit_continues_after_rejected_labels(self, tools, iris):
        X, truth = iris
        clf = tools.ContinuedClassifier(Continued(EXACT), classes=[0, 1, 2]).fit(X, some_labels(truth, np.r_[:30]))
        with pytest.warns(UserWarning, match="There is no labeled data"):
            clf.fit(X, np.full(150, np.nan))
        assert clf.fit(X, some_labels(truth, np.r_[:31])).estimator_.estimator_.n_seen_ == 31

    def test_strategies_of_skactiveml_accept_margin_probabilities(self, tools, iris):
        from skactiveml.pool import UncertaintySampling

        X, truth = iris
        y = some_labels(truth, np.r_[:2])  # one class or two
        clf = tools.ContinuedClassifier(Continued(EXACT, probabilities="margins"), classes=[0, 1, 2])
        strategy = UncertaintySampling(random_state=0)
        for _ in range(10):
            rows = strategy.query(X, y, clf.fit(X, y), fit_clf=False)
            y[rows] = truth[rows]
        assert clf.fit(X, y).estimator_.estimator_.n_seen_ == 12
        shares = clf.predict_proba(X)
        np.testing.assert_array_equal(clf.classes_[shares.argmax(axis=1)], clf.predict(X))

    def test_other_estimators_raise(self, tools, iris):
        with pytest.raises(ParameterError, match=r"^estimator must be a Continued, got OnlineSVC"):
            tools.ContinuedClassifier(OnlineSVC()).fit(*iris)


class TestHingeQuery:
    """Selected rows and utilities follow the conventions of scikit-activeml."""

    @pytest.mark.parametrize("strategy", ["boundary", "positive"])
    def test_utilities_are_acquisition_scores(self, tools, iris, strategy):
        X, truth = iris
        y = some_labels(truth, np.r_[:30])
        clf = wrapped(EXACT).fit(X, y)
        rows, utilities = tools.HingeQuery(strategy).query(X, y, clf, fit_clf=False, return_utilities=True)
        assert rows[0] == 30 + query(clf, X[30:], strategy=strategy)[0]
        assert utilities.shape == (1, 150)
        assert np.isnan(utilities[0, :30]).all()
        np.testing.assert_array_equal(utilities[0, 30:], acquisition_scores(clf, X[30:], strategy))

    @pytest.mark.parametrize("strategy", ["boundary", "positive", "autoactive", "random"])
    @pytest.mark.parametrize("spread", [0.0, 0.2])
    @pytest.mark.parametrize("sample", [None, 60])
    def test_each_row_of_a_batch_has_the_highest_utility_left(self, tools, iris, strategy, spread, sample):
        X, truth = iris
        y = some_labels(truth, np.r_[:30])
        asking = tools.HingeQuery(strategy, sample, random_state=1, spread=spread)
        rows, utilities = asking.query(X, y, wrapped(EXACT), batch_size=4, return_utilities=True)
        assert len(set(rows)) == 4
        np.testing.assert_array_equal(rows, asking.query(X, y, wrapped(EXACT), batch_size=4))
        for turn, row in enumerate(rows):
            assert utilities[turn, row] == np.nanmax(utilities[turn])
            assert np.isnan(utilities[turn, rows[:turn]]).all()
        if sample and strategy != "random":
            assert np.count_nonzero(~np.isnan(utilities[0])) <= sample

    def test_candidates(self, tools, iris):
        X, truth = iris
        y = some_labels(truth, np.r_[:30])
        asking, clf = tools.HingeQuery(), wrapped(EXACT).fit(X, y)
        numbers = np.array([140, 3, 77, 50, 60])
        rows, utilities = asking.query(
            X, y, clf, fit_clf=False, candidates=numbers, batch_size=2, return_utilities=True
        )
        assert set(rows) <= set(numbers)
        assert utilities.shape == (2, 150)
        assert set(np.flatnonzero(~np.isnan(utilities[0]))) == set(numbers)
        places, others = asking.query(
            X, y, clf, fit_clf=False, candidates=X[numbers], batch_size=2, return_utilities=True
        )
        np.testing.assert_array_equal(numbers[places], rows)
        assert others.shape == (2, 5)

    @pytest.mark.parametrize("estimator", [OnlineSVC(), Continued(OnlineSVC(gamma=1.0))])
    @pytest.mark.parametrize("known", [0, 1])
    @pytest.mark.filterwarnings("ignore:The 'base_estimator' could not be fitted")
    def test_random_rows_until_two_classes_are_known(self, tools, iris, estimator, known):
        X, truth = iris
        y = some_labels(truth, np.r_[:known])
        seen = {tools.HingeQuery(random_state=seed).query(X, y, wrapped(estimator))[0] for seed in range(20)}
        assert len(seen) > 10
        assert min(seen) >= known

    def test_weights_and_string_labels(self, tools, iris):
        from skactiveml.classifier import SklearnClassifier

        X, truth = iris
        y = np.array([f"kind {label}" for label in truth], dtype=object)
        y[30:] = None
        clf = SklearnClassifier(EXACT, classes=["kind 0", "kind 1", "kind 2"], missing_label=None)
        weights = np.where(np.arange(150) < 15, 1.0, 0.0)
        rows = tools.HingeQuery(missing_label=None).query(X, y, clf, sample_weight=weights)
        model = clone(EXACT).fit(X[:15], y[:15].astype(str))
        assert rows[0] == 30 + query(model, X[30:])[0]

    def test_other_classifiers_of_skactiveml(self, tools, iris):
        from skactiveml.classifier import ParzenWindowClassifier

        X, truth = iris
        y = some_labels(truth, np.r_[:30])
        clf = ParzenWindowClassifier(classes=[0, 1, 2]).fit(X, y)
        rows = tools.HingeQuery().query(X, y, clf, fit_clf=False)
        assert rows[0] == 30 + query(clf, X[30:])[0]

    def test_parameters(self, tools, iris):
        asking = tools.HingeQuery("positive", 50, random_state=3, spread=0.5)
        assert clone(asking).get_params() == asking.get_params() | {
            "missing_label": asking.get_params()["missing_label"]
        }
        with pytest.raises(ParameterError, match=r"^strategy must be one of"):
            tools.HingeQuery("wild").query(iris[0], some_labels(iris[1], np.r_[:9]), wrapped(EXACT))
        with pytest.raises(TypeError, match="SkactivemlClassifier"):
            tools.HingeQuery().query(iris[0], some_labels(iris[1], np.r_[:9]), OnlineSVC())


class TestHingeStreamQuery:
    """Rows inside the margin, within the budget."""

    def test_a_stream(self, tools, iris):
        X, truth = iris
        clf, asking = wrapped(Continued(OnlineSVC(gamma=0.5))), tools.HingeStreamQuery(budget=0.3)
        asked = []
        for row in range(150):
            clf.partial_fit(X[:3], truth[:3]) if row == 0 else None
            chosen, utilities = asking.query(X[row : row + 1], clf, return_utilities=True)
            asking.update(X[row : row + 1], chosen)
            assert len(chosen) == 0 or -utilities[0] < 1.0
            if len(chosen):
                clf.partial_fit(X[row : row + 1], truth[row : row + 1])
                asked.append(row)
            assert len(asked) <= 0.3 * (row + 1)
        assert 10 < len(asked) <= 45
        assert clf.estimator_.estimator_.n_seen_ == 3 + len(asked)
        assert clf.score(X, truth) > 0.85

    def test_chunk_size_does_not_matter(self, tools, iris):
        X, truth = iris
        clf = wrapped(EXACT).fit(X[:30], truth[:30])
        whole = tools.HingeStreamQuery(threshold=0.5, budget=0.2).query(X, clf)
        asking, found = tools.HingeStreamQuery(threshold=0.5, budget=0.2), []
        for start in range(0, 150, 25):
            chosen = asking.query(X[start : start + 25], clf)
            np.testing.assert_array_equal(chosen, asking.query(X[start : start + 25], clf))  # asking changes nothing
            asking.update(X[start : start + 25], chosen)
            found.extend(start + chosen)
        np.testing.assert_array_equal(found, whole)
        assert (acquisition_scores(clf, X[whole], "boundary") > -0.5).all()

    def test_all_rows_are_selected_before_two_classes_are_known(self, tools, iris):
        clf = wrapped(Continued(EXACT))
        assert tools.HingeStreamQuery(budget=1.0).query(iris[0][:5], clf).tolist() == [0, 1, 2, 3, 4]
        chosen = tools.HingeStreamQuery(budget=1.0).query(iris[0], clf, *iris, fit_clf=True)
        assert 0 < len(chosen) < 150

    def test_bad_threshold(self, tools, iris):
        with pytest.raises(ParameterError, match=r"^threshold must be a finite number above 0, got 0"):
            tools.HingeStreamQuery(threshold=0).query(iris[0], wrapped(EXACT))


def test_the_package_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "skactiveml.base", None)
    monkeypatch.delitem(sys.modules, "hinge.active.skactiveml", raising=False)
    with pytest.raises(ImportError, match=r"^hinge.active.skactiveml needs .*pip install 'hinge-svm\[skactiveml\]'\.$"):
        importlib.import_module("hinge.active.skactiveml")
