"""Models of `hinge.svm` in files, pickles and other formats."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning

import hinge
from hinge import ModelFileError
from hinge.export import to_libsvm, to_onnx, to_sklearn
from hinge.svm import SVC, OneClassSVM

X, y = load_iris(return_X_y=True)
PARAMETERS = [{}, {"C": np.inf, "kernel": "linear"}, {"class_weight": "balanced", "kernel": "poly", "coef0": 1.0}]


def models(sparse):
    rows = csr_matrix(X) if sparse else X
    for parameters in PARAMETERS:
        labels = y > 0 if parameters.get("kernel") == "linear" else y
        yield rows, SVC(**parameters).fit(rows, labels)


def through_a_file(model, folder):
    hinge.save(model, folder / "model.hinge")
    return hinge.load(folder / "model.hinge")


@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "sparse"])
def test_copies_have_the_same_attributes(tmp_path, sparse):
    for rows, model in models(sparse):
        for copy in (pickle.loads(pickle.dumps(model)), through_a_file(model, tmp_path)):
            np.testing.assert_array_equal(copy.decision_function(rows), model.decision_function(rows))
            assert copy.get_params() == model.get_params()
            assert copy.shape_fit_ == model.shape_fit_
            for name in ("classes_", "class_weight_", "n_iter_", "support_", "n_support_", "intercept_", "fit_status_"):
                np.testing.assert_array_equal(getattr(copy, name), getattr(model, name), err_msg=name)
            assert (model.n_iter_ > 0).all()


def test_a_loaded_model_goes_on_learning(tmp_path):
    model = SVC().fit(X[::2], y[::2])
    loaded = through_a_file(model, tmp_path)
    for each in (model, loaded):
        each.partial_fit(X[1::2], y[1::2])
    np.testing.assert_array_equal(loaded.decision_function(X), model.decision_function(X))
    assert through_a_file(loaded, tmp_path).shape_fit_ == (150, 4)


@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "sparse"])
def test_one_class_models(tmp_path, sparse):
    rows = csr_matrix(X) if sparse else X
    model = OneClassSVM(nu=0.2).fit(rows)
    loaded = through_a_file(model, tmp_path)
    np.testing.assert_array_equal(loaded.decision_function(rows), model.decision_function(rows))
    assert loaded.n_iter_ == model.n_iter_


def test_what_files_cannot_hold(tmp_path):
    with pytest.raises(ModelFileError, match="function"):
        hinge.save(SVC(kernel=lambda A, B: A @ B.T).fit(X, y), tmp_path / "model.hinge")


@pytest.mark.filterwarnings("ignore:.*deprecated:FutureWarning")
def test_probabilities_are_kept(tmp_path):
    model = SVC(probability=True).fit(X, y)
    for copied in (through_a_file(model, tmp_path), pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(copied.predict_proba(X), model.predict_proba(X))


def test_fit_status_is_kept(tmp_path):
    with pytest.warns(ConvergenceWarning):
        model = SVC(max_iter=2).fit(X, y)
    hinge.save(model, tmp_path / "model.hinge")
    assert hinge.load(tmp_path / "model.hinge").fit_status_ == model.fit_status_ == 1
    assert pickle.loads(pickle.dumps(model)).fit_status_ == 1


def test_a_model_with_a_kernel_function_can_be_pickled():
    model = SVC(kernel=np.inner).fit(X, y)
    copy = pickle.loads(pickle.dumps(model))
    # NumPy multiplies a matrix with itself, and with its copy, in different ways
    np.testing.assert_allclose(copy.decision_function(X), model.decision_function(X), rtol=1e-12)
    np.testing.assert_array_equal(copy.n_iter_, model.n_iter_)


@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "sparse"])
def test_exports(tmp_path, sparse):
    for rows, model in models(sparse):
        exported = to_sklearn(model)
        np.testing.assert_allclose(exported.decision_function(rows), model.decision_function(rows), atol=1e-9)
        np.testing.assert_array_equal(exported.predict(rows), model.predict(rows))
        to_onnx(model, tmp_path / "model.onnx", dtype="float64")
        session = pytest.importorskip("onnxruntime").InferenceSession(tmp_path / "model.onnx")
        name = session.get_inputs()[0].name
        answers = session.run(None, {name: X})
        np.testing.assert_array_equal(answers[0], model.predict(rows))
        if model.classes_.dtype != bool:
            to_libsvm(model, tmp_path / "model.txt")
