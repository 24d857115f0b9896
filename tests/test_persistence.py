"""Model files: exact round trips, and one clear sentence for everything that is not a model."""

import json
from pathlib import Path

import numpy as np
import pytest
from safetensors import safe_open
from safetensors.numpy import save_file
from scipy.sparse import csr_matrix
from sklearn.datasets import make_classification
from sklearn.exceptions import NotFittedError
from sklearn.svm import SVC

import hinge
from hinge import ModelFileError, OnlineSVC


def problem(n_classes=2, dtype=np.float64, n=120):
    X, y = make_classification(n, 6, n_informative=4, n_classes=n_classes, random_state=0)
    return X.astype(dtype), y


@pytest.fixture
def file(tmp_path):
    return tmp_path / "model.hinge"


@pytest.fixture
def saved(file):
    X, y = problem(n_classes=3)
    hinge.save(OnlineSVC(random_state=0).fit(X, y), file)
    return file


def parts(file):
    """Return arrays and header of a model file."""
    with safe_open(file, framework="numpy") as content:
        arrays = {name: content.get_tensor(name) for name in content.keys()}  # noqa: SIM118
        return arrays, json.loads(content.metadata()["hinge"])


def rewrite(file, arrays, header):
    save_file(arrays, file, {"hinge": json.dumps(header)})


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("form", [np.asarray, csr_matrix])
def test_loaded_model_decides_the_same_and_goes_on_learning(file, n_classes, dtype, form):
    X, y = problem(n_classes, dtype)
    model = OnlineSVC(C=3.0, gamma=0.2, random_state=0).partial_fit(form(X[:80]), y[:80])
    hinge.save(model, file)
    loaded = hinge.load(file)
    assert loaded.get_params() == model.get_params()
    assert loaded.n_seen_ == 80
    np.testing.assert_array_equal(loaded.decision_function(form(X)), model.decision_function(form(X)))
    for one in (model, loaded):
        one.partial_fit(form(X[80:]), y[80:]).finish()
    assert loaded.n_seen_ == len(y)
    assert loaded.kkt_violation() <= loaded.tol
    atol = 1e-9 if dtype == np.float64 else 1e-3
    np.testing.assert_allclose(loaded.decision_function(form(X)), model.decision_function(form(X)), atol=atol)


@pytest.mark.parametrize(
    "labels",
    [np.array(["no", "yes"]), np.array(["no", "yes"], dtype=object), np.array([-1.0, 2.0]), np.array([False, True])],
)
def test_labels_keep_their_type(file, labels):
    X, y = problem()
    model = OnlineSVC().fit(X, labels[y])
    hinge.save(model, file)
    loaded = hinge.load(file)
    assert loaded.classes_.dtype == model.classes_.dtype
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))


def test_parameters_come_back(file):
    X, y = problem()
    model = OnlineSVC(
        C=np.float64(2.0), class_weight={0: 1.5, 1: np.float32(2.0)}, kernel="poly", degree=2, max_support=50
    )
    hinge.save(model.fit(X, y), file)
    assert hinge.load(file).get_params() == model.get_params()


def test_feature_names_come_back(file):
    pandas = pytest.importorskip("pandas")
    X, y = problem()
    frame = pandas.DataFrame(X, columns=list("abcdef"))
    hinge.save(OnlineSVC().fit(frame, y), file)
    loaded = hinge.load(file)
    assert loaded.feature_names_in_.tolist() == list("abcdef")
    loaded.predict(frame)  # would warn, were the names lost


