"""Parameters of estimators as JSON values and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from hinge.persistence._errors import ModelFileError, require

PLAIN = (bool, int, float, str, type(None))
PAIRS = "pairs"  # JSON has only texts as keys; the labels in a class_weight may be numbers


def encode(name: str, value: Any) -> Any:
    """Return a parameter as a JSON value.

    Examples
    --------
    >>> encode("class_weight", {0: 1.0, "b": 2.5})
    {'pairs': [[0, 1.0], ['b', 2.5]]}
    """
    if isinstance(value, Mapping):
        return {PAIRS: [[_plain(name, key), _plain(name, entry)] for key, entry in value.items()]}
    return _plain(name, value)


def decode(name: str, value: Any) -> Any:
    """Return the parameter that `encode` made a JSON value of."""
    if not isinstance(value, dict):
        require(isinstance(value, PLAIN), f"the parameter {name!r} is neither a plain value nor pairs of them")
        return value
    pairs = value.get(PAIRS)
    if not isinstance(pairs, list) or len(value) != 1 or not all(_is_pair(pair) for pair in pairs):
        raise ModelFileError(f"the parameter {name!r} is neither a plain value nor pairs of them")
    mapping = dict(pairs)
    require(len(mapping) == len(pairs), f"the parameter {name!r} has a key twice")
    return mapping


def _plain(name: str, value: Any) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, PLAIN):
        return value
    kind = "a function" if callable(value) else f"a {type(value).__name__}"
    hint = "; give a whole number as its seed instead" if name == "random_state" else ""
    raise ModelFileError(
        f"A model whose parameter {name} is {kind} cannot be saved: a file holds plain values only{hint}."
    )


def _is_pair(pair: Any) -> bool:
    return isinstance(pair, list) and len(pair) == 2 and all(isinstance(entry, PLAIN) for entry in pair)
