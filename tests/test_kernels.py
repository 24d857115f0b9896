from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import csr_matrix
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC

from hinge import DataError, KernelError, OnlineSVC, StreamWarning
from hinge._model.kernels import CheckedFunction, KernelSpec, check_gram, weighted_variance

numbers = st.floats(-100, 100, width=32)


@given(arrays(np.float64, (7, 3), elements=numbers), arrays(np.int64, 7, elements=st.integers(0, 4)))
def test_variance_counts_weights_as_repetitions(X, counts):
    counts[0] += 1
    repeated = np.repeat(X, counts, axis=0)
    expected = repeated.var()
    tolerance = {"rtol": 1e-12, "atol": 1e-12 * (1 + np.abs(X).max() ** 2)}
    np.testing.assert_allclose(weighted_variance(X, counts.astype(float)), expected, **tolerance)
    np.testing.assert_allclose(weighted_variance(csr_matrix(X), counts.astype(float)), expected, **tolerance)


def test_variance_far_from_zero_and_in_blocks():
    X = np.random.default_rng(0).normal(1e6, 1.0, size=(3000, 700))
    np.testing.assert_allclose(weighted_variance(X, np.ones(3000)), X.var(), rtol=1e-9)


@pytest.mark.parametrize("kernel", ["rbf", "poly", "sigmoid"])
@pytest.mark.parametrize("gamma", ["scale", "auto", 0.3])
def test_gamma_is_that_of_svc(two, kernel, gamma):
    X, y = two
    X = 3 * X + 1
    reference = SVC(kernel=kernel, gamma=gamma).fit(X, y)
    model = OnlineSVC(kernel=kernel, gamma=gamma).fit(X, y)
    np.testing.assert_allclose(model._state.kernel.gamma, reference._gamma)


def test_scale_of_constant_features_is_one(two):
    _, y = two
    assert OnlineSVC().fit(np.ones((len(y), 2)), y)._state.kernel.gamma == 1.0


def test_scale_is_determined_by_the_first_rows(two):
    X, y = np.tile(two[0], (9, 1)), np.tile(two[1], 9)
    model = OnlineSVC().partial_fit(X, y)
    first = model._state.kernel.gamma
    np.testing.assert_allclose(first, 1 / (2 * X[:1024].var()), rtol=0.051)
    with pytest.warns(StreamWarning, match="would be"):
        model.partial_fit(100 * X, y)
    assert model._state.kernel.gamma == first


def test_description_names_what_matters():
    assert KernelSpec("poly", 0.5, 1.0, 2).describe() == "poly, gamma=0.5, coef0=1, degree=2"
    assert KernelSpec("linear").describe() == "linear"


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_function_values_get_the_precision_of_the_model(dtype):
    values = CheckedFunction(lambda A, B: (A @ B.T).tolist(), dtype)(np.eye(2), np.eye(2))
    assert values.dtype == dtype
    assert values.flags.c_contiguous


@pytest.mark.parametrize(
    ("function", "complaint"),
    [
        (lambda A, B: (A @ B.T).T[:1], "shape"),
        (lambda A, B: 1.0, "shape"),
        (lambda A, B: (A @ B.T).ravel(), "shape"),
        (lambda A, B: np.full((len(A), len(B)), np.nan), "NaN"),
        (lambda A, B: np.full((len(A), len(B)), np.inf), "infinity"),
        (lambda A, B: (A @ B.T) * 1j, "real numbers"),
        (lambda A, B: np.full((len(A), len(B)), "x"), "real numbers"),
    ],
)
def test_function_that_returns_nonsense(two, function, complaint):
    with pytest.raises(KernelError, match=f"The kernel function must return .*{complaint}"):
        OnlineSVC(kernel=function).fit(*two)


def test_sparse_function_values(two):
    X, y = two
    dense = OnlineSVC(kernel=lambda A, B: A @ B.T).fit(X, y)
    sparse = OnlineSVC(kernel=lambda A, B: A @ B.T).fit(csr_matrix(X), y)
    np.testing.assert_allclose(sparse.decision_function(X), dense.decision_function(X), rtol=1e-6)


def test_gram_matrix_must_be_symmetric(two):
    X, y = two
    K = rbf_kernel(X)
    check_gram(K * (1 + 1e-7 * np.random.default_rng(0).random(K.shape)))  # rounding is no reason to complain
    K[3, 5] += 0.5
    with pytest.raises(DataError, match="must be symmetric"):
        OnlineSVC(kernel="precomputed").fit(K, y)


def test_gram_matrix_must_have_no_negative_diagonal(two):
    X, y = two
    with pytest.raises(DataError, match="negative on its diagonal"):
        OnlineSVC(kernel="precomputed").fit(rbf_kernel(X) - 1.5 * np.eye(len(y)), y)


def test_gram_matrix_must_be_square(two):
    X, y = two
    with pytest.raises(DataError, match="square matrix in fit, got 120 rows and 100 columns"):
        OnlineSVC(kernel="precomputed").fit(rbf_kernel(X, X[:100]), y)
