"""Records: the lines of a table of results, with the few questions that experiments ask of them."""

from __future__ import annotations

import csv
import math
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from hinge.io.atomic import replacing

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from numpy.typing import NDArray

Scalar: TypeAlias = str | int | float
Record: TypeAlias = dict[str, Scalar]


class Records:
    """Lines of a table, in order; a column that a line does not have is missing.

    Parameters
    ----------
    lines : iterable of dict
        The lines.

    Examples
    --------
    >>> records = Records([{"n": 1, "run": 0, "error": 4.0}, {"n": 1, "run": 1, "error": 2.0}])
    >>> records.where(n=1).mean("error")
    3.0
    """

    def __init__(self, lines: Iterable[Record] = ()) -> None:
        self._lines = list(lines)

    def __iter__(self) -> Iterator[Record]:
        return iter(self._lines)

    def __len__(self) -> int:
        return len(self._lines)

    def __add__(self, other: Records) -> Records:
        return Records([*self._lines, *other._lines])

    def where(self, **wanted: Scalar) -> Records:
        """Return the lines that have these values."""
        return Records(line for line in self._lines if all(line.get(name) == value for name, value in wanted.items()))

    def values(self, column: str) -> NDArray[np.float64]:
        """Return the numbers of a column, from the lines that have it."""
        return np.array([line[column] for line in self._lines if column in line], dtype=np.float64)

    def unique(self, column: str) -> list[Any]:
        """Return the different values of a column, in order of appearance."""
        return list(dict.fromkeys(line[column] for line in self._lines if column in line))

    def mean(self, column: str) -> float:
        """Return the mean of a column; nan if there is nothing."""
        values = self.values(column)
        return float(values.mean()) if len(values) else math.nan

    def spread(self, column: str) -> float:
        """Return the standard error of the mean of a column; nan with fewer than two numbers."""
        values = self.values(column)
        return float(values.std(ddof=1) / math.sqrt(len(values))) if len(values) > 1 else math.nan

    def curve(self, across: str, up: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the different values of one column, sorted, and the means of another at each of them."""
        places = sorted(self.unique(across))
        means = [self.where(**{across: place}).mean(up) for place in places]
        return np.array(places, dtype=np.float64), np.array(means)


def read_records(file: Path) -> Records:
    """Read a CSV file; numbers become numbers, empty places are missing, a file that is not there has no lines."""
    if not file.exists():
        return Records()
    try:
        with file.open(newline="", encoding="utf-8-sig") as stream:
            columns, *lines = csv.reader(stream)
        return Records(
            {name: _parsed(text) for name, text in zip(columns, line, strict=True) if text} for line in lines
        )
    except (ValueError, csv.Error):  # no first line, a line of another length, bytes that are no text
        raise OSError(f"{file} is not a table of results; remove it to measure again.") from None


def write_records(file: Path, records: Records) -> None:
    """Write a CSV file, whole or not at all."""
    columns = dict.fromkeys(name for line in records for name in line)
    with replacing(file) as unfinished, unfinished.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, list(columns), restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows({name: _printed(value) for name, value in line.items()} for line in records)


def normal(value: Scalar) -> Scalar:
    """Return a value as it will be when it has been written and read."""
    return _parsed(str(_printed(value)))


def _parsed(text: str) -> Scalar:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _printed(value: Scalar) -> Scalar:
    """Return seven digits of a fraction: more say nothing, and the files stay small."""
    return float(f"{value:.7g}") if isinstance(value, float) else value
