"""Large training sets are solved in single precision first; the solution must be that of double precision."""

import numpy as np
import pytest
import sklearn.svm
from scipy.sparse import csr_matrix
from sklearn.datasets import make_classification, make_moons
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel

from hinge import OnlineSVC
from hinge._fit import drafts
from hinge.svm import SVC


def noisy(n_rows, n_classes=2):
    return make_classification(
        n_rows, 10, n_informative=6, n_classes=n_classes, n_clusters_per_class=2, flip_y=0.1, random_state=n_rows
    )


def worst_violation(model, X, y, C, gamma):
    """Return by how much the most violating pair of all rows violates, with sums computed again."""
    alpha = np.zeros(len(y))
    alpha[model.support_] = model.dual_coef_.ravel()
    sign = np.where(y == model.classes_[1], 1.0, -1.0)
    gradient = sign - rbf_kernel(X, X, gamma=gamma) @ alpha
    low, high = np.minimum(sign * C, 0.0), np.maximum(sign * C, 0.0)
    near = 1e-12 * C
    return gradient[alpha < high - near].max() - gradient[alpha > low + near].min()


@pytest.mark.parametrize(("C", "gamma", "tol"), [(1, 0.1, 1e-3), (1000, 0.05, 1e-3), (10, 0.1, 1e-6), (1e5, 0.01, 0.1)])
@pytest.mark.parametrize("offset", [0.0, 300.0])
def test_no_row_violates(monkeypatch, C, gamma, tol, offset):
    X, y = noisy(800)
    X = X + offset
    monkeypatch.setattr(drafts, "_MIN_ROWS", 500)
    model = SVC(C=C, gamma=gamma, tol=tol).fit(X, y)
    assert worst_violation(model, X, y, C, gamma) <= tol * (1 + 1e-3) + 1e-9
    model._state.native.check_invariants()


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("max_direct", [100, 10_000], ids=["pass", "direct"])
@pytest.mark.parametrize("convert", [np.asarray, csr_matrix], ids=["dense", "sparse"])
def test_the_solution_is_that_without_a_draft(monkeypatch, n_classes, max_direct, convert):
    X, y = noisy(900, n_classes)
    monkeypatch.setattr("hinge._fit.exact_solver._MAX_DIRECT_ROWS", max_direct)
    plain = SVC(C=10, tol=1e-5).fit(convert(X), y)
    monkeypatch.setattr(drafts, "_MIN_ROWS", 500)
    drafted = SVC(C=10, tol=1e-5).fit(convert(X), y)
    np.testing.assert_allclose(drafted.decision_function(X[:200]), plain.decision_function(X[:200]), atol=1e-3)
    np.testing.assert_allclose(drafted.dual_objective(), plain.dual_objective(), rtol=1e-8)
    assert drafted.support_vectors_.dtype == np.float64
    assert (drafted.n_iter_ > 0).all()


def test_rows_that_single_precision_cannot_tell_apart(monkeypatch):
    X, y = make_moons(700, noise=0.2, random_state=0)
    X = X + 1e8  # float32 keeps steps of 8
    monkeypatch.setattr(drafts, "_MIN_ROWS", 500)
    model, peer = SVC(C=10, gamma=2.0).fit(X, y), sklearn.svm.SVC(C=10, gamma=2.0).fit(X - 1e8, y)
    assert np.mean(model.predict(X) == peer.predict(X - 1e8)) > 0.99


def test_rows_too_large_for_single_precision(monkeypatch):
    X, y = make_moons(700, noise=0.2, random_state=0)
    monkeypatch.setattr(drafts, "_MIN_ROWS", 500)
    np.testing.assert_array_equal(
        SVC(gamma=1e-60).fit(1e30 * X, y).predict(1e30 * X), SVC(gamma=1.0).fit(X, y).predict(X)
    )


def test_an_interrupted_draft_is_kept(monkeypatch):
    X, y = noisy(3000)
    monkeypatch.setattr(drafts, "_MIN_ROWS", 500)
    solve = drafts.ExactSolver.solve

    def interrupted(self):
        solve(self)
        raise KeyboardInterrupt

    monkeypatch.setattr(drafts.ExactSolver, "solve", interrupted)
    model = SVC()
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    assert model.score(X, y) > 0.8


def test_online_models_that_converge_are_drafted_in_double_precision(monkeypatch):
    X, y = noisy(2500)
    settings = {"C": 10.0, "gamma": 0.1, "epochs": "converge"}
    plain = OnlineSVC(**settings).fit(X, y)
    monkeypatch.setattr(drafts, "_MIN_ROWS", 500)
    drafted = OnlineSVC(**settings).fit(X, y)
    np.testing.assert_allclose(drafted.decision_function(X), plain.decision_function(X), atol=0.02)
    assert drafted.kkt_violation() <= 1e-3


def test_max_iter_needs_no_draft(monkeypatch):
    X, y = noisy(700)
    monkeypatch.setattr(drafts, "_MIN_ROWS", 500)
    with pytest.warns(ConvergenceWarning):
        model = SVC(max_iter=5).fit(X, y)
    assert model.n_iter_.tolist() == [5]
