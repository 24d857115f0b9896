"""Exports of one-vs-one models."""

from __future__ import annotations

import numpy as np
import onnx
import onnxruntime
import pytest
from sklearn.svm import SVC

from hinge.exceptions import ExportError
from hinge.export import to_libsvm, to_onnx, to_sklearn


@pytest.fixture(params=[False, True], ids=["dense", "sparse"])
def trained(problem, request):
    data = problem(4, sparse=request.param)
    return data, data.model(multi_class="ovo")


def test_scikit_learn_gets_an_svc(trained):
    data, model = trained
    svc = to_sklearn(model)
    assert type(svc) is SVC
    np.testing.assert_allclose(svc.decision_function(data.X), model.decision_function(data.X), atol=1e-9)
    np.testing.assert_array_equal(svc.predict(data.X), model.predict(data.X))
    fitted = SVC(**svc.get_params()).fit(data.X, data.y)
    for name in ("support_vectors_", "dual_coef_", "intercept_", "n_support_"):
        assert type(getattr(svc, name)) is type(getattr(fitted, name))
        assert getattr(svc, name).ndim == getattr(fitted, name).ndim


@pytest.mark.parametrize("kernel", ["rbf", "laplacian", "linear"])
def test_onnx_votes(problem, kernel):
    data = problem(4)
    model = data.model(kernel, multi_class="ovo")
    graph = to_onnx(model, dtype="float64")
    onnx.checker.check_model(graph, full_check=True)
    labels, scores = onnxruntime.InferenceSession(graph.SerializeToString()).run(None, {"X": data.dense})
    np.testing.assert_array_equal(labels, model.predict(data.X))
    np.testing.assert_allclose(scores, model.decision_function(data.X), atol=1e-9)


def test_libsvm_files_have_every_vector_once(trained, tmp_path):
    _, model = trained
    to_libsvm(model, tmp_path / "model.txt")
    header, vectors = (tmp_path / "model.txt").read_text().split("SV\n")
    fields = dict(line.split(" ", 1) for line in header.splitlines())
    assert fields["label"].split() == [str(label) for label in model.classes_]
    assert [int(count) for count in fields["nr_sv"].split()] == model.n_support_.tolist()
    np.testing.assert_array_equal([float(value) for value in fields["rho"].split()], -model.intercept_)
    coefficients = [line.split()[:3] for line in vectors.splitlines()]
    np.testing.assert_array_equal(np.array(coefficients, dtype=float), model.dual_coef_.T)


def test_scikit_learn_has_no_laplacian_votes(problem):
    with pytest.raises(ExportError, match="one-vs-one model of scikit-learn supports only"):
        to_sklearn(problem(3).model("laplacian", multi_class="ovo"))
