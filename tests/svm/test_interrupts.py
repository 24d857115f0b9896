"""Ctrl-C in `hinge.svm.SVC.fit`."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from hinge import _core
from hinge.svm import SVC

SCRIPT = """
import os, signal, threading
import numpy as np
from hinge.svm import SVC

random = np.random.default_rng(0)
X = random.normal(size=({rows}, 10))
y = random.integers(0, {classes}, len(X))  # nothing to learn: the solution takes hours
model = SVC(C=1e4)
threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    model.fit(X, y)
except KeyboardInterrupt:
    print("interrupted")
assert len(model.support_) > 50
assert np.isfinite(model.decision_function(X[:9])).all()
assert model.shape_fit_ == X.shape
assert model.fit(X[:50], y[:50]).score(X[:50], y[:50]) > 0.5
print("fitted again")
"""


@pytest.mark.slow
@pytest.mark.parametrize("rows", [9_000, 100_000])  # solved at once, and after a pass
@pytest.mark.parametrize("classes", [2, 3])
def test_what_was_learned_stays(rows, classes):
    script = SCRIPT.format(rows=rows, classes=classes)
    finished = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=90, check=False)
    assert finished.returncode == 0, finished.stderr
    assert finished.stdout.splitlines() == ["interrupted", "fitted again"]


def test_a_fitted_model_stays_if_nothing_new_was_learned(monkeypatch):
    X = np.random.default_rng(0).normal(size=(300, 5))
    y = X[:, 0] > 0
    model = SVC().fit(X, y)
    before = model.decision_function(X)

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("hinge._fit.exact_solver.ExactSolver.solve", interrupted)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, ~y)
    np.testing.assert_array_equal(model.decision_function(X), before)


def test_progress_is_reported(monkeypatch, capsys):
    X = np.random.default_rng(0).normal(size=(3000, 5))
    _core.set_monitor_interval(0)
    try:
        SVC(C=100.0, verbose=True).fit(X, np.arange(3000) % 2)
    finally:
        _core.set_monitor_interval(50)
    assert "support vectors" in capsys.readouterr().err
