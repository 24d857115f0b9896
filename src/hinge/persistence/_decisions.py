"""Recorded decision values in files: what probabilities are fitted to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hinge._calibration import ARRAYS, PREFIX, Decisions
from hinge.persistence._check_arrays import between, check_types
from hinge.persistence._errors import require

if TYPE_CHECKING:
    from hinge._model.types import Arrays, Values

_LARGEST = 1e300
_MAX_RECORDED = 1 << 62


def split_decisions(arrays: Arrays, values: Values, n_binaries: int) -> tuple[Arrays, Values]:
    """Return the other arrays and values; raise `ModelFileError` unless those of recorded decisions are sound."""
    others = {name: array for name, array in arrays.items() if not name.startswith(PREFIX)}
    plain = {name: value for name, value in values.items() if name != "decisions"}
    if "decisions" not in values:
        require(len(others) == len(arrays), "it has decision values that were not recorded")
        return others, plain
    own = {name.removeprefix(PREFIX): array for name, array in arrays.items() if name.startswith(PREFIX)}
    own.setdefault("shares", np.ones(len(own.get("weights", ()))))  # files of earlier versions have none
    check_types(own, ARRAYS, matrices=frozenset({"values"}))
    count, total = len(own["labels"]), values["decisions"]
    require(type(total) is int and count <= total <= _MAX_RECORDED, "the number of its recorded decisions is invalid")
    require(count <= Decisions.MOST, "it has recorded more decisions than it keeps")
    require(
        len(own["weights"]) == len(own["shares"]) == len(own["known"]) == count,
        "its recorded decisions differ in length",
    )
    require(own["values"].shape == (count, n_binaries), "its recorded decisions do not match its binary models")
    require(between(own["values"], -_LARGEST, _LARGEST), "a recorded decision is not finite")
    require(between(own["labels"], 0, max(len(plain["classes"]) - 1, 0)), "a recorded label is not that of a class")
    sound = between(own["weights"], 0, _LARGEST) and bool((own["weights"] > 0).all())
    require(sound, "a weight of a recorded decision is not above zero")
    require(between(own["shares"], 1, _MAX_RECORDED), "a recorded decision stands for less than one example")
    known = own["known"]
    require(between(known, 0, _MAX_RECORDED), "a recorded decision is of no time")
    require(bool((np.diff(known) >= 0).all()), "its recorded decisions are not in order")
    return others, plain