def test_saving_replaces_a_file_or_leaves_it_alone(file, monkeypatch):
    X, y = problem()
    file.write_text("old")
    file.chmod(0o640)
    model = OnlineSVC().fit(X, y)
    with monkeypatch.context() as patch:
        patch.setattr("hinge.persistence._file.os.fsync", lambda _: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            hinge.save(model, file)
    assert file.read_text() == "old"
    assert list(file.parent.iterdir()) == [file]
    hinge.save(model, str(file))
    assert hinge.load(str(file)).n_seen_ == len(y)
    assert file.stat().st_mode & 0o777 == 0o640


def test_what_cannot_be_saved_is_refused(file):
    X, y = problem()
    with pytest.raises(ModelFileError, match="Only models of hinge"):
        hinge.save(SVC().fit(X, y), file)
    with pytest.raises(NotFittedError):
        hinge.save(OnlineSVC(), file)
    with pytest.raises(ModelFileError, match="kernel is a function"):
        hinge.save(OnlineSVC(kernel=lambda A, B: A @ B.T).fit(X, y), file)
    with pytest.raises(ModelFileError, match="random_state is a RandomState"):
        hinge.save(OnlineSVC(random_state=np.random.RandomState(0)).fit(X, y), file)
    assert not file.exists()


def test_missing_file_and_folder(tmp_path):
    with pytest.raises(FileNotFoundError, match="There is no file"):
        hinge.load(tmp_path / "nothing.hinge")
    with pytest.raises(FileNotFoundError, match="There is no file"):
        hinge.load(tmp_path)


@pytest.mark.parametrize("length", [0, 7, 100, -1])
def test_truncated_file(saved, length):
    saved.write_bytes(saved.read_bytes()[:length])
    with pytest.raises(ModelFileError, match="damaged or not a model file"):
        hinge.load(saved)


def test_garbage(file):
    file.write_bytes(np.random.default_rng(0).bytes(4096))
    with pytest.raises(ModelFileError, match="damaged or not a model file"):
        hinge.load(file)
    file.write_bytes(b"\xff" * 8 + b"{}")  # a header of 2**64 - 1 bytes
    with pytest.raises(ModelFileError, match="damaged or not a model file"):
        hinge.load(file)


@pytest.mark.parametrize("metadata", [None, {"hinge": "{"}, {"hinge": "[" * 100_000}, {"hinge": "[]"}, {"hinge": "{}"}])
def test_other_safetensors_files(file, metadata):
    save_file({"values": np.zeros(3)}, file, metadata)
    with pytest.raises(ModelFileError, match="not one that hinge wrote"):
        hinge.load(file)


def test_other_versions_and_classes(saved):
    arrays, header = parts(saved)
    rewrite(saved, arrays, header | {"version": 2})
    with pytest.raises(ModelFileError, match="has version 2 of the model format; this hinge reads version 1"):
        hinge.load(saved)
    rewrite(saved, arrays, header | {"estimator": "os.system"})
    with pytest.raises(ModelFileError, match=r"holds a 'os\.system', which this hinge does not know"):
        hinge.load(saved)


@pytest.mark.parametrize("name", ["ids", "labels", "costs", "values", "members", "member_counts", "alpha", "gradient"])
def test_arrays_of_the_wrong_size_or_type(saved, name):
    arrays, header = parts(saved)
    for wrong in (arrays[name][:-1], arrays[name].astype(np.uint8), np.concatenate([arrays[name]] * 2)):
        rewrite(saved, arrays | {name: np.ascontiguousarray(wrong)}, header)
        with pytest.raises(ModelFileError, match="is damaged"):
            hinge.load(saved)
    del arrays[name]
    rewrite(saved, arrays, header)
    with pytest.raises(ModelFileError, match="is damaged"):
        hinge.load(saved)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("members", -1),
        ("members", 10**9),
        ("labels", 3),
        ("labels", -1),
        ("alpha", np.nan),
        ("values", np.inf),
        ("member_counts", -5),
    ],
)
def test_numbers_out_of_range(saved, name, value):
    arrays, header = parts(saved)
    arrays[name].reshape(-1)[0] = value
    rewrite(saved, arrays, header)
    with pytest.raises(ModelFileError, match="is damaged"):
        hinge.load(saved)


@pytest.mark.parametrize(
    "change",
    [
        {"n_features": -1},
        {"n_features": 10**12},
        {"n_features": "6"},
        {"sparse": 1},
        {"sparse": True},
        {"dtype": "object"},
        {"dtype": "float32"},
        {"classes": []},
        {"class_type": "<U99999999"},
        {"class_numbers": [0, 0, 1]},
        {"n_seen": -3},
        {"kernel": {}},
        {"kernel": {"name": "nonsense"}},
        {"options": {"threads": 1}},
    ],
)
def test_values_that_make_no_sense(saved, change):
    arrays, header = parts(saved)
    rewrite(saved, arrays, header | {"state": header["state"] | change})
    with pytest.raises(ModelFileError, match="is damaged"):
        hinge.load(saved)


@pytest.mark.parametrize("parameters", [None, {"C": [1]}, {"nonsense": 1}, {"kernel": {"pairs": 1}}])
def test_parameters_that_make_no_sense(saved, parameters):
    arrays, header = parts(saved)
    rewrite(saved, arrays, header | {"parameters": parameters})
    with pytest.raises(ModelFileError, match="is damaged"):
        hinge.load(saved)


def test_sparse_rows_that_do_not_fit_together(file):
    X, y = problem()
    hinge.save(OnlineSVC().fit(csr_matrix(X), y), file)
    arrays, header = parts(file)
    for name, position, value in (("indices", 0, 99), ("indices", 0, -1), ("indptr", 1, 10**6), ("indptr", 0, 1)):
        damaged = {key: array.copy() for key, array in arrays.items()}
        damaged[name][position] = value
        rewrite(file, damaged, header)
        with pytest.raises(ModelFileError, match="is damaged"):
            hinge.load(file)


def test_symbolic_links_stay(tmp_path):
    X, y = problem()
    real, link = tmp_path / "real.hinge", tmp_path / "link.hinge"
    link.symlink_to(real)
    hinge.save(OnlineSVC().fit(X, y), link)
    assert link.is_symlink()
    assert isinstance(real, Path)
    assert hinge.load(real).n_seen_ == len(y)
