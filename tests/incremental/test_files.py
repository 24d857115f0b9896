"""Saving, loading and pickling exact models."""

from __future__ import annotations

import copy
import datetime as dt
import pickle

import numpy as np
import pytest
from safetensors.numpy import load
from safetensors.numpy import save as content_of
from scipy.sparse import csr_matrix
from sklearn.base import clone

import hinge
from hinge import IncrementalSVC, ModelFileError
from hinge.persistence import _file, _json

NAMES = ["plain", 7, 2.5, True, None, ("a", 1), (("nested",), None, False), "ünï", "", 10**30]


@pytest.fixture
def file(tmp_path):
    return tmp_path / "model.hinge"


def reload(model, file):
    hinge.save(model, file)
    return hinge.load(file)


WAYS = {
    "save": reload,
    "pickle": lambda model, _: pickle.loads(pickle.dumps(model)),
    "copy": lambda model, _: copy.deepcopy(model),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("container", [np.asarray, csr_matrix])
@pytest.mark.parametrize("window", [None, 60])
def test_reloaded_models_continue_alike(stream, file, way, container, window):
    X, y = stream
    model = IncrementalSVC(gamma=0.3, max_examples=window)
    model.partial_fit(container(X[:100]), y[:100], ids=[f"row {row}" for row in range(100)])
    model.partial_fit(container(X[100:160]), y[100:160], sample_weight=np.arange(60) % 2, classes=[0, 9])
    model.forget(model.ids_[::4])
    other = WAYS[way](model, file)
    np.testing.assert_array_equal(other.decision_function(X), model.decision_function(X))
    assert other.ids_ == model.ids_
    assert other.n_seen_ == model.n_seen_ == 160
    assert other.classes_.tolist() == model.classes_.tolist()
    for each in (model, other):
        each.forget([each.ids_[1], 100])  # row 100 was of weight 0
        each.partial_fit(container(X[160:220]), y[160:220])
        each.relabel(each.ids_[5:8], [9, 10, 9])
    assert other.ids_ == model.ids_
    np.testing.assert_allclose(other.decision_function(X), model.decision_function(X), atol=1e-8)
    assert other.kkt_violation() <= 1e-6
    for each in (model, other):
        each.forget(each.ids_)
        assert each.classes_.tolist() == [0, 9]  # those that were named


def test_ids_are_saved(two, file):
    X, y = two
    model = IncrementalSVC().partial_fit(X[:10], y[:10], ids=NAMES)
    other = reload(model, file)
    assert other.ids_ == NAMES
    assert [type(name) for name in other.ids_] == [type(name) for name in NAMES]
    assert other.forget([("a", 1), "plain"]).ids_ == [NAMES[1], *NAMES[2:5], *NAMES[6:]]


@pytest.mark.parametrize(
    "name", [b"bytes", dt.date(2020, 1, 1), frozenset("a"), float("inf"), ("a", b"b"), 1j], ids=str
)
def test_ids_that_cannot_be_saved(two, file, name):
    X, y = two
    model = IncrementalSVC().partial_fit(X[:1], y[:1], ids=[name])
    with pytest.raises(
        ModelFileError, match=r"^The model cannot be saved: an id must be a string, a finite number, True"
    ):
        hinge.save(model, file)
    assert not file.exists()
    assert pickle.loads(pickle.dumps(model)).ids_ == [name]
    hinge.save(model.forget([name]), file)  # it is gone, and the rest is as good as ever


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("labels", [[0, 1], ["no", "yes"], [False, True]])
def test_model_without_examples(two, file, way, labels):
    X, y = two
    y = np.array(labels)[y]
    model = IncrementalSVC(gamma=0.5).fit(X, y)
    model.forget(model.ids_)
    other = WAYS[way](model, file)
    assert other.classes_.tolist() == other.ids_ == []
    other.partial_fit(X, y)
    expected = IncrementalSVC(gamma=0.5).fit(X, y).decision_function(X)
    np.testing.assert_allclose(other.decision_function(X), expected, atol=1e-8)


def test_default_ids_take_no_space(two, file):
    X, y = two
    hinge.save(IncrementalSVC().fit(X, y), file)
    header, _ = read_header(file)
    assert header["state"]["ids"] == {"own": [[0, 120]], "idle": [], "named": []}


def test_clones_are_not_fitted(two):
    model = IncrementalSVC(eviction="age", max_examples=50).fit(*two)
    assert not hasattr(clone(model), "_state")
    assert clone(model).get_params() == model.get_params()


def test_changed_kernel_parameter(two, file):
    model = IncrementalSVC(gamma=0.5).fit(*two).set_params(gamma=0.6)
    with pytest.raises(ValueError, match="The kernel and its parameters must stay"):
        hinge.save(model, file)


def read_header(file):
    content = file.read_bytes()
    table = _json.parse(content[8 : 8 + int.from_bytes(content[:8], "little")].decode())
    return _json.parse(table["__metadata__"]["hinge"]), load(content)


@pytest.fixture
def saved(two, file):
    """The file of a model that saw 8 rows: 5 and 6 have custom ids, 2 has weight 0, 4 is forgotten."""
    X, y = two
    model = IncrementalSVC(gamma=0.5).partial_fit(X[:4], y[:4], classes=[0, 1, 2], sample_weight=[1, 1, 0, 1])
    model.partial_fit(X[4:7], y[4:7], ids=["a", "b", "c"]).partial_fit(X[7:10], y[7:10]).forget("a")
    hinge.save(model, file)
    return file


def test_contents_of_a_file(saved):
    header, _ = read_header(saved)
    assert header["state"]["ids"] == {
        "own": [[0, 4], [7, 10]],
        "idle": [[2, 3]],
        "named": [[5, "b"], [6, "c"]],
    }
    assert header["state"]["named"] == [0, 1, 2]


NOT_RANGES, NOT_PAIRS = "does not hold ranges of positions", "are not pairs of a position and a plain value"
REPEATED, NOT_THEIRS = "an id or a position occurs twice", "its ids do not belong to its examples one to one"


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"own": [[0, 4]]}, NOT_THEIRS),
        ({"own": [[0, 10]]}, REPEATED),
        ({"own": [[0, 4], [7, 11]]}, NOT_RANGES),
        ({"own": [[7, 10], [0, 4]]}, NOT_RANGES),
        ({"own": [[0, 4], [4, 4], [7, 10]]}, NOT_RANGES),
        ({"own": [[0, 3], [3, 4], [7, 10]]}, NOT_RANGES),
        ({"own": [[-1, 4], [7, 10]]}, NOT_RANGES),
        ({"own": [[0, 4.0], [7, 10]]}, NOT_RANGES),
        ({"own": [[0], [7, 10]]}, NOT_RANGES),
        ({"own": [0, 4]}, NOT_RANGES),
        ({"own": [[False, 4], [7, 10]]}, NOT_RANGES),
        ({"own": {}}, "the field 'own' of its ids is of the wrong type"),
        ({"own": [[0, 2**70]]}, NOT_RANGES),
        ({"idle": []}, NOT_THEIRS),
        ({"idle": [[0, 4]]}, NOT_THEIRS),
        ({"idle": [[2, 3], [4, 5]]}, REPEATED),
        ({"named": [[5, "b"]]}, NOT_THEIRS),
        ({"named": [[5, "b"], [6, "b"]]}, REPEATED),
        ({"named": [[5, "b"], [5, "c"]]}, REPEATED),
        ({"named": [[5, "b"], [6, "c"], [6, "d"]]}, REPEATED),
        ({"named": [[5, "b"], [6, 3]]}, REPEATED),
        ({"named": [[5, "b"], [6, 3.0]]}, REPEATED),
        ({"named": [[5, 7.5], [6, "c"], [4, "a"]]}, NOT_THEIRS),
        ({"named": [[5, "b"], [10, "c"]]}, "an id is that of an example it has not seen"),
        ({"named": [[5, "b"], [-6, "c"]]}, "an id is that of an example it has not seen"),
        ({"named": [[5, "b"], [6.0, "c"]]}, NOT_PAIRS),
        ({"named": [[5, "b"], [True, "c"]]}, NOT_PAIRS),
        ({"named": [[5, "b"], [6, {"c": 1}]]}, NOT_PAIRS),
        ({"named": [[5, "b"], [6]]}, NOT_PAIRS),
        ({"named": [[5, "b"], 6]}, NOT_PAIRS),
        ({"more": []}, "its ids has a field 'more'"),
        (None, "its state has no field 'ids', or it is of the wrong type"),
        ([], "its state has no field 'ids', or it is of the wrong type"),
    ],
)
def test_damaged_ids(saved, change, complaint):
    header, arrays = read_header(saved)
    ids = header["state"]["ids"]
    header["state"]["ids"] = ids | change if isinstance(change, dict) else change
    assert_rejected(saved, header, arrays, complaint)


