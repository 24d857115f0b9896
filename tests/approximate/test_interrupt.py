"""Ctrl-C in the middle of learning leaves a model that answers and goes on learning."""

from __future__ import annotations

import pickle
import subprocess
import sys

import numpy as np
import pytest

from hinge import ApproximateSVC, ApproximateSVR
from hinge.approximate import ApproximateState, _landmarks

SCRIPT = """
import os, signal, threading, time
import numpy as np
from hinge import {estimator}

random = np.random.default_rng(0)
X = random.normal(size=(100_000, 20)).astype(np.float32)
y = random.integers(0, {classes}, len(X))
model = {estimator}(gamma=0.1, random_state=0, n_components={components}, epochs={epochs}, kernel={kernel}, {more})
if "{verb}" == "partial_fit":
    model.partial_fit(X[:50], y[:50])
threading.Timer({delay}, os.kill, (os.getpid(), signal.SIGINT)).start()
begun = time.monotonic()
try:
    model.{verb}(*{arguments})
except KeyboardInterrupt:
    print("interrupted")
assert np.isfinite(model.predict(X[:9].astype(float))).all()
seen = model.n_seen_
model.partial_fit(X[:3000], y[:3000])
assert model.n_seen_ == seen + 3000
assert model.n_components_ > 10, model.n_components_
print("resumed")
"""


def run(*, estimator="ApproximateSVC", verb="fit", **values):
    values = {"classes": 2, "components": 400, "epochs": 50, "kernel": "'rbf'", "more": "", "delay": 1.0} | values
    values = {"arguments": "(X, y)"} | values
    script = SCRIPT.format(estimator=estimator, verb=verb, **values)
    finished = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=90, check=False)
    assert finished.returncode == 0, finished.stderr
    return finished.stdout.split()


CALLS = {
    "fit": {},
    "classes": {"classes": 9},
    "regression": {"estimator": "ApproximateSVR"},
    "stream": {"verb": "partial_fit", "components": 1500},
    "fourier": {"more": "approximation='fourier'", "components": 1000},
    "early": {"more": "early_stopping=True"},
    "function": {"kernel": "lambda A, B: A @ B.T + 1", "components": 30},
    "slow function": {"kernel": "lambda A, B: (time.sleep(0.01), A @ B.T)[1]", "components": 30, "verb": "partial_fit"},
    "chunks": {
        "arguments": "(((X[i:i+999], y[i:i+999]) for _ in range(99) for i in range(0, 90_000, 999)),)",
        "epochs": 1,
    },
}


@pytest.mark.slow
@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_calls(call):
    assert run(**call) == ["interrupted", "resumed"]


def interrupt(*_, **__):
    raise KeyboardInterrupt


@pytest.mark.parametrize("kind", [ApproximateSVC, ApproximateSVR])
@pytest.mark.parametrize(("where", "name"), [(_landmarks, "nystroem"), (ApproximateState, "learn")])
def test_a_first_call_that_is_interrupted(monkeypatch, two, kind, where, name):
    X, y = two
    X, y = np.tile(X, (10, 1)), np.tile(y, 10)
    for verb in ("fit", "partial_fit"):
        model = kind(gamma=1.0, n_components=20, random_state=0)
        with monkeypatch.context() as patch:
            patch.setattr(where, name, interrupt)
            with pytest.raises(KeyboardInterrupt):
                getattr(model, verb)(X, y)
        model = pickle.loads(pickle.dumps(model))
        if hasattr(model, "_state"):
            assert np.isfinite(model.predict(X)).all()
        model.partial_fit(X, y)
        assert model.n_components_ > 10
        assert model.score(X, y) > (0.7 if kind is ApproximateSVC else 0.3)


@pytest.mark.parametrize("after", [3, 15, 30])
def test_while_the_map_of_a_stream_is_made(monkeypatch, two, after):
    X, y = two
    model = ApproximateSVC(gamma=1.0, n_components=20, random_state=0).partial_fit(X[:after], y[:after])
    with monkeypatch.context() as patch:
        patch.setattr(_landmarks, "nystroem", interrupt)
        with pytest.raises(KeyboardInterrupt):
            model.partial_fit(X, y)
    copied = pickle.loads(pickle.dumps(model))
    for each in (model, copied):
        each.partial_fit(X, y)
        assert len(each.support_) == 20
        assert len(np.unique(each.support_)) == 20
    np.testing.assert_array_equal(model.decision_function(X), copied.decision_function(X))
