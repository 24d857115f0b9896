"""Approximate models for other programs: expansions over landmarks, Fourier features, regressions, probabilities."""

import pickle

import numpy as np
import pytest
from sklearn.kernel_approximation import RBFSampler
from sklearn.svm import SVC, SVR

from hinge import ApproximateSVC, ApproximateSVR, PreparedClassifier
from hinge.export import ExportError, from_libsvm, to_libsvm, to_onnx, to_sklearn
from hinge.tables import Preparation, Scaling

CLASSIFIERS = {
    "nystroem": {},
    "asset": {"steps": "asset"},
    "linear": {"kernel": "linear"},
    "poly": {"kernel": "poly", "degree": 2, "coef0": 0.5},
    "laplacian": {"kernel": "laplacian"},
    "log_loss": {"loss": "log_loss"},
    "fourier": {"approximation": "fourier"},
    "laplacian fourier": {"approximation": "fourier", "kernel": "laplacian"},
    "fourier log_loss": {"approximation": "fourier", "loss": "log_loss"},
}
FOURIER = [name for name in CLASSIFIERS if "fourier" in name]
EXPANSIONS = [name for name in CLASSIFIERS if "fourier" not in name]


@pytest.fixture(params=CLASSIFIERS)
def settings(request):
    return CLASSIFIERS[request.param]


def made(data, settings, labels=None):
    y = data.y if labels is None else np.asarray(labels)[data.y]
    return ApproximateSVC(gamma=0.2, n_components=40, eigen_threshold=1e-6, random_state=0, **settings).fit(data.X, y)


def regression(data, **settings):
    settings = {"gamma": 0.2, "n_components": 40, "eigen_threshold": 1e-6, "random_state": 0} | settings
    return ApproximateSVR(**settings).fit(data.X, np.sin(data.dense[:, 0]))


def run(graph, X):
    pytest.importorskip("onnx")
    runtime = pytest.importorskip("onnxruntime")
    session = runtime.InferenceSession(graph.SerializeToString(), providers=["CPUExecutionProvider"])
    names = [each.name for each in session.get_outputs()]
    return dict(zip(names, session.run(names, {"X": X}), strict=True))


def close(found, expected, limit=1e-7):
    np.testing.assert_allclose(found, expected, rtol=limit, atol=limit)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("sparse", [False, True])
def test_onnx(problem, same_classes, settings, n_classes, sparse):
    pytest.importorskip("onnx")
    data = problem(n_classes, sparse=sparse)
    model = made(data, settings, labels=["ant", "bee", "cat"])
    found = run(to_onnx(model, dtype="float64"), data.dense)
    close(found["scores"], model.decision_function(data.X))
    same_classes(found["label"], model, data.X)
    assert ("probabilities" in found) == hasattr(model, "predict_proba")
    if "probabilities" in found:
        close(found["probabilities"], model.predict_proba(data.X))


def test_probabilities_that_underflow(problem):
    pytest.importorskip("onnx")
    data = problem(3)
    model = made(data, {"loss": "log_loss", "kernel": "linear", "C": 1e6, "fit_intercept": False})
    far = 1e6 * np.random.default_rng(0).normal(size=(50, 6))
    expected = model.predict_proba(far)
    assert np.isfinite(expected).all()
    assert (model.decision_function(far).max(axis=1) < -1000).any()
    np.testing.assert_allclose(run(to_onnx(model, dtype="float64"), far)["probabilities"], expected, atol=1e-9)


@pytest.mark.parametrize("name", ["nystroem", "fourier"])
def test_single_precision(problem, same_classes, name):
    pytest.importorskip("onnx")
    data = problem(3, np.float32)
    model = made(data, CLASSIFIERS[name])
    found = run(to_onnx(model), data.dense)
    assert found["scores"].dtype == np.float32
    close(found["scores"], model.decision_function(data.X), 1e-2)
    same_classes(found["label"], model, data.X, limit=2e-2)
    close(to_sklearn(model).decision_function(data.X), model.decision_function(data.X), 1e-2)


@pytest.mark.parametrize("name", ["nystroem", "fourier", "laplacian fourier"])
def test_far_from_zero(problem, name):
    pytest.importorskip("onnx")
    data = problem(3, offset=1e6)
    model = made(data, CLASSIFIERS[name])
    close(run(to_onnx(model, dtype="float64"), data.dense)["scores"], model.decision_function(data.X), 1e-6)
    close(to_sklearn(model).decision_function(data.X), model.decision_function(data.X), 1e-6)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("sparse", [False, True])
def test_sklearn(problem, same_classes, settings, n_classes, sparse):
    data = problem(n_classes, sparse=sparse)
    model = made(data, settings, labels=["ant", "bee", "cat"])
    found = pickle.loads(pickle.dumps(to_sklearn(model)))
    close(found.decision_function(data.X), model.decision_function(data.X))
    same_classes(found.predict(data.X), model, data.X)
    assert hasattr(found, "predict_proba") == hasattr(model, "predict_proba")
    if hasattr(model, "predict_proba"):
        close(found.predict_proba(data.X), model.predict_proba(data.X))


