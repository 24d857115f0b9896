"""Several threads that learn with one model take turns: nothing is lost, and nothing learned twice."""

from __future__ import annotations

import os
import pickle
import signal
import threading

import numpy as np
import pytest
from sklearn.svm import SVC

from hinge import IncrementalOneClassSVM, IncrementalSVC, OnlineSVC
from hinge.active import ActiveLearner

from .common import MODELS, ROWS, VALUES, Gate, X, Y, together, values_of

TAUGHT = ["online", "robust", "tracking", "perceptron", "exact", "plane", "nystroem", "regression", "prepared"]


def parts(model, n_threads):
    """Return works that teach a model all rows between them, one after the other."""
    targets = VALUES if type(model).__name__ == "ApproximateSVR" else Y

    def work(rows):
        for row in rows:
            model.partial_fit(X[row : row + 1], targets[row : row + 1])

    return [lambda rows=rows: work(rows) for rows in np.array_split(np.arange(len(X)), n_threads)]


@pytest.mark.parametrize("name", TAUGHT)
def test_many_teachers_of_a_new_model(name):
    make, _ = MODELS[name]
    model = make()
    together(*parts(model, 4))
    assert model.n_seen_ == len(X)
    assert np.isfinite(values_of(model)).all()


@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_teachers_does_not_matter_to_exact_models(seed):
    order, is_high = np.random.default_rng(seed).permutation(len(X)), Y == "high"
    model = IncrementalSVC(gamma=0.5)
    shares = np.array_split(order, 4)
    together(*[lambda rows=rows: model.partial_fit(X[rows], is_high[rows], ids=rows) for rows in shares])
    assert sorted(model.ids_) == list(range(len(X)))
    reference = SVC(gamma=0.5, tol=1e-9).fit(X, is_high)
    np.testing.assert_allclose(model.decision_function(X), reference.decision_function(X), atol=1e-6)
    assert model.kkt_violation() < 1e-6


def test_teaching_and_forgetting_at_once():
    names = [f"example {row}" for row in range(len(X))]
    model = IncrementalOneClassSVM(gamma=0.5, nu=0.3).partial_fit(X[:60], ids=names[:60])

    def learn():
        for row in range(60, 120):
            model.partial_fit(X[row : row + 1], ids=names[row : row + 1])

    def forget():
        for name in names[:50]:
            model.forget(name)

    together(learn, forget)
    assert model.ids_ == names[50:]
    expected = IncrementalOneClassSVM(gamma=0.5, nu=0.3).fit(X[50:])
    np.testing.assert_allclose(model.decision_function(ROWS), expected.decision_function(ROWS), atol=1e-7)


@pytest.mark.parametrize("model", [OnlineSVC(gamma=0.5), IncrementalSVC(gamma=0.5)], ids=["online", "exact"])
def test_an_active_learner_among_threads(model):
    learner = ActiveLearner(model, X, random_state=0)
    answered = np.arange(0, 90)

    def tell(rows):
        for row in rows:
            learner.tell(row, Y[row])
            if row % 10 == 9:
                learner.forget(row)

    def ask():
        for _ in range(30):
            rows = learner.ask(3)
            assert len(set(rows.tolist())) == 3
            copied = pickle.loads(pickle.dumps(learner))
            assert copied.n_open == len(X) - len(copied.labels)
            learner.advice()

    together(lambda: tell(answered[::2]), lambda: tell(answered[1::2]), ask)
    kept = {row for row in answered.tolist() if row % 10 != 9}
    assert set(learner.labels) == kept
    assert learner.n_open == len(X) - len(kept)
    assert learner.model.predict(X[:1])[0] in Y


def test_ctrl_c_reaches_a_thread_that_waits():
    """The main thread waits for a model that another one teaches; Ctrl-C ends the waiting, and nothing else."""
    gate = Gate()
    model = OnlineSVC(kernel=gate, random_state=0).fit(X[:60], Y[:60])
    interrupter = threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT))

    def wait_in_vain():
        interrupter.start()
        model.duality_gap()

    with gate.holding(lambda: model.partial_fit(X[60:], Y[60:])), pytest.raises(KeyboardInterrupt):
        wait_in_vain()
    interrupter.join()
    assert model.n_seen_ == len(X)
    assert len(model.predict(ROWS)) == len(ROWS)


class Interrupting:
    """Native machines during whose work Ctrl-C is pressed, which Python raises before or after it."""

    def __init__(self, native, verb, after):
        self._native, self._verb, self._after, self._pressed = native, verb, after, False

    def __getattr__(self, name):
        work = getattr(self._native, name)
        return work if name != self._verb or self._pressed else lambda *given: self._press(work, *given)

    def _press(self, work, *given):
        self._pressed = True
        if self._after:
            work(*given)
        raise KeyboardInterrupt


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("name", ["online", "exact", "nystroem"])
def test_ctrl_c_while_a_class_comes(name, after):
    make, _ = MODELS[name]
    two = Y != "odd"
    model = make().partial_fit(X[two], Y[two])
    model._state._native = Interrupting(model._state.native, "grow", after)
    with pytest.raises(KeyboardInterrupt):
        model.partial_fit(X[~two], Y[~two])
    assert model.decision_function(ROWS).reshape(len(ROWS), -1).shape[1] == (1 if len(model.classes_) == 2 else 3)
    model.partial_fit(X[~two], Y[~two])
    assert (model.predict(X[~two]) == "odd").mean() > 0.8


@pytest.mark.parametrize("after", [False, True])
def test_ctrl_c_while_a_class_goes(after):
    model = IncrementalSVC(gamma=0.5).fit(X, Y)
    model._state._native = Interrupting(model._state.native, "drop_class", after)
    with pytest.raises(KeyboardInterrupt):
        model.forget(np.flatnonzero(Y == "odd"))
    assert model.classes_.tolist() == ["high", "low"]
    rest = Y != "odd"
    expected = IncrementalSVC(gamma=0.5).fit(X[rest], Y[rest])
    np.testing.assert_allclose(model.decision_function(ROWS), expected.decision_function(ROWS), atol=1e-7)
