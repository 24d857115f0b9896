"""Files written before boxes and averages had arrays of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hinge.persistence._check_arrays import PER_MACHINE

if TYPE_CHECKING:
    from hinge.persistence._file import Arrays

_NEEDED = ("labels", "members", "member_counts", "member_costs", "counters")
_ADDED = ("member_lows", "lag", "terms")
_ONCE_PER_MACHINE = 4  # counters


def completed(arrays: Arrays) -> Arrays:
    """Return the arrays of an older file with those that came later; all others, and damaged ones, as they are."""
    if any(name in arrays for name in _ADDED) or not all(_is_list(arrays, name) for name in _NEEDED):
        return arrays
    members, counts, costs = arrays["members"], arrays["member_counts"], arrays["member_costs"]
    labels, counters, machines = arrays["labels"], arrays["counters"], len(counts)
    inside = len(members) == len(costs) and bool(((members >= 0) & (members < len(labels))).all())
    fitting = bool((counts >= 0).all() and (counts <= len(members)).all()) and int(counts.sum()) == len(members)
    if not (inside and fitting and len(counters) == 3 + _ONCE_PER_MACHINE * machines):
        return arrays
    positive = np.repeat(np.arange(machines) if machines > 1 else np.ones(1), counts)
    grown = np.zeros((machines, PER_MACHINE), dtype=counters.dtype)
    grown[:, :_ONCE_PER_MACHINE] = counters[3:].reshape(machines, _ONCE_PER_MACHINE)
    return arrays | {
        "member_lows": np.where(labels[members] == positive, 0.0, -costs),
        "lag": np.zeros(len(members)),
        "terms": np.zeros(machines),
        "counters": np.concatenate([counters[:3], grown.ravel()]),
    }


def _is_list(arrays: Arrays, name: str) -> bool:
    kind = "f" if name == "member_costs" else "i"
    return name in arrays and arrays[name].ndim == 1 and arrays[name].dtype.kind == kind
