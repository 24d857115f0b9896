"""`to_libsvm`: LIBSVM makes the decisions of the model."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.exceptions import NotFittedError

from hinge import HingeError, OnlineSVC
from hinge.export import ExportError, to_libsvm

svmutil = pytest.importorskip("libsvm.svmutil")

KERNELS = ("linear", "poly", "rbf", "sigmoid")


def libsvm_says(file, X):
    """Return LIBSVM's labels and decision values, and the labels in the order of the file."""
    model = svmutil.svm_load_model(str(file))
    labels, _, values = svmutil.svm_predict([0] * X.shape[0], csr_matrix(X, dtype=np.float64), model, "-q")
    return np.array(labels), np.array(values), model.get_labels()


@pytest.fixture
def file(tmp_path):
    return tmp_path / "model.txt"


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("sparse", [False, True])
def test_two_classes(problem, same_classes, file, kernel, sparse):
    data = problem(2, sparse=sparse)
    model = data.model(kernel)
    to_libsvm(model, file)
    labels, values, order = libsvm_says(file, data.dense)
    assert order == [1, 0]
    np.testing.assert_allclose(values[:, 0], model.decision_function(data.X), rtol=1e-9, atol=1e-9)
    same_classes(labels, model, data.X)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("n_classes", [3, 5])
def test_several_classes_are_differences(problem, same_classes, file, kernel, n_classes):
    data = problem(n_classes)
    model = data.model(kernel)
    to_libsvm(model, file)
    labels, values, order = libsvm_says(file, data.dense)
    decisions = model.decision_function(data.X)[:, order]  # classes are 0, 1, 2, ...
    first, second = np.triu_indices(n_classes, 1)
    np.testing.assert_allclose(values, decisions[:, first] - decisions[:, second], rtol=1e-9, atol=1e-9)
    same_classes(labels, model, data.X)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_ties_go_to_the_first_class(file, n_classes):
    """Far from all examples an rbf model is constant; equal constants must be resolved as in hinge."""
    X = np.repeat(np.eye(n_classes) * 10, 2, axis=0)
    model = OnlineSVC(gamma=1.0).fit(X, np.repeat(np.arange(n_classes), 2))
    far = np.full((1, n_classes), 1e3)
    if np.ptp([*model.decision_function(far).ravel(), model.intercept_[0]]) > 0:
        pytest.skip("rounding has decided")
    to_libsvm(model, file)
    assert libsvm_says(file, far)[0].tolist() == model.predict(far).tolist() == [0]


@pytest.mark.parametrize("n_classes", [2, 3])
def test_precomputed_kernels(problem, same_classes, file, n_classes):
    data = problem(n_classes)
    gram = data.dense @ data.dense.T
    model = OnlineSVC(kernel="precomputed", random_state=0).fit(gram, data.y)
    to_libsvm(model, file)
    loaded = svmutil.svm_load_model(str(file))
    rows = [dict(enumerate([0.0, *row])) for row in gram.tolist()]
    labels, _, values = svmutil.svm_predict([0] * len(rows), rows, loaded, "-q")
    same_classes(labels, model, gram)
    if n_classes == 2:
        np.testing.assert_allclose(np.array(values)[:, 0], model.decision_function(gram), rtol=1e-9, atol=1e-9)


def test_labels_given_as_numbers(problem, same_classes, file):
    data = problem(3)
    model = data.model(labels=["ant", "bee", "cat"])
    to_libsvm(model, file, labels=[7, -2, 5])
    labels, _, order = libsvm_says(file, data.dense)
    assert order == [5, -2, 7]
    names = {7: "ant", -2: "bee", 5: "cat"}
    same_classes([names[int(label)] for label in labels], model, data.X)


@pytest.mark.parametrize("labels", [[0, 1], [0.0, 1.0], [False, True], np.array([0, 1], dtype=np.uint8)])
def test_integer_labels_of_any_type(problem, file, labels):
    to_libsvm(problem(2).model(labels=labels), file)
    assert "label 1 0\n" in file.read_text()


@pytest.mark.parametrize("labels", [["a", "b"], [0, 2**31], [-(2**31) - 1, 0]])
def test_other_labels_raise(problem, file, labels):
    with pytest.raises(ExportError, match=r"set labels .* to integers"):
        to_libsvm(problem(2).model(labels=labels), file)
    assert not file.exists()


@pytest.mark.parametrize("labels", [[1], [1, 2, 3], [1, 1], [1, 2.5], ["a", "b"], [1, 2**31], [1, float("nan")]])
def test_bad_label_numbers_raise(problem, file, labels):
    with pytest.raises(ExportError, match="2 different 32-bit integers"):
        to_libsvm(problem(2).model(), file, labels=labels)


def test_unsupported_kernels_raise(problem, file):
    with pytest.raises(ExportError, match="'laplacian'"):
        to_libsvm(problem(2).model("laplacian"), file)
    with pytest.raises(ExportError, match="a function as kernel"):
        to_libsvm(problem(2).model(lambda A, B: A @ B.T), file)


def test_one_class_raises(file):
    model = OnlineSVC().partial_fit([[0.0], [1.0]], [1, 1])
    with pytest.raises(ExportError, match="two classes"):
        to_libsvm(model, file)


def test_unfitted_and_other_objects_raise(file):
    with pytest.raises(NotFittedError):
        to_libsvm(OnlineSVC(), file)
    with pytest.raises(ExportError, match="got dict"):
        to_libsvm({}, file)
    assert issubclass(ExportError, HingeError)
    assert issubclass(ExportError, ValueError)


def test_an_old_file_stays_when_writing_fails(problem, file):
    file.write_text("precious")
    with pytest.raises(ExportError):
        to_libsvm(problem(2).model(labels=["a", "b"]), file)
    assert file.read_text() == "precious"
    to_libsvm(problem(2).model(), file)
    assert file.read_text().startswith("svm_type c_svc\n")
    assert [each.name for each in file.parent.iterdir()] == [file.name]


def test_a_stream_before_finish(problem, same_classes, file):
    data = problem(3, np.float32)
    model = OnlineSVC(C=50.0, gamma=0.3).partial_fit(data.X, data.y)
    to_libsvm(model, file)
    same_classes(libsvm_says(file, data.dense)[0], model, data.X, limit=1e-3)
