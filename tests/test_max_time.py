"""`fit(max_time=...)` ends at a consistent point, and says how far it got."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from hinge import ApproximateSVC, IncrementalSVC, KernelPerceptron, OnlineSVC
from hinge._model import time_limit
from hinge.exceptions import ParameterError

MODELS = [  # with a time that is over before `fit` is
    (OnlineSVC(epochs=1, random_state=0), 100),
    (OnlineSVC(epochs=1, finishing=False, random_state=0), 100),
    (OnlineSVC(epochs=1, calibration="sigmoid", random_state=0), 100),
    (KernelPerceptron(random_state=0), 100),
    (ApproximateSVC(n_components=20, random_state=0), 3),
    (IncrementalSVC(), 40),
]


@pytest.fixture
def seconds_per_look(monkeypatch, asking_at_once):
    """Let the clock of limits run a second per look, and native code look after every example."""
    clock = itertools.count()
    monkeypatch.setattr(time_limit.time, "monotonic", lambda: float(next(clock)))


@pytest.fixture
def rows():
    X = np.random.default_rng(0).normal(size=(600, 2))
    return X, np.where(X[:, 0] + 0.3 * X[:, 1] > 0, "right", "left")


@pytest.mark.parametrize(("model", "max_time"), MODELS, ids=repr)
def test_keeps_what_it_has_learned(model, max_time, rows, seconds_per_look):
    with pytest.warns(ConvergenceWarning, match=r"max_time=\d+ ended fit") as said:
        model.fit(*rows, max_time=max_time)
    assert sum("max_time" in str(one.message) for one in said) == 1
    assert model.score(*rows) > 0.8
    if getattr(model, "calibration", None):
        assert np.allclose(model.predict_proba(rows[0]).sum(axis=1), 1.0)
    model.partial_fit(*rows)
    assert model.score(*rows) > 0.9


def test_leaves_time_to_finish(rows, seconds_per_look):
    late = OnlineSVC(C=100, epochs=1, random_state=0)
    with pytest.warns(ConvergenceWarning, match="after [0-9]+ of 600 examples"):
        late.fit(*rows, max_time=300)
    assert late.kkt_violation() <= late.tol


def test_is_no_ctrl_c():
    assert not issubclass(time_limit.TimeIsUp, (KeyboardInterrupt, Exception))


def test_enough_time_changes_nothing(rows):
    timed, plain = (OnlineSVC(epochs=1, random_state=0) for _ in range(2))
    timed.fit(*rows, max_time=3600)
    plain.fit(*rows)
    assert np.array_equal(timed.decision_function(rows[0]), plain.decision_function(rows[0]))


@pytest.mark.parametrize("max_time", [0, -1, np.nan, "1s", True])
def test_bad_times(rows, max_time):
    model = OnlineSVC(random_state=0).fit(*rows)
    before = model.decision_function(rows[0])
    with pytest.raises((ParameterError, TypeError), match="max_time must be"):
        model.fit(*rows, max_time=max_time)
    assert np.array_equal(model.decision_function(rows[0]), before)


def test_no_time_at_all(rows, seconds_per_look):
    model = OnlineSVC(epochs=1, random_state=0)
    with pytest.raises(ParameterError, match="max_time must leave time"):
        model.fit(*rows, max_time=0.5)
    assert not hasattr(model, "classes_")


def test_chunks_end_by_themselves(rows):
    with pytest.raises(ParameterError, match="max_time must be None for chunks"):
        ApproximateSVC(epochs=1).fit(iter([rows]), max_time=3)