def test_kinds_of_estimators(problem):
    data = problem(2)
    assert isinstance(to_sklearn(made(data, {})), SVC)
    assert isinstance(to_sklearn(regression(data)), SVR)
    assert isinstance(to_sklearn(made(data, {"approximation": "fourier"}))[-2], RBFSampler)


@pytest.mark.parametrize("name", ["nystroem", "asset", "linear", "poly", "log_loss"])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("sparse", [False, True])
def test_libsvm(problem, same_classes, tmp_path, *, name, n_classes, sparse):
    svmutil = pytest.importorskip("libsvm.svmutil")
    data = problem(n_classes, sparse=sparse)
    model = made(data, CLASSIFIERS[name])
    to_libsvm(model, tmp_path / "model.txt")
    loaded = svmutil.svm_load_model(str(tmp_path / "model.txt"))
    labels, _, values = svmutil.svm_predict([0] * len(data.y), data.dense, loaded, "-q")
    same_classes(np.array(labels), model, data.X)
    if n_classes == 2:
        close(np.array(values)[:, 0], model.decision_function(data.X))
    again = from_libsvm(tmp_path / "model.txt")
    same_classes(again.predict(data.X), model, data.X)


def test_fourier_features_raise_for_libsvm(problem, tmp_path):
    for model in (made(problem(2), {"approximation": "fourier"}), regression(problem(2), approximation="fourier")):
        with pytest.raises(ExportError, match=r"^LIBSVM files hold kernel expansions[^.]*nystroem'\.$"):
            to_libsvm(model, tmp_path / "model.txt")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("settings", [{}, {"kernel": "laplacian"}, {"kernel": "linear"}, {"approximation": "fourier"}])
def test_regression(problem, sparse, settings):
    pytest.importorskip("onnx")
    data = problem(2, sparse=sparse)
    model = regression(data, **settings)
    graph = to_onnx(model, dtype="float64")
    found = run(graph, data.dense)
    assert found.keys() == {"value"}
    close(found["value"], model.predict(data.X))
    close(pickle.loads(pickle.dumps(to_sklearn(model))).predict(data.X), model.predict(data.X))


def test_regression_for_libsvm(problem, tmp_path):
    svmutil = pytest.importorskip("libsvm.svmutil")
    data = problem(2)
    model = regression(data)
    to_libsvm(model, tmp_path / "model.txt")
    assert (tmp_path / "model.txt").read_text().startswith("svm_type epsilon_svr\n")
    loaded = svmutil.svm_load_model(str(tmp_path / "model.txt"))
    values, _, _ = svmutil.svm_predict([0] * len(data.y), data.dense, loaded, "-q")
    close(np.array(values), model.predict(data.X))
    with pytest.raises(ExportError, match="labels must be None for a model without classes"):
        to_libsvm(model, tmp_path / "other.txt", labels=[0, 1])
    with pytest.raises(ExportError, match="epsilon_svr"):
        from_libsvm(tmp_path / "model.txt")


@pytest.mark.parametrize("n_classes", [2, 3])
def test_precomputed_kernels(problem, same_classes, n_classes):
    pytest.importorskip("onnx")
    data = problem(n_classes)
    gram = data.dense @ data.dense.T
    model = ApproximateSVC(kernel="precomputed", n_components=20, eigen_threshold=1e-6, random_state=0).fit(
        gram, data.y
    )
    close(to_sklearn(model).decision_function(gram), model.decision_function(gram))
    found = run(to_onnx(model, dtype="float64"), gram)
    close(found["scores"], model.decision_function(gram))
    same_classes(found["label"], model, gram)


@pytest.mark.parametrize("name", ["nystroem", "fourier"])
def test_prepared(problem, name):
    pytest.importorskip("onnx")
    data = problem(2)
    scaled = Preparation(n_features=6, scaling=Scaling(np.full(6, 0.5), np.ones(6)))
    model = PreparedClassifier(ApproximateSVC(n_components=30, random_state=0, **CLASSIFIERS[name]), scaled)
    model.fit(data.dense, data.y)
    close(to_sklearn(model).decision_function(data.dense), model.decision_function(data.dense))
    found = run(to_onnx(model, dtype="float64"), data.dense)
    close(found["scores"], model.decision_function(data.dense))


def test_one_class_so_far(tmp_path):
    model = ApproximateSVC().partial_fit([[0.0], [1.0]], ["a", "a"])
    for export in (to_sklearn, to_onnx, lambda each: to_libsvm(each, tmp_path / "model.txt")):
        with pytest.raises(ExportError, match="two classes"):
            export(model)
