"""JSON that says one thing only: no key twice, no NaN, no field that is missing or unknown."""

from __future__ import annotations

import json
from typing import Any

from hinge.exceptions import quoted
from hinge.persistence._errors import ModelFileError, require


def parse(text: str) -> Any:
    """Return the value of a JSON text.

    Raises
    ------
    ModelFileError
        The text is not JSON, is nested too deeply, or has a key twice.

    Examples
    --------
    >>> parse('{"a": [1, 2.5]}')
    {'a': [1, 2.5]}
    """
    try:
        return json.loads(text, object_pairs_hook=_object, parse_constant=_constant)
    except RecursionError:
        raise ModelFileError("a JSON text is nested too deeply") from None
    except ModelFileError:
        raise
    except ValueError:
        raise ModelFileError("a text in it is not JSON") from None


def write(value: Any) -> str:
    """Return a value as JSON."""
    try:
        return json.dumps(value, allow_nan=False)
    except (TypeError, ValueError):
        raise ModelFileError("it holds a value that is neither a finite number nor a text") from None


def fields(value: Any, where: str, types: dict[str, tuple[type, ...]]) -> dict[str, Any]:
    """Return an object of the file that has exactly some fields, each of one of some types.

    Examples
    --------
    >>> fields({"name": "rbf", "degree": 3}, "its kernel", {"name": (str,), "degree": (int,)})
    {'name': 'rbf', 'degree': 3}
    """
    if not isinstance(value, dict):
        raise ModelFileError(f"{where} is not an object with fields")
    for name in types:
        require(name in value, f"{where} has no field {name!r}")
    for name in value:
        require(name in types, f"{where} has a field {quoted(name)}, which this version does not know")
    for name, kinds in types.items():
        require(type(value[name]) in kinds, f"the field {name!r} of {where} is of the wrong type")
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    require(len(made) == len(pairs), "a JSON text in it has a key twice")
    return made


def _constant(name: str) -> Any:
    raise ModelFileError(f"a JSON text in it holds {name}, which is not a number")
