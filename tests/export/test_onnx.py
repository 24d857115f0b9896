"""`to_onnx`: onnxruntime makes the decisions of the model."""

import subprocess
import sys

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from hinge import OnlineSVC, ParameterError
from hinge.export import ExportError, to_onnx

onnx = pytest.importorskip("onnx")
runtime = pytest.importorskip("onnxruntime")

KERNELS = ("linear", "poly", "rbf", "sigmoid", "laplacian")


def run(graph, *inputs):
    """Return labels and scores of one input or of several named ones."""
    session = runtime.InferenceSession(graph.SerializeToString(), providers=["CPUExecutionProvider"])
    feeds = dict(zip([each.name for each in session.get_inputs()], inputs, strict=True))
    return session.run(["label", "scores"], feeds)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("sparse", [False, True])
def test_decisions_are_those_of_the_model(problem, same_classes, kernel, n_classes, dtype, sparse):  # noqa: PLR0917
    data = problem(n_classes, sparse=sparse)
    model = data.model(kernel)
    queries = data.dense.astype(dtype)
    labels, scores = run(to_onnx(model, dtype=dtype), queries)
    expected = model.decision_function(queries.astype(np.float64))
    assert (scores.dtype, scores.shape) == (np.dtype(dtype), expected.shape)
    close = 1e-6 if dtype == "float32" else 1e-12
    np.testing.assert_allclose(scores, expected, rtol=close, atol=close * np.abs(expected).max())
    assert labels.dtype == np.int64
    same_classes(labels, model, queries)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("n_classes", [2, 4])
def test_models_in_single_precision(problem, same_classes, kernel, n_classes):
    data = problem(n_classes, np.float32)
    model = data.model(kernel)
    graph = to_onnx(model)
    labels, scores = run(graph, data.dense)
    np.testing.assert_allclose(scores, model.decision_function(data.X), rtol=1e-4, atol=1e-4)
    same_classes(labels, model, data.X, limit=1e-3)
    if kernel != "linear":
        stored = max(graph.graph.initializer, key=lambda constant: np.prod(constant.dims))
        assert stored.data_type == onnx.TensorProto.FLOAT


@pytest.mark.parametrize("n_classes", [2, 3])
def test_far_from_zero_and_hard_margins(problem, same_classes, n_classes):
    data = problem(n_classes, offset=1e4)
    model = data.model(C=1000.0, gamma=0.5)
    labels, scores = run(to_onnx(model, dtype="float64"), data.dense)
    np.testing.assert_allclose(scores, model.decision_function(data.X), rtol=1e-6, atol=1e-6)
    same_classes(labels, model, data.X)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_precomputed_kernels(problem, same_classes, n_classes):
    data = problem(n_classes)
    gram = data.dense @ data.dense.T
    model = OnlineSVC(kernel="precomputed", random_state=0).fit(gram, data.y)
    labels, scores = run(to_onnx(model, dtype="float64"), gram)
    np.testing.assert_allclose(scores, model.decision_function(gram), rtol=1e-9, atol=1e-9)
    same_classes(labels, model, gram)


@pytest.mark.parametrize("labels", [["ant", "bee", "cat"], np.array(["ant", "bee", "çat"], dtype=object)])
def test_string_labels(problem, same_classes, labels):
    data = problem(3)
    model = data.model(labels=labels)
    found, _ = run(to_onnx(model, dtype="float64"), data.dense)
    same_classes(found, model, data.X)


@pytest.mark.parametrize("labels", [[False, True], [-1.0, 2.0], np.array([3, 200], dtype=np.uint8)])
def test_other_labels_become_integers(problem, same_classes, labels):
    data = problem(2)
    model = data.model(labels=labels)
    found, _ = run(to_onnx(model, dtype="float64"), data.dense)
    assert found.dtype == np.int64
    same_classes(found, model, data.X)


def test_labels_that_do_not_fit(problem):
    with pytest.raises(ExportError, match="strings or 64-bit integers"):
        to_onnx(problem(2).model(labels=np.array([1, 2**63], dtype=np.uint64)))


@pytest.mark.parametrize("n", [1, 7])
def test_any_number_of_rows(problem, n):
    data = problem(2)
    labels, scores = run(to_onnx(data.model("laplacian")), data.dense[:n].astype(np.float32))
    assert labels.shape == scores.shape == (n,)


def test_without_optimisation_of_the_graph(problem):
    """Other runtimes take the graph as it is written."""
    data = problem(3, np.float32)
    for kernel in KERNELS:
        model = data.model(kernel)
        options = runtime.SessionOptions()
        options.graph_optimization_level = runtime.GraphOptimizationLevel.ORT_DISABLE_ALL
        session = runtime.InferenceSession(to_onnx(model).SerializeToString(), options)
        scores = session.run(["scores"], {"X": data.dense})[0]
        np.testing.assert_allclose(scores, model.decision_function(data.X), rtol=1e-4, atol=1e-4)


def test_the_file_is_the_graph(problem, tmp_path):
    path = tmp_path / "model.onnx"
    graph = to_onnx(problem(2).model(), path)
    written = onnx.load(path)
    assert written == graph
    onnx.checker.check_model(written, full_check=True)
    assert written.producer_name == "hinge"
    assert "rbf" in written.doc_string
    assert [(opset.domain, opset.version) for opset in written.opset_import] == [("", 13)]
    assert written.graph.input[0].type.tensor_type.shape.dim[0].dim_param == "N"


def test_what_cannot_be_written(problem, monkeypatch):
    with pytest.raises(ExportError, match="a function as kernel"):
        to_onnx(problem(2).model(lambda A, B: A @ B.T))
    with pytest.raises(ParameterError, match="dtype must be"):
        to_onnx(problem(2).model(), dtype="float16")
    with pytest.raises(NotFittedError):
        to_onnx(OnlineSVC())
    with pytest.raises(ExportError, match="got int"):
        to_onnx(3)
    with pytest.raises(ExportError, match="two classes"):
        to_onnx(OnlineSVC().partial_fit([[0.0]], [1]))
    monkeypatch.setattr("hinge.export._onnx_graph.MAX_BYTES", 1000)
    with pytest.raises(ExportError, match="at most 2 GB"):
        to_onnx(problem(2, sparse=True).model())


def test_a_missing_package_is_named(problem, monkeypatch):
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(ImportError, match=r"pip install 'hinge-svm\[onnx\]'"):
        to_onnx(problem(2).model())


def test_onnx_is_imported_when_needed_only():
    code = "import sys, hinge.export; sys.exit('onnx' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