def test_deeply_nested_ids(saved):
    header, arrays = read_header(saved)
    text = _json.write(header)
    deep = text.replace('"c"', "[" * 5000 + "]" * 5000)
    saved.write_bytes(content_of(arrays, {_file.FORMAT: deep}))
    with pytest.raises(ModelFileError, match="is damaged"):
        hinge.load(saved)


def test_many_rows_of_weight_zero_take_no_memory(saved):
    header, arrays = read_header(saved)
    header["state"]["n_seen"] = 2**61
    header["state"]["ids"] |= {"own": [[0, 4], [7, 2**61]], "idle": [[2, 3], [10, 2**61]]}
    saved.write_bytes(content_of(arrays, {_file.FORMAT: _json.write(header)}))
    model = hinge.load(saved)
    assert model.forget("b").forget([3, 2**60]).ids_ == [0, 1, "c", 7, 8, 9]
    model.set_params(max_examples=4).partial_fit([[0.0, 0.0]], [1], ids=["new"])
    assert "new" in model.ids_


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"named": [0, 5]}, "the classes it expects are not among its classes"),
        ({"named": [1, 0]}, "the classes it expects are not among its classes"),
        ({"named": [[]]}, "the classes it expects are not among its classes"),
        ({"named": None}, "its state has no field 'named'"),
        ({"dtype": "float32"}, "is float64 instead of float32"),
        ({"classes": [], "class_numbers": [], "named": []}, "a label is not the number of a class"),
        ({"unknown": 1}, "which this version does not know"),
    ],
)
def test_damaged_states(saved, change, complaint):
    header, arrays = read_header(saved)
    header["state"] |= change
    assert_rejected(saved, header, arrays, complaint)


def test_single_precision_is_rejected(saved):
    header, arrays = read_header(saved)
    header["state"]["dtype"] = "float32"
    arrays = {
        name: array.astype(np.float32) if name in ("values", "shift") else array for name, array in arrays.items()
    }
    assert_rejected(saved, header, arrays, "its numbers are not float64")


def assert_rejected(file, header, arrays, complaint):
    file.write_bytes(content_of(arrays, {_file.FORMAT: _json.write(header)}))
    with pytest.raises(ModelFileError, match=complaint):
        hinge.load(file)
