"""Models in processes that were forked or spawned, also while other threads were using them."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ProcessPoolExecutor

import joblib
import numpy as np
import pytest
from joblib import parallel_backend
from sklearn.ensemble import BaggingClassifier
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.multiclass import OneVsRestClassifier

from hinge import IncrementalSVC, OnlineSVC, _core
from hinge._model.threads import count_threads, one_blas_thread

from .common import MODELS, OWN, ROWS, Gate, X, Y, hasty, values_of

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")


def in_child(work):
    """Return what a function returns, or the error that it raises, in a forked process; one that hangs is killed."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        try:
            answer = work()
        except BaseException as error:  # noqa: BLE001 - the parent looks at it
            answer = error
        with os.fdopen(writing, "wb") as out:
            out.write(pickle.dumps(answer))
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as source:
        packed = source.read()
    _, status = os.waitpid(child, 0)
    assert status == 0, f"the child ended by signal {status & 127}"
    return pickle.loads(packed)


@pytest.mark.parametrize("name", MODELS)
def test_a_child_goes_on_alone(name):
    make, plan = MODELS[name]
    model, alone = make(), make()
    for each in (model, alone):
        for call in plan(each)[:4]:
            call()
    before, _ = values_of(model), values_of(alone)  # looking at a model may cost its last digits

    def learn():
        for call in plan(model)[4:]:
            call()
        return values_of(model)

    after = in_child(learn)
    for call in plan(alone)[4:]:
        call()
    np.testing.assert_array_equal(after, values_of(alone))
    np.testing.assert_array_equal(values_of(model), before)


def test_native_threads_in_a_child():
    wide = np.random.default_rng(0).normal(size=(3000, 20))
    model = OnlineSVC(gamma=0.05, n_jobs=2, random_state=0).fit(wide[:600], wide[:600, 0] > 0)
    expected = model.decision_function(wide)
    np.testing.assert_array_equal(in_child(lambda: model.decision_function(wide)), expected)


def fork_while_asked(n_forks):
    """Fork while other threads ask a model and leave and enter the BLAS; children must not wait for these threads."""
    model = OnlineSVC(gamma=0.5, random_state=0).fit(X, Y)
    expected, ended = values_of(model), threading.Event()

    def ask():
        while not ended.is_set():
            values_of(model)

    askers = [threading.Thread(target=ask) for _ in range(3)]
    with hasty():
        for asker in askers:
            asker.start()
        try:
            for _ in range(n_forks):
                answer, n_seen = in_child(lambda: (values_of(model), model.partial_fit(X, Y).n_seen_))
                np.testing.assert_array_equal(answer, expected)
                assert n_seen == 2 * len(X)
        finally:
            ended.set()
            for asker in askers:
                asker.join()


def test_forks_while_others_ask():
    fork_while_asked(6)


@pytest.mark.slow
def test_many_forks_while_others_ask():
    fork_while_asked(80)


def test_a_fork_in_the_middle_of_partial_fit():
    """The thread that learns does not exist in the child, which says so; the parent goes on."""
    gate = Gate()
    model = OnlineSVC(kernel=gate, random_state=0).fit(X[:60], Y[:60])
    other = OnlineSVC(gamma=0.5, random_state=0).fit(X, Y)
    with gate.holding(lambda: model.partial_fit(X[60:], Y[60:])):
        np.testing.assert_array_equal(in_child(lambda: values_of(model)), values_of(model))  # the last complete state
        for ask in (lambda: model.partial_fit(X, Y), lambda: pickle.dumps(model), lambda: model.support_):
            answer = in_child(ask)
            assert isinstance(answer, RuntimeError)
            assert "another thread was changing it when the process was forked" in str(answer)
        np.testing.assert_array_equal(in_child(lambda: values_of(other)), values_of(other))
    assert model.n_seen_ == len(X)


def test_a_fork_while_another_thread_only_looks():
    """A thread that certifies a solution changes nothing: the child can use the model."""
    gate = Gate()
    model = IncrementalSVC(kernel=gate).fit(X[:60], Y[:60])
    expected = IncrementalSVC(kernel="linear").fit(X[:60], Y[:60]).partial_fit(X[60:], Y[60:])
    with gate.holding(model.kkt_violation):
        answer = in_child(lambda: values_of(model.partial_fit(X[60:], Y[60:])))
    np.testing.assert_allclose(answer, values_of(expected), atol=1e-8)


@pytest.mark.usefixtures("asking_at_once")
def test_native_models_notice_that_they_were_forked():
    wide = np.random.default_rng(0).normal(size=(4000, 10))
    model = OnlineSVC(gamma=0.1, random_state=0).fit(wide[:100], wide[:100, 0] > 0)
    native, ((_, batch),) = model._state.native, model._state.storage.batches(wide)
    labels, costs, order = (wide[:, 0] > wide[:, 1]).astype(np.int32), np.ones(4000), np.arange(4000)
    inside, go_on = threading.Event(), threading.Event()

    def hold_up(_progress):
        inside.set()
        return go_on.wait(60) and False

    learner = threading.Thread(target=lambda: native.learn(batch, labels, costs, 100, order, 0, hold_up))
    learner.start()
    assert inside.wait(60)
    answer = in_child(lambda: native.n_steps)
    go_on.set()
    learner.join()
    assert isinstance(answer, RuntimeError)
    assert native.n_steps > 0


def test_a_child_counts_its_own_threads():
    """The hold that other threads have on the BLAS ends with them."""
    free, inside, leave = count_threads(None), threading.Event(), threading.Event()

    def hold():
        with one_blas_thread():
            inside.set()
            leave.wait(60)

    holder = threading.Thread(target=hold)
    holder.start()
    assert inside.wait(60)

    def count():
        with one_blas_thread():
            pass
        return count_threads(None)

    assert in_child(count) == free
    leave.set()
    holder.join()


