from __future__ import annotations

import numpy as np
import pytest

from hinge.stream._adwin import Adwin

DRIFT = pytest.importorskip("river.drift")


def _mistakes(seed: int, before: float, after: float, n: int = 3000) -> list[bool]:
    rng = np.random.default_rng(seed)
    return (rng.random(n) < np.where(np.arange(n) < n // 2, before, after)).tolist()


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("before", "after"), [(0.2, 0.3), (0.1, 0.5), (0.4, 0.1), (0.0, 1.0)])
def test_cuts_where_river_does(seed, before, after):
    ours, theirs = Adwin(), DRIFT.ADWIN(grace_period=10)
    for value in _mistakes(seed, before, after):
        change = ours.update(value)
        theirs.update(float(value))
        assert (change is not None) == theirs.drift_detected
        assert (ours.width, ours.total) == (theirs.width, theirs.total)
        if change is not None:  # river begins a new window
            ours = Adwin()


@pytest.mark.parametrize("seed", range(6))
def test_dates_a_change(seed):
    detector = Adwin()
    changes = [(t, change) for t, value in enumerate(_mistakes(seed, 0.1, 0.5)) if (change := detector.update(value))]
    position, change = changes[0]
    assert 1500 <= position < 1700
    assert abs(position + 1 - change.n_after - 1500) <= 100
    assert change.mean_before < 0.2
    assert change.mean_after > 0.3


def test_false_alarms_are_rare_without_a_change():
    alarms = 0
    for seed in range(20):
        detector = Adwin()
        alarms += any(detector.update(value) for value in _mistakes(seed, 0.3, 0.3))
    assert alarms <= 2


def test_memory_grows_with_the_logarithm():
    detector = Adwin()
    for _ in range(20_000):
        detector.update(False)
    assert detector.width == 20_000
    assert sum(len(row) for row in detector._rows) < 80
