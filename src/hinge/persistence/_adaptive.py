"""Adaptive models in files: window models, their vote, a drift detector and the drifts it found."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, cast

import numpy as np

from hinge.exceptions import quoted
from hinge.persistence import _json
from hinge.persistence._check import MAX_EXAMPLES, check_values
from hinge.persistence._check_arrays import BOX_TOLERANCE, MAX_GRADIENT, MAX_SUM, between, check_rows, check_types
from hinge.persistence._classifier import estimator_entry
from hinge.persistence._errors import ModelFileError, require
from hinge.persistence._first_examples import check_size
from hinge.stream import AdaptiveState

if TYPE_CHECKING:
    from hinge._fit.estimator import KernelEstimator
    from hinge._model.options import AdaptiveOptions, SolverOptions
    from hinge._model.types import Array, Arrays, Values
    from hinge.persistence._file import Parts
    from hinge.persistence._registry import Entry

_FIELDS: dict[str, tuple[type, ...]] = {"drifts": (list,), "times": (list,), "detector": (dict, type(None))}
_DETECTOR: dict[str, tuple[type, ...]] = {"n_updates": (int,), "buckets": (list,)}
_NUMBERS = ("n_learned", "n_classes", "n_steps", "n_kernel_evals", "last_class", "repeats")
TYPES = (
    dict.fromkeys(("values", "weights", "mean", "factor", "alpha", "gradient", "bias"), "float64")
    | dict.fromkeys(("vote_weights", "repeats"), "float64")
    | dict.fromkeys(("ids", "recent", "places", "last_ids", "last_class"), "int64")
    | dict.fromkeys(("n_learned", "n_classes", "n_steps", "n_kernel_evals"), "int64")
    | {"labels": "int32"}
)
_PLAIN = (str, bool, int, float, type(None))
_MAX_LAST = 5000
_MAX_FACTOR = 1e200  # of a feature, and the largest mean: standard scores are finite, and cut off later


def adaptive(estimator: type[KernelEstimator]) -> Entry:
    """Return the entry of adaptive models."""
    entry = estimator_entry(estimator, AdaptiveState, check_adaptive_state)

    def to_parts(model: KernelEstimator) -> Parts:
        state = vars(model).get("_state")
        for time in (time for _, time in state.last_rows) if isinstance(state, AdaptiveState) else ():
            if type(time) not in _PLAIN:
                raise ModelFileError(
                    "The model cannot be saved: times must be text, finite numbers, True, False or None, got "
                    f"{quoted(time)}; pass text such as isoformat() returns, or use pickle."
                )
        return entry.to_parts(model)

    return replace(entry, to_parts=to_parts)


def check_adaptive_state(arrays: Arrays, values: Values, options: SolverOptions) -> None:
    """Raise `ModelFileError` unless arrays and values can have come from an `AdaptiveState` with such options."""
    for name, kinds in _FIELDS.items():
        require(type(values.get(name, ...)) in kinds, f"its state has no field {name!r}, or it is of the wrong type")
    plain = {name: value for name, value in values.items() if name not in _FIELDS}
    check_values(plain)
    chosen = cast("AdaptiveOptions", options)
    require(plain["dtype"] == "float64" and not plain["sparse"], "its rows are not dense numbers of type float64")
    check_types(arrays, TYPES, matrices={"values"})
    for name in _NUMBERS:
        require(len(arrays[name]) == 1, f"{name} is not one number")
    _check_counts(arrays, plain)
    _check_examples(arrays, plain)
    _check_windows(arrays, chosen)
    _check_vote(arrays, chosen)
    _check_drifts(arrays, values)
    _check_detector(values["detector"], chosen)


def _check_counts(arrays: Arrays, values: Values) -> None:
    for name in ("n_learned", "n_steps", "n_kernel_evals"):
        require(between(arrays[name], 0, MAX_EXAMPLES), f"{name} is invalid")
    require(arrays["n_learned"][0] <= values["n_seen"], "it has learned more examples than it has seen")
    require(between(arrays["n_classes"], 1, len(values["classes"])), "n_classes does not match the classes")


def _check_examples(arrays: Arrays, values: Values) -> None:
    ids, labels, weights = arrays["ids"], arrays["labels"], arrays["weights"]
    require(len(labels) == len(weights) == len(ids), "ids, labels and weights differ in length")
    require(between(ids, 0, values["n_seen"] - 1), "an id is not that of an example it has seen")
    require(len(np.unique(ids)) == len(ids), "an id is repeated")
    require(between(labels, 0, int(arrays["n_classes"][0]) - 1), "a label is not the number of a class")
    require(bool((weights > 0).all()), "a weight is not above zero")
    check_rows(arrays, len(ids), values)
    check_size(arrays["values"], values)
    for name in ("mean", "factor"):
        require(len(arrays[name]) == values["n_features"], f"{name} does not match the features")
        require(between(arrays[name], -_MAX_FACTOR, _MAX_FACTOR), f"a number of {name} is too large")
    require(bool((arrays["factor"] > 0).all()), "a factor is not above zero")
    recent = arrays["recent"]
    require(between(recent, 0, len(ids) - 1), "a recent example is not there")
    require(_increase(ids[recent]), "its recent examples are not in the order of the stream")


def _check_windows(arrays: Arrays, options: AdaptiveOptions) -> None:
    """Check that each window model holds examples that are there, with coefficients in their boxes."""
    sizes = [size for _, size, _, _ in options.windows]
    n_held, n_classes, places = len(arrays["ids"]), int(arrays["n_classes"][0]), arrays["places"]
    n_binaries = 0 if n_classes < 2 else 1 if n_classes == 2 else n_classes
    require(len(places) == sum(sizes), "places do not match the windows")
    require(between(places, -1, n_held - 1), "a place is not that of an example")
    used = np.concatenate([places[places >= 0], arrays["recent"]])
    require(len(np.unique(used)) == n_held, "an example belongs to no window")
    for name in ("alpha", "gradient"):
        require(len(arrays[name]) == sum(sizes) * n_binaries, f"{name} does not match windows and classes")
        require(between(arrays[name], -MAX_GRADIENT, MAX_GRADIENT), f"numbers of {name} are too large")
    require(len(arrays["bias"]) == len(sizes) * n_binaries, "bias does not match windows and classes")
    require(between(arrays["bias"], -MAX_SUM, MAX_SUM), "a bias is too large")
    first = 0
    for _, size, cost, _ in options.windows:
        own = places[first : first + size]
        held = own[own >= 0]
        require(len(np.unique(held)) == len(held), "a window holds an example twice")
        alpha = arrays["alpha"][first * n_binaries : (first + size) * n_binaries].reshape(n_binaries, size)
        _check_boxes(arrays, alpha, own, cost)
        first += size


def _check_boxes(arrays: Arrays, alpha: Array, places: Array, cost: float) -> None:
    require(not alpha[:, places < 0].any(), "a coefficient belongs to no example")
    held, n_binaries = places >= 0, len(alpha)
    target = np.array([[1]]) if n_binaries == 1 else np.arange(n_binaries)[:, None]
    sign = np.where(arrays["labels"][places[held]] == target, 1.0, -1.0)
    bound, signed = cost * arrays["weights"][places[held]], alpha[:, held] * sign
    inside = (signed >= -BOX_TOLERANCE * bound) & (signed <= (1 + BOX_TOLERANCE) * bound)
    require(bool(inside.all()), "a coefficient is outside its box")


def _check_vote(arrays: Arrays, options: AdaptiveOptions) -> None:
    weights = arrays["vote_weights"]
    require(len(weights) == len(options.windows) + 1, "vote_weights do not match the windows")
    require(bool((weights > 0).all()) and abs(float(weights.sum()) - 1) < 1e-6, "vote_weights do not add up to 1")
    require(between(arrays["repeats"], 0.0, 1.0), "repeats is not a share")
    require(
        between(arrays["last_class"], 0, int(arrays["n_classes"][0]) - 1), "last_class is not the number of a class"
    )


def _check_drifts(arrays: Arrays, values: Values) -> None:
    last, times, seen = arrays["last_ids"], values["times"], values["n_seen"]
    require(1 <= len(last) <= _MAX_LAST and between(last, 0, seen - 1), "last_ids are not those of its last examples")
    require(_increase(last), "last_ids do not increase")
    require(len(times) in (0, len(last)), "there is not one time for each of its last examples")
    require(all(type(time) in _PLAIN for time in times), "a time is not a plain value")
    for drift in values["drifts"]:
        require(isinstance(drift, list) and len(drift) == 6, "a drift does not have six fields")
        position, start, before, after, *dates = drift
        require(
            type(position) is int and type(start) is int and start <= position < seen, "a drift is not in the stream"
        )
        require(all(type(share) is float and 0 <= share <= 1 for share in (before, after)), "an error is not a share")
        require(all(type(date) in _PLAIN for date in dates), "a time is not a plain value")


def _check_detector(values: Values | None, options: AdaptiveOptions) -> None:
    require((values is None) == (options.delta is None), "its detector does not match its parameters")
    if values is None:
        return
    _json.fields(values, "its detector", _DETECTOR)
    require(0 <= values["n_updates"] <= MAX_EXAMPLES, "the number of updates of its detector is invalid")
    rows = values["buckets"]
    require(
        1 <= len(rows) <= 62 and all(isinstance(row, list) and len(row) <= 5 for row in rows), "its buckets are invalid"
    )
    for size, row in enumerate(rows):
        sound = all(type(total) is int and 0 <= total <= 1 << size for total in row)
        require(sound, "a bucket holds more mistakes than examples")


def _increase(numbers: Array) -> bool:
    return bool((numbers[:-1] < numbers[1:]).all())
