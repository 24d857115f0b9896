"""Equivalent problems must have the same solution."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.svm import SVC

from .common import CONTAINERS, EXACT, MAKERS, VERBS, make, outputs, overlapping, train

X, Y = overlapping(40, 4, seed=1)
# Fourier frequencies belong to columns; the perceptron with one support vector has ties.
SEEDED = [name for name in MAKERS if name not in ("fourier", "perceptron max_support=1")]
NO_SGD = [name for name in MAKERS if not MAKERS[name]().__class__.__name__.startswith("Approximate")]


def predicted(name, verb, rows, weights=None, **parameters):
    return outputs(train(make(name, **parameters), verb, rows, Y, weights), rows)


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("power", [-61, 40])
def test_scale_of_an_rbf_kernel(container, power):
    """A power of two changes only exponents."""
    power = power // 3 if "float32" in container else power
    for name in MAKERS:
        verb = VERBS[power % 2]
        plain = predicted(name, verb, CONTAINERS[container](X), gamma=0.25)
        scaled = predicted(name, verb, CONTAINERS[container](X * 2.0**power), gamma=0.25 * 4.0**-power)
        np.testing.assert_array_equal(scaled, plain, err_msg=name)


@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly", "laplacian"])
def test_order_of_the_features(kernel):
    order = [2, 0, 3, 1]
    for name in SEEDED if kernel == "rbf" else EXACT:
        plain = predicted(name, "fit", X, kernel=kernel, gamma=0.25)
        permuted = predicted(name, "fit", X[:, order], kernel=kernel, gamma=0.25)
        np.testing.assert_allclose(permuted, plain, atol=1e-6, err_msg=name)


@pytest.mark.parametrize("factor", [2.0, 2.0**-40, 2.0**100])
def test_weights_multiply_the_cost(factor):
    for name in NO_SGD:
        if "C" not in make(name).get_params() or make(name).C is None:
            continue
        weighted = predicted(name, "partial_fit", X, np.full(40, factor), gamma=0.25, C=0.5)
        np.testing.assert_array_equal(
            weighted, predicted(name, "partial_fit", X, gamma=0.25, C=0.5 * factor), err_msg=name
        )


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kernel", ["rbf", "laplacian"])
@pytest.mark.parametrize("gamma", [1e6, 1e12])
def test_huge_gamma_gives_the_identity_kernel(kernel, gamma, dtype):
    """Distances computed from products are lost in rounding; a row must still have distance 0 from itself."""
    for rows in ((X + 1e3).astype(dtype), csr_matrix(X, dtype=dtype)):
        model = make("incremental", kernel=kernel, gamma=gamma, C=10.0).fit(rows, Y)
        share = np.bincount(Y)[::-1] / 20  # of the identity: alpha_i = 1 - y_i b with a sum of zero
        np.testing.assert_allclose(np.abs(model.dual_coef_[0]), np.repeat(share, np.bincount(Y)), rtol=1e-6)
        online = make("converge", kernel=kernel, gamma=gamma, C=10.0, tol=1e-6).fit(rows, Y)
        np.testing.assert_allclose(online.decision_function(rows), model.decision_function(rows), atol=1e-5)


@pytest.mark.parametrize("name", EXACT)
@pytest.mark.parametrize("size", [1e4, 1e8, 1e30, 1e100])
def test_hard_margins_of_large_rows(name, size):
    """Coefficients are far smaller than their bound, but must be just as accurate."""
    rows = X + 2.0 * np.sign(X[:, :1]) * [1.0, 0.0, 0.0, 0.0]
    labels = (rows[:, 0] > 0).astype(int)
    model = make(name, kernel="linear").fit(rows * size, labels)
    hard = SVC(kernel="linear", C=1e4, tol=1e-10).fit(rows, labels)
    np.testing.assert_allclose(model.decision_function(rows * size), hard.decision_function(rows), atol=2e-3)
    assert abs(model.dual_coef_.sum()) <= 1e-9 * np.abs(model.dual_coef_).sum()
