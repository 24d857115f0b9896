"""Statistics of chunks equal those of all rows; the scaling they lead to."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

from hinge.tables._scaling import choose_scaling
from hinge.tables._statistics import Statistics

entries = st.one_of(st.sampled_from([0.0, 0.0, 1.0]), st.floats(-1e3, 1e3))


@given(st.integers(1, 12), st.integers(1, 4), st.data(), st.booleans(), st.integers(1, 5))
@settings(deadline=None, max_examples=60)
def test_chunks_equal_the_whole(n_rows, n_columns, data, sparse, size):
    X = np.array([[data.draw(entries) for _ in range(n_columns)] for _ in range(n_rows)])
    statistics = Statistics()
    for start in range(0, n_rows, size):
        rows = X[start : start + size]
        statistics.add(csr_matrix(rows) if sparse else rows)
    np.testing.assert_allclose(statistics.mean, X.mean(axis=0), atol=1e-9)
    np.testing.assert_allclose(statistics.deviation, X.std(axis=0), atol=1e-7)
    np.testing.assert_array_equal(statistics.size, np.abs(X).max(axis=0))
    np.testing.assert_array_equal(statistics.binary, np.isin(X, (0, 1)).all(axis=0))
    assert statistics.density == pytest.approx(np.count_nonzero(X) / X.size)


def statistics_of(X):
    statistics = Statistics()
    statistics.add(np.asarray(X, dtype=float))
    return statistics


def test_columns_of_a_table_are_standardised_but_for_binary_ones():
    X = np.array([[1.0, 0.0, 5.0], [3.0, 1.0, 5.0]])
    scaled = choose_scaling(statistics_of(X), "auto", table=True, dense=True).apply(X)
    np.testing.assert_allclose(scaled, [[-1, 0, 0], [1, 1, 0]])


def test_pixels_are_divided_by_one_number():
    X = np.random.default_rng(0).integers(0, 256, size=(50, 20)).astype(float)
    X[0, :18] = 255.0
    X[:, 19] = 3.0  # a pixel in a corner, nearly always dark
    scaling = choose_scaling(statistics_of(X), "auto", table=False, dense=True)
    np.testing.assert_allclose(scaling.apply(X), X / 255)
    assert scaling.description == "divided by 255"


def test_small_numbers_of_a_matrix_stay():
    X = np.array([[0.5, -1.0], [0.1, 0.0]])
    assert choose_scaling(statistics_of(X), "auto", table=False, dense=True).factor is None


def test_zeros_of_sparse_rows_stay():
    X = csr_matrix([[0.0, 50.0, 0.0], [2.0, 0.0, 4.0]])
    scaling = choose_scaling(statistics_of(X.toarray()), "auto", table=False, dense=False)
    assert scaling.offset is None
    np.testing.assert_allclose(scaling.apply(X).toarray(), [[0, 1, 0], [1, 0, 1]])
    with pytest.raises(ValueError, match="cannot be standardised"):
        choose_scaling(statistics_of(X.toarray()), "standard", table=False, dense=False)
    np.testing.assert_array_equal(X.toarray(), [[0, 50, 0], [2, 0, 4]])  # the input is unchanged


def test_extreme_numbers_stay_finite():
    X = np.array([[1e200, 1.0], [-1e200, 300.0]])
    with np.errstate(over="ignore"):
        scaled = choose_scaling(statistics_of(X), "auto", table=True, dense=True).apply(X)
    assert np.isfinite(scaled).all()
    assert np.abs(scaled[:, 0]).min() > 0.5
