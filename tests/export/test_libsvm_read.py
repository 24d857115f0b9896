"""`from_libsvm`: the same decisions, training continues, and bad files raise a clear error."""

import re

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from sklearn.datasets import make_classification

from hinge import OnlineSVC, ParameterError
from hinge.export import ExportError, from_libsvm, to_libsvm

KERNELS = ("linear", "poly", "rbf", "sigmoid")
GOOD = """svm_type c_svc
kernel_type rbf
gamma 0.5
nr_class 2
total_sv 4
rho 0.25
label 1 -1
nr_sv 2 2
SV
1 1:0.5 2:1
0.5 1:1 3:-1
-1 2:0.25
-0.5 1:-1 2:2 3:0.5
"""
THREE = """svm_type c_svc
kernel_type polynomial
degree 2
gamma 0.5
coef0 1
nr_class 3
total_sv 6
rho -0.75 -0.25 0.5
label 2 1 0
nr_sv 2 2 2
SV
1 1 1:0.5 2:1
-1 -1 2:0.25
-0.5 0.5 2:0.25
0.5 -0.5 1:-1 2:2
-2 -2 1:-1 2:2
2 2 1:1 2:1
"""


@pytest.fixture
def file(tmp_path):
    return tmp_path / "model.txt"


def trained(file, options, n_classes=2, n=200):
    """Train and save a model with LIBSVM; return the data and its decision values."""
    svmutil = pytest.importorskip("libsvm.svmutil")
    X, y = make_classification(n, 6, n_informative=4, n_classes=n_classes, flip_y=0.1, random_state=0)
    y = 2 * y - 1 if n_classes == 2 else y
    svmutil.svm_save_model(str(file), svmutil.svm_train(y, csr_matrix(X), f"{options} -q"))
    model = svmutil.svm_load_model(str(file))
    labels, _, values = svmutil.svm_predict(y, csr_matrix(X), model, "-q")
    sign = 1 if model.get_labels()[0] == 1 else -1
    return X, y, np.array(labels), sign * np.array(values)[:, 0]


OPTIONS = ["-t 0 -c 2", "-t 1 -g 0.1 -r 1 -d 2", "-t 2 -g 0.2 -c 10", "-t 3 -g 0.05", "-t 2 -s 1 -n 0.3", "-t 2 -w1 7"]


@pytest.mark.parametrize("options", OPTIONS)
def test_decisions_are_those_of_libsvm(file, options):
    X, _, labels, values = trained(file, options)
    model = from_libsvm(file)
    np.testing.assert_allclose(model.decision_function(X), values, rtol=1e-9, atol=1e-9)
    np.testing.assert_array_equal(model.predict(X), labels)
    assert model.classes_.dtype == np.int64
    assert model.n_seen_ == len(model.support_)


@pytest.mark.parametrize("options", ["-t 2 -g 0.2 -c 2", "-t 2 -g 0.2 -c 2 -w1 5"])
def test_a_model_that_was_read_has_converged_and_keeps_learning(file, options):
    """After learning the remaining rows, the model is close to that of LIBSVM on all rows."""
    X, y, _, _ = trained(file, options)
    model = from_libsvm(file)
    assert model.kkt_violation() < 0.05
    before = model.score(X, y)
    more, labels = make_classification(400, 6, n_informative=4, flip_y=0.1, random_state=0)
    model.partial_fit(more, 2 * labels - 1).finish()
    assert model.kkt_violation() <= model.tol
    assert model.score(more, 2 * labels - 1) > before - 0.2
    assert model.n_seen_ > 400


