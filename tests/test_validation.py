from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import coo_matrix, csc_matrix, csr_array, csr_matrix
from sklearn.base import clone

from hinge import ApproximateSVR, DataError, IncrementalOneClassSVM, OnlineSVC, PreparedClassifier
from hinge._model import validation
from hinge._model.validation import Storage
from hinge.active import ActiveLearner, query
from hinge.tables import Preparation


def csr_with_flaws(X):
    """The same matrix with unsorted columns and every entry stored in two halves."""
    rows = csr_matrix(X)
    indices = np.concatenate(
        [np.tile(rows.indices[a:b][::-1], 2) for a, b in zip(rows.indptr[:-1], rows.indptr[1:], strict=True)]
    )
    data = np.concatenate(
        [np.tile(rows.data[a:b][::-1] / 2, 2) for a, b in zip(rows.indptr[:-1], rows.indptr[1:], strict=True)]
    )
    return csr_matrix((data, indices, 2 * rows.indptr), shape=X.shape)


@pytest.mark.parametrize(
    "convert",
    [
        csr_array,
        csc_matrix,
        coo_matrix,
        csr_with_flaws,
        np.asfortranarray,
        lambda X: X.tolist(),
        pd.DataFrame,
        lambda X: X[:, ::-1][:, ::-1],
        np.ma.masked_invalid,
    ],
)
def test_the_container_does_not_matter(two, convert):
    X, y = two
    X = np.where(X > 0.3, X, 0.0)
    reference = OnlineSVC(random_state=0).fit(X, y).decision_function(X)
    model = OnlineSVC(random_state=0).fit(convert(X), y)
    np.testing.assert_allclose(model.decision_function(convert(X)), reference, rtol=1e-6, atol=1e-9)


def test_flawed_csr_of_the_user_is_left_as_it_is(two):
    X = csr_with_flaws(two[0])
    before = X.copy()
    OnlineSVC().fit(X, two[1]).predict(X)
    np.testing.assert_array_equal(X.indices, before.indices)
    np.testing.assert_array_equal(X.data, before.data)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_floats_keep_their_precision(two, dtype):
    X, y = two
    model = OnlineSVC().fit(X.astype(dtype), y)
    assert model.support_vectors_.dtype == dtype
    assert model.decision_function(X).dtype == np.float64


@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.float16, bool])
def test_other_numbers_become_float64(dtype):
    X = np.array([[0, 1], [1, 0], [1, 1], [0, 0]]).astype(dtype)
    assert OnlineSVC().fit(X, [0, 1, 1, 0]).support_vectors_.dtype == np.float64


def test_a_model_keeps_its_storage(two):
    X, y = two
    dense, sparse = (OnlineSVC(gamma=1.0, tol=1e-5) for _ in range(2))
    dense.fit(X[:40].astype(np.float32), y[:40])
    sparse.fit(csr_matrix(X[:40], dtype=np.float32), y[:40])
    for more in (X[40:80], csr_matrix(X[40:80])):
        dense.partial_fit(more, y[40:80]).finish()  # all rows are held, so both have the same optimum
        sparse.partial_fit(more, y[40:80]).finish()
    assert isinstance(dense.support_vectors_, np.ndarray)
    assert isinstance(sparse.support_vectors_, csr_matrix)
    assert dense.support_vectors_.dtype == sparse.support_vectors_.dtype == np.float32
    np.testing.assert_allclose(dense.decision_function(X), sparse.decision_function(csr_matrix(X)), atol=1e-3)
    np.testing.assert_allclose(dense.decision_function(csr_matrix(X)), dense.decision_function(X), rtol=1e-6)
    np.testing.assert_allclose(sparse.decision_function(X), sparse.decision_function(csr_matrix(X)), rtol=1e-6)


def test_sparse_rows_for_a_dense_model_come_in_pieces(two, monkeypatch):
    X, y = two
    model = OnlineSVC(gamma=1.0, max_gap=1e-6, tol=1e-7)
    reference = clone(model).partial_fit(X, y).partial_fit(X + 0.1, y)
    monkeypatch.setattr(validation, "_BLOCK_BYTES", 7 * X[0].nbytes)
    rows = [rows for rows, _ in Storage.of(X).blocks(csr_matrix(X))]
    assert [part.stop - part.start for part in rows] == [7] * 17 + [1]
    model.partial_fit(X, y).partial_fit(csr_matrix(X + 0.1), y)
    np.testing.assert_allclose(model.decision_function(csr_matrix(X)), reference.decision_function(X), atol=1e-4)
    np.testing.assert_array_equal(np.sort(model.support_), np.sort(reference.support_))


def test_names_of_features_are_kept_and_compared(two):
    X, y = two
    frame = pd.DataFrame(X, columns=["a", "b"])
    model = OnlineSVC().partial_fit(frame, y)
    assert model.feature_names_in_.tolist() == ["a", "b"]
    with pytest.raises(ValueError, match="feature names"):
        model.partial_fit(frame.rename(columns={"a": "c"}), y)
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        model.predict(X)


def test_float32_overflow_is_seen(two):
    X, y = two
    model = OnlineSVC().fit(X.astype(np.float32), y)
    with pytest.raises(ValueError, match="too large for dtype"):
        model.partial_fit(1e300 * X, y)


def test_views_and_read_only_arrays(two):
    X, y = two
    wide = np.hstack([X, X])
    X.setflags(write=False)
    model = OnlineSVC(random_state=0).fit(X, y)
    np.testing.assert_array_equal(
        OnlineSVC(random_state=0).fit(wide[:, :2], y).decision_function(X), model.decision_function(X)
    )


@pytest.mark.parametrize("container", [list, tuple, pd.Series, np.array, lambda w: np.array(w, dtype=np.float32)])
def test_containers_of_weights(two, container):
    X, y = two
    weights = [1.0, 2.0, 0.0, 0.5] * 30
    reference = OnlineSVC(random_state=0).fit(X, y, sample_weight=np.array(weights))
    model = OnlineSVC(random_state=0).fit(X, y, sample_weight=container(weights))
    np.testing.assert_array_equal(model.decision_function(X), reference.decision_function(X))


def test_nobody_passes_over_a_mask(two):
    X, y = two
    masked, model = np.ma.masked_greater(X, 0), OnlineSVC().fit(X, y)
    prepared = PreparedClassifier(model, Preparation(n_features=2))
    for verb in (
        lambda: model.predict(masked),
        lambda: prepared.predict(masked),
        lambda: IncrementalOneClassSVM().fit(masked),
        lambda: ApproximateSVR().fit(X, np.ma.masked_equal(X[:, 0], X[3, 0])),
        lambda: ActiveLearner(OnlineSVC(), masked),
        lambda: query(model, masked, 3),
    ):
        with pytest.raises(DataError, match="must not be masked"):
            verb()


def test_a_mask_that_hides_nothing(two):
    X, y = two
    reference = OnlineSVC(random_state=0).fit(X, y, sample_weight=np.ones(len(y)))
    model = OnlineSVC(random_state=0).fit(*map(np.ma.masked_invalid, (X, y, np.ones(len(y)))))
    np.testing.assert_array_equal(model.decision_function(np.ma.array(X)), reference.decision_function(X))
