"""Records of results, and CSV files of them."""

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
    """A sequence of records. A record is a dict from column names to values, and may lack some columns.

    Parameters
    ----------
    records : iterable of dict
        The records.

    Examples
    --------
    >>> records = Records([{"n": 1, "run": 0, "error": 4.0}, {"n": 1, "run": 1, "error": 2.0}])
    >>> records.where(n=1).mean("error")
    3.0
    """

    def __init__(self, records: Iterable[Record] = ()) -> None:
        self._records = list(records)

    def __iter__(self) -> Iterator[Record]:
        return iter(self._records)

    def __len__(self) -> int:
        return len(self._records)

    def __add__(self, other: Records) -> Records:
        return Records([*self._records, *other._records])

    def where(self, **wanted: Scalar) -> Records:
        """Return the records that have these values."""
        return Records(
            record for record in self._records if all(record.get(name) == value for name, value in wanted.items())
        )

    def values(self, column: str) -> NDArray[np.float64]:
        """Return the numbers of a column, without the records that lack it."""
        return np.array([record[column] for record in self._records if column in record], dtype=np.float64)

    def unique(self, column: str) -> list[Any]:
        """Return the distinct values of a column, in order of appearance."""
        return list(dict.fromkeys(record[column] for record in self._records if column in record))

    def mean(self, column: str) -> float:
        """Return the mean of a column; nan if it is empty."""
        values = self.values(column)
        return float(values.mean()) if len(values) else math.nan

    def standard_error(self, column: str) -> float:
        """Return the standard error of the mean of a column; nan with fewer than two numbers."""
        values = self.values(column)
        return float(values.std(ddof=1) / math.sqrt(len(values))) if len(values) > 1 else math.nan

    def curve(self, x: str, y: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the sorted distinct values of column x, and the mean of column y at each of them."""
        values = sorted(self.unique(x))
        means = [self.where(**{x: value}).mean(y) for value in values]
        return np.array(values, dtype=np.float64), np.array(means)


def read_records(file: Path) -> Records:
    """Read a CSV file. Empty fields are missing; a file that does not exist has no records."""
    if not file.exists():
        return Records()
    try:
        with file.open(newline="", encoding="utf-8-sig") as stream:
            columns, *rows = csv.reader(stream)
        return Records({name: _parse(text) for name, text in zip(columns, row, strict=True) if text} for row in rows)
    except (ValueError, csv.Error):  # no header, a row of another length, bytes that are not text
        raise OSError(f"{file} is not a table of results; remove it to measure again.") from None


def write_records(file: Path, records: Records) -> None:
    """Write a CSV file, completely or not at all."""
    columns = dict.fromkeys(name for record in records for name in record)
    with replacing(file) as unfinished, unfinished.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, list(columns), restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows({name: _round(value) for name, value in record.items()} for record in records)


def normalize_value(value: Scalar) -> Scalar:
    """Return a value as it is after it was written and read."""
    return _parse(str(_round(value)))


def _parse(text: str) -> Scalar:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _round(value: Scalar) -> Scalar:
    """Round to seven digits, which keeps the files small."""
    return float(f"{value:.7g}") if isinstance(value, float) else value