def test_continued_training_reaches_the_solution_for_all_examples(file):
    """Learn half of the examples, write, read, learn the others: as good as learning all at once."""
    X, y = make_classification(300, 6, n_informative=4, flip_y=0.05, random_state=3)
    half = OnlineSVC(gamma=0.2, random_state=0, epochs="converge").fit(X[:150], y[:150])
    to_libsvm(half, file)
    again = from_libsvm(file, C=1.0)
    whole = OnlineSVC(gamma=0.2, random_state=0, epochs="converge").fit(X, y)
    for _ in range(2):
        half.partial_fit(X[150:], y[150:]).finish()
        again.partial_fit(X[150:], y[150:]).finish()
    assert again.dual_objective() == pytest.approx(half.dual_objective(), rel=0.01)
    assert np.mean(again.predict(X) == whole.predict(X)) > 0.95


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("n_classes", [2, 3, 4])
def test_round_trip(problem, same_classes, file, kernel, n_classes):
    data = problem(n_classes)
    model = data.model(kernel, C=3.0)
    to_libsvm(model, file)
    again = from_libsvm(file, n_features=6)
    assert again.C == 3.0
    assert len(again.support_) <= len(model.support_)  # equal examples become one
    found, expected = again.decision_function(data.X), model.decision_function(data.X)
    if n_classes > 2:  # the file knows differences only
        found, expected = found - found[:, :1], expected - expected[:, :1]
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)
    same_classes(again.predict(data.X), model, data.X)
    again.partial_fit(data.X[:20], data.y[:20]).finish()
    assert again.kkt_violation() <= again.tol


def test_classes_without_examples(problem, file):
    data = problem(2)
    model = OnlineSVC(gamma=0.2).partial_fit(data.X, data.y, classes=[0, 1, 2, 3]).finish()
    to_libsvm(model, file)
    again = from_libsvm(file)
    assert again.classes_.tolist() == [0, 1, 2, 3]
    np.testing.assert_allclose(again.decision_function(data.X), model.decision_function(data.X), atol=1e-3)
    again.partial_fit(data.X[:9], [0, 1, 2] * 3).finish()
    assert again.kkt_violation() <= again.tol


@pytest.mark.parametrize(("share", "sparse"), [(0.1, True), (0.9, False)])
def test_storage_follows_the_zeros(file, share, sparse):
    generator = np.random.default_rng(0)
    X = generator.random((60, 20)) * (generator.random((60, 20)) < share)
    to_libsvm(OnlineSVC().fit(X, generator.integers(0, 2, 60)), file)
    model = from_libsvm(file, n_features=20)
    assert isinstance(model.support_vectors_, csr_matrix) == sparse
    assert model.decision_function(csr_matrix(X)).shape == (60,)


def test_far_from_zero(problem, file):
    data = problem(2, offset=1e5)
    model = data.model(C=100.0)
    to_libsvm(model, file)
    again = from_libsvm(file)
    np.testing.assert_allclose(again.decision_function(data.X), model.decision_function(data.X), rtol=1e-6, atol=1e-6)
    again.partial_fit(data.X[:20], data.y[:20])
    np.testing.assert_allclose(again.support_vectors_.min(), 1e5, rtol=1e-3)


def test_parameters(file):
    file.write_text(GOOD)
    model = from_libsvm(file)
    assert (model.C, model.gamma, model.kernel, model.n_features_in_) == (1.0, 0.5, "rbf", 3)
    assert from_libsvm(file, C=2.5).C == 2.5
    assert from_libsvm(file, n_features=9).n_features_in_ == 9
    np.testing.assert_allclose(model.intercept_, [-0.25], atol=1e-12)
    with pytest.raises(ExportError, match="C must be at least the largest coefficient"):
        from_libsvm(file, C=0.5)
    with pytest.raises(ParameterError, match="C must be"):
        from_libsvm(file, C=-1)
    with pytest.raises(ParameterError, match="n_features must be"):
        from_libsvm(file, n_features=0)
    with pytest.raises(ExportError, match="n_features is 2"):
        from_libsvm(file, n_features=2)


def test_probability_fields_are_ignored(file):
    file.write_text(GOOD)
    plain = from_libsvm(file)
    file.write_text(GOOD.replace("nr_sv", "probA -1.5\nprobB 0.1\nnr_sv"))
    np.testing.assert_array_equal(from_libsvm(file).decision_function(np.eye(3)), plain.decision_function(np.eye(3)))


