"""Columns of a table: raw values as numbers or as texts, and what a column means to a model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hinge.exceptions import DataError, listed, quoted
from hinge.io import is_number

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Line = Callable[[int], int]  # where a row stands in its file

MISSING = frozenset({"", "?", "NA", "N/A", "n/a", "na", "NaN", "nan", "null", "NULL", "None"})
MISSING_POLICIES = ("error", "drop", "fill")
UNKNOWN_POLICIES = ("error", "ignore")
_FEW = 8  # values named in a message


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes
    ----------
    name : str
        Its name.
    categories : tuple of str or None
        The texts that may stand in it, each of which becomes one feature of 0 and 1; the empty text stands for a
        missing value. None: the column holds numbers.
    mean : float
        What a missing number is taken to be, if that is wanted.
    """

    name: str
    categories: tuple[str, ...] | None = None
    mean: float = 0.0

    @property
    def width(self) -> int:
        """Features that it becomes."""
        return 1 if self.categories is None else len(self.categories)

    @property
    def features(self) -> list[str]:
        """Names of these features."""
        return [self.name] if self.categories is None else [f"{self.name}={text}" for text in self.categories]

    def codes(self, found: list[str], *, line: Line, unknown: str) -> NDArray[np.intp]:
        """Return the number of each category, -1 for those that are unknown, if these are to be ignored."""
        categories = self.categories or ()
        number = {text: code for code, text in enumerate(categories)}
        codes = np.array([number.get(text, -1) for text in found], dtype=np.intp)
        strangers = np.flatnonzero(codes < 0)
        if len(strangers) and unknown == "error":
            place = int(strangers[0])
            stranger = quoted(found[place]) if found[place] else "a missing value"
            raise DataError(
                f"Column {quoted(self.name)} must hold one of the {len(categories)} categories that were learned "
                f"({listed(categories, _FEW)}), got {stranger} in line {line(place)}; "
                "correct it, or choose unknown='ignore' (--unknown ignore) to treat it as none of them."
            )
        return codes


def texts(values: NDArray[Any]) -> list[str]:
    """Return values as texts, missing ones as the empty text.

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
    stripped = [value.strip() if isinstance(value, str) else _text(value) for value in values.tolist()]
    return ["" if text in MISSING else text for text in stripped]


def numbers(values: NDArray[Any]) -> NDArray[np.float64] | None:
    """Return values as numbers, missing ones as NaN; None if one of them is no number.

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


def count_numbers(values: NDArray[Any]) -> int:
    """Return how many of some values are numbers; missing ones are not."""
    found = numbers(values)
    if found is not None:
        return int(np.count_nonzero(~np.isnan(found)))
    return sum(map(is_number, texts(values)))


def first_text(values: NDArray[Any]) -> tuple[int, str]:
    """Return the first value that is no number, and its place; there must be one.

    Examples
    --------
    >>> import numpy as np
    >>> first_text(np.array(["1", "", "one"], dtype=object))
    (2, 'one')
    """
    return next((place, text) for place, text in enumerate(texts(values)) if text and not is_number(text))


def _text(value: Any) -> str:
    """Return a value that is not a text as one; what data frames use for missing values says so when printed."""
    return "" if value is None or str(value) in ("<NA>", "NaT") else str(value)
