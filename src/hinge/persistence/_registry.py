"""The registry of estimators that can be saved; `_estimators` fills it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hinge.exceptions import quoted
from hinge.persistence._errors import ModelFileError, require
from hinge.persistence._file import Parts

if TYPE_CHECKING:
    from collections.abc import Callable

    from sklearn.base import BaseEstimator


@dataclass(frozen=True)
class Entry:
    """How models of one class are converted to the parts of a file and back.

    Attributes
    ----------
    estimator : type
        The class. Files contain its name but no module, so that a file cannot choose what is imported.
    to_parts : callable
        Converts a model to its parts. The field "estimator" of the header is added later.
    from_parts : callable
        Converts parts, without the field "estimator", to a model. It must not trust the parts, and raises
        `ModelFileError` with a message that continues "FILE is damaged: ...".
    """

    estimator: type[BaseEstimator]
    to_parts: Callable[[Any], Parts]
    from_parts: Callable[[Parts], Any]


_ENTRIES: dict[str, Entry] = {}


def register(entry: Entry) -> None:
    """Add a class of models."""
    _ENTRIES[entry.estimator.__name__] = entry


def to_parts(model: BaseEstimator) -> Parts:
    """Convert a model to its parts; entries of models that contain other models call it for these."""
    entry = _ENTRIES.get(type(model).__name__)
    if entry is None or entry.estimator is not type(model):
        advice = "; save its best_estimator_" if hasattr(model, "best_estimator_") else ""
        raise ModelFileError(f"Only models of hinge can be saved, not {type(model).__name__}{advice}.")
    arrays, header = entry.to_parts(model)
    return Parts(arrays, {"estimator": type(model).__name__} | header)


def from_parts(parts: Parts) -> BaseEstimator:
    """Convert parts to a model; entries of models that contain other models call it for these."""
    require(isinstance(parts.header, dict), "a model in it is not a JSON object")
    header = dict(parts.header)
    name = header.pop("estimator", None)
    entry = _ENTRIES.get(name) if isinstance(name, str) else None
    if entry is None:
        raise ModelFileError(f"it holds a {quoted(name)}, which this hinge does not know")
    return entry.from_parts(Parts(parts.arrays, header))
