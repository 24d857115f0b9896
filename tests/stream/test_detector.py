from __future__ import annotations

import pickle
from copy import deepcopy

import numpy as np
import pytest
from sklearn.base import clone

import hinge
from hinge.exceptions import ParameterError
from hinge.stream import AdaptiveSVC
from hinge.stream._detector import PluggedDetector, clearest_cut

SMALL = {"windows": (20, 60), "max_informative": 60}


class Alarm:
    """A detector that reports a change at given numbers of values."""

    def __init__(self, *moments):
        self.moments = moments
        self.values = []
        self.drift_detected = False

    def update(self, value):
        self.values.append(value)
        self.drift_detected = len(self.values) in self.moments


def _swapped(n, at, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, (X[:, 0] > 0) ^ (np.arange(n) >= at)


def test_a_detector_of_the_user():
    X, y = _swapped(600, 400)
    detector = Alarm(440)
    model = AdaptiveSVC(**SMALL, detector=detector).partial_fit(X, y)
    (drift,) = model.drifts_
    assert drift.position == 440  # the first row has no prediction
    assert abs(drift.start - 400) <= 15
    assert drift.error_before < 0.2
    assert drift.error_after > 0.4
    assert detector.values == []  # the model learns with a copy
    plain = AdaptiveSVC(**SMALL, delta=None).partial_fit(X[:300], y[:300])
    same = AdaptiveSVC(**SMALL, detector=detector).partial_fit(X[:300], y[:300])
    np.testing.assert_array_equal(plain.decision_function(X), same.decision_function(X))
    assert sum(model._state.detector.detector.values) == model.progressive_score_.n_mistakes


def test_an_alarm_without_more_mistakes_is_no_drift():
    X, y = _swapped(300, 300)
    assert AdaptiveSVC(**SMALL, detector=Alarm(5, 250)).partial_fit(X, y).drifts_ == []


@pytest.mark.parametrize("copied", [deepcopy, lambda model: pickle.loads(pickle.dumps(model))])
def test_copies_continue_with_their_own_detector(copied):
    X, y = _swapped(600, 400)
    model = AdaptiveSVC(**SMALL, detector=Alarm(440)).partial_fit(X[:410], y[:410])
    other = copied(model)
    assert model.partial_fit(X[410:], y[410:]).drifts_ == other.partial_fit(X[410:], y[410:]).drifts_
    assert len(model.drifts_) == 1
    assert clone(model).detector.moments == (440,)


def test_files_do_not_hold_detectors_of_users(tmp_path):
    X, y = _swapped(50, 25)
    model = AdaptiveSVC(**SMALL, detector=Alarm()).partial_fit(X, y)
    with pytest.raises(hinge.ModelFileError, match="detector is a Alarm"):
        hinge.save(model, tmp_path / "model.hinge")


@pytest.mark.parametrize("detector", [3, "ADWIN", object()])
def test_something_else_is_refused(detector):
    with pytest.raises(ParameterError, match="detector must have a method update"):
        AdaptiveSVC(detector=detector).partial_fit([[0.0], [1.0]], [0, 1])


def test_the_clearest_cut_is_that_of_brute_force():
    rng = np.random.default_rng(0)
    for _ in range(50):
        values = (rng.random(60) < np.repeat(rng.random(3), 20)).tolist()
        change = clearest_cut(values)
        cuts = [(np.mean(values[:k]) - np.mean(values[k:])) ** 2 / (1 / k + 1 / (60 - k)) for k in range(5, 56)]
        assert change.evidence == pytest.approx(max(cuts))
        assert change.mean_after == pytest.approx(np.mean(values[-change.n_after :]))


@pytest.mark.parametrize("name", ["ADWIN", "PageHinkley", "binary.DDM", "binary.HDDMA", "binary.EDDM"])
def test_detectors_of_river(name):
    drift = pytest.importorskip("river.drift")
    kind = drift
    for part in name.split("."):
        kind = getattr(kind, part)
    detector = PluggedDetector(kind())
    rng = np.random.default_rng(0)
    found = []
    for t, wrong in enumerate(rng.random(2000) < np.where(np.arange(2000) < 1000, 0.1, 0.6)):
        change = detector.update(bool(wrong))
        if change is not None:
            detector.restart()
            found.append((t, change))
    late = [(t, change) for t, change in found if 1000 <= t < 1200 and change.mean_after > change.mean_before]
    assert late, found
    position, change = late[0]
    assert abs(position + 1 - change.n_after - 1000) < 60


def test_a_model_with_rivers_adwin():
    drift = pytest.importorskip("river.drift")
    X, y = _swapped(900, 500)
    model = AdaptiveSVC(detector=drift.ADWIN(grace_period=10)).partial_fit(X, y)
    own = AdaptiveSVC().partial_fit(X, y)
    assert own.drifts_
    assert [each.position for each in model.drifts_] == [each.position for each in own.drifts_]
    assert abs(model.drifts_[0].start - 500) < 60
