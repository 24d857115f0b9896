"""Calibrated probabilities in other programs."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from hinge import ApproximateSVC, IncrementalSVC, OnlineSVC
from hinge.export import ExportError, to_onnx, to_sklearn


def data(n_classes):
    X, y = make_blobs(200, 3, centers=n_classes, cluster_std=4.0, random_state=1)
    return X, np.array(["ash", "birch", "cedar"])[y]


@pytest.mark.parametrize("method", ["sigmoid", "isotonic", "temperature"])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("kind", [OnlineSVC, ApproximateSVC, IncrementalSVC])
def test_onnx(method, n_classes, kind):
    pytest.importorskip("onnx")
    runtime = pytest.importorskip("onnxruntime")
    X, y = data(n_classes)
    model = kind(gamma=0.05, calibration=method).fit(X, y)
    graph = to_onnx(model, dtype="float64")
    session = runtime.InferenceSession(graph.SerializeToString(), providers=["CPUExecutionProvider"])
    label, _, chances = session.run(["label", "scores", "probabilities"], {"X": X})
    assert label.tolist() == model.predict(X).tolist()
    np.testing.assert_allclose(chances, model.predict_proba(X), atol=1e-6)


def test_onnx_one_vs_one():
    pytest.importorskip("onnx")
    runtime = pytest.importorskip("onnxruntime")
    X, y = data(3)
    for method in ("sigmoid", "temperature"):
        model = OnlineSVC(gamma=0.05, calibration=method, multi_class="ovo").fit(X, y)
        session = runtime.InferenceSession(to_onnx(model, dtype="float64").SerializeToString())
        np.testing.assert_allclose(session.run(["probabilities"], {"X": X})[0], model.predict_proba(X), atol=1e-6)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("kernel", ["rbf", "linear", "laplacian"])
def test_scikit_learn(n_classes, kernel):
    X, y = data(n_classes)
    model = OnlineSVC(kernel=kernel, gamma=0.05, calibration="temperature").fit(X, y)
    exported = to_sklearn(model)
    np.testing.assert_allclose(exported.predict_proba(X), model.predict_proba(X), atol=1e-6)
    assert exported.predict(X).tolist() == model.predict(X).tolist()


def test_scikit_learn_must_not_contradict_the_model():
    model = OnlineSVC(gamma=0.05, calibration="sigmoid").fit(*data(3))
    with pytest.raises(ExportError, match="only with"):
        to_sklearn(model)
