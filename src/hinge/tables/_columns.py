"""Columns of a table: raw values as numbers or as text, and the features that a column becomes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hinge.exceptions import DataError, listed, quoted
from hinge.io import is_number

if TYPE_CHECKING:
    from collections.abc import Callable

    LineOf = Callable[[int], int]  # the line in the file of the row at a position

Values = NDArray[Any]  # of a column: numbers, or objects if there is text

MISSING = frozenset({"", "?", "NA", "N/A", "n/a", "na", "NaN", "nan", "null", "NULL", "None"})
_MAX_LISTED = 8  # values in a message


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes
    ----------
    name : str
        Its name.
    categories : tuple of str or None
        The texts that may occur in it. Each becomes one feature of 0 and 1; the empty text stands for a missing value.
        None: the column holds numbers.
    mean : float
        Replaces missing numbers, if missing values are filled.
    """

    name: str
    categories: tuple[str, ...] | None = None
    mean: float = 0.0

    @property
    def width(self) -> int:
        """The number of features that the column becomes."""
        return 1 if self.categories is None else len(self.categories)

    @property
    def features(self) -> list[str]:
        """The names of these features."""
        return [self.name] if self.categories is None else [f"{self.name}={text}" for text in self.categories]

    def encode(self, found: list[str], *, line: LineOf, unknown: str) -> NDArray[np.intp]:
        """Return the index of each category; -1 for unknown categories, if these are ignored."""
        categories = self.categories or ()
        index = {text: code for code, text in enumerate(categories)}
        codes = np.array([index.get(text, -1) for text in found], dtype=np.intp)
        unknown_rows = np.flatnonzero(codes < 0)
        if len(unknown_rows) and unknown == "error":
            row = int(unknown_rows[0])
            value = quoted(found[row]) if found[row] else "a missing value"
            raise DataError(
                f"Column {quoted(self.name)} must hold one of the {len(categories)} categories that were learned "
                f"({listed(categories, _MAX_LISTED)}), got {value} in line {line(row)}; "
                "correct it, or choose unknown='ignore' (--unknown ignore) to treat it as none of them."
            )
        return codes


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


def count_numbers(values: Values) -> int:
    """Count the values that are numbers; missing values are not."""
    found = numbers(values)
    if found is not None:
        return int(np.count_nonzero(~np.isnan(found)))
    return sum(map(is_number, texts(values)))


def first_text(values: Values) -> tuple[int, str]:
    """Return position and text of the first value that is not a number; there must be one.

    Examples
    --------
    >>> import numpy as np
    >>> first_text(np.array(["1", "", "one"], dtype=object))
    (2, 'one')
    """
    return next((row, text) for row, text in enumerate(texts(values)) if text and not is_number(text))


def _to_text(value: object) -> str:
    """Return any value as text; the missing values of data frames are recognised by how they are printed."""
    return "" if value is None or str(value) in ("<NA>", "NaT") else str(value)
