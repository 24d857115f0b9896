"""Approximate models: a feature map, linear machines over it, and at the start of a stream its first examples."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np

from hinge._model.validation import Storage
from hinge.approximate import SCHEDULE_ARRAYS, ApproximateState, Reservoir
from hinge.persistence._check import MOST_EXAMPLES, check_values
from hinge.persistence._check_arrays import MOST_PULL, between, check_rows, check_types, row_types
from hinge.persistence._classifier import classifier
from hinge.persistence._errors import require

if TYPE_CHECKING:
    from hinge._model.options import ApproximateOptions, SolverOptions
    from hinge.persistence._file import Arrays
    from hinge.persistence._registry import Entry

HELD = Reservoir.PREFIX  # of the arrays with the first examples of a stream
MATRICES = frozenset({"values", "projection", "frequencies", f"{HELD}values"})
MACHINES = dict.fromkeys(("weights", "average", "bias", "average_bias", "penalty", *SCHEDULE_ARRAYS), "float64")
LANDMARKS = {"ids": "int64", "labels": "int32"}
_COUNTED = ("n_steps", "n_examples", "n_kernel_evals")
GATHERED = {"targets": "float64", "weights": "float64", "ids": "int64"}
_OWN: dict[str, tuple[type, ...]] = {"typical": (int, float), "built_from": (int, type(None))}


def approximate(estimator: type[Any]) -> Entry:
    """Return the entry of a class of approximate models."""
    return classifier(estimator, ApproximateState, check_approximate_state)


def check_approximate_state(arrays: Arrays, values: dict[str, Any], options: SolverOptions) -> None:
    """Raise `ModelFileError` unless arrays and values can have come from an `ApproximateState` with such options."""
    for name, kinds in _OWN.items():
        known = name in values and type(values[name]) in kinds
        require(known, f"its state has no field {name!r}, or it is of the wrong type")
    plain = {name: value for name, value in values.items() if name not in _OWN}
    check_values(plain)
    require(0 < values["typical"] < 1e300, "the typical size of its features makes no sense")
    wanted = cast("ApproximateOptions", options)
    fourier, gathering = wanted.approximation == "fourier", values["built_from"] is not None
    require(not (fourier and gathering), "Fourier features are not built from examples")
    holding = gathering and f"{HELD}ids" in arrays  # stopped at its first example, a stream has nothing yet
    check_types(arrays, _types(plain, fourier=fourier, holding=holding), matrices=MATRICES)
    require(not wanted.is_regression or len(plain["classes"]) == 1, "a regression has no classes")
    _check_shift(arrays, plain)
    if fourier:
        _check_frequencies(arrays, plain, wanted)
    else:
        _check_landmarks(arrays, plain, wanted)
    _check_machines(arrays, plain)
    if holding:
        _check_gathered(arrays, values, wanted)
    elif gathering:
        require(values["built_from"] == 1, "its map was built from examples that it has not kept")


def _types(values: dict[str, Any], *, fourier: bool, holding: bool) -> dict[str, str]:
    """Return the arrays that there must be, and the types of their numbers."""
    dtype, rows = values["dtype"], row_types(values)
    own = {"shift": dtype} | (dict.fromkeys(("frequencies", "phases"), dtype) if fourier else {"projection": dtype})
    if not fourier:
        own |= LANDMARKS | rows
    if holding:
        own |= {f"{HELD}{name}": kind for name, kind in (GATHERED | rows).items()}
    return MACHINES | own


def _check_shift(arrays: Arrays, values: dict[str, Any]) -> None:
    shift = arrays["shift"]
    if not len(shift):
        return
    usual = not values["sparse"] and values["kernel"]["name"] in ("rbf", "laplacian")
    require(usual, "it has a shift that its kernel or its storage does not have")
    require(len(shift) == values["n_features"], "shift does not match the features")
    largest = _storage(values).largest
    require(between(shift, -largest, largest), "the shift is so large that its square overflows")


def _check_frequencies(arrays: Arrays, values: dict[str, Any], options: ApproximateOptions) -> None:
    shape = (values["n_features"], options.n_components)
    require(arrays["frequencies"].shape == shape, "frequencies do not match features and n_components")
    require(len(arrays["phases"]) == shape[1], "there is not one phase for each frequency")
    require(len(arrays["penalty"]) == shape[1], "there is not one penalty for each frequency")


def _check_landmarks(arrays: Arrays, values: dict[str, Any], options: ApproximateOptions) -> None:
    ids, labels, projection = arrays["ids"], arrays["labels"], arrays["projection"]
    require(1 <= len(ids) <= options.n_components, "its landmarks are none, or more than n_components")
    require(len(labels) == len(ids), "ids and labels differ in length")
    _check_ids(ids, values)
    require(between(labels, 0, len(values["classes"]) - 1), "a label is not the number of a class")
    check_rows(arrays, len(ids), values)
    _check_size(arrays["data" if values["sparse"] else "values"], values)
    require(projection.shape[1] == len(ids), "projection does not match the landmarks")
    fitting = 1 <= len(projection) <= len(ids) and len(arrays["penalty"]) == len(projection)
    require(fitting, "there is not one penalty for each row of projection, or there are more rows than landmarks")


def _check_machines(arrays: Arrays, values: dict[str, Any]) -> None:
    classes, dimension = len(values["classes"]), len(arrays["penalty"])
    machines = 1 if classes <= 2 else classes
    for name, length in (("weights", machines * dimension), ("average", machines * dimension)):
        require(len(arrays[name]) == length, f"{name} do not match classes and features")
    for name in ("bias", "average_bias"):
        require(len(arrays[name]) == machines, f"{name} does not match the classes")
    require(bool((arrays["penalty"] > 0).all()), "a penalty is not above zero")
    _check_reach(arrays, machines)
    _check_schedule(arrays)


def _check_reach(arrays: Arrays, machines: int) -> None:
    """Decisions where all kernel values are 1 must be numbers; where these are larger, decisions are looked at."""
    with np.errstate(over="ignore", invalid="ignore"):
        features = np.abs(arrays["projection"], dtype=np.float64).sum(axis=1) if "projection" in arrays else 1.0
        for weights, bias in (("weights", "bias"), ("average", "average_bias")):
            sizes = np.abs(arrays[weights]).reshape(machines, -1)
            reach = (sizes * features).sum(axis=1) + sizes.sum(axis=1) + np.abs(arrays[bias])
            sensible = bool((reach <= MOST_PULL).all())
            require(sensible, f"numbers of {weights} or {bias} are so large that decisions overflow")


def _check_schedule(arrays: Arrays) -> None:
    for name in SCHEDULE_ARRAYS:
        require(len(arrays[name]) == 1, f"{name} is not one number")
        largest = MOST_EXAMPLES if name in _COUNTED else np.inf
        sensible = name == "target_mean" or between(arrays[name], 0, largest)
        require(sensible, f"{name} makes no sense")


def _check_gathered(arrays: Arrays, values: dict[str, Any], options: ApproximateOptions) -> None:
    """Look at the first examples of a stream: no more than until the next map is due."""
    ids, targets, weights = (arrays[f"{HELD}{name}"] for name in ("ids", "targets", "weights"))
    reservoir, built_from = Reservoir(options.n_components), values["built_from"]
    require(1 <= built_from <= max(len(ids), 1), "its map was built from more examples than it has kept, or from none")
    reservoir.built_from = built_from
    due = not reservoir.is_complete and len(ids) <= reservoir.milestone
    require(due, "it has kept more first examples than it needs")
    require(len(ids) == len(targets) == len(weights), "held ids, targets and weights differ in length")
    _check_ids(ids, values)
    require(bool((weights > 0).all()), "a weight is not above zero")
    if not options.is_regression:
        known = between(targets, 0, len(values["classes"]) - 1) and bool((targets == np.floor(targets)).all())
        require(known, "a target is not the number of a class")
    check_rows(arrays, len(ids), values, HELD)
    _check_size(arrays[f"{HELD}data" if values["sparse"] else f"{HELD}values"], values)


def _check_ids(ids: Any, values: dict[str, Any]) -> None:
    require(between(ids, 0, values["n_seen"] - 1), "an id is not that of an example it has seen")
    require(len(np.unique(ids)) == len(ids), "an id is repeated")


def _check_size(entries: Any, values: dict[str, Any]) -> None:
    largest = _storage(values).largest
    require(between(entries, -largest, largest), "a feature is so large that its square overflows")


def _storage(values: dict[str, Any]) -> Storage:
    return Storage(np.dtype(values["dtype"]), values["sparse"], values["n_features"])
