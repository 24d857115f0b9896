"""Dates and times of day as numbers.

A moment becomes the years since an origin and points on circles, so that December is next to January: sine and cosine
of the day of the year, of the weekday and, if there are times, of the time of day.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import numpy as np

from hinge.exceptions import DataError, quoted
from hinge.tables._columns import Column
from hinge.tables._statistics import Statistics
from hinge.tables._values import Cells, Entries, texts

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

DAYS_PER_YEAR = 365.2425
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DAY = timedelta(days=1)
_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "jan januar january janvier enero",
            "feb februar february fevrier février febrero",
            "mar mär mrz march märz mars marzo",
            "apr april avril abril",
            "may mai mayo",
            "jun juni june juin junio",
            "jul juli july juillet julio",
            "aug august août aout agosto",
            "sep sept september septembre septiembre",
            "oct okt october oktober octobre octubre",
            "nov november novembre noviembre",
            "dec dez december dezember décembre decembre diciembre",
        ),
        start=1,
    )
    for name in names.split()
}
_DATES = {  # in the order of preference, if several read all values
    "year-month-day": r"(?P<y>\d{4})(?P<s>[-/.])(?P<m>\d{1,2})(?P=s)(?P<d>\d{1,2})",
    "month-day-year": r"(?P<m>\d{1,2})/(?P<d>\d{1,2})/(?P<y>\d{4}|\d{2})",
    "day-month-year": r"(?P<d>\d{1,2})(?P<s>[-/.])(?P<m>\d{1,2})(?P=s)(?P<y>\d{4}|\d{2})",
    "day-name-year": r"(?P<d>\d{1,2})\.?[ -](?P<b>[^\W\d]{3,10})\.?,?[ -](?P<y>\d{4}|\d{2})",
    "name-day-year": r"(?P<b>[^\W\d]{3,10})\.? (?P<d>\d{1,2}),? (?P<y>\d{4})",
}
_TIME = (
    r"(?:(?:[ T]|, ?)(?P<H>\d{1,2}):(?P<M>\d{2})(?::(?P<S>\d{2})(?:[.,]\d{1,9})?)?(?: ?(?P<p>[AaPp])\.?[Mm]\.?)?"
    r"(?: ?(?:Z|UTC|(?P<z>[-+]\d{2}):?(?P<zm>\d{2})?))?)?"
)
_PATTERNS = {order: re.compile(date + _TIME) for order, date in _DATES.items()}
ORDERS = tuple(_DATES)
_CENTURY_TURN = 70  # two-digit years from here on are of the twentieth century

# Name, period in days, and days to add, since 1970 began on a Thursday.
_CIRCLES = (("day of year", DAYS_PER_YEAR, 0.0), ("weekday", 7.0, 3.0), ("time of day", 1.0, 0.0))


def parse_date(text: str, order: str) -> tuple[float, bool] | None:
    """Return the days since 1970 and whether there is a time of day; None if a text is no such date.

    Examples
    --------
    >>> parse_date("2.1.1970", "day-month-year"), parse_date("1970-01-01 06:00", "year-month-day")
    ((1.0, False), (0.25, True))
    >>> parse_date("31.2.2020", "day-month-year") is None
    True
    """
    found = _PATTERNS[order].fullmatch(text)
    if found is None:
        return None
    part = found.groupdict()
    month = _MONTHS.get(part["b"].casefold()) if part.get("b") else int(part["m"])
    hour, year = int(part["H"] or 0), int(part["y"])
    if part["p"]:
        hour = hour % 12 + (12 if part["p"] in "Pp" else 0)
    if len(part["y"]) == 2:
        year += 1900 if year >= _CENTURY_TURN else 2000
    try:
        moment = datetime(year, month or 0, int(part["d"]), hour, int(part["M"] or 0), int(part["S"] or 0), tzinfo=UTC)
    except ValueError:
        return None
    shift = 0.0
    if part["z"]:
        sign = -1 if part["z"].startswith("-") else 1
        shift = int(part["z"]) / 24 + sign * int(part["zm"] or 0) / 1440
    return (moment - _EPOCH) / _DAY - shift, part["H"] is not None


@dataclass(frozen=True)
class DateColumn(Column):
    """A column of dates.

    Attributes
    ----------
    order : str
        How dates are written, one of `ORDERS`.
    has_time : bool
        There are times of day.
    origin : float
        The days since 1970 of the moment from which years are counted.
    mean : float
        Replaces missing dates, if missing values are filled: mean of the years since the origin.
    """

    order: str
    has_time: bool = False
    origin: float = 0.0
    mean: float = 0.0

    @property
    def features(self) -> list[str]:
        """The names of the features."""
        circles = (f"{self.name}: {what} {part}" for what, *_ in self._circles() for part in ("sine", "cosine"))
        return [f"{self.name}: years", *circles]

    def entries(self, cells: Cells) -> Entries:
        """Return the years since the origin, and sines and cosines."""
        X = self.compute(self.parse(cells))
        rows, features = np.indices(X.shape)
        return rows.ravel(), features.ravel(), X.ravel()

    def parse(self, cells: Cells) -> NDArray[np.float64]:
        """Return the days since 1970, NaN for missing dates."""
        found = texts(cells.values)
        cells.check_missing(self.name, np.array([text == "" for text in found], dtype=bool))
        days = np.full(len(found), np.nan)
        for row, text in enumerate(found):
            if not text:
                continue
            moment = parse_date(text, self.order)
            if moment is None:
                raise DataError(
                    f"Column {quoted(self.name)} must hold dates ({self.order}), got {quoted(text)} in line "
                    f"{cells.line(row)}; correct it."
                )
            days[row] = moment[0]
        return days

    def compute(self, days: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the features of days since 1970; a missing one has the mean, and is in the middle of all circles."""
        columns = [np.where(np.isnan(days), self.mean, (days - self.origin) / DAYS_PER_YEAR)]
        for _, period, shift in self._circles():
            angle = 2 * np.pi * (days + shift) / period
            columns += [np.nan_to_num(np.sin(angle)), np.nan_to_num(np.cos(angle))]
        return np.column_stack(columns)

    def describe(self) -> str:
        """Return the name and how dates are written."""
        return f"{self.name} (dates, {self.order})"

    def _circles(self) -> tuple[tuple[str, float, float], ...]:
        return _CIRCLES if self.has_time else _CIRCLES[:2]


