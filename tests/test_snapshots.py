"""Snapshots for predictions do not disturb learning, and what a model reports about its last call is up to date."""

from __future__ import annotations

import pickle
import threading
from copy import deepcopy

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.datasets import make_blobs
from sklearn.exceptions import ConvergenceWarning

from hinge import ApproximateSVC, IncrementalSVC, KernelPerceptron, OnlineSVC, RobustOnlineSVC, TrackingSVC
from hinge._fit.driver import features_of, installing
from hinge._model.locking import lock_of
from hinge._model.state import State

X, Y = make_blobs(800, centers=4, n_features=5, cluster_std=3.5, random_state=3)
ROWS = X[::7]

ASK = {"predict": lambda model: model.predict(ROWS), "pickle": pickle.dumps}

MODELS = {
    "online": lambda: OnlineSVC(gamma=0.05, random_state=0),
    "bounded": lambda: OnlineSVC(gamma=0.05, max_support=25, random_state=0),
    "robust": lambda: RobustOnlineSVC(gamma=0.05, random_state=0),
    "support": lambda: TrackingSVC(gamma=0.05, keep="support", random_state=0),
    "perceptron": lambda: KernelPerceptron(gamma=0.05, max_support=25, random_state=0),
    "fourier": lambda: ApproximateSVC(gamma=0.05, n_components=30, approximation="fourier", random_state=0),
}


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("ask", ASK)
def test_asking_changes_nothing(name, ask):
    asked, alone = MODELS[name](), MODELS[name]()
    for start in range(0, len(X), 40):
        for model in (asked, alone):
            model.partial_fit(X[start : start + 40], Y[start : start + 40])
        ASK[ask](asked)
    assert_array_equal(asked.decision_function(ROWS), alone.decision_function(ROWS))


def test_brief_calls_make_no_snapshots_until_another_thread_predicts(monkeypatch):
    made = []
    make = State.make_snapshot
    monkeypatch.setattr(State, "make_snapshot", lambda state: made.append(state) or make(state))
    model = MODELS["online"]()
    for start in range(0, len(X), 40):
        model.partial_fit(X[start : start + 40], Y[start : start + 40])
    assert not made
    reader = threading.Thread(target=lambda: model.predict(ROWS))
    reader.start()
    reader.join()
    assert len(made) == 1
    model.partial_fit(X[:40], Y[:40])
    assert len(made) == 2


@pytest.mark.parametrize("name", MODELS)
def test_the_first_prediction_during_a_long_call_does_not_wait(name):
    model = MODELS[name]().fit(X[:600], Y[:600])
    before, answers = deepcopy(model).decision_function(ROWS), []
    reader = threading.Thread(target=lambda: answers.append(model.decision_function(ROWS)))
    with lock_of(model).lock, installing(model, model._state, features_of(model)):
        model._learner.learn(
            model, model._state, model._task.check(model, X, Y, None, model._state), model._state.options
        )
        reader.start()
        reader.join(timeout=60)
        assert_array_equal(answers, [before])
    assert np.any(model.decision_function(ROWS) != before)


def test_a_prediction_that_waits_for_a_brief_call_answers_from_the_snapshot_of_the_next():
    """Without looking again, it would wait for the end of the long call as well."""
    model = MODELS["online"]().fit(X[:600], Y[:600])
    before, answers, lock = deepcopy(model).decision_function(ROWS), [], lock_of(model)
    reader = threading.Thread(target=lambda: answers.append(model.decision_function(ROWS)))
    with lock.lock:
        lock.is_writing = True
        model._state.drop_snapshot()  # as a brief call does
        reader.start()
        reader.join(timeout=0.05)
        assert not answers
        with installing(model, model._state, features_of(model)):  # the long call of the same writer
            reader.join(timeout=60)
            assert_array_equal(answers, [before])
        lock.is_writing = False


def test_fit_status_is_that_of_the_last_call():
    model = IncrementalSVC(tol=1e-300, C=10.0)
    with pytest.warns(ConvergenceWarning):
        model.fit(X[:100], Y[:100])
    assert model.fit_status_ == 1
    assert model.set_params(tol=1e-3).partial_fit(X[100:101], Y[100:101]).fit_status_ == 0


@pytest.mark.parametrize("kernel", ["linear", lambda A, B: A @ B.T])
def test_the_progressive_score_counts_the_whole_stream(kernel):
    model = OnlineSVC(kernel=kernel, C=0.01).fit(X[:200], Y[:200])
    assert model.progressive_score_.n_examples == 0
    for start in range(200, 300, 20):
        model.partial_fit(X[start : start + 20], Y[start : start + 20])
    assert model.finish().progressive_score_.n_examples == 100
