"""Labels in files: which column holds them, and whether they are booleans, integers, numbers or text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hinge.exceptions import DataError, quoted, sentence
from hinge.tables._numbers import PLAIN, NumberFormat
from hinge.tables._values import numbers, texts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hinge.tables._values import LineOf, Values

Labels = NDArray[Any]  # booleans, integers, numbers or text

KINDS = ("truth", "whole", "number", "text")  # booleans, integers, ...; each can be read as any later one
COMMON_NAMES = ("label", "class", "target", "y")
MAX_CLASSES = 1000
MAX_NAME_LENGTH = 256  # characters
_BOOLEANS = {"true": True, "false": False, "1": True, "0": False}


def find_label(names: list[str], label: str | int | None) -> str:
    """Return the name of the label column: the given one, else one with a common name, else the last one.

    Examples
    --------
    >>> find_label(["age", "Class", "city"], None), find_label(["age", "city"], None), find_label(["a", "b"], 0)
    ('Class', 'city', 'a')
    """
    if label is None:
        common = [name for name in names if name.lower() in COMMON_NAMES]
        return common[0] if common else names[-1]
    if isinstance(label, str) and label in names:
        return label
    try:
        return names[int(label)]
    except (ValueError, IndexError):
        raise DataError(
            f"The label must be one of the columns {sentence(', '.join(names[:20]))}{', ...' * (len(names) > 20)}, "
            f"or the number of one, counted from 0; got {label!r}."
        ) from None


def fold(label: str) -> str:
    """Return what is the same for labels that differ only in upper and lower case, blanks, hyphens or underscores.

    Examples
    --------
    >>> fold("Not  Sent") == fold("not_sent")
    True
    """
    return " ".join(label.casefold().replace("_", " ").replace("-", " ").split()) or label


def alike(counts: Mapping[str, int]) -> list[list[str]]:
    """Return the groups of labels that differ only in their writing, each with its most frequent one first."""
    groups: dict[str, list[str]] = {}
    for label in sorted(counts, key=lambda label: (-counts[label], label)):
        groups.setdefault(fold(label), []).append(label)
    return [group for group in groups.values() if len(group) > 1]


def merge(labels: Labels, merged: Sequence[str]) -> Labels:
    """Replace labels that differ only in their writing from one of `merged` by that one.

    Examples
    --------
    >>> import numpy as np
    >>> merge(np.array(["Yes", "YES ", "no"]), ["yes"]).tolist()
    ['yes', 'yes', 'no']
    """
    written = {fold(label): label for label in merged}
    return np.array([written.get(fold(label), label) for label in labels.tolist()])


def detect_kind(values: Values) -> str:
    """Return the first of `KINDS` that raw labels can be read as."""
    if values.dtype.kind == "b":
        return "truth"
    found = numbers(values)
    if found is None:
        return "text"
    known = found[~np.isnan(found)]
    return "whole" if bool(np.all(known == np.round(known)) and np.all(np.abs(known) < 2**53)) else "number"


def parse_labels(values: Values, kind: str, *, line: LineOf, style: NumberFormat = PLAIN) -> Labels:
    """Convert raw labels to booleans, integers, numbers or text.

    Parameters
    ----------
    values : ndarray
        The labels as they are in the file.
    kind : {"truth", "whole", "number", "text"}
        What they must be.
    line : callable
        Returns the line of a position, for messages.
    style : NumberFormat, default=PLAIN
        How numbers are written.

    Returns
    -------
    ndarray
        The labels.

    Raises
    ------
    DataError
        If a label is missing or of another kind.

    Examples
    --------
    >>> import numpy as np
    >>> parse_labels(np.array(["1", "2.0"], dtype=object), "whole", line=lambda row: row + 1).tolist()
    [1, 2]
    """
    found = texts(values)
    if "" in found:
        raise DataError(
            f"Every row must have a label, but line {line(found.index(''))} has none; add it or remove the line."
        )
    if kind == "text":
        _check_lengths(found, line)
        return np.array(found)
    if kind == "truth":
        return np.array([_parse_boolean(text, line(row)) for row, text in enumerate(found)])
    parsed = style.parse_all(values)
    valid = None if parsed is None else np.isfinite(parsed) & ((kind == "number") | (parsed == np.round(parsed)))
    if parsed is None or valid is None or not valid.all():
        row = style.first_other(values)[0] if valid is None else int(np.argmin(valid))
        raise _wrong_kind(kind, found[row], line(row))
    return parsed if kind == "number" else parsed.astype(np.int64)


def _check_lengths(found: list[str], line: LineOf) -> None:
    """Raise an error for very long labels: an array stores all labels at the width of the longest."""
    longest = max(found, key=len, default="")
    if len(longest) > MAX_NAME_LENGTH:
        raise DataError(
            f"Labels must have at most {MAX_NAME_LENGTH} characters, got one of {len(longest)} in line "
            f"{line(found.index(longest))}; shorten it, or choose another label column."
        )


def _parse_boolean(text: str, line: int) -> bool:
    value = _BOOLEANS.get(text.lower())
    if value is None:
        raise _wrong_kind("truth", text, line)
    return value


def _wrong_kind(kind: str, text: str, line: int) -> DataError:
    expected = {"truth": "true or false", "whole": "integers", "number": "finite numbers"}[kind]
    return DataError(f"Labels must be {expected}, as before, got {quoted(text)} in line {line}; correct it.")
