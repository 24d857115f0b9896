"""`IncrementalSVC(multi_class="ovo")` next to `sklearn.svm.SVC` on the examples held."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.datasets import load_iris, make_blobs
from sklearn.svm import SVC

import hinge
from hinge import IncrementalSVC, OnlineSVC, ParameterError
from tests import invariants

PARAMETERS = {"C": 3.0, "gamma": 0.05}


@pytest.fixture(scope="module")
def blobs():
    return make_blobs(80, 3, centers=5, cluster_std=3, random_state=0)


def make(**parameters):
    return IncrementalSVC(**{"multi_class": "ovo"} | PARAMETERS | parameters)


def svc(X, y):
    return SVC(tol=1e-10, decision_function_shape="ovo", **PARAMETERS).fit(X, y)


def pair_decisions(model, X):
    return model._class_decisions(X)[1]


def assert_exact(model, X, y, queries):
    """The model is that of `SVC` for these examples."""
    invariants.check(model)
    theirs = svc(X, y)
    np.testing.assert_array_equal(model.classes_, theirs.classes_)
    decisions = pair_decisions(model, queries)
    decisions = decisions if len(model.classes_) > 2 else decisions.ravel()
    np.testing.assert_allclose(decisions, theirs.decision_function(queries), atol=1e-5)  # LIBSVM keeps single precision
    np.testing.assert_array_equal(model.predict(queries), theirs.predict(queries))
    np.testing.assert_allclose(model.intercept_, theirs.intercept_, atol=1e-5)
    np.testing.assert_array_equal(model.n_support_, theirs.n_support_)
    assert model.dual_coef_.shape == theirs.dual_coef_.shape
    assert model.kkt_violation() < 1e-9


@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "sparse"])
def test_streams_and_training_sets(blobs, sparse):
    X, y = blobs
    rows = csr_matrix(X) if sparse else X
    streamed = make()
    order = np.argsort(y == 1, kind="stable")  # one class comes late
    for start in range(0, 80, 9):
        at = order[start : start + 9]
        streamed.partial_fit(rows[at], y[at])
    assert_exact(streamed, rows, y, rows)
    assert_exact(make().fit(rows, y), rows, y, rows)


def test_more_rows_than_are_learned_one_by_one():
    X, y = make_blobs(300, 3, centers=4, cluster_std=3, random_state=1)
    assert_exact(make().fit(X, y), X, y, X)


def test_weights_and_counts(blobs):
    X, y = blobs
    weights = np.random.default_rng(0).integers(0, 3, len(y)).astype(float)
    model = make(class_weight={0: 2.0}).fit(X, y, weights)
    theirs = SVC(tol=1e-10, class_weight={0: 2.0}, decision_function_shape="ovo", **PARAMETERS).fit(X, y, weights)
    np.testing.assert_allclose(pair_decisions(model, X), theirs.decision_function(X), atol=1e-5)
    assert model.n_margin_.shape == model.n_bounded_.shape == model.intercept_.shape == (10,)
    held = np.array([np.count_nonzero(y[weights > 0] == each) for each in range(5)])
    first, second = np.triu_indices(5, 1)
    assert (model.n_margin_ + model.n_bounded_ <= held[first] + held[second]).all()


def test_forgetting_down_to_one_class(blobs):
    X, y = blobs
    model, left = make().fit(X, y), np.arange(80)
    for rows in (range(25), np.flatnonzero(y == 2), np.flatnonzero(y == 0), np.flatnonzero(y == 4)):
        gone = np.intersect1d(rows, left)
        model.forget(gone)
        left = np.setdiff1d(left, gone)
        assert_exact(model, X[left], y[left], X)
    model.forget(left[y[left] == 1])
    assert model.classes_.tolist() == [3]
    model.partial_fit(X[:25], y[:25], ids=[f"again {row}" for row in range(25)])
    both = np.concatenate([left[y[left] == 3], np.arange(25)])
    assert_exact(model, X[both], y[both], X)


def test_relabelling(blobs):
    X, y = blobs
    model, labels = make().fit(X, y), y.copy()
    labels[:10] = [3, 3, 0, 7, 7, 1, 2, 7, 4, 0]  # 7 is new
    model.relabel(range(10), labels[:10])
    assert_exact(model, X, labels, X)
    changed = np.flatnonzero(labels == 2)
    labels[changed] = 1  # 2 is gone
    model.relabel(changed, labels[changed])
    assert_exact(model, X, labels, X)


def test_leave_one_out(blobs):
    X, y = blobs
    X, y = X[:30], y[:30]
    model = make().fit(X, y)
    refits = [svc(np.delete(X, row, 0), np.delete(y, row)) for row in range(30)]
    assert model.leave_one_out().tolist() == [refits[row].predict(X[[row]])[0] for row in range(30)]
    shaped = [
        refit.set_params(decision_function_shape="ovr").decision_function(X[[row]])[0]
        for row, refit in enumerate(refits)
    ]
    np.testing.assert_allclose(model.leave_one_out("decision_function"), shaped, atol=1e-5)
    for suspect in model.suspects():
        assert suspect.prediction != suspect.label == y[suspect.id]
        assert suspect.margin < 0


@pytest.mark.parametrize("y", [None, [3, 3, 3, 3]], ids=["forgotten", "relabelled"])
def test_influence(blobs, y):
    X, labels = blobs
    model, queries = make().fit(X, labels), X[:7]
    found = model.influence(queries, range(4), y)
    assert found.shape == (4, 7, 10)
    for row in range(4):
        changed = make().fit(X, labels)
        changed.forget(row) if y is None else changed.relabel(row, y[:1])
        np.testing.assert_allclose(
            pair_decisions(changed, queries) - pair_decisions(model, queries), found[row], atol=1e-9
        )


def test_windows_bound_each_pair(blobs):
    X, y = blobs
    model = make(max_examples=15)
    for start in range(0, 80, 7):
        model.partial_fit(X[start : start + 7], y[start : start + 7])
        invariants.check(model)
    model.relabel(model.ids_[:8], [0] * 8)
    invariants.check(model)
    assert max(model._state.native.state()["member_counts"]) <= 15 < len(model.ids_)
    assert len(model.leave_one_out()) == len(model.ids_)
    assert model.kkt_violation() < 1e-9


def test_files_and_what_must_not_change(blobs, tmp_path):
    X, y = blobs
    model = make().fit(X[:60], y[:60])
    hinge.save(model, tmp_path / "model.hinge")
    loaded = hinge.load(tmp_path / "model.hinge")
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
    loaded.partial_fit(X[60:], y[60:]).forget([0, 70])
    left = np.setdiff1d(np.arange(80), [0, 70])
    assert_exact(loaded, X[left], y[left], X)
    with pytest.raises(ParameterError, match="multi_class must stay 'ovo'"):
        loaded.set_params(multi_class="ovr").partial_fit(X[:2], y[:2], ids=["a", "b"])
    with pytest.raises(ParameterError, match="multi_class"):
        make(multi_class="all").fit(X, y)


def test_exports(blobs, tmp_path):
    X, y = blobs
    model = make().fit(X, y)
    theirs = hinge.export.to_sklearn(model)
    np.testing.assert_array_equal(theirs.predict(X), model.predict(X))
    hinge.export.to_libsvm(model, tmp_path / "model.txt")
    read = hinge.export.from_libsvm(tmp_path / "model.txt")
    assert isinstance(read, OnlineSVC)
    np.testing.assert_array_equal(read.predict(X), model.predict(X))


def test_probabilities_agree_with_votes():
    X, y = load_iris(return_X_y=True)
    model = make(calibration="sigmoid").fit(X, y)
    probabilities = model.predict_proba(X)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)
    np.testing.assert_array_equal(probabilities.argmax(axis=1), model.predict(X))
