"""Exact SVMs in files: their state also has what fitted attributes report of the training set."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hinge._model.class_scheme import scheme_of
from hinge.persistence import _json
from hinge.persistence._check import check_classes, check_state
from hinge.persistence._classifier import estimator_entry
from hinge.persistence._errors import require
from hinge.svm import SvmState

if TYPE_CHECKING:
    from hinge._fit.estimator import KernelEstimator
    from hinge._model.options import SolverOptions
    from hinge._model.types import Arrays, Values
    from hinge.persistence._registry import Entry

_LISTS = ("labels", "class_weight", "shape", "steps", "forgotten")
_FIELDS: dict[str, tuple[type, ...]] = dict.fromkeys(_LISTS, (list,)) | {"converged": (bool,)}
_MAX_COUNT = 1 << 62


def svm(estimator: type[KernelEstimator]) -> Entry:
    """Return the entry of a class of exact SVMs."""
    return estimator_entry(estimator, SvmState, check_svm_state)


def check_svm_state(arrays: Arrays, values: Values, options: SolverOptions) -> None:
    """Raise `ModelFileError` unless arrays and values can have come from an `SvmState`."""
    require(type(values.get("svm")) is dict, "its state has no field 'svm', or it is of the wrong type")
    own = _json.fields({"converged": True} | values["svm"], "its training set", _FIELDS)  # older files do not say
    plain = {name: value for name, value in values.items() if name != "svm"}
    check_state(arrays, plain, options)
    labels, weights = own["labels"], own["class_weight"]
    check_classes(labels, plain["class_type"], list(range(len(labels))))
    require(set(plain["classes"]) <= set(labels), "a class of it is not among its labels")
    sensible = all(type(weight) is float and 0 <= weight < float("inf") for weight in weights)
    require(len(weights) == len(labels) and sensible, "its class weights do not match its labels")
    require(_are_counts(own["shape"]) and own["shape"], "the shape of its training set is not a list of counts")
    forgotten = own["forgotten"]
    known = _are_counts(forgotten) and all(row < plain["n_seen"] for row in forgotten)
    require(known and forgotten == sorted(set(forgotten)), "the rows it has forgotten are not sorted positions")
    n_binaries = scheme_of(options).n_binaries(len(plain["classes"]))
    require(_are_counts(own["steps"]) and len(own["steps"]) == n_binaries, "its steps do not match its classes")


def _are_counts(numbers: list[object]) -> bool:
    return all(type(number) is int and 0 <= number <= _MAX_COUNT for number in numbers)
