"""One-class models in other programs."""

import numpy as np
import pytest

from hinge import IncrementalOneClassSVM
from hinge.export import ExportError, to_libsvm, to_onnx, to_sklearn
from hinge.tables import OneClassPreparation, Preparation, PreparedDetector, Scaling

X = np.random.default_rng(0).normal(size=(120, 3))
QUESTIONS = np.random.default_rng(1).normal(size=(50, 3)) * 2


@pytest.fixture(params=["linear", "rbf", "poly"])
def model(request):
    return IncrementalOneClassSVM(nu=0.2, kernel=request.param, gamma=0.3, coef0=1.0).fit(X + 1.0)


def test_scikit_learn(model):
    found = to_sklearn(model)
    np.testing.assert_allclose(found.decision_function(QUESTIONS), model.decision_function(QUESTIONS), atol=1e-9)
    np.testing.assert_allclose(found.score_samples(QUESTIONS), model.score_samples(QUESTIONS), atol=1e-9)
    assert found.predict(QUESTIONS).tolist() == model.predict(QUESTIONS).tolist()


def test_onnx(model):
    pytest.importorskip("onnx")
    runtime = pytest.importorskip("onnxruntime")
    session = runtime.InferenceSession(to_onnx(model, dtype="float64").SerializeToString())
    label, scores = session.run(["label", "scores"], {"X": QUESTIONS})
    np.testing.assert_allclose(scores, model.decision_function(QUESTIONS), atol=1e-9)
    assert label.tolist() == model.predict(QUESTIONS).tolist()


def test_libsvm(model, tmp_path):
    svmutil = pytest.importorskip("libsvm.svmutil")
    to_libsvm(model, tmp_path / "model.txt")
    loaded = svmutil.svm_load_model(str(tmp_path / "model.txt"))
    labels, _, values = svmutil.svm_predict([], QUESTIONS.tolist(), loaded, "-q")
    np.testing.assert_allclose(np.ravel(values), model.decision_function(QUESTIONS), atol=1e-9)
    assert np.array(labels).tolist() == model.predict(QUESTIONS).tolist()


def test_scaled_columns():
    scaling = Scaling(np.array([0.5, 2.0, 1.0]), np.array([1.0, 0.0, -1.0]))
    prepared = OneClassPreparation.of(Preparation(3, scaling=scaling))
    model = PreparedDetector(IncrementalOneClassSVM(nu=0.2), prepared).fit(X)
    np.testing.assert_allclose(to_sklearn(model).decision_function(X), model.decision_function(X), atol=1e-9)


def test_spheres_are_refused():
    model = IncrementalOneClassSVM(shape="sphere", nu=0.2).fit(X)
    with pytest.raises(ExportError, match="shape='plane'"):
        to_sklearn(model)
