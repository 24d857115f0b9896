"""Labels of all types, including those that float64 cannot distinguish."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import SGDClassifier

import hinge
from hinge import OnlineSVC, PreparedClassifier
from hinge.active import Continued
from hinge.tables import Preparation

from .common import MAKERS, learn_or_refuse, make, overlapping

X, Y = overlapping()
LABELS = {
    "text": np.array(["no", "yes"]),
    "objects": np.array(["no", "yes"], dtype=object),
    "huge": np.array([2**62, 2**62 + 1]),
    "ends of 64 bits": np.array([-(2**63), 2**63 - 1]),
    "beyond 63 bits": np.array([2**64 - 2, 2**64 - 1], dtype=np.uint64),
    "booleans": np.array([False, True]),
}
LATER = {  # first labels, later labels that do not match them, and the message
    "whole, then float": ([2**53, 2**53 + 1], np.array([7.0]), "9007199254740993, which float64 cannot hold exactly"),
    "the same in a float": ([2**53, 2**53 + 1], np.array([2.0**53]), "which float64 cannot hold exactly"),
    "signed, then beyond": ([-1, 1], np.array([2**64 - 1, 2**64 - 2], dtype="u8"), "cannot hold exactly"),
    "bytes, then text": ([b"a", b"\xff"], np.array(["a", "c"]), "of the type of the known ones"),
    "dates, then text": (
        np.array(["2020", "2021"], dtype="M8[D]"),
        np.array(["2020-01-01"]),
        "of the type of the known",
    ),
    "NaT": (np.array(["2020", "2021"], dtype="M8[D]"), np.array(["NaT"], dtype="M8[D]"), "got NaT"),
}
CLASSES = {
    "NaN": ([0, 1, np.nan], "classes contains NaN"),
    "infinity": ([0, 1, np.inf], "classes contains infinity"),
    "fractions": ([0, 1, 1.5], "Unknown label type: continuous"),
    "beyond whole numbers": ([0, 1, 1e300], "Unknown label type: continuous"),
    "complex": ([0, 1, 1 + 1j], "classes must hold texts or whole numbers, got complex128"),
    "two dimensions": ([[0, 1], [2, 3]], r"classes must be a list of labels, got an array of shape \(2, 2\)"),
    "lists": ([[0], [1, 2]], "lists of different lengths"),
    "number": (5, "classes must be a list of labels, got a value of type int"),
    "text": ("ab", "classes must be a list of labels, got a value of type str"),
    "set": ({0, 1}, "classes must be a list of labels, got a value of type set"),
    "nothing": ([None], "Unknown label type"),
    "something and nothing": ([0, None], "got a mixture of NoneType, int"),
    "masked": (np.ma.array([0, 1], mask=[False, True]), "Labels must not be masked, got 1 masked"),
    "too long": (np.array([2**53 + 1, 0.0], dtype=object), "cannot hold exactly"),
}
CLASSIFIERS = [name for name in MAKERS if "class_weight" in make(name).get_params()]


@pytest.mark.parametrize("kind", LABELS)
def test_labels(kind):
    labels = LABELS[kind][Y]
    for name in CLASSIFIERS:
        model = make(name)
        assert learn_or_refuse(model, "fit", X, labels) is None, name
        assert model.classes_.tolist() == LABELS[kind].tolist()
        assert set(model.predict(X).tolist()) <= set(LABELS[kind].tolist())
        plain = make(name).fit(X, Y)
        np.testing.assert_allclose(model.decision_function(X), plain.decision_function(X), atol=1e-12, err_msg=name)


def test_continuous_labels_are_refused():
    for name in CLASSIFIERS:
        assert learn_or_refuse(make(name), "fit", X, Y * 1e300).startswith("Unknown label type: continuous")


@pytest.mark.parametrize("kind", LATER)
def test_labels_of_another_type_are_refused_without_change(kind):
    first, later, message = LATER[kind]
    for name in CLASSIFIERS:
        model = make(name).partial_fit(X, np.asarray(first)[Y])
        refuse(model, message, X[: len(later)], later)
        refuse(model, message, X, np.asarray(first)[Y], classes=later)
        assert model.classes_.tolist() == np.asarray(first).tolist()
        model.partial_fit(X, np.asarray(first)[Y])


def test_all_labels_of_a_model_can_be_saved(tmp_path):
    for name in CLASSIFIERS:
        model = make(name).partial_fit(X, np.array([2**53, 2**53 + 1])[Y])
        refuse(model, "cannot hold exactly", X[:1], [7.0])
        hinge.save(model, tmp_path / "model.hinge")
        assert hinge.load(tmp_path / "model.hinge").classes_.tolist() == [2**53, 2**53 + 1]


@pytest.mark.parametrize("kind", CLASSES)
def test_classes_are_checked_like_labels(kind):
    classes, message = CLASSES[kind]
    prepared = PreparedClassifier(OnlineSVC(), Preparation(n_features=X.shape[1]))
    others = [prepared, Continued(OnlineSVC()), Continued(SGDClassifier())]
    for model in [*map(make, CLASSIFIERS), *others]:
        refuse(model, message, X, Y, classes=classes)
        assert not hasattr(model, "classes_")
        model.partial_fit(X, Y, classes=[0, 1])
        refuse(model, message, X, Y, classes=classes)
        assert model.classes_.tolist() == [0, 1]


def test_classes_of_continued_models():
    for classes, message in CLASSES.values():
        refuse(Continued(OnlineSVC(), classes=classes), message, X, Y)
        started = Continued(OnlineSVC()).fit(X, Y)
        before = known(started)
        for model in (started, clone(started)):
            with pytest.raises(ValueError, match=message):
                model.set_params(classes=classes).fit(X, Y)
        assert known(started) == before


def refuse(model, message, *arguments, **keywords):
    """Check that a model refuses examples with one sentence, and does not change in any bit."""
    before = known(model)
    with pytest.raises(ValueError, match=message) as caught:
        model.partial_fit(*arguments, **keywords)
    assert str(caught.value).endswith(".")
    assert known(model) == before


def known(model):
    """Return the state of a model for comparison."""
    if not hasattr(model, "classes_"):
        return None
    row_index = pickle.dumps(vars(model).get("_row_index"))  # of `Continued`
    return model.classes_.tolist(), getattr(model, "n_seen_", 0), model.decision_function(X).tobytes(), row_index