class DateSurvey:
    """Finds the orders in which all values of a column can be read as dates."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._columns: dict[str, DateColumn] = {}
        self._statistics = {order: Statistics() for order in ORDERS}
        self.n_dates = 0

    @property
    def is_possible(self) -> bool:
        """Every value so far can be read as a date."""
        return bool(self._statistics)

    @property
    def is_ambiguous(self) -> bool:
        """More than one order of day and month is possible."""
        return len(self._statistics) > 1

    def add(self, found: list[str]) -> None:
        """Add values, missing ones as empty texts."""
        present = [text for text in found if text]
        for order in list(self._statistics):
            moments = _parse_until_failure(present, order)
            if moments is None:
                del self._statistics[order]
            elif moments:
                self._add(order, moments)
        self.n_dates += len(present)

    def choose(self, order: str | None = None) -> tuple[DateColumn, Statistics]:
        """Return the column and the statistics of its features, in the given order if it is possible."""
        chosen = order if order in self._statistics else next(iter(self._statistics))
        column, statistics = self._columns[chosen], self._statistics[chosen]
        if not column.has_time:
            statistics = statistics.of_columns(slice(column.width))
        mean = float(statistics.mean[0])
        return DateColumn(column.name, column.order, column.has_time, column.origin, mean), statistics

    def _add(self, order: str, moments: list[tuple[float, bool]]) -> None:
        days = np.array([moment[0] for moment in moments])
        before = self._columns.get(order)
        has_time = any(moment[1] for moment in moments) or (before is not None and before.has_time)
        origin = float(np.floor(days[0])) if before is None else before.origin
        self._columns[order] = DateColumn(self.name, order, has_time, origin)
        self._statistics[order].add(DateColumn(self.name, order, True, origin).compute(days))


def _parse_until_failure(found: Iterable[str], order: str) -> list[tuple[float, bool]] | None:
    moments = []
    for text in found:
        moment = parse_date(text, order)
        if moment is None:
            return None
        moments.append(moment)
    return moments
