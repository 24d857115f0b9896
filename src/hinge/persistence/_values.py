"""Convert parameters of estimators to JSON values and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import numpy as np

from hinge.persistence._errors import ModelFileError, require

Plain: TypeAlias = bool | int | float | str | None
JsonParameter: TypeAlias = Plain | dict[str, str] | dict[str, list[Plain]] | dict[str, list[list[Plain]]]

PLAIN = (bool, int, float, str, type(None))
INFINITY = {"number": "inf"}  # JSON has no infinity, but C may be
LIST = "list"
PAIRS = "pairs"  # keys of JSON objects are strings, but the labels in a class_weight may be numbers


def encode(name: str, value: object) -> JsonParameter:
    """Convert a parameter to a JSON value.

    Examples
    --------
    >>> encode("class_weight", {0: 1.0, "b": 2.5})
    {'pairs': [[0, 1.0], ['b', 2.5]]}
    >>> encode("windows", (50, 200))
    {'list': [50, 200]}
    >>> encode("C", float("inf"))
    {'number': 'inf'}
    """
    if isinstance(value, float) and value == float("inf"):
        return dict(INFINITY)
    if isinstance(value, Mapping):
        return {PAIRS: [[_plain(name, key), _plain(name, entry)] for key, entry in value.items()]}
    if isinstance(value, (list, tuple, np.ndarray)):
        return {LIST: [_plain(name, entry) for entry in value]}
    return _plain(name, value)


def decode(name: str, value: object) -> Plain | tuple[Plain, ...] | dict[Plain, Plain]:
    """Convert a JSON value of `encode` back to the parameter; lists become tuples."""
    if isinstance(value, PLAIN):
        return value
    if value == INFINITY:
        return float("inf")
    only = value if isinstance(value, dict) and len(value) == 1 else {}
    entries, pairs = only.get(LIST), only.get(PAIRS)
    if isinstance(entries, list) and all(isinstance(entry, PLAIN) for entry in entries):
        return tuple(entries)
    if not isinstance(pairs, list) or not all(_is_pair(pair) for pair in pairs):
        raise ModelFileError(f"the parameter {name!r} is neither a plain value nor pairs of them")
    mapping = dict(pairs)
    require(len(mapping) == len(pairs), f"the parameter {name!r} has a key twice")
    return mapping


def _plain(name: str, value: object) -> Plain:
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, PLAIN):
        return value
    kind = "a function" if callable(value) else f"a {type(value).__name__}"
    hint = "; use an integer seed instead" if name == "random_state" else ""
    raise ModelFileError(
        f"A model whose parameter {name} is {kind} cannot be saved: files hold only plain values{hint}."
    )


def _is_pair(pair: object) -> bool:
    return isinstance(pair, list) and len(pair) == 2 and all(isinstance(entry, PLAIN) for entry in pair)
