"""After Ctrl-C a model holds what it learned before, and nothing else."""

from __future__ import annotations

import copy
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from sklearn.datasets import make_blobs
from sklearn.metrics.pairwise import rbf_kernel

from hinge import IncrementalSVC, _core
from hinge.incremental import _learner as exact_learner
from hinge.incremental import _warm_start
from tests.invariants import check

SCRIPT = """
import os, signal
from contextlib import nullcontext
import numpy as np
from hinge import IncrementalSVC
from hinge._fit import learner

random = np.random.default_rng(0)
X = random.normal(size=(100_000, 10))
y = random.integers(0, 3, len(X))  # nothing to learn, which takes hours
names = [f"row {row}" for row in range(len(X))]
model = IncrementalSVC(gamma=0.1)
model.partial_fit(X[:50], y[:50], ids=names[:50])

def press_ctrl_c(progress):
    if progress.seen > 100:
        os.kill(os.getpid(), signal.SIGINT)
    return True

learner.progress_bar = lambda verbose: nullcontext(press_ctrl_c)
try:
    model.partial_fit(X[50:], y[50:], ids=names[50:])
except KeyboardInterrupt:
    print("interrupted")
n = len(model.ids_)
assert 150 < n < 100_000 and model.ids_ == names[:n], n
assert model.n_seen_ == n
assert model.progressive_score_.n_examples == n
assert model.kkt_violation() < 1e-6
twin = IncrementalSVC(gamma=0.1).fit(X[:n], y[:n])
assert abs(twin.decision_function(X[:99]) - model.decision_function(X[:99])).max() < 1e-6
learner.progress_bar = lambda verbose: nullcontext(None)
model.partial_fit(X[n : n + 5], y[n : n + 5], ids=names[n : n + 5])
assert model.ids_ == names[: n + 5]
assert model.n_seen_ == n + 5
print("resumed")
"""


def test_ctrl_c_during_a_stream():
    finished = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, timeout=60, check=False)
    assert finished.returncode == 0, finished.stderr
    assert finished.stdout.split() == ["interrupted", "resumed"]


class Kernel:
    """A kernel function that presses Ctrl-C during one of its calls."""

    def __init__(self):
        self.calls_left = None

    def __call__(self, A, B):
        if self.calls_left is not None:
            time.sleep(0.02)  # so that the native code asks its monitor after a few calls
            self.calls_left -= 1
            if self.calls_left == 0:
                os.kill(os.getpid(), signal.SIGINT)
        return rbf_kernel(A, B, gamma=0.5)


@pytest.fixture
def started():
    """A model with 40 examples, and 40 more."""
    X, y = make_blobs(80, centers=3, n_features=3, cluster_std=3.0, random_state=1)
    kernel = Kernel()
    model = IncrementalSVC(kernel=kernel, cache_size=0.001).partial_fit(X[:40], y[:40])
    return model, kernel, X, y


def assert_exact(model, X, y):
    held = np.array(model.ids_)
    fresh = IncrementalSVC(gamma=0.5).partial_fit(X[held], y[held])
    np.testing.assert_array_equal(model.classes_, fresh.classes_)
    np.testing.assert_allclose(model.decision_function(X), fresh.decision_function(X), atol=1e-6)


def interrupt(kernel, work, after=3):
    kernel.calls_left = after
    with pytest.raises(KeyboardInterrupt):
        work()
    kernel.calls_left = None


def test_during_partial_fit(started):
    model, kernel, X, y = started
    y[40:] = 7  # a class that is new
    interrupt(kernel, lambda: model.partial_fit(X[40:], y[40:]))
    assert model.ids_ == list(range(len(model.ids_)))
    assert_exact(model, X, y)


def test_during_forget(started):
    model, kernel, X, y = started
    interrupt(kernel, lambda: model.forget(np.flatnonzero(y[:40] != 0)[::-1]))
    assert_exact(model, X, y)
    model.forget(model.ids_)


def test_during_relabel(started):
    model, kernel, X, y = started
    interrupt(kernel, lambda: model.relabel(range(40), np.full(40, 8)))
    state = model._state
    y[state.native.held()] = [state.table.label(number) for number in state.native.labels()]
    assert set(y[:40]) >= {8} or 8 not in model.classes_
    assert_exact(model, X, y)


def test_during_leave_one_out(started):
    model, kernel, X, _ = started
    before = model.decision_function(X)
    interrupt(kernel, model.leave_one_out)
    np.testing.assert_array_equal(model.decision_function(X), before)


