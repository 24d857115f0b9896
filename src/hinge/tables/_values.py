"""Raw values of a column: as text, as plain numbers, and which of them are missing."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hinge.exceptions import DataError, ParameterError, quoted
from hinge.io import is_number

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    LineOf = Callable[[int], int]  # the line in the file of the row at a position

Values = NDArray[Any]  # of a column: numbers, or objects if there is text
Entries = tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.float64]]  # rows, features and values that are not 0

MISSING = frozenset(
    {
        *(
            "",
            "?",
            "NA",
            "N/A",
            "n/a",
            "na",
            "NaN",
            "nan",
            "-nan",
            "null",
            "NULL",
            "None",
            "#N/A",
            "#NA",
            "<NA>",
            "NaT",
        ),
        *("k.A.", "k. A.", "n.a.", "n. a.", "N.A."),
        *("#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#NULL!", "#NV", "#WERT!", "#BEZUG!", "#ZAHL!"),
    }
)

HOW_TO_FILL = (
    "add it, fill it in (--missing fill, missing='fill' in Python: the mean, or an extra category), or leave such rows "
    "out of training (--missing drop)."
)


def how_to_name(words: Iterable[str]) -> str:
    """Return how to say that words stand for a missing value.

    Examples
    --------
    >>> how_to_name(["ERR", "OFF LINE"])
    "--missing-values 'ERR,OFF LINE', missing_values=['ERR', 'OFF LINE'] in Python"
    """
    words = list(words)
    in_python = f"missing_values={words} in Python"
    if not all(word.isprintable() and "," not in word for word in words):
        return in_python  # the command takes printable words between commas
    return f"--missing-values {shlex.quote(','.join(words))}, {in_python}"


def to_words(words: object) -> tuple[str, ...]:
    """Check the words that stand for a missing value, and return them as text.

    Examples
    --------
    >>> to_words(["ERR", -999])
    ('ERR', '-999')
    """
    found = [words] if isinstance(words, str) or not isinstance(words, Iterable) else list(words)
    if not all(isinstance(word, str | int | float | np.number) for word in found):
        raise ParameterError(f"missing_values must be words and numbers such as ['ERR', -999], got {words!r}.")
    return tuple(dict.fromkeys(str(word).strip() for word in found))


@dataclass
class Ignored:
    """Counts the values that were ignored because they did not occur in training.

    Attributes
    ----------
    counts : Counter of str
        Number of such values by column.
    first : dict from str to (str, int)
        The first of them in each column, and its line.
    """

    counts: Counter[str] = field(default_factory=Counter)
    first: dict[str, tuple[str, int]] = field(default_factory=dict)

    def add(self, name: str, number: int, text: str, line: int) -> None:
        """Count values of a column; text and line are those of the first one."""
        self.counts[name] += number
        self.first.setdefault(name, (text, line))

    def describe(self) -> str:
        """Return a sentence about them; empty if there are none."""
        parts = [
            f"{number:,} in column {quoted(name)} (first {quoted(text)} in line {line})"
            for name, number in self.counts.items()
            for text, line in [self.first[name]]
        ]
        return f"Values that did not occur in training were ignored: {', '.join(parts)}." if parts else ""


@dataclass(frozen=True)
class Cells:
    """The values of a column in consecutive rows, and how unusual ones are handled; see `Preparation`."""

    values: Values
    line: LineOf
    missing: str = "error"
    unknown: str = "error"
    ignored: Ignored | None = None

    def __len__(self) -> int:
        return len(self.values)

    def check_missing(self, name: str, is_missing: NDArray[np.bool_]) -> None:
        """Raise an error if values are missing that may not be filled in."""
        if self.missing != "fill" and is_missing.any():
            raise missing_value_error(name, self.line(int(np.argmax(is_missing))))

    def count_ignored(self, name: str, rows: NDArray[np.intp], found: list[str]) -> None:
        """Count the unknown values in these rows."""
        if self.ignored is not None and len(rows):
            first = int(rows[0])
            self.ignored.add(name, len(rows), found[first], self.line(first))


def without_words(values: Values, words: Collection[str]) -> Values:
    """Return values with None or NaN in place of words that stand for missing values, such as ERR and -999.

    Examples
    --------
    >>> import numpy as np
    >>> without_words(np.array(["1", "ERR", "-999.0"], dtype=object), ["ERR", "-999"]).tolist()
    ['1', None, None]
    >>> without_words(np.array([1, -999]), ["-999"]).tolist()
    [1.0, nan]
    """
    marks = {float(word) for word in words if is_number(word)}
    if values.dtype.kind in "iuf":
        rounded = np.array([*marks], dtype=values.dtype if values.dtype.kind == "f" else np.float64)
        is_missing = np.isin(values, rounded)
        return np.where(is_missing, np.nan, values) if is_missing.any() else values
    if not words or values.dtype.kind not in "OUS":
        return values
    found = texts(values)
    is_mark = [text in words or (bool(marks) and is_number(text) and float(text) in marks) for text in found]
    return np.where(is_mark, np.array(None), values.astype(object)) if any(is_mark) else values


def texts(values: Values) -> list[str]:
    """Return values as text, missing ones as the empty text.

    Examples
    --------
    >>> import numpy as np
    >>> texts(np.array(["blue", " red ", None, "NA"], dtype=object))
    ['blue', 'red', '', '']
    >>> texts(np.array([3.0, 0.1, np.nan]))
    ['3', '0.1', '']
    """
    if values.dtype.kind == "f":
        return ["" if value != value else repr(value).removesuffix(".0") for value in values.tolist()]  # noqa: PLR0124
    stripped = [value.strip() if isinstance(value, str) else _to_text(value) for value in values.tolist()]
    return ["" if text in MISSING else text for text in stripped]


def numbers(values: Values) -> NDArray[np.float64] | None:
    """Return values as numbers, missing ones as NaN; None if one of them is not a number.

    Examples
    --------
    >>> import numpy as np
    >>> numbers(np.array(["1", "?", "2.5"], dtype=object)).tolist()
    [1.0, nan, 2.5]
    >>> numbers(np.array(["1", "one"], dtype=object)) is None
    True
    """
    if values.dtype.kind in "OUS" and any("_" in value for value in values.tolist() if isinstance(value, str)):
        return None  # see is_number
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        pass
    try:
        return np.array([text or "nan" for text in texts(values)], dtype=np.float64)
    except ValueError:
        return None


def first_text(values: Values) -> tuple[int, str]:
    """Return position and text of the first value that is not a number; there must be one.

    Examples
    --------
    >>> import numpy as np
    >>> first_text(np.array(["1", "", "one"], dtype=object))
    (2, 'one')
    """
    return next((row, text) for row, text in enumerate(texts(values)) if text and not is_number(text))


def missing_value_error(name: str, line: int) -> DataError:
    """Return the error about a missing value."""
    return DataError(
        f"Values must not be missing, but column {quoted(name)} has no value in line {line}; {HOW_TO_FILL}"
    )


def and_more_rows(number: int) -> str:
    """Return what a message says after the first line that has a problem, if more rows have it.

    Examples
    --------
    >>> and_more_rows(0), and_more_rows(1), and_more_rows(2000)
    ('', ' (and 1 more row)', ' (and 2,000 more rows)')
    """
    return f" (and {number:,} more row{'s' if number > 1 else ''})" if number > 0 else ""


def _to_text(value: object) -> str:
    """Return any value as text; the missing values of data frames are recognised by how they are printed."""
    return "" if value is None else str(value)
