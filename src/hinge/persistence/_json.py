"""Strict JSON: no duplicate keys, no NaN, no missing or unknown fields."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias

from hinge.exceptions import quoted
from hinge.persistence._errors import ModelFileError, require

if TYPE_CHECKING:
    from hinge._model.types import Values

FieldTypes: TypeAlias = dict[str, tuple[type, ...]]


def parse(text: str) -> Any:
    """Parse a JSON text.

    Raises
    ------
    ModelFileError
        If the text is not JSON, is nested too deeply, or has a duplicate key.

    Examples
    --------
    >>> parse('{"a": [1, 2.5]}')
    {'a': [1, 2.5]}
    """
    try:
        return json.loads(text, object_pairs_hook=_object, parse_constant=_constant)
    except RecursionError:
        raise ModelFileError("its JSON is nested too deeply") from None
    except ModelFileError:
        raise
    except ValueError:
        raise ModelFileError("its header is not JSON") from None


def write(value: object) -> str:
    """Serialize a value to JSON."""
    try:
        return json.dumps(value, allow_nan=False)
    except (TypeError, ValueError):
        raise ModelFileError("it holds a value that is neither a finite number nor a string") from None


def fields(value: object, where: str, types: FieldTypes) -> Values:
    """Return a JSON object after checking that it has exactly the given fields, each of one of the given types.

    Examples
    --------
    >>> fields({"name": "rbf", "degree": 3}, "its kernel", {"name": (str,), "degree": (int,)})
    {'name': 'rbf', 'degree': 3}
    """
    if not isinstance(value, dict):
        raise ModelFileError(f"{where} is not a JSON object")
    for name in types:
        require(name in value, f"{where} has no field {name!r}")
    for name in value:
        require(name in types, f"{where} has a field {quoted(name)}, which this version does not know")
    for name, kinds in types.items():
        require(type(value[name]) in kinds, f"the field {name!r} of {where} is of the wrong type")
    return value


def _object(pairs: list[tuple[str, Any]]) -> Values:
    parsed = dict(pairs)
    require(len(parsed) == len(pairs), "its JSON has a key twice")
    return parsed


def _constant(name: str) -> NoReturn:
    raise ModelFileError(f"its JSON holds {name}, which is not a number")
