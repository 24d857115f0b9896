"""`ActiveLearner` with models that reject labels or have no margin, and with interrupted calls."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_digits, make_blobs
from sklearn.linear_model import Perceptron, Ridge, SGDClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC, OneClassSVM

from hinge import ApproximateSVC, IncrementalSVC, KernelPerceptron, OnlineSVC
from hinge.active import ActiveLearner, modal
from hinge.active._diversity import diverse_batch
from hinge.active._pool import UnlabelledRows
from hinge.stream import AdaptiveSVC

X, y = make_blobs(200, centers=3, cluster_std=2.0, random_state=0)


@pytest.mark.parametrize("model", [CalibratedClassifierCV(SVC(), cv=2)])
def test_labels_can_be_added_to_a_set_that_is_too_small_to_fit(model):
    learner = ActiveLearner(model, X, random_state=0).tell([0, 1], [0, 1])
    assert learner.ask(strategy="random").shape == (1,)
    learner.tell([2, 3], [0, 1])
    assert learner.model.predict(X).shape == (200,)


def test_a_label_that_the_model_rejects_later_can_be_corrected():
    class Refusing(OnlineSVC):
        def partial_fit(self, X, y, **more):
            if 9 in np.asarray(y):
                raise ValueError("refused")
            return super().partial_fit(X, y, **more)

    learner = ActiveLearner(Refusing(gamma=0.1), X, random_state=0).tell([0, 1, 2], [0, 1, 9])
    with pytest.raises(ValueError, match="refused"):
        learner.ask()
    assert learner.tell(2, 2).model.classes_.tolist() == [0, 1, 2]


@pytest.mark.parametrize(("n", "classes"), [(15, 3), (60, 1)])
def test_the_documented_loop_ends(n, classes):
    learner, truth = ActiveLearner(IncrementalSVC(), X[:n], random_state=0), y[:n] % classes
    for _ in range(100):
        if learner.advice().stop:
            return
        rows = learner.ask(5)
        learner.tell(rows, truth[rows])
    pytest.fail(f"{len(learner.labels)} of {n} rows have labels, and still: {learner.advice()}")


@pytest.mark.parametrize("model", [SGDClassifier(random_state=0, max_iter=5000), Perceptron(random_state=0)])
def test_advice_is_not_to_stop_on_noise(model):
    digits = load_digits().data
    noise = np.random.default_rng(0).integers(2, size=len(digits))
    learner = ActiveLearner(model, digits, random_state=0)
    while len(learner.labels) < 60:
        rows = learner.ask(5)
        assert not learner.tell(rows, noise[rows]).advice().stop, learner.advice()


def test_the_margin_of_svc_with_three_classes():
    inside = ActiveLearner(SVC(C=10), X, random_state=0).tell(range(60), y[:60]).advice().inside
    assert inside is None or inside < 1  # its ovr columns are votes: one of them is always below 1


@pytest.mark.parametrize(
    ("model", "has_margin"),
    [
        (OnlineSVC(), True),
        (KernelPerceptron(), False),
        (AdaptiveSVC(), False),
        (ApproximateSVC(random_state=0), True),
        (ApproximateSVC(loss="log_loss", random_state=0), False),
    ],
)
def test_votes_and_log_odds_have_no_margin(model, has_margin):
    inside = ActiveLearner(model, X, random_state=0).tell(range(60), y[:60]).advice().inside
    assert (inside is not None) == has_margin


def test_advice_is_not_to_stop_when_one_class_is_predicted():
    random = np.random.default_rng(3)
    pool = np.vstack([random.normal(size=(1960, 5)), random.normal(size=(40, 5)) * 0.5 + [2.5, 0, 0, 0, 0]])
    truth = np.repeat([0, 1], [1960, 40])
    learner = ActiveLearner(OnlineSVC(), pool, "random", random_state=0).tell([0, 1, 2, 3, 1999], [0, 0, 0, 0, 1])
    while not learner.advice().stop and len(learner.labels) < 300:
        rows = learner.ask()
        learner.tell(rows, truth[rows])
    assert learner.model.predict(pool).any()  # SVC of all rows finds 33 of 40


@pytest.mark.parametrize("again", [copy.deepcopy, lambda learner: pickle.loads(pickle.dumps(learner))])
def test_copies(again):
    learner = ActiveLearner(OnlineSVC(), X, random_state=0).tell([0, 1, 2], [0, 1, 2])
    assert again(learner).ask().tolist() == learner.ask().tolist()


def test_a_model_is_used_in_two_learners():
    model = IncrementalSVC(gamma=0.1).fit(X[:50], y[:50])
    first = ActiveLearner(model, X[50:100], random_state=0).tell([3], y[[53]])
    second = ActiveLearner(first.model, X[100:], random_state=0).tell([3], y[[103]])
    assert len(second.model.ids_) == 52


class Interrupted(UnlabelledRows):
    left = 1

    def remove(self, row):
        self.left -= 1
        if self.left == -1:
            raise KeyboardInterrupt
        super().remove(row)


def test_interrupted_while_rows_are_removed():
    learner = ActiveLearner(OnlineSVC(gamma=0.1), X, random_state=0)
    learner._unlabelled = Interrupted(200)
    with pytest.raises(KeyboardInterrupt):
        learner.tell([0, 1, 2, 3], [0, 1, 2, 0])
    assert not set(learner.ask(200).tolist()) & set(learner.labels)
    learner.forget(list(learner.labels))
    assert learner.n_open == 200


def test_interrupted_while_rows_are_excluded():
    rows = Interrupted(10)
    with pytest.raises(KeyboardInterrupt), rows.excluding([1, 2, 3]):
        pass
    assert len(rows) == 10


def test_modal_with_a_meta_estimator():
    model = CalibratedClassifierCV(SVC(), cv=2).fit(X, y)
    _, scores = modal.strategy(random_state=0)(model, X, n_instances=3)
    assert (scores < 0).all()  # zeros: rows were drawn at random


def test_tell_alone_does_not_fit():
    class Counting(GaussianNB):
        fits = 0

        def fit(self, X, y, sample_weight=None):
            Counting.fits += 1
            return super().fit(X, y, sample_weight)

    learner = ActiveLearner(Counting(), X, "random", random_state=0)
    for row in range(50):
        learner.tell(row, y[row])
    assert Counting.fits == 0
    assert learner.model.predict(X).shape == (200,)
    assert Counting.fits == 1


@pytest.mark.parametrize("model", [Ridge(), OneClassSVM()])
def test_other_estimators_raise_at_once(model):
    with pytest.raises(ValueError, match="classifier"):
        ActiveLearner(model, X)


def test_spread_far_from_the_origin():
    random = np.random.default_rng(0)
    twins = np.repeat(random.normal(size=(30, 2)) * 100, 10, axis=0) + random.normal(size=(300, 2)) * 1e-3
    assert len(set(diverse_batch(twins, np.arange(300), 8, 0.2) // 10)) == 8
    assert len(set(diverse_batch(twins + 1.7e9, np.arange(300), 8, 0.2) // 10)) == 8  # seconds since 1970


def test_a_rejected_change_keeps_the_order_of_labels():
    class Stubborn(IncrementalSVC):
        def forget(self, ids):
            raise RuntimeError("no")

    learner = ActiveLearner(Stubborn(gamma=0.1), X, random_state=0).tell([5, 3, 8, 1], [0, 1, 2, 0])
    assert learner.can_choose
    with pytest.raises(RuntimeError):
        learner.forget(3)
    assert list(learner.labels) == [5, 3, 8, 1]


def test_strings_of_digits():
    assert diverse_batch(np.array([str(i) for i in range(50)]), np.arange(50), 3, 0.2).shape == (3,)


def test_exclude_twice():
    assert ActiveLearner(OnlineSVC(), X, random_state=0).ask(exclude=[1, 1]).shape == (1,)
