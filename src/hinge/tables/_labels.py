"""Labels in files: which column they stand in, and whether they are whole numbers, numbers or texts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hinge.exceptions import DataError, quoted, sentence
from hinge.tables._columns import first_text, numbers, texts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hinge.tables._columns import Line

KINDS = ("truth", "whole", "number", "text")  # each may be read as any later one
USUAL = ("label", "class", "target", "y")
MOST_CLASSES = 1000
LONGEST_NAME = 256  # characters
_TRUTHS = {"true": True, "false": False, "1": True, "0": False}


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
            f"The label must be one of the columns {sentence(', '.join(names[:20]))}{', ...' * (len(names) > 20)}, "
            f"or the number of one, counted from 0; got {label!r}."
        ) from None


def kind_of(values: NDArray[Any]) -> str:
    """Return the first of `KINDS` that raw labels can be read as."""
    if values.dtype.kind == "b":
        return "truth"
    found = numbers(values)
    if found is None:
        return "text"
    known = found[~np.isnan(found)]
    return "whole" if bool(np.all(known == np.round(known)) and np.all(np.abs(known) < 2**53)) else "number"


def as_kind(values: NDArray[Any], kind: str, *, line: Line) -> NDArray[Any]:
    """Return raw labels as truth values, whole numbers, numbers or texts; refuse missing ones and other kinds.

    Examples
    --------
    >>> import numpy as np
    >>> as_kind(np.array(["1", "2.0"], dtype=object), "whole", line=lambda place: place + 1).tolist()
    [1, 2]
    """
    found = texts(values)
    if "" in found:
        raise DataError(
            f"Every row must have a label, but line {line(found.index(''))} has none; give it one or take the line out."
        )
    if kind == "text":
        _require_names(found, line)
        return np.array(found)
    if kind == "truth":
        return np.array([_read(_TRUTHS.get(text.lower()), kind, text, line(place)) for place, text in enumerate(found)])
    parsed = numbers(values)
    fitting = None if parsed is None else np.isfinite(parsed) & ((kind == "number") | (parsed == np.round(parsed)))
    if parsed is None or fitting is None or not fitting.all():
        place = first_text(values)[0] if fitting is None else int(np.argmin(fitting))
        raise _stranger(kind, found[place], line(place))
    return parsed if kind == "number" else parsed.astype(np.int64)


def _require_names(found: list[str], line: Line) -> None:
    """Refuse texts too long for a name: an array holds all of them at the width of the longest."""
    longest = max(found, key=len, default="")
    if len(longest) > LONGEST_NAME:
        raise DataError(
            f"Labels must be names of at most {LONGEST_NAME} characters, got one of {len(longest)} in line "
            f"{line(found.index(longest))}; shorten it, or name the column of the labels."
        )


def _read(value: bool | None, kind: str, text: str, line: int) -> bool:
    if value is None:
        raise _stranger(kind, text, line)
    return value


def _stranger(kind: str, text: str, line: int) -> DataError:
    known = {"truth": "true or false", "whole": "whole numbers", "number": "finite numbers"}[kind]
    return DataError(f"Labels must be {known}, as they were before, got {quoted(text)} in line {line}; correct it.")
