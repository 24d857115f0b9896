"""Check that the arrays of a state are consistent with each other and with its values."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hinge._model.validation import Storage
from hinge.persistence._errors import require

if TYPE_CHECKING:
    from collections.abc import Collection

    from hinge._model.types import Array, Arrays, Values


DENSE, SPARSE = frozenset({"values"}), frozenset({"data", "indices", "indptr"})
TYPES = {
    "ids": "int64",
    "labels": "int32",
    "costs": "float64",
    "indices": "int32",
    "indptr": "int64",
    "members": "int64",
    "member_counts": "int64",
    "member_lows": "float64",
    "member_costs": "float64",
    "alpha": "float64",
    "gradient": "float64",
    "lag": "float64",
    "member_mistakes": "int64",
    "terms": "float64",
    "bracket_ends": "int64",
    "late_models": "int64",
    "n_kernel_evals": "int64",
    "n_steps": "int64",
    "shift_chosen": "int64",
}  # all others are of the precision of the model
_OF_MEMBERS = ("members", "member_lows", "member_costs", "alpha", "gradient", "lag", "member_mistakes")
SCALARS = ("n_kernel_evals", "n_steps", "shift_chosen")
MAX_COUNT = 1 << 62
MAX_SEEDS = 5  # examples of each class that a binary model inserts unconditionally at its start
BOX_TOLERANCE = 1e-9  # relative rounding error of a coefficient at a bound
MAX_SUM = 1e153  # of all coefficients; learning never exceeds it
MAX_GRADIENT = 1e305
MAX_COST = 1e300  # the cost of a member whose coefficient has no bound


def check_arrays(arrays: Arrays, values: Values, n_binaries: int, memory: dict[str, int]) -> None:
    """Raise `ModelFileError` unless the arrays fit together and to checked values.

    `memory` has the names of the counts that the solver stores, and the number of each per binary model.
    """
    expected = {name: kind for name, kind in TYPES.items() if name not in SPARSE} | dict.fromkeys(memory, "int64")
    matrices = {*DENSE, "bracket_ends", *(name for name, width in memory.items() if width > 1)}
    check_types(arrays, expected | {"shift": values["dtype"]} | row_types(values), matrices=matrices)
    for name in SCALARS:
        require(len(arrays[name]) == 1, f"{name} is not one number")
    _check_examples(arrays, values)
    check_rows(arrays, len(arrays["ids"]), values)
    _check_features(arrays, values)
    _check_members(arrays, n_binaries)
    _check_coefficients(arrays, n_binaries)
    _check_counts(arrays, values, n_binaries, memory)


def row_types(values: Values) -> dict[str, str]:
    """Return the names and dtypes of the arrays that hold examples."""
    dtype: str = values["dtype"]
    if not values["sparse"]:
        return dict.fromkeys(DENSE, dtype)
    return {"data": dtype} | {name: TYPES[name] for name in SPARSE if name in TYPES}


def check_types(arrays: Arrays, types: dict[str, str], *, matrices: Collection[str]) -> None:
    """Raise `ModelFileError` unless the arrays have the given names and dtypes, and finite numbers."""
    require(arrays.keys() == types.keys(), f"it should hold the arrays {', '.join(sorted(types))}")
    for name, array in arrays.items():
        require(array.dtype.name == types[name], f"{name} is {array.dtype.name} instead of {types[name]}")
        require(array.ndim == (2 if name in matrices else 1), f"{name} has {array.ndim} dimensions")
        if array.dtype.kind == "f":
            require(bool(np.isfinite(array).all()), f"{name} holds numbers that are not finite")


def _check_examples(arrays: Arrays, values: Values) -> None:
    ids, labels, costs = arrays["ids"], arrays["labels"], arrays["costs"]
    require(len(labels) == len(ids) == len(costs), "ids, labels and costs differ in length")
    require(between(ids, 0, values["n_seen"] - 1), "an id is not that of an example it has seen")
    require(len(np.unique(ids)) == len(ids), "an id is repeated")
    require(between(labels, 0, len(values["classes"]) - 1), "a label is not the number of a class")
    require(bool((costs > 0).all()), "a cost is not above zero")


def check_rows(arrays: Arrays, rows: int, values: Values, prefix: str = "") -> None:
    """Raise `ModelFileError` unless arrays hold the given number of rows; column indices must increase in a row."""
    features = values["n_features"]
    if not values["sparse"]:
        fitting = arrays[f"{prefix}values"].shape == (rows, features)
        require(fitting, f"{prefix}values do not match examples and features")
        return
    data, columns, starts = (arrays[f"{prefix}{name}"] for name in ("data", "indices", "indptr"))
    fitting = len(starts) == rows + 1 and starts[0] == 0 and starts[-1] == len(columns)
    require(fitting and bool((starts[:-1] <= starts[1:]).all()), f"{prefix}indptr does not match the examples")
    require(len(data) == len(columns), "data and indices differ in length")
    require(between(columns, 0, features - 1), "an index is not the number of a feature")
    rising = columns[:-1] < columns[1:]
    inner = starts[1:-1]
    rising[inner[(inner > 0) & (inner < len(columns))] - 1] = True  # where a new row starts
    require(bool(rising.all()), "the indices of a row are not sorted, or repeated")


def _check_features(arrays: Arrays, values: Values) -> None:
    storage = Storage(np.dtype(values["dtype"]), values["sparse"], values["n_features"])
    shift, chosen = arrays["shift"], arrays["shift_chosen"]
    if len(shift):
        usual = not values["sparse"] and values["kernel"]["name"] == "rbf" and chosen.tolist() == [1]
        require(usual, "it has a shift that its kernel or its storage does not have")
        require(len(shift) == values["n_features"], "shift does not match the features")
    largest = storage.largest * (2.001 if len(shift) else 1.0)
    entries = arrays["data"] if values["sparse"] else arrays["values"]
    require(between(entries, -largest, largest), "a feature is so large that its square overflows")
    require(between(shift, -storage.largest, storage.largest), "the shift is so large that its square overflows")


def _check_members(arrays: Arrays, n_binaries: int) -> None:
    members, counts, examples = arrays["members"], arrays["member_counts"], len(arrays["ids"])
    require(len(counts) == n_binaries, "member_counts does not match the classes")
    fitting = between(counts, 0, examples) and int(counts.sum()) == len(members)
    require(fitting, "its members do not match their counts")
    require(between(members, 0, examples - 1), "a member is not the position of an example")
    owner = np.repeat(np.arange(n_binaries), counts)
    require(len(np.unique(owner * examples + members)) == len(members), "a binary model holds an example twice")
    require(len(np.unique(members)) == examples, "an example belongs to no binary model")


def _check_coefficients(arrays: Arrays, n_binaries: int) -> None:
    """Check that each coefficient lies in its box, [0, cost] or [-cost, 0]."""
    costs, alpha = arrays["member_costs"], arrays["alpha"]
    sizes = {len(arrays[name]) for name in _OF_MEMBERS}
    require(len(sizes) == 1, "members, their boxes, alpha, gradient, lag and mistakes differ in length")
    require(bool((costs > 0).all()), "the cost of a member is not above zero")
    low = arrays["member_lows"]
    require(bool(((low == 0) | (low == -costs)).all()), "a box does not end at zero")
    inside = (alpha >= low - BOX_TOLERANCE * costs) & (alpha <= low + costs + BOX_TOLERANCE * costs)
    require(bool(inside.all()), "a coefficient is outside its box")
    require(between(arrays["member_mistakes"], 0, 1), "a number in member_mistakes is neither 0 nor 1")
    terms = arrays["terms"]
    require(len(terms) == n_binaries, "terms do not match the classes")
    require(bool(((terms == 0) | (terms >= 1)).all()), "an average is over less than one term")
    _check_sizes(arrays)


def _check_sizes(arrays: Arrays) -> None:
    """Check that sums of coefficients, and of coefficients times kernel values, do not overflow."""
    largest = float(arrays["terms"].max(initial=1.0))
    with np.errstate(over="ignore"):
        for name, unit in (("costs", 1.0), ("alpha", 1.0), ("lag", largest)):
            sensible = float(np.abs(arrays[name]).sum()) <= MAX_SUM * unit
            require(sensible, f"numbers of {name} are so large that their sums overflow")
    require(between(arrays["member_costs"], 0.0, MAX_COST), "the cost of a member is too large")
    sensible = between(arrays["gradient"], -MAX_GRADIENT, MAX_GRADIENT)
    require(sensible, "a gradient is so large that sums overflow")


def _check_counts(arrays: Arrays, values: Values, n_binaries: int, memory: dict[str, int]) -> None:
    for name, width in ({"bracket_ends": 2} | memory).items():
        shape = (n_binaries,) if width == 1 else (n_binaries, width)
        require(arrays[name].shape == shape, f"{name} does not match the classes")
    for name in (*SCALARS, "bracket_ends", *memory):
        require(between(arrays[name], 0, MAX_COUNT), f"a count in {name} is invalid")
    require(arrays["shift_chosen"][0] <= 1, "shift_chosen is neither 0 nor 1")
    if "seeds" in memory:
        highest = max(values["n_seen"], MAX_SEEDS)  # each pass counts the first rows again
        require(between(arrays["seeds"], 0, highest), "a binary model has begun with more examples than it has seen")
    late = arrays["late_models"]
    rising = bool((late[:-1] < late[1:]).all())
    require(rising and between(late, 0, n_binaries - 1), "late_models are not numbers of binary models")


def between(array: Array, low: float, high: float) -> bool:
    """Return True if all entries lie between two bounds, inclusive."""
    return not array.size or bool(array.min() >= low and array.max() <= high)
