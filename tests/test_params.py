from __future__ import annotations

import re

import numpy as np
import pytest
from sklearn.base import clone

from hinge import OnlineSVC, ParameterError

BAD = {
    "C": [0, -1, np.inf, np.nan, "1", None, True, [1.0], 10**400],
    "kernel": ["rbff", None, 3, np.eye(2)],
    "degree": [-1, 2.5, "3", None, 10**6],
    "gamma": [0, -1.0, "big", None, np.nan, np.ones(2)],
    "coef0": ["0", None, np.inf],
    "tol": [0, -1e-3, np.nan, "small"],
    "cache_size": [0, -200, "200", None],
    "class_weight": ["equal", {0: -1}, {0: "heavy"}, {1: np.nan}, [1, 2]],
    "verbose": ["yes", 2, None],
    "random_state": ["seed", -1.5],
    "epochs": [0, -1, 1.5, "many", None, np.ones(2)],
    "max_support": [0, 1, -5, 2.5, "10", 2**31],
    "selection": ["best", None, 3],
    "pool_size": [0, -1, 2.5, None, 2**40],
    "working_set": ["third-order", None],
    "max_gap": [0, -1, "wide", np.nan],
    "finish": ["yes", None, 3],
    "n_jobs": [0, -2, 1.5, "all", 2**40],
}


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in BAD.items() for value in values])
def test_a_value_that_makes_no_sense_is_named_and_nothing_changes(two, name, value):
    X, y = two
    model = OnlineSVC(**{name: value})
    with pytest.raises(ParameterError, match=name) as caught:
        model.fit(X, y)
    assert not hasattr(model, "classes_")
    assert not hasattr(model, "n_features_in_")
    assert re.fullmatch(r".* must .*, got .*; .*\.", str(caught.value), flags=re.DOTALL)


@pytest.mark.parametrize(
    "values",
    [
        {"C": np.float32(2)},
        {"C": 10, "degree": np.int64(2), "gamma": np.float64(0.5)},
        {"finish": np.True_, "verbose": 0, "epochs": np.int32(2)},
        {"class_weight": {0: 1, 1: np.float32(3)}},
        {"n_jobs": np.int64(1), "max_support": np.int64(20), "max_gap": 1},
    ],
)
def test_numpy_numbers_are_welcome(two, values):
    assert OnlineSVC(**values).fit(*two).score(*two) > 0.7


def test_balanced_weights_need_all_examples(two):
    with pytest.raises(ParameterError, match="class_weight must be None or a dictionary in partial_fit"):
        OnlineSVC(class_weight="balanced").partial_fit(*two)


def test_converge_contradicts_a_bound(two):
    with pytest.raises(ParameterError, match="epochs must be 'auto' or a number"):
        OnlineSVC(epochs="converge", max_support=10).fit(*two)


@pytest.mark.parametrize("change", [{"kernel": "linear"}, {"gamma": 3.0}, {"kernel": "poly"}])
def test_the_kernel_stays_while_learning_goes_on(two, change):
    model = OnlineSVC(gamma=1.0).partial_fit(*two)
    decisions = model.decision_function(two[0])
    with pytest.raises(ParameterError, match="must stay what they were"):
        clone(model).set_params(**change).partial_fit(*two).set_params(gamma=1.0, kernel="rbf").partial_fit(*two)
    model.set_params(**change)
    with pytest.raises(ParameterError, match=r"rbf, gamma=1\)"):
        model.partial_fit(*two)
    np.testing.assert_array_equal(model.decision_function(two[0]), decisions)


def test_other_parameters_may_change_on_the_way(two):
    X, y = two
    model = OnlineSVC(gamma=1.0, C=0.01).partial_fit(X, y).finish()
    assert np.abs(model.dual_coef_).max() <= 0.01
    model.set_params(C=5.0, tol=1e-5, cache_size=1, n_jobs=1).partial_fit(X + 0.01, y).finish()
    assert 0.01 < np.abs(model.dual_coef_).max() <= 5.0
    assert model.kkt_violation() <= 1e-5


def test_finish_is_a_parameter_and_a_verb(two):
    model = OnlineSVC(finish=False)
    assert model.get_params()["finish"] is False
    assert clone(model).get_params()["finish"] is False
    assert model.set_params(finish=True).get_params()["finish"] is True
    assert "finish=False" in repr(OnlineSVC(finish=False))
    assert model.partial_fit(*two).finish() is model


def test_constructor_takes_keywords_only():
    with pytest.raises(TypeError):
        OnlineSVC(1.0)


def test_a_cache_larger_than_any_memory(two):
    assert OnlineSVC(cache_size=1e300).fit(*two).score(*two) > 0.8
