"""`ActiveLearner`: ask, tell, forget, advice."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.datasets import load_digits, make_blobs
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from hinge import (
    ApproximateSVC,
    DataError,
    IncrementalSVC,
    KernelPerceptron,
    OnlineSVC,
    ParameterError,
    RobustOnlineSVC,
    TrackingSVC,
)
from hinge.active import ActiveLearner, query
from hinge.active._diversity import diverse_batch

MODELS = {
    "OnlineSVC": OnlineSVC(C=10, random_state=0),
    "IncrementalSVC": IncrementalSVC(C=10),
    "ApproximateSVC": ApproximateSVC(n_components=20, random_state=0),
    "RobustOnlineSVC": RobustOnlineSVC(random_state=0),
    "TrackingSVC": TrackingSVC(random_state=0),
    "KernelPerceptron": KernelPerceptron(random_state=0),
    "SVC": SVC(C=10),
    "GaussianNB": GaussianNB(),
    "pipeline": make_pipeline(StandardScaler(), LogisticRegression(max_iter=20, tol=0.01)),
}


def blobs(n=200, classes=3, seed=0):
    return make_blobs(n, centers=classes, cluster_std=2.0, random_state=seed)


def talk(learner, y, n, each=1):
    while len(learner.labels) < n:
        rows = learner.ask(each)
        learner.tell(rows, y[rows])
    return learner


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("strategy", ["boundary", "positive", "autoactive", "random"])
def test_any_classifier(name, strategy):
    X, y = blobs()
    learner = talk(ActiveLearner(MODELS[name], X, strategy, random_state=0), y, 60)
    assert all(learner.labels[row] == y[row] for row in learner.labels)
    assert learner.n_open == 140
    if strategy != "positive":  # which sees one class most of the time
        assert learner.model.score(X, y) > (0.5 if name == "ApproximateSVC" else 0.7)  # which needs more examples


@pytest.mark.parametrize("name", MODELS)
def test_string_labels_and_the_given_model_is_not_modified(name):
    X, y = blobs(classes=2)
    names = np.array(["cat", "dog"])[y]
    before = MODELS[name].get_params()
    learner = talk(ActiveLearner(MODELS[name], X, random_state=0), names, 30, each=5)
    assert set(learner.model.predict(X)) <= {"cat", "dog"}
    assert MODELS[name].get_params() == before
    assert not hasattr(MODELS[name], "classes_")


@pytest.mark.parametrize("name", ["IncrementalSVC", "SVC", "GaussianNB", "pipeline"])
def test_the_model_is_the_one_trained_on_the_labels(name):
    X, y = blobs()
    learner = talk(ActiveLearner(MODELS[name], X, random_state=0), y, 40, each=3)
    learner.tell(list(learner.labels)[3], (y[list(learner.labels)[3]] + 1) % 3)  # a correction
    learner.forget(list(learner.labels)[5:8])
    rows = list(learner.labels)
    plain = clone(learner.model).fit(X[rows], list(learner.labels.values()))
    decide = "decision_function" if hasattr(plain, "decision_function") else "predict_proba"
    np.testing.assert_allclose(getattr(learner.model, decide)(X), getattr(plain, decide)(X), atol=1e-6)


def test_a_streaming_model_learned_in_the_order_of_the_answers():
    X, y = blobs()
    learner = talk(ActiveLearner(OnlineSVC(gamma=0.1), X, random_state=0), y, 40, each=2)
    rows = np.array(list(learner.labels))
    first = next(n for n in range(2, 41) if n % 2 == 0 and len(set(y[rows[:n]])) > 1)  # until then it waits
    plain = OnlineSVC(gamma=0.1).partial_fit(X[rows[:first]], y[rows[:first]])
    for start in range(first, 40, 2):
        plain.partial_fit(X[rows[start : start + 2]], y[rows[start : start + 2]])
    np.testing.assert_allclose(learner.model.decision_function(X), plain.decision_function(X), atol=1e-12)


def test_a_streaming_model_is_trained_again_after_a_correction():
    X, y = blobs()
    learner = talk(ActiveLearner(OnlineSVC(gamma=0.1), X, random_state=0), y, 30)
    row = list(learner.labels)[4]
    learner.tell(row, (y[row] + 1) % 3)
    rows = np.array(list(learner.labels))
    plain = OnlineSVC(gamma=0.1).partial_fit(X[rows], np.array(list(learner.labels.values())))
    np.testing.assert_array_equal(learner.model.decision_function(X), plain.decision_function(X))


def test_exact_models_correct_and_forget_in_place():
    X, y = blobs()
    learner = talk(ActiveLearner(IncrementalSVC(C=10), X, random_state=0), y, 30)
    model, rows = learner.model, list(learner.labels)
    learner.tell(rows[0], (y[rows[0]] + 1) % 3).forget(rows[1])
    assert learner.model is model
    assert sorted(model.ids_) == sorted(set(rows) - {rows[1]})
    assert model.kkt_violation() < 1e-8
    assert rows[1] in learner.ask(len(y))


@pytest.mark.parametrize("sample", [None, 20])
def test_ask_selects_as_query_does(sample):
    X, y = blobs()
    model = IncrementalSVC(C=10, gamma=0.1).fit(X[:50], y[:50])
    learner = ActiveLearner(model, X[50:], sample=sample, random_state=3)
    if sample is None:
        np.testing.assert_array_equal(learner.ask(7), query(model, X[50:], 7))
    else:
        rows = learner.ask(4)
        scores = np.sort(model.decision_function(X[50:]), axis=1)
        margins = scores[:, -1] - scores[:, -2]
        assert len(set(rows)) == 4
        assert np.median(margins[rows]) <= np.median(margins)
    assert (learner.ask(3) < 150).all()


def test_a_fitted_model_without_partial_fit_chooses_until_two_classes_are_known():
    X, y = blobs()
    learner = ActiveLearner(GaussianNB().fit(X[:50], y[:50]), X[50:], random_state=0)
    ones = np.flatnonzero(y[50:] == 1)
    learner.tell(ones[:2], [1, 1])
    assert len(learner.model.classes_) == 3
    assert learner.tell(learner.ask(), 0).model.classes_.tolist() == [0, 1]


def test_a_fitted_model_keeps_learning():
    X, y = blobs()
    model = IncrementalSVC(C=10, gamma=0.1).fit(X[:50], y[:50])
    learner = talk(ActiveLearner(model, X[50:], random_state=0), y[50:], 20)
    assert len(model.ids_) == 50
    assert len(learner.model.ids_) == 70
    learner.forget(list(learner.labels))
    np.testing.assert_allclose(learner.model.decision_function(X), model.decision_function(X), atol=1e-8)


def test_gamma_is_computed_from_the_pool():
    X, y = blobs()
    learner = ActiveLearner(OnlineSVC(), X).tell([0, 1, 2, 3], y[:4])
    assert learner.model.gamma == pytest.approx(1 / (2 * X.var()))


def test_ask_returns_rows_until_none_is_left():
    X, y = blobs(n=10)
    learner = ActiveLearner(OnlineSVC(), X, random_state=0)
    assert len(learner.ask(20)) == 10
    learner.tell(range(8), y[:8])
    assert sorted(learner.ask(20)) == [8, 9]
    assert learner.ask(20, exclude=[8]).tolist() == [9]
    assert learner.ask(1, exclude=[8, 9]).tolist() == []
    learner.tell([8, 9], y[8:])
    assert learner.ask().tolist() == []


def test_one_class_is_not_enough_to_choose():
    X, y = blobs()
    for model in MODELS.values():
        learner = ActiveLearner(model, X, random_state=0)
        ones = np.flatnonzero(y == 1)[:3]
        learner.tell(ones, y[ones])
        assert not learner.can_choose
        assert len(learner.ask(5)) == 5
        assert not learner.advice().stop
        learner.tell(np.flatnonzero(y == 0)[:3], [0, 0, 0])
        assert learner.can_choose


def test_the_last_class_but_one_can_be_forgotten():
    X, _ = blobs(classes=2)
    for model in (IncrementalSVC(), OnlineSVC(), GaussianNB()):
        learner = ActiveLearner(model, X, random_state=0).tell([0, 1], [0, 1])
        assert learner.forget([1]).ask(3).shape == (3,)
        assert not learner.can_choose
        assert learner.tell([2], [1]).can_choose


def test_a_new_class_at_any_time():
    X, y = blobs()
    for model in MODELS.values():
        learner = talk(ActiveLearner(model, X, random_state=0), y, 40)
        learner.tell(learner.ask(3), [7, 7, 7])
        assert 7 in learner.model.classes_


def test_positive_finds_a_rare_class():
    X, y = load_digits(return_X_y=True)
    y = np.where(y == 8, "eight", "other")
    found = {}
    for strategy in ("positive", "random"):
        target = "eight" if strategy == "positive" else None
        learner = ActiveLearner(OnlineSVC(C=10), X, strategy, random_state=0, target=target)
        learner.tell(seeds := np.r_[np.flatnonzero(y == "eight")[:2], np.flatnonzero(y == "other")[:2]], y[seeds])
        talk(learner, y, 100)
        found[strategy] = sum(label == "eight" for label in learner.labels.values())
    assert found["positive"] > 80
    assert found["random"] < 25


def test_pool_type_does_not_change_the_questions():
    X, y = load_digits(return_X_y=True)
    X, y = X[:400], y[:400]
    asked = []
    for pool in (X, csr_matrix(X), pd.DataFrame(X, columns=[f"p{i}" for i in range(64)]), X.tolist()):
        learner = talk(ActiveLearner(IncrementalSVC(C=10, gamma=0.001), pool, random_state=0), y, 60, each=4)
        asked.append(list(learner.labels))
    assert all(rows == asked[0] for rows in asked)


def test_near_duplicates_are_not_asked_twice_in_a_batch():
    rng = np.random.default_rng(0)
    X, y = blobs(n=60, classes=2)
    twins = np.repeat(X, 10, axis=0) + rng.normal(scale=1e-3, size=(600, 2))
    learner = ActiveLearner(OnlineSVC(gamma=0.1), twins, random_state=0).tell(np.arange(0, 600, 100), y[::10])
    batch = learner.ask(8)
    assert len(set(batch // 10)) == 8
    with_twins = query(learner.model, twins, 8, spread=0)
    assert len(set(with_twins // 10)) < 8
    assert len(query(learner.model, np.repeat(X[:1], 20, axis=0), 8)) == 8  # there is nothing else


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["tell", "forget", "correct"]), st.integers(0, 39)), max_size=40))
def test_the_model_depends_on_the_final_labels_only(events):
    X, y = blobs(n=40, classes=2)
    learner, kept = ActiveLearner(IncrementalSVC(gamma=0.1), X, random_state=0), {}
    for what, row in events:
        if what == "forget" and row in kept:
            learner.forget(row)
            del kept[row]
        elif what != "forget":
            label = int(y[row]) if what == "tell" else 1 - int(y[row])
            learner.tell(row, label)
            kept[row] = label
    assert dict(learner.labels) == kept
    assert set(learner.ask(40)) == set(range(40)) - set(kept)
    if len(set(kept.values())) > 1:
        plain = IncrementalSVC(gamma=0.1).fit(X[list(kept)], list(kept.values()))
        np.testing.assert_allclose(learner.model.decision_function(X), plain.decision_function(X), atol=1e-7)


def test_advice():
    X, y = make_blobs(400, centers=2, cluster_std=0.5, center_box=(-10, 10), random_state=2)
    learner = ActiveLearner(IncrementalSVC(C=10), X, random_state=0)
    advice = learner.advice()
    assert not advice.stop
    while not learner.advice().stop and len(learner.labels) < 300:
        rows = learner.ask()
        learner.tell(rows, y[rows])
    assert 20 <= len(learner.labels) < 100  # two separate clouds: there is not much to learn
    full = SVC(C=10, gamma=learner.model.gamma).fit(X, y)
    assert (learner.model.predict(X) == full.predict(X)).all()


def test_advice_is_to_continue_while_labels_are_noise():
    X, _ = blobs(n=400)
    rng = np.random.default_rng(0)
    learner = ActiveLearner(IncrementalSVC(C=10), X, random_state=0)
    while len(learner.labels) < 120:
        rows = learner.ask()
        assert not learner.tell(rows, rng.integers(3, size=1)).advice().stop


def test_predicted_labels_beyond_the_margin_change_nothing():
    X, y = make_blobs(300, centers=2, cluster_std=0.5, center_box=(-10, 10), random_state=2)
    learner = ActiveLearner(IncrementalSVC(C=10), X, random_state=0)
    while len(learner.labels) < 20 or learner.advice().inside:
        rows = learner.ask()
        learner.tell(rows, y[rows])
    before = learner.model.decision_function(X)
    rest = learner.ask(300)
    learner.tell(rest, learner.model.predict(X[rest]))
    np.testing.assert_allclose(learner.model.decision_function(X), before, atol=1e-7)


@pytest.mark.parametrize(
    ("indices", "labels", "message"),
    [
        ([500], [1], "rows of the pool"),
        ([-1], [1], "rows of the pool"),
        ([0.5], [1], "rows of the pool"),
        ([1, 1], [1, 1], "a row twice"),
        ([1, 2], [1], "labels must hold one label an example, 2 in all, got 1"),
        ([1], [np.nan], "NaN"),
        ([1], [0.5], "continuous"),
        ([[1, 2]], [1], "rows of the pool"),
    ],
)
def test_bad_input_changes_nothing(indices, labels, message):
    X, y = blobs()
    learner = talk(ActiveLearner(IncrementalSVC(gamma=0.1), X, random_state=0), y, 20)
    before = dict(learner.labels), learner.model.decision_function(X)
    with pytest.raises(ValueError, match=message):
        learner.tell(indices, labels)
    assert dict(learner.labels) == before[0]
    np.testing.assert_array_equal(learner.model.decision_function(X), before[1])


class Picky:
    """A model that rejects one label."""

    def partial_fit(self, X, y, **more):
        if 9 in np.asarray(y):
            raise ValueError("refused")
        return super().partial_fit(X, y, **more)

    def relabel(self, ids, y):
        if 9 in np.asarray(y):
            raise ValueError("refused")
        return super().relabel(ids, y)


class PickyOnline(Picky, OnlineSVC):
    pass


class PickyIncremental(Picky, IncrementalSVC):
    pass


@pytest.mark.parametrize("kind", [PickyOnline, PickyIncremental])
def test_a_label_that_the_model_rejects_is_not_kept(kind):
    X, y = blobs()
    learner = talk(ActiveLearner(kind(gamma=0.1), X, random_state=0), y, 20)
    known, before = dict(learner.labels), learner.model.decision_function(X)
    new, old = int(learner.ask()[0]), next(iter(known))
    with pytest.raises(ValueError, match="refused"):
        learner.tell(new, 9)
    if kind is PickyIncremental:
        with pytest.raises(ValueError, match="refused"):
            learner.tell([new, old], [0, 9])  # one that it would take, one that it refuses
    assert list(learner.labels.items()) == list(known.items())
    assert learner.n_open == 180
    np.testing.assert_allclose(learner.model.decision_function(X), before, atol=1e-8)


def test_strings_among_numbers_raise():
    X, y = blobs()
    learner = talk(ActiveLearner(SVC(), X, random_state=0), y, 20)
    with pytest.raises(DataError, match="all text or all numbers"):
        learner.tell(int(learner.ask()[0]), "text")
    assert len(learner.labels) == 20


def test_advice_starts_again_when_labels_are_removed():
    X, y = load_digits(return_X_y=True)
    learner = ActiveLearner(IncrementalSVC(C=10), X, random_state=0)
    while not learner.advice().stop:
        rows = learner.ask(10)
        learner.tell(rows, y[rows])
    assert "agree about the pool" in learner.advice().reason
    assert not learner.forget(list(learner.labels)[30:]).advice().stop


def test_targets_must_be_classes():
    X, y = blobs()
    model = SVC().fit(X, y)
    with pytest.raises(ParameterError, match="target must be one of the classes"):
        query(model, X, strategy="positive", target=7)
    scores = model.decision_function(X)
    assert query(model, X, strategy="positive", target=2)[0] == scores[:, 2].argmax()
    assert ActiveLearner(model, X, "positive", target=7, random_state=0).ask(3).shape == (3,)  # not seen yet: at random


def test_equal_rows_of_strings_are_duplicates():
    frame = pd.DataFrame({"city": ["Rome", "Oslo", "Rome", "Paris", "Oslo"] * 20, "size": [1, 2, 1, 3, 2] * 20})
    chosen = diverse_batch(frame, np.arange(100), 3, 0.2)
    assert frame.iloc[chosen]["city"].nunique() == 3


def test_interrupted_labels_are_kept():
    X, y = blobs()

    class Interrupted(OnlineSVC):
        times = 0

        def partial_fit(self, X, y, **more):
            Interrupted.times += 1
            if Interrupted.times == 5:
                raise KeyboardInterrupt
            return super().partial_fit(X, y, **more)

    learner = talk(ActiveLearner(Interrupted(gamma=0.1), X, random_state=0), y, 5)
    with pytest.raises(KeyboardInterrupt):
        talk(learner, y, 60)
    n = len(learner.labels)
    talk(learner, y, n + 5)
    assert learner.model.n_seen_ == n + 5


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"strategy": "best"}, "strategy must be one of"),
        ({"sample": 0}, "sample"),
        ({"spread": -1}, "spread"),
        ({"target": 1}, "target must be None unless"),
        ({"random_state": "x"}, "random_state"),
    ],
)
def test_bad_parameters(arguments, message):
    with pytest.raises(ParameterError, match=message):
        ActiveLearner(OnlineSVC(), blobs()[0], **arguments)


def test_bad_models_and_pools():
    X, _ = blobs()
    with pytest.raises(ParameterError, match="precomputed"):
        ActiveLearner(OnlineSVC(kernel="precomputed"), X)
    with pytest.raises(ParameterError, match="must be an estimator"):
        ActiveLearner("svm", X)
    with pytest.raises(ValueError, match="NaN"):
        ActiveLearner(OnlineSVC(), np.where(X > 3, np.nan, X))
    learner = ActiveLearner(OnlineSVC(), X)
    with pytest.raises(ParameterError, match="n must be"):
        learner.ask(0)
    with pytest.raises(DataError, match="must have a label"):
        learner.forget([3])


def test_the_same_seed_selects_the_same_rows():
    X, y = blobs()
    asked = [list(talk(ActiveLearner(OnlineSVC(), X, sample=10, random_state=5), y, 50).labels) for _ in range(2)]
    assert asked[0] == asked[1]
