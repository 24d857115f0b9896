"""Columns named by patterns: * stands for any characters, ? for one, [ab] for a or b."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, TypeVar

from hinge.exceptions import DataError, listed

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

T = TypeVar("T")


def matching(patterns: Iterable[str], names: Sequence[str]) -> list[str]:
    """Return the names that patterns stand for, in the order of the names.

    Examples
    --------
    >>> matching(["x*", "id"], ["id", "x1", "x2", "y"])
    ['id', 'x1', 'x2']
    """
    found = {name for pattern in patterns for name in _matches(pattern, names)}
    return [name for name in names if name in found]


def by_name(values: Mapping[str, T], names: Sequence[str]) -> dict[str, T]:
    """Return the values given for patterns by name; a name itself comes before patterns, and earlier ones before later.

    Examples
    --------
    >>> by_name({"x*": 1, "x2": 2}, ["x1", "x2"])
    {'x1': 1, 'x2': 2}
    """
    found = {name: value for pattern, value in reversed([*values.items()]) for name in _matches(pattern, names)}
    found |= {name: value for name, value in values.items() if name in names}
    return {name: found[name] for name in names if name in found}


def _matches(pattern: str, names: Sequence[str]) -> list[str]:
    """Return the names that a pattern stands for: itself, if it is one of them."""
    found = [pattern] if pattern in names else [name for name in names if fnmatchcase(name, pattern)]
    if not found:
        what = "that matches " if any(sign in pattern for sign in "*?[") else ""
        raise DataError(f"There must be a column {what}{pattern!r}, got {listed(names)}.")
    return found
