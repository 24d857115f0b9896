"""Labels in files: which column they stand in, and whether they are whole numbers, numbers or texts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hinge._errors import DataError
from hinge.preparation._columns import first_text, numbers, texts

if TYPE_CHECKING:
    from numpy.typing import NDArray

KINDS = ("truth", "whole", "number", "text")  # each may be read as any later one
USUAL = ("label", "class", "target", "y")
MOST_CLASSES = 1000


def find_label(names: list[str], label: str | int | None) -> str:
    """Return the name of the label column: as told, else the one with a usual name, else the last.

    Examples
    --------
    >>> find_label(["age", "Class", "city"], None), find_label(["age", "city"], None), find_label(["a", "b"], 0)
    ('Class', 'city', 'a')
    """
    if label is None:
        usual = [name for name in names if name.lower() in USUAL]
        return usual[0] if usual else names[-1]
    if isinstance(label, str) and label in names:
        return label
    try:
        return names[int(label)]
    except (ValueError, IndexError):
        raise DataError(
            f"The label must be one of the columns {', '.join(names[:20])}{', ...' * (len(names) > 20)}, or the number "
            f"of one, counted from 0; got {label!r}."
        ) from None


def kind_of(values: NDArray[Any]) -> str:
    """Return the first of `KINDS` that raw labels can be read as."""
    if values.dtype.kind == "b":
        return "truth"
    found = numbers(values)
    if found is None:
        return "text"
    known = found[np.isfinite(found)]
    return "whole" if bool(np.all(known == np.round(known)) and np.all(np.abs(known) < 2**53)) else "number"


def as_kind(values: NDArray[Any], kind: str, *, first: int) -> NDArray[Any]:
    """Return raw labels as truth values, whole numbers, numbers or texts; refuse missing ones."""
    if kind == "truth" and values.dtype.kind == "b":
        return values
    if kind == "text":
        found: NDArray[Any] = np.array(texts(values), dtype=object)
        _require_all(found != "", first)
        return found.astype(str)
    parsed = numbers(values)
    if parsed is None:
        raise _stranger(values, kind, first)
    _require_all(~np.isnan(parsed), first)
    return parsed if kind == "number" else parsed.astype(np.int64)


def _require_all(present: NDArray[np.bool_], first: int) -> None:
    if not present.all():
        raise DataError(
            f"Every row must have a label, but line {first + int(np.argmin(present))} has none; "
            "give it one or take the line out."
        )


def _stranger(values: NDArray[Any], kind: str, first: int) -> DataError:
    known = "numbers" if kind == "number" else "whole numbers"
    place, text = first_text(values)
    return DataError(f"Labels must be {known}, as they were before, got {text!r} in line {first + place}.")
