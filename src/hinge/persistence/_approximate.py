"""Approximate models in files: a feature map, linear models and, early in a stream, its first examples."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import numpy as np

from hinge._model.class_scheme import ONE_VS_REST
from hinge.approximate import SCHEDULE_ARRAYS, ApproximateState, Reservoir
from hinge.persistence._check import MAX_EXAMPLES, check_values
from hinge.persistence._check_arrays import MAX_SUM, between, check_rows, check_types, row_types
from hinge.persistence._classifier import estimator_entry
from hinge.persistence._decisions import split_decisions
from hinge.persistence._errors import require
from hinge.persistence._first_examples import HELD, check_first_rows, check_ids, check_size, storage_of

if TYPE_CHECKING:
    from hinge._fit.estimator import KernelEstimator
    from hinge._model.options import ApproximateOptions, SolverOptions
    from hinge._model.types import Arrays, Values
    from hinge.persistence._registry import Entry

MATRICES = frozenset({"values", "projection", "frequencies", f"{HELD}values"})
LINEAR_MODELS = dict.fromkeys(("weights", "average", "bias", "average_bias", "penalty", *SCHEDULE_ARRAYS), "float64")
LANDMARKS = {"ids": "int64", "labels": "int32"}
_COUNTS = ("n_steps", "n_examples", "n_kernel_evals")
STORED_EXAMPLES = {"targets": "float64", "weights": "float64", "ids": "int64"}
_FIELDS: dict[str, tuple[type, ...]] = {
    "typical": (int, float),
    "built_from": (int, type(None)),
    "n_to_skip": (int, type(None)),
}
_OPTIONAL = ("n_to_skip",)  # missing unless the stream has examples stored for its next map


def approximate(estimator: type[KernelEstimator]) -> Entry:
    """Return the entry of a class of approximate models."""
    return estimator_entry(estimator, ApproximateState, check_approximate_state)


def check_approximate_state(arrays: Arrays, values: Values, options: SolverOptions) -> None:
    """Raise `ModelFileError` unless arrays and values can have come from an `ApproximateState` with such options."""
    for name, kinds in _FIELDS.items():
        known = type(values[name]) in kinds if name in values else name in _OPTIONAL
        require(known, f"its state has no field {name!r}, or it is of the wrong type")
    plain = {name: value for name, value in values.items() if name not in (*_FIELDS, "decisions")}
    check_values(plain)
    arrays, values = split_decisions(arrays, values, ONE_VS_REST.n_binaries(len(plain["classes"])))
    require(0 < values["typical"] < 1e300, "the typical size of its features is invalid")
    chosen = cast("ApproximateOptions", options)
    fourier, has_reservoir = chosen.approximation == "fourier", values["built_from"] is not None
    require(not fourier or "n_to_skip" not in values, "Fourier features do not follow recent examples")
    has_examples = has_reservoir and f"{HELD}ids" in arrays  # not if the first call was interrupted
    check_types(arrays, _types(plain, fourier=fourier, has_examples=has_examples), matrices=MATRICES)
    require(not chosen.is_regression or len(plain["classes"]) == 1, "a regression has no classes")
    _check_shift(arrays, plain)
    if fourier:
        _check_frequencies(arrays, plain, chosen)
    else:
        _check_landmarks(arrays, plain, chosen)
    _check_linear_models(arrays, plain)
    if has_reservoir:
        _check_reservoir(arrays, values, chosen)
    if has_examples:
        _check_stored_examples(arrays, values, chosen)


def _types(values: Values, *, fourier: bool, has_examples: bool) -> dict[str, str]:
    """Return the names and dtypes of the arrays that the file must have."""
    dtype: str = values["dtype"]
    rows = row_types(values)
    own = {"shift": dtype} | (dict.fromkeys(("frequencies", "phases"), dtype) if fourier else {"projection": dtype})
    if not fourier:
        own |= LANDMARKS | rows
    if has_examples:
        own |= {f"{HELD}{name}": kind for name, kind in (STORED_EXAMPLES | rows).items()}
    return LINEAR_MODELS | own


def _check_shift(arrays: Arrays, values: Values) -> None:
    shift = arrays["shift"]
    if not len(shift):
        return
    usual = not values["sparse"] and values["kernel"]["name"] in ("rbf", "laplacian")
    require(usual, "it has a shift that its kernel or its storage does not have")
    require(len(shift) == values["n_features"], "shift does not match the features")
    largest = storage_of(values).largest
    require(between(shift, -largest, largest), "the shift is so large that its square overflows")


def _check_frequencies(arrays: Arrays, values: Values, options: ApproximateOptions) -> None:
    shape = (values["n_features"], options.n_components)
    require(arrays["frequencies"].shape == shape, "frequencies do not match features and n_components")
    require(len(arrays["phases"]) == shape[1], "there is not one phase for each frequency")
    require(len(arrays["penalty"]) == shape[1], "there is not one penalty for each frequency")


def _check_landmarks(arrays: Arrays, values: Values, options: ApproximateOptions) -> None:
    ids, labels, projection = arrays["ids"], arrays["labels"], arrays["projection"]
    require(1 <= len(ids) <= options.n_components, "its landmarks are none, or more than n_components")
    require(len(labels) == len(ids), "ids and labels differ in length")
    check_ids(ids, values)
    require(between(labels, 0, max(len(values["classes"]) - 1, 0)), "a label is not the number of a class")
    check_rows(arrays, len(ids), values)
    check_size(arrays["data" if values["sparse"] else "values"], values)
    require(projection.shape[1] == len(ids), "projection does not match the landmarks")
    fitting = 1 <= len(projection) <= len(ids) and len(arrays["penalty"]) == len(projection)
    require(fitting, "there is not one penalty for each row of projection, or there are more rows than landmarks")


def _check_linear_models(arrays: Arrays, values: Values) -> None:
    classes, dimension = len(values["classes"]), len(arrays["penalty"])
    n_binaries = 1 if classes <= 2 else classes
    for name, length in (("weights", n_binaries * dimension), ("average", n_binaries * dimension)):
        require(len(arrays[name]) == length, f"{name} do not match classes and features")
    for name in ("bias", "average_bias"):
        require(len(arrays[name]) == n_binaries, f"{name} does not match the classes")
    require(bool((arrays["penalty"] > 0).all()), "a penalty is not above zero")
    _check_decision_size(arrays, n_binaries)
    _check_schedule(arrays)


def _check_decision_size(arrays: Arrays, n_binaries: int) -> None:
    """Raise `ModelFileError` if decision values overflow for kernel values of 1; `predict` checks larger ones."""
    with np.errstate(over="ignore", invalid="ignore"):
        features = np.abs(arrays["projection"], dtype=np.float64).sum(axis=1) if "projection" in arrays else 1.0
        for weights, bias in (("weights", "bias"), ("average", "average_bias")):
            sizes = np.abs(arrays[weights]).reshape(n_binaries, -1)
            sizes_of_decisions = (sizes * features).sum(axis=1) + sizes.sum(axis=1) + np.abs(arrays[bias])
            sensible = bool((sizes_of_decisions <= MAX_SUM).all())
            require(sensible, f"numbers of {weights} or {bias} are so large that decisions overflow")


def _check_schedule(arrays: Arrays) -> None:
    for name in SCHEDULE_ARRAYS:
        require(len(arrays[name]) == 1, f"{name} is not one number")
        largest = MAX_EXAMPLES if name in _COUNTS else np.inf
        sensible = name == "target_mean" or between(arrays[name], 0, largest)
        require(sensible, f"{name} is invalid")


def _check_reservoir(arrays: Arrays, values: Values, options: ApproximateOptions) -> None:
    """Check the number of examples stored for the next map; there are at most as many as it needs."""
    n_stored, built_from, n_to_skip = len(arrays.get(f"{HELD}ids", ())), values["built_from"], values.get("n_to_skip")
    reservoir = Reservoir(options.n_components)  # of a stream that does not forget: others store fewer examples
    if n_to_skip is not None:
        require(0 <= n_to_skip <= MAX_EXAMPLES, "the number of examples that it skips is invalid")
        require(1 <= built_from <= reservoir.capacity, "its map was built from more examples than it stores, or none")
        require(n_stored == 0 or n_to_skip == 0, "it has stored examples that it should have skipped")
        require(n_stored <= reservoir.capacity, "it has stored more examples than it needs")
        return
    require(n_stored > 0 or built_from == 1, "its map was built from examples that it has not kept")
    require(1 <= built_from <= max(n_stored, 1), "its map was built from more examples than it has kept, or from none")
    reservoir.built_from = built_from
    needed = not reservoir.is_final and n_stored <= reservoir.n_for_next
    require(needed, "it has kept more first examples than it needs")


def _check_stored_examples(arrays: Arrays, values: Values, options: ApproximateOptions) -> None:
    """Check the examples stored for the next map of a stream."""
    ids, targets, weights = (arrays[f"{HELD}{name}"] for name in ("ids", "targets", "weights"))
    require(len(ids) == len(targets) == len(weights), "held ids, targets and weights differ in length")
    check_first_rows(arrays, values)
    if not options.is_regression:
        known = between(targets, 0, len(values["classes"]) - 1) and bool((targets == np.floor(targets)).all())
        require(known, "a target is not the number of a class")
