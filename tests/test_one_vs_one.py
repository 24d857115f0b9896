"""One-vs-one: the model of `SVC` with more than two classes, in all online estimators."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.datasets import load_digits, load_iris, make_blobs
from sklearn.svm import SVC

import hinge
from hinge import KernelPerceptron, OnlineSVC, RobustOnlineSVC, TrackingSVC
from hinge._model.class_scheme import scheme_of
from hinge.exceptions import ParameterError
from tests import invariants

ESTIMATORS = (OnlineSVC, RobustOnlineSVC, TrackingSVC, KernelPerceptron)


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    return X, np.array(["c", "a", "b"])[y]


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X[:700] / 16, y[:700]


def exact(**parameters):
    return OnlineSVC(multi_class="ovo", epochs="converge", tol=1e-7, random_state=0, **parameters)


@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly"])
@pytest.mark.parametrize("sparse", [False, True])
def test_the_solution_is_that_of_svc(iris, kernel, sparse):
    X, y = iris
    X = csr_matrix(X) if sparse else X
    model, svc = exact(kernel=kernel).fit(X, y), SVC(kernel=kernel, tol=1e-7).fit(X, y)
    np.testing.assert_array_equal(model.support_, svc.support_)
    np.testing.assert_array_equal(model.n_support_, svc.n_support_)
    assert model.dual_coef_.shape == svc.dual_coef_.shape
    np.testing.assert_allclose(model.intercept_, svc.intercept_, atol=2e-4)  # LIBSVM caches rows in float32
    np.testing.assert_allclose(model.decision_function(X), svc.decision_function(X), atol=2e-4)
    np.testing.assert_array_equal(model.predict(X), svc.predict(X))
    invariants.check(model)


def test_ten_classes_vote_as_in_svc(digits):
    X, y = digits
    model, svc = exact().fit(X, y), SVC(tol=1e-7).fit(X, y)
    np.testing.assert_allclose(model.decision_function(X), svc.decision_function(X), atol=1e-5)
    np.testing.assert_array_equal(model.predict(X), svc.predict(X))
    coefficients = SVC(tol=1e-7).fit(X, y).dual_coef_
    assert model.dual_coef_.shape == coefficients.shape == (9, len(svc.support_))
    np.testing.assert_allclose(model.dual_coef_ @ np.ones(len(svc.support_)), coefficients.sum(axis=1), atol=1e-4)


def test_ties_go_to_the_first_class():
    scheme = scheme_of(OnlineSVC(multi_class="ovo")._check_params(streaming=False))
    decisions = np.array([[0.5, -0.5, 0.5], [-1.0, 1.0, -1.0]])  # (0, 1), (0, 2), (1, 2): one vote each
    np.testing.assert_array_equal(scheme.choose(decisions, 3), [0, 0])


def test_the_objective_is_within_the_tolerance(digits):
    X, y = digits
    model = OnlineSVC(multi_class="ovo", epochs="converge", random_state=0).fit(X, y)
    assert model.kkt_violation(X, y) <= model.tol
    assert 0 <= model.duality_gap(X, y) < 1e-2 * model.dual_objective()


@pytest.mark.filterwarnings("ignore::hinge.exceptions.StreamWarning")
@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_late_classes_of_a_stream(estimator, digits):
    X, y = digits
    order = np.argsort(y > 4, kind="stable")  # half of the classes come late
    model = estimator(multi_class="ovo")
    for start in range(0, len(y), 90):
        rows = order[start : start + 90]
        model.partial_fit(X[rows], y[rows])
        invariants.check(model)
    assert model.score(X, y) > (0.5 if estimator is KernelPerceptron else 0.9)  # it holds mistakes only
    assert model.intercept_.shape == (45,)
    assert model.dual_coef_.shape[0] == 9


def test_a_late_class_in_any_place_of_the_order():
    X, y = make_blobs(90, 2, centers=[[0, 0], [6, 0], [0, 6]], random_state=0)
    labels = np.array(["b", "c", "a"])[y]  # the class that sorts first comes last
    order = np.argsort(labels == "a", kind="stable")
    model = OnlineSVC(multi_class="ovo")
    for start in range(0, 90, 10):
        model.partial_fit(X[order[start : start + 10]], labels[order[start : start + 10]])
    model.finish()
    svc = SVC().fit(X, labels)
    np.testing.assert_array_equal(model.predict(X), svc.predict(X))
    np.testing.assert_array_equal(np.sign(model.intercept_), np.sign(svc.intercept_))


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_models_go_on_after_loading(estimator, iris, tmp_path):
    X, y = iris
    order = np.random.default_rng(0).permutation(len(y))
    model = estimator(multi_class="ovo", random_state=0).partial_fit(X[order[:100]], y[order[:100]])
    hinge.save(model, tmp_path / "model.hinge")
    loaded = hinge.load(tmp_path / "model.hinge")
    for each in (model, loaded):
        each.partial_fit(X[order[100:]], y[order[100:]])
    np.testing.assert_allclose(model.decision_function(X), loaded.decision_function(X), atol=1e-9)


@pytest.mark.parametrize("half_life", [None, 200])
def test_chunks_of_any_size_give_the_same_model(digits, half_life):
    X, y = digits
    models = []
    for size in (50, 350):
        model = OnlineSVC(multi_class="ovo", half_life=half_life)
        for start in range(0, len(y), size):
            model.partial_fit(X[start : start + size], y[start : start + size], classes=range(10))
        models.append(model.decision_function(X))
    np.testing.assert_allclose(*models, atol=1e-6)


def test_the_progressive_score_counts_votes(digits):
    X, y = digits
    model, mistakes = OnlineSVC(multi_class="ovo", gamma=0.02), 0
    model.partial_fit(X[:300], y[:300], classes=range(10))
    before = model.progressive_score_.n_mistakes
    for row in range(300, 400):
        mistakes += int(model.predict(X[row : row + 1])[0] != y[row])
        model.partial_fit(X[row : row + 1], y[row : row + 1])
    assert model.progressive_score_.n_mistakes - before == mistakes


@pytest.mark.parametrize("selection", ["gradient", "active", "autoactive"])
def test_selection(digits, selection):
    X, y = digits
    model = OnlineSVC(multi_class="ovo", selection=selection, random_state=0).fit(X, y)
    assert model.score(X, y) > 0.97
    invariants.check(model)


def test_two_classes_are_the_same_in_both_schemes(iris):
    X, y = iris[0][:100], iris[1][:100]
    one, other = (OnlineSVC(multi_class=scheme, random_state=0).fit(X, y) for scheme in ("ovr", "ovo"))
    np.testing.assert_array_equal(one.decision_function(X), other.decision_function(X))
    np.testing.assert_array_equal(one.dual_coef_, other.dual_coef_)


def test_the_scheme_cannot_change_in_a_stream(iris):
    X, y = iris
    model = OnlineSVC().partial_fit(X, y).set_params(multi_class="ovo")
    with pytest.raises(ParameterError, match="multi_class must stay 'ovr'"):
        model.partial_fit(X, y)
    with pytest.raises(ParameterError, match="multi_class must be one of"):
        clone(model).set_params(multi_class="crammer_singer").fit(X, y)
