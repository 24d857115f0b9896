"""`hinge.svm.SVC` next to `sklearn.svm.SVC`, which is its specification."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pytest
import sklearn.svm
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, make_blobs, make_gaussian_quantiles
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.feature_selection import RFE
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV
from sklearn.utils.estimator_checks import check_estimator

from hinge.svm import SVC

KERNELS = ("linear", "poly", "rbf", "sigmoid")
TOL = 1e-5
AS_SCIKIT_LEARN = {
    "check_sample_weight_equivalence_on_dense_data": "gamma='scale' ignores sample weights, as in scikit-learn",
    "check_sample_weight_equivalence_on_sparse_data": "gamma='scale' ignores sample weights, as in scikit-learn",
}


def problem(name, sparse=False):
    load, scale = {"iris": (load_iris, 1), "digits": (load_digits, 16), "cancer": (load_breast_cancer, 100)}[name]
    X, y = load(return_X_y=True)
    X, y = X[::3] / scale, y[::3]
    return (csr_matrix(X) if sparse else X), y


def both(X, y, sample_weight=None, **parameters):
    settings = {"tol": TOL} | parameters
    return [kind(**settings).fit(X, y, sample_weight) for kind in (SVC, sklearn.svm.SVC)]


def dense(values):
    return values.toarray() if hasattr(values, "toarray") else values


def assert_same(ours, theirs, X, atol=2e-3):
    """Types and shapes of all attributes, and values where they are unique."""
    ours.decision_function_shape = theirs.decision_function_shape = "ovo"
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=atol)
    ours.decision_function_shape = theirs.decision_function_shape = "ovr"
    assert ours.decision_function(X).shape == theirs.decision_function(X).shape
    same = (ours.predict(X) == theirs.predict(X)) | (
        np.abs(theirs._decision_function(X)).reshape(X.shape[0], -1).min(axis=1) < atol
    )
    assert same.all()
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=atol)
    names = {name for name in vars(theirs) if name.endswith("_") and not name.startswith("_")} | {"n_support_"}
    for name in names:
        one, other = getattr(ours, name), getattr(theirs, name)
        assert type(one) is type(other), name
        assert getattr(one, "dtype", None) == getattr(other, "dtype", None), name
        if isinstance(one, np.ndarray) or hasattr(one, "toarray"):
            assert one.ndim == other.ndim, name
    for name in ("classes_", "class_weight_", "shape_fit_", "fit_status_"):
        np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name))


@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "sparse"])
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("name", ["iris", "digits", "cancer"])
def test_the_model_is_that_of_scikit_learn(name, kernel, sparse):
    X, y = problem(name, sparse)
    ours, theirs = both(X, y, kernel=kernel, coef0=0.1, gamma="auto" if kernel == "sigmoid" else "scale")
    assert_same(ours, theirs, X)
    if kernel == "rbf":  # strictly positive definite: the coefficients are unique
        np.testing.assert_array_equal(ours.support_, theirs.support_)
        np.testing.assert_array_equal(ours.n_support_, theirs.n_support_)
        np.testing.assert_allclose(dense(ours.dual_coef_), dense(theirs.dual_coef_), atol=2e-3)
        np.testing.assert_array_equal(dense(ours.support_vectors_), dense(theirs.support_vectors_))


@pytest.mark.parametrize(
    "parameters", [{"C": 100.0}, {"class_weight": "balanced"}, {"class_weight": {1: 3.0}}, {"gamma": 0.3}]
)
def test_parameters(parameters):
    X, y = problem("iris")
    assert_same(*both(X, y, **parameters), X)


def test_hard_margin():
    X, y = load_iris(return_X_y=True)
    X, y = X[:100], y[:100]
    ours, theirs = both(X, y, C=np.inf, kernel="linear")
    assert_same(ours, theirs, X)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-4)


@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "sparse"])
@pytest.mark.parametrize("low", [0, -1])
def test_rows_of_zero_or_negative_weight_are_left_out(low, sparse):
    X, y = problem("iris", sparse)
    weights = np.random.default_rng(0).integers(low, 4, len(y)).astype(float)
    ours, theirs = both(X, y, weights)
    assert_same(ours, theirs, X)
    np.testing.assert_array_equal(
        dense(X[ours.support_]), dense(theirs.support_vectors_)
    )  # LIBSVM counts used rows only
    assert ours._state.kernel.gamma == theirs._gamma  # of all rows, as they are


def test_a_class_without_weight():
    X, y = load_iris(return_X_y=True)
    ours, theirs = both(X, y, np.where(y == 2, 0.0, 1.0))
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    np.testing.assert_array_equal(ours.n_support_, theirs.n_support_)
    np.testing.assert_allclose(ours.dual_coef_, theirs.dual_coef_, atol=1e-3)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-3)
    np.testing.assert_array_equal(ours.classes_, theirs.classes_)
    decisions = [each.set_params(decision_function_shape="ovo").decision_function(X) for each in (ours, theirs)]
    assert decisions[0].shape == (150, 1)
    np.testing.assert_allclose(*decisions, atol=1e-3)
    linear = both(X, y, np.where(y == 2, 0.0, 1.0), kernel="linear")
    np.testing.assert_allclose(linear[0].coef_, linear[1].coef_, atol=1e-3)
    sparse = SVC(kernel="linear", tol=TOL).fit(csr_matrix(X), y, np.where(y == 2, 0.0, 1.0))  # an error in scikit-learn
    np.testing.assert_allclose(sparse.coef_.toarray(), linear[1].coef_, atol=1e-3)


@pytest.mark.parametrize(
    "labels", [["b", "a", "c"], [True, False, True], [-1.0, 1.0, 7.0], np.array(["x", "y", "z"], dtype=object)]
)
def test_labels_of_any_type(labels):
    X, y = load_iris(return_X_y=True)
    named = np.asarray(labels)[y]
    ours, theirs = both(X, named)
    np.testing.assert_array_equal(ours.classes_, theirs.classes_)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    assert ours.predict(X).dtype == theirs.predict(X).dtype


def test_precomputed_kernels_and_functions():
    X, y = problem("iris")
    for ours, theirs, queries in (
        (*both(X @ X.T, y, kernel="precomputed"), X @ X.T),
        (*both(X, y, kernel=lambda A, B: A @ B.T), X),
    ):
        assert_same(ours, theirs, queries)
        assert ours.support_vectors_.shape == theirs.support_vectors_.shape == (0, 0)
        assert hasattr(ours, "n_features_in_") == hasattr(theirs, "n_features_in_")


def test_a_kernel_of_strings():
    words = ["red", "reed", "read", "blue", "blues", "blur"] * 3
    y = ["r", "r", "r", "b", "b", "b"] * 3

    def shared_letters(A, B):
        return np.array([[float(len(set(a) & set(b))) for b in B] for a in A])

    ours, theirs = both(words, y, kernel=shared_letters)
    np.testing.assert_array_equal(ours.predict(["rede", "bluu"]), theirs.predict(["rede", "bluu"]))
    assert ours.shape_fit_ == theirs.shape_fit_ == (18,)


def test_coefficients_of_linear_kernels():
    for name in ("iris", "cancer"):
        for sparse in (False, True):
            X, y = problem(name, sparse)
            ours, theirs = both(X, y, kernel="linear")
            assert type(ours.coef_) is type(theirs.coef_)
            np.testing.assert_allclose(dense(ours.coef_), dense(theirs.coef_), atol=2e-3)
    assert not hasattr(SVC().fit(*problem("iris")), "coef_")
    X, y = problem("cancer")
    assert RFE(SVC(kernel="linear"), n_features_to_select=3).fit(X, y).n_features_ == 3


def test_max_iter_warns():
    X, y = problem("iris")
    with pytest.warns(ConvergenceWarning, match="max_iter=5"):
        model = SVC(max_iter=5).fit(X, y)
    assert model.fit_status_ == 1
    assert (model.n_iter_ <= 6).all()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert SVC().fit(X, y).fit_status_ == 0


def test_rows_of_a_precomputed_kernel_without_weight():
    X, y = problem("iris")
    weights = (np.arange(len(y)) % 3 > 0).astype(float)
    used = weights > 0
    left = sklearn.svm.SVC(kernel="linear", tol=TOL).fit(X[used], y[used])  # scikit-learn would ask the wrong columns
    for model, queries in (
        (SVC(kernel="precomputed", tol=TOL).fit(X @ X.T, y, weights), X @ X.T),
        (SVC(kernel=lambda A, B: A @ B.T, tol=TOL).fit(X, y, weights), X),
    ):
        np.testing.assert_allclose(model.decision_function(queries), left.decision_function(X), atol=2e-3)


def test_decisions_of_zero_vote_as_in_scikit_learn():
    X, y = make_blobs(random_state=42, n_samples=20, n_features=2)  # two of the classes have as many examples
    queries = np.random.default_rng(0).uniform(X.min(axis=0), X.max(axis=0), (50, 2))
    for ties in (False, True):
        ours, theirs = both(X, y, gamma=1e6, break_ties=ties)  # all kernel values are 0
        np.testing.assert_array_equal(ours.predict(queries), theirs.predict(queries))
        np.testing.assert_allclose(ours.decision_function(queries), theirs.decision_function(queries), atol=1e-6)


def test_badly_scaled_problems_take_newton_steps():
    X = [[3.77, -3.89], [0, -4.01], [0, 0], [0, 0], [0, 0], [0, 5.32], [-0.18, -0.48], [0, 8.91], [0, -0.41]]
    y, weights = [0, 0, 0, 1, 0, 1, 0, 0, 1], [1, 1, 2, 1, 1, 1, 2, 1, 2]
    model = SVC(kernel="poly", degree=2, gamma=3.0, coef0=1.0, C=100.0, tol=1e-5).fit(X, y, weights)
    assert model.fit_status_ == 0
    assert model.kkt_violation(X, y, weights) < 1e-8
    assert model.n_iter_[0] < 500_000  # pairs of coefficients alone need 2.8 million steps


def test_ties():
    X, y = problem("digits")
    ours, theirs = both(X, y, break_ties=True)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    for model in (ours, theirs):
        with pytest.raises(ValueError, match="break_ties must be False"):
            model.set_params(decision_function_shape="ovo").predict(X)


@pytest.mark.filterwarnings("ignore:.*deprecated:FutureWarning")
@pytest.mark.parametrize("n_classes", [2, 3])
def test_probabilities_are_about_those_of_scikit_learn(n_classes):
    X, y = make_gaussian_quantiles(n_samples=1500, n_features=2, n_classes=n_classes, cov=0.3, random_state=0)
    y = np.where(np.random.default_rng(0).random(len(y)) < 0.1, (y + 1) % n_classes, y)
    ours, theirs = both(X[:1000], y[:1000], probability=True, random_state=0)
    losses = [log_loss(y[1000:], model.predict_proba(X[1000:])) for model in (ours, theirs)]
    assert losses[0] < 1.01 * losses[1]
    np.testing.assert_array_equal(ours.predict_proba(X).argmax(axis=1), ours.predict(X))
    for name in ("probA_", "probB_"):
        with pytest.warns(FutureWarning, match=f"Attribute `{name}` was deprecated"):
            values = getattr(ours, name)
        with pytest.warns(FutureWarning):
            np.testing.assert_allclose(values, getattr(theirs, name), atol=0.3)
    assert not hasattr(SVC().fit(X, y), "predict_proba")


@pytest.mark.filterwarnings("ignore:.*deprecated:FutureWarning")
def test_probabilities_follow():
    X, y = load_digits(return_X_y=True)
    X, y = X[:1000] / 16, y[:1000]
    model = SVC(probability=True).fit(X[:800], y[:800])
    before = model.predict_proba(X[800:])
    model.forget(range(100), X[:800], y[:800])
    refitted = SVC(probability=True, gamma=model._gamma).fit(X[100:800], y[100:800])
    np.testing.assert_allclose(model.predict_proba(X[800:]), refitted.predict_proba(X[800:]), atol=5e-3)
    model.partial_fit(X[800:], y[800:])
    after = model.predict_proba(X[800:])
    assert log_loss(y[800:], after) < log_loss(y[800:], before)
    with pytest.raises(NotFittedError, match="probability=True"):
        SVC().fit(X, y).set_params(probability=True).predict_proba(X)


@pytest.mark.filterwarnings("ignore:.*deprecated:FutureWarning")
def test_probabilities_of_a_class_without_weight():
    X, y = problem("iris")
    model = SVC(probability=True).fit(X, y, np.where(y == 1, 0.0, 1.0))
    chances = model.predict_proba(X)
    assert chances.shape == (len(X), 3)
    assert not chances[:, 1].any()
    np.testing.assert_array_equal(model.classes_[chances.argmax(axis=1)], model.predict(X))
    assert len(model.set_params(probability=False).probA_) == 0


def test_probability_is_deprecated():
    X, y = problem("iris")
    with pytest.warns(FutureWarning, match="`probability` parameter was deprecated"):
        SVC(probability=False).fit(X, y)


@pytest.mark.parametrize(
    ("X", "y", "parameters"),
    [
        ([[0.0], [1.0]], [0, 0], {}),
        ([[0.0], [np.nan]], [0, 1], {}),
        ([[0.0], [1.0]], [0, 1, 1], {}),
        ([[0.0], [1.0]], [0.5, 1.5], {}),
        ([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0, 1, 1], {"kernel": "precomputed"}),
        ([[0.0], [1.0]], [0, 1], {"C": 0.0}),
        ([[0.0], [1.0]], [0, 1], {"kernel": "laplacian"}),
        ([[0.0], [1.0]], [0, 1], {"kernel": lambda A, _: np.ones((len(A), 3))}),
        (csr_matrix([[0.0, 1.0], [1.0, 0.0]]), [0, 1], {"kernel": "precomputed"}),
    ],
)
def test_errors_have_the_same_types(X, y, parameters):
    with pytest.raises((ValueError, TypeError)) as theirs:
        sklearn.svm.SVC(**parameters).fit(X, y)
    kind = TypeError if isinstance(theirs.value, TypeError) else ValueError
    with pytest.raises(kind, match=r"."):
        SVC(**parameters).fit(X, y)


@pytest.mark.parametrize("weights", [np.zeros(50), -np.ones(50), np.r_[np.ones(10), np.zeros(40)]])
def test_weights_that_leave_nothing(weights):
    X, y = problem("iris")
    for kind in (SVC, sklearn.svm.SVC):
        with pytest.raises(ValueError, match=r"(?i)weight"):
            kind().fit(X, y, weights)


def test_queries_that_do_not_fit():
    X, y = problem("iris")
    model = SVC().fit(X, y)
    for queries in (csr_matrix(X), X[:, :3], X[0]):
        with pytest.raises(ValueError, match=r".+"):
            model.predict(queries)
    with pytest.raises(NotFittedError):
        SVC().predict(X)


def test_copies_and_search():
    X, y = problem("iris")
    model = SVC(C=3.0).fit(X, y)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(X), model.predict(X))
    assert clone(model).get_params() == model.get_params() == sklearn.svm.SVC(C=3.0).get_params()
    search = GridSearchCV(SVC(), {"C": [0.1, 1.0]}, cv=2).fit(X, y)
    assert search.best_score_ == GridSearchCV(sklearn.svm.SVC(), {"C": [0.1, 1.0]}, cv=2).fit(X, y).best_score_


def test_large_problems_are_swept_until_no_row_violates(monkeypatch):
    monkeypatch.setattr("hinge._fit.exact_solver._MAX_DIRECT_ROWS", 50)
    for name in ("digits", "cancer"):
        for sparse in (False, True):
            X, y = problem(name, sparse)
            assert_same(*both(X, y), X)


def test_scikit_learns_own_checks():
    check_estimator(SVC(), expected_failed_checks=AS_SCIKIT_LEARN, on_skip=None)


def test_learning_goes_on():
    X, y = load_digits(return_X_y=True)
    X = X / 16
    model = SVC().fit(X[:600], y[:600])
    for start in range(600, 1500, 300):
        model.partial_fit(X[start : start + 300], y[start : start + 300])
    whole = sklearn.svm.SVC(gamma=model._state.kernel.gamma).fit(X[:1500], y[:1500])
    assert model.score(X[1500:], y[1500:]) >= whole.score(X[1500:], y[1500:]) - 0.01
    assert model.shape_fit_ == whole.shape_fit_
    assert model.dual_coef_.shape == (9, len(model.support_))
    names = np.array(["a", "b"])[(y[:600] > 4).astype(int)]
    new = SVC().fit(X[:600], names).partial_fit(X[600:900], np.full(300, "c"))
    assert new.classes_.tolist() == ["a", "b", "c"]
    assert new.predict(X[600:900]).tolist().count("c") > 250