def test_one_binary_model_per_class(file):
    """f_i - f_j of the file, computed by hand; equal vectors of several binary models are one example."""
    file.write_text(THREE)
    model = from_libsvm(file)
    X = np.array([[0.3, -0.7], [1.0, 2.0]])
    first, second = np.array([[0.5, 1.0], [0.0, 0.25]]), np.array([[0.0, 0.25], [-1.0, 2.0]])
    third = np.array([[-1.0, 2.0], [1.0, 1.0]])
    kernel = [(0.5 * X @ vectors.T + 1) ** 2 for vectors in (third, second, first)]
    sums = np.stack([kernel[0] @ [2, -2], kernel[1] @ [0.5, -0.5], kernel[2] @ [1, -1]], axis=1)
    expected = sums + np.array([0, -0.5, 0.25])
    found = model.decision_function(X)
    np.testing.assert_allclose(found - found[:, :1], expected - expected[:, :1], atol=1e-12)
    assert len(model.support_) == 4


@pytest.mark.parametrize("options", ["-t 0", "-t 2 -g 0.2 -c 10", "-t 2 -w1 7"])
def test_one_vs_one_files_are_models_of_pairs(file, options):
    X, _, labels, _ = trained(file, options, n_classes=4)
    model = from_libsvm(file)
    assert model.multi_class == "ovo"
    assert (model.predict(X) == labels).mean() > 0.98  # LIBSVM breaks ties by the order of its file
    svmutil = pytest.importorskip("libsvm.svmutil")
    theirs = svmutil.svm_load_model(str(file))
    order, values = theirs.get_labels(), np.array(svmutil.svm_predict(labels, csr_matrix(X), theirs, "-q")[2])
    pairs = [(order[i], order[j]) for i in range(4) for j in range(i + 1, 4)]
    expected = np.zeros((len(X), 6))
    for column, (first, second) in enumerate(pairs):
        place = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)].index((min(first, second), max(first, second)))
        expected[:, place] = values[:, column] * (1 if first < second else -1)
    np.testing.assert_allclose(model._class_decisions(X)[1], expected, rtol=1e-9, atol=1e-9)


def test_one_vs_one_models_keep_learning(file):
    X, y, *_ = trained(file, "-t 2 -g 0.2", n_classes=3)
    model = from_libsvm(file, C=1.0)
    before = model.score(X, y)
    assert model.kkt_violation() < 0.01
    assert model.partial_fit(X, y).finish().score(X, y) >= before - 0.02


@pytest.mark.parametrize("options", ["-s 2", "-s 3", "-s 4"])
def test_other_svm_types_raise(file, options):
    trained(file, options)
    with pytest.raises(ExportError, match="must be a classifier"):
        from_libsvm(file)


CHANGES = [
    ("rbf", "precomputed", "kernel must be"),
    ("rbf", "rbf\nrbf", "unknown, or appears twice"),
    ("gamma 0.5", "gamma nan", "finite number"),
    ("gamma 0.5", "gamma -1", "gamma must be"),
    ("gamma 0.5\n", "", "gamma must have one value"),
    ("gamma 0.5", "gamma 0.5\ngamma 0.5", "appears twice"),
    ("nr_class 2", "nr_class 1", "two classes"),
    ("nr_class 2", "nr_class 1000000000000", "label must have"),
    ("nr_class 2", f"nr_class {'9' * 5000}", "must be an integer"),
    ("total_sv 4", "total_sv 5", "total_sv is 5, but there are 4"),
    ("total_sv 4", "total_sv 3", "total_sv is 3, but there are more"),
    ("total_sv 4", "total_sv 99999999999999", "total_sv is 99999999999999, but there are 4"),
    ("total_sv 4", "total_sv -4", "one support vector"),
    ("rho 0.25", "rho inf", "finite number"),
    ("rho 0.25", "rho 0.25 1", "rho must have 1"),
    ("label 1 -1", "label 1 1", "a label appears twice"),
    ("label 1 -1", "label 1 x", "must be an integer"),
    ("nr_sv 2 2", "nr_sv 2 3", "do not add up"),
    ("nr_sv 2 2", "nr_sv -1 5", "do not add up"),
    ("SV\n", "", "unknown, or appears twice"),
    ("1:0.5", "0:0.5", "must start at 1"),
    ("1:0.5", "-1:0.5", "must start at 1"),
    ("1:0.5 2:1", "2:0.5 1:1", "increase along a line"),
    ("1:0.5 2:1", "2:0.5 2:1", "increase along a line"),
    ("1:0.5", "1:nan", "not all numbers"),
    ("1:0.5", "1:1_0", "not all numbers"),
    ("1:0.5", "1:2:3", "not a list"),
    ("1:0.5", "1.5:2", "not a list"),
    ("1:0.5", "1", "not a list"),
    ("1:0.5", "99999999999:1", "not a list"),
    ("3:-1", "2147483647:-1", "set n_features"),
    ("1:0.5", "1:1e400", "too large"),
    ("1:0.5", "1:1e300", "square is too large"),
    ("0.5 1:1 3:-1", "1e400 1:1", "too large"),
    ("0.5 1:1 3:-1", "\u0661 1:1", "not all numbers"),
    ("svm_type", "\u00fcvm_type", "not text"),
    ("3:0.5\n", "3:0.", "cut off"),
]


