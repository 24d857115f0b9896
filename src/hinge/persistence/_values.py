"""Parameters of estimators as JSON values and back."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from hinge.persistence._errors import ModelFileError

PLAIN = (bool, int, float, str, type(None))
PAIRS = "pairs"  # JSON has only texts as keys; the labels in a class_weight may be numbers


def encode(name: str, value: Any) -> Any:
    """Return a parameter as a JSON value."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, PLAIN):
        return value
    if isinstance(value, Mapping):
        return {PAIRS: [[encode(name, key), encode(name, entry)] for key, entry in value.items()]}
    kind = "a function" if callable(value) else f"a {type(value).__name__}"
    raise ModelFileError(f"A model whose parameter {name} is {kind} cannot be saved: a file holds plain values only.")


def decode(value: Any) -> Any:
    """Return the parameter that `encode` made a JSON value of."""
    if isinstance(value, PLAIN):
        return value
    if isinstance(value, dict) and value.keys() == {PAIRS}:
        return {decode(key): decode(entry) for key, entry in value[PAIRS]}
    raise TypeError("a parameter is neither a plain value nor pairs of them")
