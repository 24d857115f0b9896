"""Change JSON values: by mistakes that a program could make, and by hostile values."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any, TypeAlias

Json: TypeAlias = Any  # mypy has no practical recursive type for it

_WORDS = ["", "scale", "rbF", "poly", "linear", "precomputed", "callable", "balanced", "NaN", "<U9", "|O", "float32"]
_NUMBERS = [0, -1, 1, 2, 3, 50, 10**9, 2**31 - 1, 2**31, 2**53, 2**62, 2**63, 2**64, 10**400]
_FRACTIONS = [0.5, -0.0, 1e-320, 1e308, float("inf")]
_NESTED: list[Json] = [[], {}, [[]], [1, 1], ["a", 1], {"pairs": [[0, 1], [0, 2]]}]
_KEYS = ["finish", "extra", "pairs", "name", "n_features"]
VALUES: list[Json] = [None, True, False, "x" * 999, *_NESTED, *_WORDS, *_NUMBERS, *_FRACTIONS]


def damage_json(value: Json, source: random.Random) -> Json:
    """Change one or two places of a JSON value, and return it."""
    for _ in range(source.choice([1, 1, 1, 2])):
        path = source.choice([path for path in _paths(value) if path] or [()])
        if not path:
            return source.choice(VALUES)
        inner = value
        for key in path[:-1]:
            inner = inner[key]
        _change(inner, path[-1], source)
    return value


def _change(inner: Json, key: Json, source: random.Random) -> None:
    choice = source.random()
    if choice < 0.1:
        del inner[key]
    elif choice < 0.2 and isinstance(inner, dict):
        inner[source.choice(_KEYS)] = source.choice(VALUES)
    elif choice < 0.25:
        inner[key] = _nest(inner[key], source.choice([10, 400, 900, 5000]))
    elif choice < 0.3 and isinstance(inner, list):
        inner[key:key] = [inner[key]] * source.choice([1, 2, 1000])
    else:
        old = inner[key]
        near = [old + 1, old - 1, -old, float(min(old, 1e300))] if type(old) in (int, float) else []
        inner[key] = source.choice(VALUES + near * 3)


def _nest(value: Json, depth: int) -> Json:
    for _ in range(depth):
        value = [value]
    return value


def _paths(value: Json, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Yield the path to every value in JSON, except into the deepest nesting."""
    yield path
    if len(path) > 50:
        return
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, entry in inside:
        yield from _paths(entry, (*path, key))
