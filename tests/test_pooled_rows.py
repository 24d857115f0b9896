"""Rows of a pool that are checked once, and sparse support vectors that stay listed by feature between questions."""

from __future__ import annotations

import gc

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from scipy.sparse import random as random_sparse

import hinge
from hinge._model.validation import PooledRows

KERNELS = ("rbf", "laplacian", "linear", "poly", "sigmoid")


def sparse_rows(n, features=40, seed=0, dtype=np.float64):
    X = random_sparse(n, features, density=0.15, format="csr", random_state=seed, dtype=dtype)
    return csr_matrix(X), (np.asarray(X.sum(axis=1)).ravel() > 3).astype(int)


@pytest.mark.parametrize(
    ("kernel", "max_support"), [*((kernel, None) for kernel in KERNELS), ("rbf", 25), ("laplacian", 25)]
)
def test_decisions_do_not_depend_on_what_was_asked_before(kernel, max_support):
    """Support vectors come and go; those of a model that was asked all the time are listed in pieces."""
    X, y = sparse_rows(400)
    options = {"kernel": kernel, "gamma": 0.3, "C": 5, "max_support": max_support, "random_state": 0}
    asked, silent, dense = (hinge.OnlineSVC(**options) for _ in range(3))
    for start in range(0, 300, 3):
        rows = slice(start, start + 3)
        for model, examples in ((asked, X), (silent, X), (dense, X.toarray())):
            model.partial_fit(examples[rows], y[rows])
        if start > 6:
            for n in (2, 17, 100):
                asked.decision_function(X[:n])
    np.testing.assert_allclose(asked.decision_function(X), silent.decision_function(X), atol=1e-10)
    np.testing.assert_allclose(asked.decision_function(X), dense.decision_function(X.toarray()), atol=1e-8)
    one_by_one = np.ravel([asked.decision_function(row) for row in X])
    np.testing.assert_allclose(one_by_one, asked.decision_function(X), atol=1e-12)


def test_a_loaded_model_decides_to_the_last_bit(tmp_path):
    X, y = sparse_rows(300, dtype=np.float32)
    model = hinge.OnlineSVC(C=5, gamma=0.3)
    for start in range(0, 300, 5):
        model.partial_fit(X[start : start + 5], y[start : start + 5])
        if start:
            model.decision_function(X[:50])
    hinge.save(model, tmp_path / "model.hinge")
    loaded = hinge.load(tmp_path / "model.hinge")
    np.testing.assert_array_equal(loaded.decision_function(X), model.decision_function(X))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("is_sparse", [False, True])
def test_taken_rows_are_rows(dtype, is_sparse):
    X, y = sparse_rows(200, dtype=dtype)
    X = X if is_sparse else X.toarray()
    pool, numbers = PooledRows(X), np.array([7, 3, 150, 3])
    one, other = (hinge.OnlineSVC(C=5, gamma=0.3).partial_fit(X[:50], y[:50]) for _ in range(2))
    taken = pool.take(numbers)
    np.testing.assert_array_equal(one.decision_function(taken), one.decision_function(X[numbers]))
    one.partial_fit(pool.take(np.arange(50, 90)), y[50:90])
    other.partial_fit(X[50:90], y[50:90])
    atol = 1e-4 if dtype == np.float32 else 1e-10
    np.testing.assert_allclose(one.decision_function(X), other.decision_function(X), atol=atol)
    one.partial_fit(pool.take(numbers), [5, 5, 5, 5])  # a new class takes the long way
    assert one.classes_.tolist() == [0, 1, 5]


def test_picked_rows_keep_the_pool_alive():
    X, _ = sparse_rows(100)
    model = hinge.OnlineSVC(gamma=0.3).fit(X, np.arange(100) % 2)
    expected = model.decision_function(X[[5, 6]])
    batch = PooledRows(X.copy()).take(np.array([5, 6])).batch()
    gc.collect()
    np.testing.assert_array_equal(np.abs(model._state.native.predictor().decide(batch).ravel()), np.abs(expected))


@pytest.mark.parametrize("rows", [[-1], [100], [2**40]])
def test_rows_that_are_not_there(rows):
    pool = PooledRows(sparse_rows(100)[0])
    with pytest.raises(ValueError, match="no such row"):
        pool.take(np.array(rows)).batch()


def test_a_pool_is_checked():
    X = sparse_rows(10)[0].toarray()
    with pytest.raises(ValueError, match="NaN"):
        PooledRows(np.where(X > 0.5, np.nan, X))
    with pytest.raises(ValueError, match="scale the features"):
        PooledRows(X * 1e200)
