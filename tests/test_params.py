from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.gaussian_process.kernels import RBF

from hinge import (
    ApproximateSVC,
    ApproximateSVR,
    IncrementalOneClassSVM,
    IncrementalSVC,
    KernelPerceptron,
    OnlineSVC,
    ParameterError,
    RobustOnlineSVC,
    TrackingSVC,
)

BAD = {
    "C": [0, -1, np.inf, np.nan, "1", None, True, [1.0], 10**400, Decimal(1), Fraction(1, 10**400), Fraction(10**400)],
    "kernel": ["rbff", None, 3, np.eye(2), int, RBF],
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
    "finishing": ["yes", None, 3],
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
        {"finishing": np.True_, "verbose": 0, "epochs": np.int32(2)},
        {"class_weight": {0: 1, 1: np.float32(3)}},
        {"n_jobs": np.int64(1), "max_support": np.int64(20), "max_gap": 1},
    ],
)
def test_numpy_numbers_are_welcome(two, values):
    assert OnlineSVC(**values).fit(*two).score(*two) > 0.7


@pytest.mark.parametrize(
    ("kind", "more"),
    [
        (OnlineSVC, {"max_gap": 0.1, "class_weight": {0: 0.3}}),
        (RobustOnlineSVC, {"ramp": -0.7}),
        (TrackingSVC, {}),
        (KernelPerceptron, {"margin": 0.3}),
        (IncrementalSVC, {"tol": 1e-300}),  # which is said in a warning
        (IncrementalOneClassSVM, {"nu": 0.3, "C": None}),
        (IncrementalOneClassSVM, {}),
        (ApproximateSVC, {"n_components": 5, "eigen_threshold": 0.3}),
        (ApproximateSVR, {"n_components": 5, "early_stopping": True, "validation_fraction": 0.3, "epsilon": 0.2}),
    ],
)
@pytest.mark.filterwarnings("ignore:The optimality conditions")
def test_fractions_do_what_floats_do(two, kind, more):
    """Numbers of Python that are no floats, which the native code would not take."""
    X, y = two
    said = []
    for convert in (float, lambda value: Fraction(repr(value))):  # one tenth is no float
        given = {"C": 0.3, "gamma": 0.3, "coef0": 0.1, "kernel": "poly", "tol": 1e-3, "random_state": 0} | more
        model = kind(**{name: value for name, value in given.items() if name in kind().get_params()})
        for name, value in model.get_params().items():
            if isinstance(value, float):
                model.set_params(**{name: convert(value)})
        labels = () if kind is IncrementalOneClassSVM else (y.astype(float),)
        model.fit(X, *labels).partial_fit(X[::-1], *labels)
        assert model.n_seen_ == 240
        said.append(getattr(model, "decision_function", model.predict)(X))
    np.testing.assert_array_equal(*said)


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


def test_finishing_is_a_parameter_and_finish_a_method(two):
    model = OnlineSVC(finishing=False)
    assert model.get_params()["finishing"] is False
    assert clone(model).get_params()["finishing"] is False
    assert model.set_params(finishing=True).get_params()["finishing"] is True
    assert "finishing=False" in repr(OnlineSVC(finishing=False))
    assert model.partial_fit(*two).finish() is model


def test_constructor_takes_keywords_only():
    with pytest.raises(TypeError):
        OnlineSVC(1.0)


def test_a_cache_larger_than_any_memory(two):
    assert OnlineSVC(cache_size=1e300).fit(*two).score(*two) > 0.8
