"""`to_sklearn`: estimators of scikit-learn make the decisions of the model."""

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.svm import SVC

from hinge import OnlineSVC
from hinge.export import ExportError, to_sklearn

KERNELS = ("linear", "poly", "rbf", "sigmoid", "laplacian")


def product(A, B):
    return A @ B.T


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("sparse", [False, True])
def test_decisions_are_those_of_the_model(problem, same_classes, kernel, n_classes, sparse):
    data = problem(n_classes, sparse=sparse)
    model = data.model(kernel, labels=["ant", "bee", "cat"][:n_classes])
    found = pickle.loads(pickle.dumps(to_sklearn(model)))
    assert isinstance(found, SVC) == (n_classes == 2 and kernel != "laplacian")
    for X in (data.X, data.dense):
        np.testing.assert_allclose(found.decision_function(X), model.decision_function(X), rtol=1e-9, atol=1e-9)
        same_classes(found.predict(X), model, X)
    assert found.score(data.X, np.array(["ant", "bee", "cat"])[data.y]) > 0.5
    assert found.n_features_in_ == 6


@pytest.mark.parametrize("sparse", [False, True])
def test_attributes_of_an_svc(problem, sparse):
    data = problem(2, sparse=sparse)
    model = data.model(C=2.0)
    found = to_sklearn(model)
    np.testing.assert_array_equal(found.support_, model.support_)
    np.testing.assert_array_equal(found.n_support_, model.n_support_)
    np.testing.assert_array_equal(found.intercept_, model.intercept_)
    np.testing.assert_array_equal(found.classes_, model.classes_)
    same = [(found.dual_coef_, model.dual_coef_), (found.support_vectors_, model.support_vectors_)]
    for ours, theirs in same:
        np.testing.assert_array_equal(csr_matrix(ours).toarray(), csr_matrix(theirs).toarray())
    assert {name: found.get_params()[name] for name in ("C", "kernel", "gamma")} == {
        "C": 2.0,
        "kernel": "rbf",
        "gamma": 0.2,
    }
    assert clone(found).fit(data.X, data.y).score(data.X, data.y) > 0.5


def test_the_weights_of_a_linear_svc(problem):
    model = problem(2).model("linear")
    np.testing.assert_allclose(to_sklearn(model).coef_, model.dual_coef_ @ model.support_vectors_)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_precomputed_kernels(problem, same_classes, n_classes):
    data = problem(n_classes)
    gram = data.dense @ data.dense.T
    model = OnlineSVC(kernel="precomputed", random_state=0).fit(gram, data.y)
    found = to_sklearn(model)
    np.testing.assert_allclose(found.decision_function(gram[:9]), model.decision_function(gram[:9]), atol=1e-9)
    same_classes(found.predict(gram), model, gram)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("sparse", [False, True])
def test_functions_as_kernels(problem, same_classes, n_classes, sparse):
    data = problem(n_classes, sparse=sparse)
    model = data.model(product)
    found = to_sklearn(model)
    np.testing.assert_allclose(found.decision_function(data.X), model.decision_function(data.X), rtol=1e-9, atol=1e-9)
    same_classes(found.predict(data.X), model, data.X)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_far_from_zero(problem, same_classes, n_classes):
    data = problem(n_classes, offset=1e4)
    model = data.model(C=100.0)
    found = pickle.loads(pickle.dumps(to_sklearn(model)))
    np.testing.assert_allclose(found.decision_function(data.X), model.decision_function(data.X), rtol=1e-8, atol=1e-8)
    same_classes(found.predict(data.X), model, data.X)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_single_precision(problem, same_classes, n_classes):
    data = problem(n_classes, np.float32)
    model = data.model()
    found = to_sklearn(model)
    np.testing.assert_allclose(found.decision_function(data.X), model.decision_function(data.X), rtol=1e-4, atol=1e-4)
    same_classes(found.predict(data.X), model, data.X, limit=1e-3)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_names_of_features(problem, n_classes):
    data = problem(n_classes)
    frame = pd.DataFrame(data.dense, columns=list("abcdef"))
    model = OnlineSVC(random_state=0).fit(frame, data.y)
    found = to_sklearn(model)
    np.testing.assert_allclose(found.decision_function(frame), model.decision_function(frame), rtol=1e-9, atol=1e-9)
    assert found.feature_names_in_.tolist() == list("abcdef")


def test_wrong_numbers_of_features(problem):
    for n_classes in (2, 3):
        with pytest.raises(ValueError, match="features"):
            to_sklearn(problem(n_classes).model()).predict(np.zeros((1, 2)))


def test_what_cannot_be_converted():
    with pytest.raises(NotFittedError):
        to_sklearn(OnlineSVC())
    with pytest.raises(ExportError, match="got SVC"):
        to_sklearn(SVC())
    with pytest.raises(ExportError, match="two classes"):
        to_sklearn(OnlineSVC().partial_fit([[0.0]], ["a"]))
    with pytest.raises(ExportError, match="support vectors"):
        to_sklearn(OnlineSVC().partial_fit([[0.0]], ["a"], classes=["a", "b"]))
