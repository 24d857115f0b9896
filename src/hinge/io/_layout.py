"""Where the table of a CSV file begins, and what separates its fields.

Spreadsheets write `sep=;` above a table, statements of accounts a title and dates, and old programs lines of dashes.
The names of the columns are in the first line whose fields are all filled in, all different and none of them a number,
if the lines below have as many fields, and a number somewhere.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

DELIMITERS = ",;\t|"
MAX_TITLE_LINES = 30  # above the names of the columns

_QUOTED = re.compile(r'"[^"]*("|$)')
_SEPARATOR_LINE = re.compile(r'"?sep=(.)"?', re.IGNORECASE)
_RULER = re.compile(r"[\s|+:]*[-=_]{3}[-=_\s|+:]*")
_NUMBER_START = re.compile(r"[-+(]?\s*[$€£]?\s*\d")
_MIN_ROWS_BELOW = 2


@dataclass(frozen=True)
class Layout:
    """What separates fields, how many lines come before the table, and whether it is known to begin with names."""

    delimiter: str
    n_skipped: int = 0
    is_title: bool = False  # the lines skipped hold something that the user may miss
    named: bool = False

    def is_below(self, lines: Sequence[str], width: int) -> bool:
        """Tell whether all lines of the table have more columns than the first lines, which have `width`."""
        rows = [row for row in (fields_of(line, self.delimiter) for line in lines[self.n_skipped :]) if any(row)]
        return self.n_skipped > 1 and len({*map(len, rows)}) == 1 and len(rows[0]) > width


def is_ruler(fields: Sequence[str]) -> bool:
    """Tell whether a record is only a line drawn under or above others.

    Examples
    --------
    >>> is_ruler(["-----"]), is_ruler(["", "---", "---", ""]), is_ruler(["-", "-5"])
    (True, True, False)
    """
    return _RULER.fullmatch("|".join(fields)) is not None


def guess_delimiter(line: str) -> str:
    """Return the most frequent delimiter of a line outside quotation marks; a comma if there is none.

    Examples
    --------
    >>> guess_delimiter('"a,b";c')
    ';'
    """
    text = _QUOTED.sub("", line)
    return max(DELIMITERS, key=text.count)  # the first of several equally frequent ones


def separator_line(line: str) -> str | None:
    """Return the delimiter that a line such as sep=; names, None if it is no such line."""
    found = _SEPARATOR_LINE.fullmatch(line.strip("\r\n"))
    return None if found is None else found[1]


def looks_complete(first: Sequence[str], second: Sequence[str]) -> bool:
    """Tell whether two records can be the first ones of a table, without a title above them."""
    if not len(first) == len(second) > 1 or is_ruler(first):
        return False
    inner = first if first[0] else first[1:]  # the index of a data frame has no name
    inner = inner if inner and inner[-1] else inner[:-1]  # lines may end with a delimiter
    return (len(inner) > 1 and all(inner)) or any(map(_NUMBER_START.match, [*first]))


def find_table(lines: Sequence[str], delimiter: str | None = None) -> Layout | None:
    """Return where the names of the columns are, and the delimiter; None if no line has names.

    Examples
    --------
    >>> find_table(["Account 17", "", "day;amount", "1.2.2024;5,00", "2.2.2024;7,00"])
    Layout(delimiter=';', n_skipped=2, is_title=True, named=True)
    """
    found = [layout for sign in delimiter or DELIMITERS for layout in [_find(lines, sign)] if layout is not None]
    return max(found, key=lambda layout: layout[0], default=(0, None))[1]


def _find(lines: Sequence[str], delimiter: str) -> tuple[int, Layout] | None:
    """Return the number of columns and the layout of the first line that can hold names."""
    rows = [[] if is_ruler(row) else row for row in (fields_of(line, delimiter) for line in lines)]
    for place, names in enumerate(rows):
        below = [row for row in rows[place + 1 :] if any(row)]
        if len(names) < 2 or len(below) < _MIN_ROWS_BELOW or not _can_be_names(names, below):
            continue
        usual = Counter(map(len, below)).most_common(1)[0][0]
        full = [row for row in below if len(row) == len(names)]
        if usual == len(names) and any(_NUMBER_START.match(cell.strip()) for row in full for cell in row):
            return len(names), Layout(delimiter, place, any(map(any, rows[:place])), named=True)
    return None


def fields_of(line: str, delimiter: str) -> list[str]:
    """Return the fields of a line; none if it cannot be read, which the reader of the table will report."""
    try:
        return next(csv.reader([line], delimiter=delimiter, skipinitialspace=True), [])
    except csv.Error:
        return []


def _can_be_names(fields: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    """Tell whether fields are filled in, different and no numbers; the outer ones may be empty in all rows."""
    names = [field.strip() for field in fields]
    names = names[1:] if not names[0] and not any(row[0].strip() for row in below) else names
    names = names[:-1] if not names[-1] and not any(row[-1].strip() for row in below) else names
    return len(names) > 1 and all(names) and len(set(names)) == len(names) and not any(map(_NUMBER_START.match, names))
