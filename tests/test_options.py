"""The options of the native models: plain data, one class per algorithm."""

from __future__ import annotations

import json
import pickle

import pytest

from hinge import _core

CLASSES = [
    _core.LasvmOptions,
    _core.RobustOptions,
    _core.TrackingOptions,
    _core.PerceptronOptions,
    _core.ExactOptions,
    _core.LinearOptions,
]
CHANGES = {
    _core.LasvmOptions: {"max_gap": 0.5, "max_support": 7, "selection": "active"},
    _core.RobustOptions: {"loss": "ignore", "ramp": -2.0, "max_support": 3},
    _core.TrackingOptions: {"n_steps": 3, "seed": 2**64 - 1, "keep_all": False},
    _core.PerceptronOptions: {"margin": 0.25, "average": True},
    _core.ExactOptions: {"problem": "sphere", "most_total": 1.0, "max_examples": 9},
    _core.LinearOptions: {"loss": "log_loss", "total": 100.0, "planned": 5},
}


@pytest.mark.parametrize("kind", CLASSES)
def test_every_option_can_be_given_read_and_replaced(kind):
    usual, changes = kind(), CHANGES[kind] | {"cache_bytes": 2**62, "threads": 3}
    given = kind(**changes)
    for name, value in changes.items():
        assert getattr(usual, name) != value
        assert getattr(given, name) == value
    assert usual.replace(**changes) == given != usual
    assert usual == kind()
    assert given.replace() is not given


@pytest.mark.parametrize("kind", CLASSES)
def test_options_are_plain_data(kind):
    options = kind(**CHANGES[kind])
    values = options.to_dict()
    assert kind(**json.loads(json.dumps(values))) == options
    assert pickle.loads(pickle.dumps(options)) == options
    assert all(f"{name}={value!r}" in repr(options) for name, value in values.items())


@pytest.mark.parametrize("kind", CLASSES)
def test_options_do_not_change_and_differ_by_class(kind):
    with pytest.raises(AttributeError):
        kind().threads = 2
    assert all(kind() != other() for other in CLASSES if other is not kind)


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"speed": 1}, "An unknown option was given to LasvmOptions"),
        ({"selection": "best"}, "selection cannot be 'best'"),
        ({"threads": "two"}, "threads cannot be 'two'"),
        ({"threads": None}, "threads cannot be None"),
        ({"max_support": -1}, "max_support cannot be -1"),
    ],
)
def test_unknown_options_and_values_are_refused(changes, complaint):
    with pytest.raises(TypeError, match=complaint):
        _core.LasvmOptions().replace(**changes)
    with pytest.raises(TypeError, match="incompatible function arguments"):
        _core.LasvmOptions(**changes)


def test_none_is_no_bound():
    assert _core.LasvmOptions(max_support=5).replace(max_support=None) == _core.LasvmOptions()


def test_solvers_say_what_they_remember():
    remembered = {kind: kind().memory for kind in CLASSES[:5]}
    assert remembered == {
        _core.LasvmOptions: {
            "seeds": 2,
            "credit": 1,
            "reserve_margin": 1,
            "seen": 2,
            "mistakes": 2,
            "passed_over": 1,
            "since": 2,
            "recent": 2,
        },
        _core.RobustOptions: {"visits": 1, "admitted": 3, "cleaned": 3},
        _core.TrackingOptions: {"visits": 1, "draws": 1},
        _core.PerceptronOptions: {"visits": 1},
        _core.ExactOptions: {"seen": 2, "mistakes": 2},
    }
    assert [kind().biased for kind in CLASSES[:5]] == [True, False, False, False, True]