def test_new_classes_are_dropped_if_nothing_was_learned(two, monkeypatch):
    X, y = two
    model = IncrementalSVC(gamma=0.5).partial_fit(X, y)
    before = model.decision_function(X)

    def stopped(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("hinge._fit.learner.visit", stopped)
    with pytest.raises(KeyboardInterrupt):
        model.partial_fit(X[:2] + 1.0, [5, 6], ids=["a", "b"])
    assert model.classes_.tolist() == [0, 1]
    assert model.ids_ == list(range(120))
    assert model.n_seen_ == 120
    np.testing.assert_array_equal(model.decision_function(X), before)


def test_during_the_warm_start_of_fit(monkeypatch):
    """After Ctrl-C while LASVM runs, the model is exact for the support vectors found until then."""

    def run_lasvm(approximate, batch, numbers, costs, rows, monitor):  # noqa: PLR0917
        approximate.native.learn(batch, numbers, costs, 0, rows[:150], 0, monitor)
        raise KeyboardInterrupt

    monkeypatch.setattr(_warm_start, "_run_lasvm", run_lasvm)
    X = np.random.default_rng(0).normal(size=(300, 2))
    y = (X.sum(axis=1) > 0).astype(int)
    model = IncrementalSVC(gamma=0.5)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    held = np.array(model.ids_)
    assert 0 < len(held) < 150
    assert model.kkt_violation() < 1e-9
    fresh = IncrementalSVC(gamma=0.5).partial_fit(X[held], y[held])
    np.testing.assert_allclose(model.decision_function(X), fresh.decision_function(X), atol=1e-6)
    assert len(model.partial_fit(X[150:], y[150:]).ids_) == len(held) + 150


@pytest.mark.slow
@pytest.mark.usefixtures("asking_at_once")
def test_during_the_last_stage_of_fit(monkeypatch):
    """The model has learned the whole training set nearly, and the next call makes it exact."""
    random = np.random.default_rng(0)
    X, y = random.normal(size=(2000, 8)), random.integers(0, 2, 2000)
    run_lasvm, is_last_stage = _warm_start._run_lasvm, []

    def then_press(*arguments):
        run_lasvm(*arguments)
        is_last_stage.append(True)

    class PressingBar:
        """A progress bar during whose first report of the last stage somebody presses Ctrl-C."""

        def __enter__(self):
            return self

        def __call__(self, progress):
            if is_last_stage:
                os.kill(os.getpid(), signal.SIGINT)
            return True

        def __exit__(self, *_):
            pass

    monkeypatch.setattr(_warm_start, "_run_lasvm", then_press)
    monkeypatch.setattr(exact_learner, "progress_bar", lambda verbose: PressingBar())
    model = IncrementalSVC(gamma=0.5, C=1.0)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    monkeypatch.undo()
    check(model)
    assert model.ids_ == list(range(2000))
    exact = IncrementalSVC(gamma=0.5, C=1.0).fit(X, y)
    np.testing.assert_allclose(model.decision_function(X[:99]), exact.decision_function(X[:99]), atol=0.1)
    resumed = copy.deepcopy(model).partial_fit(X[:1] + 9.0, y[:1])
    exact.partial_fit(X[:1] + 9.0, y[:1])
    assert resumed.kkt_violation() < 1e-6
    np.testing.assert_allclose(resumed.decision_function(X[:99]), exact.decision_function(X[:99]), atol=1e-6)


@pytest.mark.parametrize("moment", ["before", "after"])
@pytest.mark.parametrize(("work", "verb"), [("grow", "relabel"), ("drop_class", "forget")])
def test_signal_handler_that_raises_keeps_classes_consistent(monkeypatch, moment, work, verb):
    """The classes in Python must match those of the native model."""
    X, y = np.random.default_rng(0).normal(size=(30, 2)), np.arange(30) % 3
    model = IncrementalSVC(gamma=0.5).fit(X, y)
    native, rings = getattr(_core.ExactModel, work), [TimeoutError("enough")]

    def disturbed(model, *arguments):
        if moment == "after":
            native(model, *arguments)
        if rings:
            raise rings.pop()
        if moment == "before":
            native(model, *arguments)

    monkeypatch.setattr(_core.ExactModel, work, disturbed)
    disturb = {"relabel": lambda: model.relabel([0, 1], [7, 7]), "forget": lambda: model.forget(np.flatnonzero(y == 1))}
    with pytest.raises(TimeoutError):
        disturb[verb]()
    monkeypatch.undo()
    check(model)
    np.testing.assert_array_equal(copy.deepcopy(model).decision_function(X), model.decision_function(X))
    assert len(model.classes_) == len(model._state.native.class_counts())
