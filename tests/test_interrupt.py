"""Ctrl-C in the middle of a long native call."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from sklearn.base import clone

from hinge import ApproximateSVC, IncrementalSVC, OnlineSVC
from hinge._fit import tasks

SCRIPT = """
import os, signal, threading
import numpy as np
from hinge import {estimator}

def pressing(A, B, calls=iter(range(1_000_000))):
    if next(calls) == 50:
        os.kill(os.getpid(), signal.SIGINT)
    return A @ B.T

random = np.random.default_rng(0)
X = random.normal(size=(200_000, 10)).astype(np.float32)
y = random.integers(0, {classes}, len(X))  # nothing to learn: every example becomes a support vector, which takes hours
model = {estimator}(gamma=0.1, random_state=0, kernel={kernel})
if "{verb}" == "partial_fit":
    model.partial_fit(X[:50], y[:50])
if model.kernel is not pressing:
    threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    model.{verb}(X, y)
except KeyboardInterrupt:
    print("interrupted")
learned = len(model.support_)
assert learned > 50, learned
assert model.predict(X[:9]).shape == (9,)
assert np.isfinite(model.decision_function(X[:9])).all()
seen = model.n_seen_
model.partial_fit(X[:200], y[:200])
assert model.n_seen_ == seen + 200
assert model.support_.max() >= seen
assert (np.unique(model.support_) == np.sort(model.support_)).all()
print("resumed")
"""


@pytest.mark.slow
@pytest.mark.parametrize("verb", ["fit", "partial_fit"])
@pytest.mark.parametrize("classes", [2, 3])
def test_what_was_learned_stays_and_learning_goes_on(verb, classes):
    assert run(verb=verb, classes=classes, kernel="'rbf'") == ["interrupted", "resumed"]


def test_inside_a_kernel_function():
    assert run(verb="fit", classes=2, kernel="pressing") == ["interrupted", "resumed"]


@pytest.mark.slow
@pytest.mark.parametrize("estimator", ["RobustOnlineSVC", "TrackingSVC", "KernelPerceptron"])
def test_other_solvers(estimator):
    assert run(verb="fit", classes=3, kernel="'rbf'", estimator=estimator) == ["interrupted", "resumed"]


def run(*, estimator="OnlineSVC", **values):
    script = SCRIPT.format(estimator=estimator, **values)
    finished = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False)
    assert finished.returncode == 0, finished.stderr
    return finished.stdout.split()


def test_while_the_input_is_checked(two, monkeypatch):
    X, y = two
    model = OnlineSVC(gamma=1.0).partial_fit(X, y)
    decisions = model.decision_function(X)

    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(tasks, "check_weights", interrupt)
    with pytest.raises(KeyboardInterrupt):
        model.fit(np.hstack([X, X]), y)
    assert model.n_features_in_ == 2
    np.testing.assert_array_equal(model.decision_function(X), decisions)
    fresh = OnlineSVC()
    with pytest.raises(KeyboardInterrupt):
        fresh.partial_fit(X, y)
    assert not hasattr(fresh, "n_features_in_")


@pytest.mark.parametrize("kind", [OnlineSVC, IncrementalSVC, ApproximateSVC])
def test_before_anything_is_learned_a_model_stays_what_it_was(two, monkeypatch, kind):
    X, y = two
    model = kind(random_state=0) if kind is not IncrementalSVC else kind()
    fresh = clone(model)
    model.fit(X, y)
    before = model.decision_function(X)

    def press(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(type(kind._learner), "train", press)
    for each in (model, fresh):
        with pytest.raises(KeyboardInterrupt):
            each.fit(X[:50], y[:50])
    np.testing.assert_array_equal(model.decision_function(X), before)
    assert model.n_seen_ == len(X)
    assert not fresh.__sklearn_is_fitted__()
