"""Whether the parts of a model file can have come from a model.

Sizes, indices and finite numbers are checked by the native code when it takes the arrays; what it cannot see, or would
convert without a word, is checked here.
"""

from typing import Any

import numpy as np

from hinge.persistence._errors import ModelFileError
from hinge.persistence._file import Arrays

LONGEST_LABEL = 1 << 16  # bytes
MOST_FEATURES = (1 << 31) - 1  # feature numbers are 32 bits wide
DENSE, SPARSE = frozenset({"values"}), frozenset({"data", "indices", "indptr"})
TYPES = {
    "ids": "int64",
    "labels": "int32",
    "costs": "float64",
    "indices": "int32",
    "indptr": "int64",
    "members": "int64",
    "member_counts": "int64",
    "member_costs": "float64",
    "alpha": "float64",
    "gradient": "float64",
    "counters": "int64",
}  # all others are of the precision of the model


def check_state(arrays: Arrays, values: dict[str, Any]) -> None:
    """Raise `ModelFileError` unless arrays and values can have come from a model."""
    _check_values(values)
    _check_types(arrays, values)
    _check_examples(arrays, values)
    _check_members(arrays)


def _check_values(values: dict[str, Any]) -> None:
    _require(values["dtype"] in ("float32", "float64"), "its numbers are neither float32 nor float64")
    _require(type(values["sparse"]) is bool, "it does not say whether it is sparse")
    _require(_is_count(values["n_features"], 1, MOST_FEATURES), "its number of features makes no sense")
    _require(_is_count(values["n_seen"], 0, 1 << 62), "its number of examples makes no sense")
    kind = np.dtype(values["class_type"])
    _require(kind.kind in "biufUO" and kind.itemsize <= LONGEST_LABEL, "its labels are of an unknown type")
    classes = values["classes"]
    _require(len(classes) > 0 and len(set(classes)) == len(classes), "its classes are none or repeated")
    _require(sorted(values["class_numbers"]) == list(range(len(classes))), "its class numbers do not match its classes")


def _check_types(arrays: Arrays, values: dict[str, Any]) -> None:
    expected = (TYPES.keys() | {"shift"}) - SPARSE | (SPARSE if values["sparse"] else DENSE)
    _require(arrays.keys() == expected, f"it should hold the arrays {', '.join(sorted(expected))}")
    for name, array in arrays.items():
        wanted = TYPES.get(name, values["dtype"])
        _require(array.dtype.name == wanted, f"{name} is {array.dtype.name} instead of {wanted}")
        _require(array.ndim == (2 if name == "values" else 1), f"{name} has {array.ndim} dimensions")


def _check_examples(arrays: Arrays, values: dict[str, Any]) -> None:
    ids, costs = arrays["ids"], arrays["costs"]
    _require(bool((ids >= 0).all()) and len(np.unique(ids)) == len(ids), "its ids are negative or repeated")
    _require(bool((np.isfinite(costs) & (costs >= 0)).all()), "a cost is negative or not finite")
    if not values["sparse"]:
        _require(
            arrays["values"].shape == (len(ids), values["n_features"]), "values do not match examples and features"
        )


def _check_members(arrays: Arrays) -> None:
    members, counts = arrays["members"], arrays["member_counts"]
    fits = bool(((counts >= 0) & (counts <= len(members))).all()) and int(counts.sum()) == len(members)
    _require(fits, "its members do not match their counts")
    for machine in np.split(members, np.cumsum(counts)[:-1]):
        _require(len(np.unique(machine)) == len(machine), "a machine holds an example twice")


def _is_count(value: Any, low: int, high: int) -> bool:
    return type(value) is int and low <= value <= high


def _require(condition: bool, complaint: str) -> None:
    if not condition:
        raise ModelFileError(complaint)
