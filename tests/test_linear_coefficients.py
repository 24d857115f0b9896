"""`coef_` of linear kernels, which feature selection of scikit-learn uses."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.feature_selection import RFE, SelectFromModel

from hinge import ApproximateSVC, IncrementalSVC, KernelPerceptron, OnlineSVC, RobustOnlineSVC, TrackingSVC

X, Y = load_iris(return_X_y=True)


@pytest.mark.parametrize("estimator", [OnlineSVC, RobustOnlineSVC, TrackingSVC, KernelPerceptron, IncrementalSVC])
@pytest.mark.parametrize("sparse", [False, True])
def test_the_decision_function_is_linear(estimator, sparse):
    rows = csr_matrix(X) if sparse else X
    model = estimator(kernel="linear", random_state=0).fit(rows, Y)
    np.testing.assert_allclose(X @ model.coef_.T + model.intercept_, model.decision_function(rows), atol=1e-6)
    two = estimator(kernel="linear", random_state=0).fit(rows[:100], Y[:100])
    assert two.coef_.shape == (1, 4)


def test_features_are_selected():
    assert RFE(OnlineSVC(kernel="linear", random_state=0), n_features_to_select=2).fit(X, Y).support_.sum() == 2
    assert SelectFromModel(OnlineSVC(kernel="linear", random_state=0)).fit(X, Y).get_support().shape == (4,)


def test_other_kernels_have_none():
    assert not hasattr(OnlineSVC().fit(X, Y), "coef_")
    assert OnlineSVC(kernel="linear", multi_class="ovo").fit(X, Y).coef_.shape == (3, 4)


def test_approximate_models_have_weights_of_columns_for_linear_kernels_only():
    rbf, linear = (ApproximateSVC(kernel=kernel, n_components=20).fit(X, Y) for kernel in ("rbf", "linear"))
    assert not hasattr(rbf, "coef_")
    assert rbf.component_coef_.shape == (3, rbf.n_components_)
    np.testing.assert_array_equal(linear.coef_, linear.component_coef_)
    assert SelectFromModel(linear, prefit=True).get_support().shape == (4,)


def test_a_subclass_with_fewer_parameters_can_be_cloned():
    class LinearOnlineSVC(OnlineSVC):
        def __init__(self, C=2.0):
            super().__init__(C=C, kernel="linear")

    copy = clone(LinearOnlineSVC(3.0).fit(X, Y))
    assert copy.get_params() == {"C": 3.0}
    assert copy.fit(X, Y).coef_.shape == (3, 4)