@pytest.mark.parametrize(("old", "new", "message"), CHANGES)
def test_damaged_files_raise_one_sentence(file, old, new, message):
    file.write_text(GOOD.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(ExportError, match=re.escape(str(file)) + ".*" + message):
        from_libsvm(file)


def test_zero_coefficients_only(file):
    file.write_text(re.sub(r"^-?(1|0\.5) ", "0 ", GOOD, flags=re.MULTILINE))
    with pytest.raises(ExportError, match="all coefficients are zero"):
        from_libsvm(file)


def test_no_file(tmp_path):
    with pytest.raises(FileNotFoundError, match="no file"):
        from_libsvm(tmp_path / "nothing")
    with pytest.raises(FileNotFoundError):
        from_libsvm(tmp_path)


@pytest.mark.parametrize("content", [b"", b"\0" * 100, bytes(range(256)), b"SV\n", b"\n", b"svm_type\nSV\n"])
def test_other_contents(file, content):
    file.write_bytes(content)
    with pytest.raises(ExportError):
        from_libsvm(file)


def test_lines_without_end(file):
    """The file has no blocks on disk, only a size; reading must stop early."""
    with file.open("wb") as handle:
        handle.write(GOOD.encode()[:-1])
        handle.truncate(1 << 31)
    with pytest.raises(ExportError, match="longer than"):
        from_libsvm(file)


def test_numbers_whose_products_overflow(file):
    file.write_text(GOOD.replace("rbf", "polynomial").replace("gamma 0.5", "gamma 1e100\ncoef0 0\ndegree 9"))
    with pytest.raises(ExportError):
        from_libsvm(file)


def attempt(file, content):
    """Read a file with any content: the result is a working model or an ExportError."""
    file.write_bytes(content)
    try:
        model = from_libsvm(file)
    except ExportError as error:
        assert "\n" not in str(error)  # noqa: PT017  an error is one of two good ends
        return
    assert model.decision_function(np.zeros((1, model.n_features_in_))).shape[0] == 1


SAFE = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@SAFE
@given(data=st.data())
def test_bytes_changed_at_random(file, data):
    content = bytearray(data.draw(st.sampled_from([GOOD, THREE])).encode())
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(content)))
        stop = data.draw(st.integers(start, min(len(content), start + 12)))
        content[start:stop] = data.draw(st.binary(max_size=6) | st.sampled_from([b"9", b"-", b"\n", b" ", b":", b"e9"]))
    attempt(file, bytes(content))


@SAFE
@given(data=st.data())
def test_tokens_changed_at_random(file, data):
    tokens = re.split(r"([ \n:])", data.draw(st.sampled_from([GOOD, THREE])))
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(tokens) - 1))
        tokens[place] = data.draw(
            st.sampled_from(["", "0", "-1", "1e308", "-1e-320", "nan", "3", "99999999", "linear", "sigmoid", "\n"])
            | st.floats(width=32).map(repr)
            | st.integers(-(2**70), 2**70).map(str)
        )
    attempt(file, "".join(tokens).encode())
