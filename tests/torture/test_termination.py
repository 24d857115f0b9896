"""Every loop ends: an unattainable tolerance leads to a warning, not to endless or harmful steps."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from hinge import IncrementalSVC, OnlineSVC, RobustOnlineSVC

from .common import dual, kernel_matrix, overlapping, peer

X, Y = overlapping()


@pytest.mark.parametrize("parameters", [{"kernel": "rbf", "C": 1.0}, {"kernel": "poly", "C": 1e6}], ids=str)
@pytest.mark.parametrize("epochs", ["auto", "converge"])
@pytest.mark.parametrize("tol", [1e-16, 1e-300])
def test_tolerances_below_rounding(parameters, epochs, tol):
    """They only cause a warning: the solution is as good as rounding allows."""
    model = OnlineSVC(epochs=epochs, tol=tol, gamma=0.5, random_state=0, **parameters)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(X, Y)
    if model.kkt_violation() > tol:
        assert [str(warning.message) for warning in caught] == [
            "Passes or steps ran out before the tolerance was reached; scale the features, lower C or raise tol."
        ]
    K = kernel_matrix(X, parameters["kernel"], gamma=0.5, coef0=0.0, degree=3)
    best = dual(K, peer(K, Y, parameters["C"])[0])
    assert model.dual_objective() >= best * (1 - 1e-6)
    assert model.n_iter_ < 5_000_000


def test_large_tolerance_needs_few_steps():
    """The last digits may cost some steps, but not millions."""
    model = OnlineSVC(kernel="linear", tol=1e3, random_state=0).fit(1e8 * X, Y)
    assert model.n_iter_ < 5_000_000


@pytest.mark.slow
@pytest.mark.parametrize("epochs", ["auto", "converge"])
def test_too_many_steps_cause_a_warning(epochs):
    model = OnlineSVC(kernel="linear", C=1e6, tol=1e-16, epochs=epochs, random_state=0)
    with pytest.warns(ConvergenceWarning, match="ran out before the tolerance was reached; scale the features"):
        model.fit(1e3 * X, Y)
    assert np.isfinite(model.decision_function(X)).all()


@pytest.mark.parametrize("maker", ["max_gap", "hinge", pytest.param("finish", marks=pytest.mark.slow)])
def test_steps_after_one_example_are_bounded(maker):
    many = np.repeat(X * 1e4, 2, axis=0), np.tile([0, 1], 24)
    models = {
        "max_gap": OnlineSVC(kernel="linear", max_gap=1e-12, tol=1e-13, epochs=1, finishing=False),
        "finish": RobustOnlineSVC(kernel="linear", variant="hinge", C=1e4, tol=1e-15),
        "hinge": RobustOnlineSVC(kernel="linear", variant="hinge", C=1e-9, tol=1e-15),
    }
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = models[maker].partial_fit(*many)
        if maker == "finish":
            model.finish()
    assert np.isfinite(model.decision_function(X)).all()
    for warning in caught:
        assert "before the tolerance was reached; scale the features" in str(warning.message)
    assert model.n_iter_ < 2 * (48 * 10_000 + 10_000_000)  # of two coefficients each


@pytest.mark.parametrize(
    "model",
    [RobustOnlineSVC(kernel="linear", variant="hinge"), OnlineSVC(kernel="linear", C=1e3, max_gap=1e-9)],
    ids=["gap", "max_gap"],
)
def test_step_limit_warning_points_to_the_caller(model):
    with pytest.warns(ConvergenceWarning, match="cut short after 10000 steps") as caught:
        model.set_params(tol=1e-12).partial_fit(np.repeat(X * 1e4, 2, axis=0), np.tile([0, 1], 24))
    assert {warning.filename for warning in caught} == {__file__}


@pytest.mark.parametrize("coef0", [-1000.0, -10.0, 10.0, 1000.0])
def test_constant_in_a_linear_kernel_changes_nothing(coef0):
    """Coefficients sum to zero; the kernel value of a row with itself may be negative."""
    model = IncrementalSVC(kernel="poly", degree=1, gamma=1.0, coef0=coef0).fit(X, Y)
    plain = IncrementalSVC(kernel="linear").fit(X, Y)
    np.testing.assert_allclose(model.decision_function(X), plain.decision_function(X), atol=1e-6)


@pytest.mark.parametrize("degree", [10, 20])
def test_kernel_values_of_very_different_size(degree):
    """From 1e-9 to 1e18 in one matrix: rounding of one example is significant for another."""
    model = IncrementalSVC(kernel="poly", degree=degree, gamma=1.0).partial_fit(X, Y)
    assert model.kkt_violation() < 1e-6
    K = kernel_matrix(X, "poly", gamma=1.0, coef0=0.0, degree=degree)
    np.testing.assert_allclose(model.dual_objective(), dual(K, peer(K, Y, 1.0)[0]), rtol=1e-6)
