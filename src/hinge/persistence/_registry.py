"""The table of what can be saved: for each class of models, how one is taken apart and put together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hinge.exceptions import quoted
from hinge.persistence._errors import ModelFileError, require
from hinge.persistence._file import Parts


@dataclass(frozen=True)
class Entry:
    """How models of one class become parts of a file and come back.

    Attributes
    ----------
    estimator : type
        The class. Its name stands in the file; files name it and never a module, so that a file cannot choose what is
        imported.
    take_apart : callable
        From a model to its parts. The header is without the field "estimator", which is added for it.
    put_together : callable
        From parts, whose header is without "estimator", to a model. It must believe nothing: what is wrong is said by
        `ModelFileError` in words that continue "the file is damaged: ...".
    """

    estimator: type[Any]
    take_apart: Callable[[Any], Parts]
    put_together: Callable[[Parts], Any]


_ENTRIES: dict[str, Entry] = {}


def register(entry: Entry) -> None:
    """Add a class of models to the table."""
    _ENTRIES[entry.estimator.__name__] = entry


def take_apart(model: Any) -> Parts:
    """Return the parts of a model; entries whose models hold other models call it for those."""
    entry = _ENTRIES.get(type(model).__name__)
    if entry is None or entry.estimator is not type(model):
        raise ModelFileError(f"Only models of hinge can be saved, not {type(model).__name__}.")
    arrays, header = entry.take_apart(model)
    return Parts(arrays, {"estimator": type(model).__name__} | header)


def put_together(parts: Parts) -> Any:
    """Return the model of some parts; entries whose models hold other models call it for those."""
    require(isinstance(parts.header, dict), "a model in it is not an object with fields")
    header = dict(parts.header)
    name = header.pop("estimator", None)
    entry = _ENTRIES.get(name) if isinstance(name, str) else None
    if entry is None:
        raise ModelFileError(f"it holds a {quoted(name)}, which this hinge does not know")
    return entry.put_together(Parts(parts.arrays, header))
