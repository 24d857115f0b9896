from __future__ import annotations

import os
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from hinge import OnlineSVC
from hinge._fit.progress import ProgressBar
from hinge._terminal import Terminal
from tests.streams import BROKEN, broken

callback = pytest.importorskip("sklearn.callback", reason="this scikit-learn has no callbacks")


class Recorder:
    """A callback that notes what it is told, and may ask to stop."""

    def __init__(self, stop_after=None):
        self.steps, self.models, self.weights = [], [], []
        self.stop_after = stop_after

    def setup(self, estimator, context): ...

    def teardown(self, estimator, context):
        self.steps.append("teardown")

    def on_fit_task_begin(self, estimator, context): ...

    def on_fit_task_end(self, estimator, context, *, metadata=None):
        self.steps.append(context.task_name)
        self.weights.append(metadata.get("sample_weight"))
        return len(self.steps) == self.stop_after


class Collector(Recorder):
    """A callback that asks for the model after every step."""

    def on_fit_task_end(self, estimator, context, *, metadata=None, fitted_estimator=None):
        self.models.append(fitted_estimator)
        return super().on_fit_task_end(estimator, context, metadata=metadata)


def test_callbacks_see_every_step(two):
    recorder = Recorder()
    model = OnlineSVC(epochs=2, random_state=0).set_callbacks(recorder).fit(*two)
    assert recorder.steps == ["pass", "pass", "finish", "fit", "teardown"]
    plain = OnlineSVC(epochs=2, random_state=0).fit(*two)
    np.testing.assert_array_equal(model.decision_function(two[0]), plain.decision_function(two[0]))


def test_callbacks_get_models_that_stay_as_they_are(two):
    X, y = two
    recorder = Collector()
    model = OnlineSVC(epochs=2, random_state=0).set_callbacks(recorder).fit(X, y, sample_weight=np.ones(120))
    values = [snapshot.decision_function(X) for snapshot in recorder.models]
    assert not np.array_equal(values[0], values[-1])
    np.testing.assert_array_equal(values[-1], model.decision_function(X))
    assert recorder.weights[0].tolist() == [1.0] * 120


def test_callbacks_may_stop_the_passes(two):
    recorder = Recorder(stop_after=3)
    model = OnlineSVC(epochs=50).set_callbacks(recorder).fit(*two)
    assert recorder.steps == ["pass", "pass", "pass", "finish", "fit", "teardown"]
    assert model.score(*two) > 0.8


def test_callbacks_may_stop_before_the_solution(two):
    recorder = Recorder(stop_after=1)
    OnlineSVC(C=10).set_callbacks(recorder).fit(*two)
    assert recorder.steps == ["finish", "fit", "teardown"]


@pytest.mark.parametrize("stop_after", [1, 2])
def test_callbacks_may_stop_the_exact_solution(two, stop_after, monkeypatch):
    monkeypatch.setattr("hinge._fit.exact_solver._MAX_DIRECT_ROWS", 10)
    recorder = Recorder(stop_after=stop_after)
    OnlineSVC(epochs="converge", C=10).set_callbacks(recorder).fit(*two)
    assert recorder.steps == [*["pass", "finish"][:stop_after], "fit", "teardown"]


def test_callbacks_are_torn_down_after_an_error(two):
    X, y = two
    recorder = Recorder()
    model = OnlineSVC(kernel=lambda A, B: np.full((len(A), len(B)), np.nan)).set_callbacks(recorder)
    with pytest.raises(ValueError, match="finite values"):
        model.fit(X, y)
    assert recorder.steps == ["teardown"]
    assert not hasattr(model, "_callback_fit_ctx")


def test_bar_shows_what_matters(capsys):
    with ProgressBar() as bar:
        assert bar(SimpleNamespace(phase="learn", seen=200, total=200, mistakes=50, support=77, measure=0.125))
        assert bar(SimpleNamespace(phase="finish", seen=0, total=0, mistakes=0, support=70, measure=0.01))
    shown = capsys.readouterr().err
    assert "finishing" in shown
    assert "70 support vectors, gap 0.01" in shown


@pytest.mark.parametrize("kind", [*BROKEN, "closed"])
def test_a_bar_that_cannot_be_written_is_given_up(monkeypatch, capfd, kind):
    with broken(BROKEN[0] if kind == "closed" else kind) as stream:
        if kind == "closed":
            stream.close()
        monkeypatch.setattr(sys, "stderr", stream)
        with ProgressBar() as bar:
            for seen in range(5):
                assert bar(SimpleNamespace(phase="learn", seen=seen, total=9, mistakes=1, support=2, measure=0.5))
    os.write(1, b"still here")
    assert capfd.readouterr().out == "still here"


@pytest.mark.parametrize("error", [TimeoutError, ValueError])
def test_a_bar_lets_signal_handlers_raise(monkeypatch, error):
    def late(*_):
        raise error("enough")

    monkeypatch.setattr(sys.stderr, "write", late)
    with pytest.raises(error, match="enough"):
        Terminal().print("learning")


def test_bar_without_reports_is_silent(capsys):
    with ProgressBar():
        pass
    assert capsys.readouterr().err == ""


def test_verbose_changes_nothing_but_the_screen(two):
    loud, quiet = (OnlineSVC(verbose=verbose, random_state=0).fit(*two) for verbose in (True, False))
    np.testing.assert_array_equal(loud.decision_function(two[0]), quiet.decision_function(two[0]))
