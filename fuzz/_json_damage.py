"""Changes to JSON values: those that a program would make, and those that only an enemy would."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

_WORDS = ["", "scale", "rbF", "poly", "linear", "precomputed", "callable", "balanced", "NaN", "<U9", "|O", "float32"]
_NUMBERS = [0, -1, 1, 2, 3, 50, 10**9, 2**31 - 1, 2**31, 2**53, 2**62, 2**63, 2**64, 10**400]
_FRACTIONS = [0.5, -0.0, 1e-320, 1e308, float("inf")]
_NESTED: list[Any] = [[], {}, [[]], [1, 1], ["a", 1], {"pairs": [[0, 1], [0, 2]]}]
_KEYS = ["finish", "extra", "pairs", "name", "n_features"]
VALUES: list[Any] = [None, True, False, "x" * 999, *_NESTED, *_WORDS, *_NUMBERS, *_FRACTIONS]


def damage_json(value: Any, source: random.Random) -> Any:
    """Change one to two places of a JSON value, and return it."""
    for _ in range(source.choice([1, 1, 1, 2])):
        path = source.choice([way for way in _places(value) if way] or [()])
        if not path:
            return source.choice(VALUES)
        inner = value
        for key in path[:-1]:
            inner = inner[key]
        _change(inner, path[-1], source)
    return value


def _change(inner: Any, key: Any, source: random.Random) -> None:
    way = source.random()
    if way < 0.1:
        del inner[key]
    elif way < 0.2 and isinstance(inner, dict):
        inner[source.choice(_KEYS)] = source.choice(VALUES)
    elif way < 0.25:
        inner[key] = _deep(inner[key], source.choice([10, 400, 900, 5000]))
    elif way < 0.3 and isinstance(inner, list):
        inner[key:key] = [inner[key]] * source.choice([1, 2, 1000])
    else:
        old = inner[key]
        near = [old + 1, old - 1, -old, float(min(old, 1e300))] if type(old) in (int, float) else []
        inner[key] = source.choice(VALUES + near * 3)


def _deep(value: Any, depth: int) -> Any:
    for _ in range(depth):
        value = [value]
    return value


def _places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the way to every value in JSON, but not into the deepest nesting."""
    yield path
    if len(path) > 50:
        return
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, entry in inside:
        yield from _places(entry, (*path, key))