@pytest.mark.slow
@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_pools_of_processes(method):
    model = IncrementalSVC(gamma=0.5).fit(X, Y)
    model.predict(ROWS)
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context(method)) as pool:
        answers = list(pool.map(model.decision_function, [ROWS] * 4))
        learned = list(pool.map(model.partial_fit, [ROWS] * 2, [Y[::3]] * 2))
    for answer in answers:
        np.testing.assert_array_equal(answer, model.decision_function(ROWS))
    for each in learned:
        assert each.n_seen_ == len(X) + len(ROWS)


def searched(n_jobs):
    search = GridSearchCV(OnlineSVC(random_state=0), {"gamma": [0.1, 1.0], "C": [0.1, 1.0]}, cv=3, n_jobs=n_jobs)
    return search.fit(X, Y).cv_results_["mean_test_score"]


TOOLS = {
    "search": searched,
    "folds": lambda n_jobs: cross_val_score(IncrementalSVC(gamma=0.5), X, Y, cv=4, n_jobs=n_jobs),
    "rest": lambda n_jobs: OneVsRestClassifier(OnlineSVC(random_state=0), n_jobs=n_jobs).fit(X, Y).decision_function(X),
    "bag": lambda n_jobs: (
        BaggingClassifier(OnlineSVC(random_state=0), 4, n_jobs=n_jobs, random_state=0).fit(X, Y).decision_function(X)
    ),
}


@pytest.mark.parametrize("tool", TOOLS)
def test_tools_with_threads(tool):
    with parallel_backend("threading"):
        np.testing.assert_allclose(TOOLS[tool](2), TOOLS[tool](1), rtol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("tool", TOOLS)
def test_tools_with_processes(tool):
    with parallel_backend("loky"):
        np.testing.assert_allclose(TOOLS[tool](2), TOOLS[tool](1), rtol=1e-12)


@pytest.mark.slow
def test_one_model_for_many_workers():
    model = OnlineSVC(gamma=0.5, random_state=0).fit(X, Y)
    for backend in ("loky", "threading"):
        answers = joblib.Parallel(2, backend=backend)(joblib.delayed(model.decision_function)(ROWS) for _ in range(6))
        for answer in answers:
            np.testing.assert_array_equal(answer, model.decision_function(ROWS))


LEAVING = """
import atexit, threading, time

@atexit.register
def ask():  # after the library has closed, since it was registered before
    model.predict(X[:5])
    assert taught().n_iter_ == before.n_iter_

def taught():
    return hinge.OnlineSVC(gamma=0.1).partial_fit(X, X[:, 0] > 0)

import numpy as np
import hinge

X = np.random.default_rng(0).normal(size=(4000, 10))
model, before = hinge.{model}, taught()
model.partial_fit(X[:50], X[:50, 0] > 0)

def work():
    while True:
        model.{work}

for _ in range(2):
    threading.Thread(target=work, daemon=True).start()
time.sleep(0.2)
"""


@pytest.mark.slow
@pytest.mark.parametrize("work", ["partial_fit(X, X[:, 0] > X[:, 1])", "predict(X)"])
@pytest.mark.parametrize("model", ["OnlineSVC(gamma=0.1)", "OnlineSVC(kernel=lambda A, B: A @ B.T)"])
def test_the_process_ends_while_threads_work(model, work):
    """Threads that Python leaves behind do not take the process down with them."""
    for _ in range(2):
        ended = subprocess.run(
            [sys.executable, "-c", LEAVING.format(model=model, work=work)], capture_output=True, timeout=60, check=False
        )
        assert (ended.returncode, ended.stderr) == (0, b"")


def others_go_on_during(work, most):
    """Tell whether another thread has its turn during some work, done so many times at most."""
    count, ended = 0, threading.Event()

    def advance():
        nonlocal count
        while not ended.is_set():
            count += 1
            time.sleep(0)

    other = threading.Thread(target=advance)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1000)  # nobody is made to give way
    try:
        other.start()
        before = count
        for _ in range(most):
            work()
            if count > before:
                return True
        return False
    finally:
        sys.setswitchinterval(interval)
        ended.set()
        other.join()


@pytest.mark.parametrize("name", [name for name in OWN if name not in ("function", "regression")])
def test_other_threads_go_on_while_the_machines_work(name):
    make, plan = MODELS[name]
    model = make()
    for call in plan(model)[:4]:
        call()
    state = model._state
    ((_, batch),) = state.storage.batches(np.repeat(ROWS, 20, axis=0))
    zeros = np.zeros(len(ROWS) * 20, dtype=np.float64 if "weights" in state.native.state() else np.int32)
    rows = (batch, zeros, np.full(len(zeros), 1e-3), 1000, np.arange(len(zeros)))
    assert not others_go_on_during(lambda: sum(range(1000)), 100)
    assert others_go_on_during(lambda: state.native.predictor().decide(batch, 1), 2000)
    assert others_go_on_during(lambda: state.native.learn(*rows), 2000)


def test_other_threads_go_on_while_features_are_made():
    rows = np.random.default_rng(0).normal(size=(400, 30))
    kernel, batch = _core.Kernel("rbf", 0.1), _core.Batch64.dense(rows)
    choice = _core.Map64.nystroem(kernel, batch, np.arange(400), np.zeros(0), np.eye(400))
    assert others_go_on_during(lambda: choice.features(batch), 200)
