"""Exact models in files: their state has an id for each example."""

from __future__ import annotations

from dataclasses import replace
from math import isfinite
from typing import TYPE_CHECKING

import numpy as np

from hinge.exceptions import quoted
from hinge.incremental import ExactState, Ids
from hinge.persistence import _json
from hinge.persistence._check import check_state
from hinge.persistence._classifier import estimator_entry
from hinge.persistence._errors import ModelFileError, require

if TYPE_CHECKING:
    from hinge._fit.estimator import KernelEstimator
    from hinge._model.options import SolverOptions
    from hinge._model.types import Arrays, Values
    from hinge.persistence._file import Parts
    from hinge.persistence._registry import Entry

_IDS: dict[str, tuple[type, ...]] = {"own": (list,), "idle": (list,), "named": (list,)}


def exact(estimator: type[KernelEstimator]) -> Entry:
    """Return the entry of a class of exact models."""
    entry = estimator_entry(estimator, ExactState, check_exact_state)

    def to_parts(model: KernelEstimator) -> Parts:
        for name in getattr(getattr(model, "_state", None), "ids", Ids()).custom():
            if not _is_plain(name):
                raise ModelFileError(
                    f"The model cannot be saved: an id must be a string, a finite number, True, False, None or a tuple "
                    f"of these, got {quoted(name)}; use pickle for other ids."
                )
        return entry.to_parts(model)

    return replace(entry, to_parts=to_parts)


def check_exact_state(arrays: Arrays, values: Values, options: SolverOptions) -> None:
    """Raise `ModelFileError` unless arrays and values can have come from an `ExactState`."""
    for name, kind in {"ids": dict, "named": list}.items():
        require(type(values.get(name)) is kind, f"its state has no field {name!r}, or it is of the wrong type")
    plain = {key: value for key, value in values.items() if key not in ("ids", "named")}
    check_state(arrays, plain, options, forgets=True)
    require(
        bool((arrays["mistakes"] <= arrays["seen"]).all()), "a binary model has made more mistakes than predictions"
    )
    require(plain["dtype"] == "float64", "its numbers are not float64")
    nested = any(isinstance(label, (list, dict)) for label in values["named"])
    expected = set() if nested else set(values["named"])  # a set, since both lists may be long
    named = [label for label in plain["classes"] if label in expected]
    require(named == values["named"], "the classes it expects are not among its classes, in their order")
    _check_ids(arrays, _json.fields(values["ids"], "its ids", _IDS), plain["n_seen"])


def _check_ids(arrays: Arrays, values: Values, seen: int) -> None:
    """Check that each example has one id, and each id one example or a row of weight 0."""
    for field in ("own", "idle"):
        require(_are_ranges(values[field], seen), f"the field {field!r} of its ids does not hold ranges of positions")
    pairs = values["named"]
    paired = all(isinstance(pair, list) and len(pair) == 2 and type(pair[0]) is int for pair in pairs)
    require(
        paired and all(_is_plain(name) for _, name in pairs), "its ids are not pairs of a position and a plain value"
    )
    require(all(0 <= number < seen for number, _ in pairs), "an id is that of an example it has not seen")
    ids = Ids.from_values(values)
    sound = ids.is_consistent() and len(ids.custom()) == len(pairs)
    require(sound, "an id or a position occurs twice, or an id is the position of another example")
    held = np.sort(arrays["ids"])
    fitting = ids.contain_positions(held) and not ids.are_weightless(held).any() and ids.n_held == len(held)
    require(fitting, "its ids do not belong to its examples one to one")


def _are_ranges(ranges: list[object], seen: int) -> bool:
    """Return True for a list of ranges of positions, increasing and with gaps between them."""
    last = -1
    for bounds in ranges:
        if not (isinstance(bounds, list) and len(bounds) == 2 and all(type(end) is int for end in bounds)):
            return False
        if not last < bounds[0] < bounds[1] <= seen:
            return False
        last = bounds[1]
    return True


def _is_plain(name: object) -> bool:
    """Return True if JSON preserves an id; it turns tuples into lists, which cannot be ids."""
    if isinstance(name, (tuple, list)):
        return all(_is_plain(part) for part in name)
    return type(name) in (str, bool, int, type(None)) or (type(name) is float and isfinite(name))
