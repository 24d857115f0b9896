"""Dates and times of day as numbers.

A moment becomes the years since an origin and points on circles, so that December is next to January: sine and cosine
of the day of the year, of the weekday and, if there are times, of the time of day.
"""

from __future__ import annotations

import re
from copy import deepcopy
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING
from unicodedata import combining, normalize

import numpy as np

from hinge.exceptions import DataError, quoted
from hinge.tables._columns import Column
from hinge.tables._statistics import Statistics
from hinge.tables._values import Cells, Entries, texts

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from hinge.tables._values import LineOf

DAYS_PER_YEAR = 365.2425
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DAY = timedelta(days=1)
_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "jan januar january janvier janv enero ene gennaio gen janeiro januari",
            "feb februar february fevrier fevr febrero febbraio fevereiro fev februari",
            "mar mrz mar march marz mars marzo marco maart mrt",
            "apr april avril avr abril abr aprile",
            "may mai mayo maggio mag maio mei maj",
            "jun juni june juin junio giugno giu junho",
            "jul juli july juillet juil julio luglio lug julho",
            "aug august aout agosto ago augustus augusti",
            "sep sept september septembre septiembre settembre set setembro",
            "oct okt october oktober octobre octubre ottobre ott outubro out",
            "nov november novembre noviembre novembro",
            "dec dez december dezember decembre diciembre dic dicembre dezembro",
        ),
        start=1,
    )
    for name in names.split()
}
_WEEKDAY = r"(?:[^\W\d]{2,10}\.?,? )?"  # its name is not looked at
_DATES = {  # in the order of preference, if several read all values
    "year-month-day": r"(?P<y>\d{4})(?P<s>[-/.])(?P<m>\d{1,2})(?P=s)(?P<d>\d{1,2})",
    "month-day-year": r"(?P<m>\d{1,2})/(?P<d>\d{1,2})/(?P<y>\d{4}|\d{2})",
    "day-month-year": r"(?P<d>\d{1,2})(?P<s>[-/.])(?P<m>\d{1,2})(?P=s)(?P<y>\d{4}|\d{2})",
    "day-name-year": _WEEKDAY
    + r"(?P<d>\d{1,2})(?:st|nd|rd|th|er|\.)?(?:[ /-]| de )(?P<b>[^\W\d]{3,10})\.?,?(?:[ /-]| de )(?P<y>\d{4}|\d{2})",
    "name-day-year": _WEEKDAY + r"(?P<b>[^\W\d]{3,10})\.? (?P<d>\d{1,2})(?:st|nd|rd|th)?,? (?P<y>\d{4})",
    "name-day-time-year": _WEEKDAY + r"(?P<b>[^\W\d]{3})  ?(?P<d>\d{1,2})(?=.* (?P<y>\d{4})$)",
    "yearmonthday": r"(?P<y>(?:19|20)\d{2})(?P<m>\d{2})(?P<d>\d{2})",
    "year-month": r"(?P<y>\d{4})-(?P<m>\d{2})",
    "name-year": r"(?P<b>[^\W\d]{3,10})(?:-(?P<yy>\d{2})|\.?[ -](?P<y>\d{4}))",
    "time": "",
}
_CLOCK = r"(?P<H>\d{1,2}):(?P<M>\d{2})(?::(?P<S>\d{2})(?:[.,]\d{1,9})?)?(?: ?(?P<p>[AaPp])\.?[Mm]\.?)?"
_TIME = rf"(?:(?:[ T:]|, ?){_CLOCK}(?: ?(?:Z|UTC|GMT|(?P<z>[-+]\d{{2}}):?(?P<zm>\d{{2}})?))?)?"
_PATTERNS = {order: re.compile(date + _TIME) for order, date in _DATES.items()}
_PATTERNS |= {order: re.compile(_DATES[order]) for order in ("year-month", "name-year")}
_PATTERNS["name-day-time-year"] = re.compile(_DATES["name-day-time-year"] + rf" {_CLOCK}(?: [A-Z]{{3,4}})? \d{{4}}")
_PATTERNS["time"] = re.compile(_CLOCK)
ORDERS = tuple(_DATES)
_TWO_NUMBERS = re.compile(r"(\d{1,2})([-/.])(\d{1,2})\2(?:\d{4}|\d\d)\b")  # day and month, in either order
_MONTHS_PER_YEAR = 12
_ISO = "year-month-day"  # leaves no choice, so that it may occur among dates written in any other order
_MIXABLE = ("month-day-year", "day-month-year", "day-name-year", "name-day-year", "name-day-time-year")
_MIN_YEARS = 0.9  # of dates that tell something about seasons
_MONTHLY = ("year-month", "name-year")
_CENTURY_TURN = 70  # two-digit years from here on are of the twentieth century

# Name, period in days, and days to add, since 1970 began on a Thursday.
_CIRCLES = (("day of year", DAYS_PER_YEAR, 0.0), ("weekday", 7.0, 3.0), ("time of day", 1.0, 0.0))


def parse_date(text: str, order: str) -> tuple[float, bool] | None:
    """Return the days since 1970 and whether there is a time of day; None if a text is no such date.

    Of a time without a date, the days are those since midnight.

    Examples
    --------
    >>> parse_date("2.1.1970", "day-month-year"), parse_date("1970-01-01 06:00", "year-month-day")
    ((1.0, False), (0.25, True))
    >>> parse_date("31.2.2020", "day-month-year") is None, parse_date("1970-01-02", "day-month-year")
    (True, (1.0, False))
    """
    found = _PATTERNS[order].fullmatch(text)
    if found is None:
        return parse_date(text, _ISO) if order in _MIXABLE else None
    part = found.groupdict()
    hour = int(part.get("H") or 0)
    if part.get("p"):
        hour = hour % 12 + (12 if part["p"] in "Pp" else 0)
    clock = (hour, int(part.get("M") or 0), int(part.get("S") or 0))
    try:
        moment = _EPOCH.replace(hour=clock[0], minute=clock[1], second=clock[2])
        if order != "time":
            month = _month(part["b"]) if part.get("b") else int(part["m"])
            moment = moment.replace(_year(part.get("y") or part["yy"]), month, int(part.get("d") or 1))
    except ValueError:
        return None
    shift = 0.0
    if part.get("z"):
        sign = -1 if part["z"].startswith("-") else 1
        shift = int(part["z"]) / 24 + sign * int(part["zm"] or 0) / 1440
    return (moment - _EPOCH) / _DAY - shift, part.get("H") is not None


def _year(digits: str) -> int:
    """Return a year; two digits are near the turn of the century."""
    year = int(digits)
    return year if len(digits) > 2 else year + (1900 if year >= _CENTURY_TURN else 2000)


def _month(name: str) -> int:
    """Return the number of a month, 0 if there is none of this name."""
    plain = "".join(sign for sign in normalize("NFD", name.casefold()) if not combining(sign))
    return _MONTHS.get(plain, 0)


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
    seasonal : bool
        The day of the year counts. Dates of less than a year say nothing about it: every later one would be new.
    """

    order: str
    has_time: bool = False
    origin: float = 0.0
    mean: float = 0.0
    seasonal: bool = True

    @property
    def features(self) -> list[str]:
        """The names of the features."""
        circles = (f"{self.name}: {what} {part}" for what, *_ in self._circles() for part in ("sine", "cosine"))
        return [f"{self.name}: {'hours' if self.order == 'time' else 'years'}", *circles]

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
        scale = 1 / 24 if self.order == "time" else DAYS_PER_YEAR
        columns = [np.where(np.isnan(days), self.mean, (days - self.origin) / scale)]
        for _, period, shift in self._circles():
            angle = 2 * np.pi * (days + shift) / period
            columns += [np.nan_to_num(np.sin(angle)), np.nan_to_num(np.cos(angle))]
        return np.column_stack(columns)

    def describe(self) -> str:
        """Return the name and how dates are written."""
        return f"{self.name} (dates, {self.order})"

    def _circles(self) -> tuple[tuple[str, float, float], ...]:
        season, weekday, time = _CIRCLES
        known = (self.seasonal, self.order not in _MONTHLY, self.has_time)
        if self.order == "time":
            known = (False, False, True)
        return tuple(circle for circle, is_known in zip((season, weekday, time), known, strict=True) if is_known)


class DateSurvey:
    """Finds the orders in which all values of a column can be read as dates."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._columns: dict[str, DateColumn] = {}
        self._statistics = {order: Statistics() for order in ORDERS}
        self.n_dates = 0
        self._is_one_order: dict[bool, tuple[str, int]] = {}  # the first text that has the day first, or not; its line
        self._may_be_mixed = True

    @property
    def mixture(self) -> str:
        """The first text with the day first and the first one with the month first, if there are both; else empty."""
        if not self._may_be_mixed or len(self._is_one_order) < 2:
            return ""
        (day, day_line), (month, month_line) = self._is_one_order[True], self._is_one_order[False]
        return (
            f"days before months ({quoted(day)} in line {day_line}) and months before days ({quoted(month)} in line "
            f"{month_line})"
        )

    def watch_order(self, found: list[str], line: LineOf) -> None:
        """Notice whether all values have day and month in some order, but not all in the same one."""
        for row, text in enumerate(found):
            if not self._may_be_mixed:
                return
            if not text:
                continue
            parts = _TWO_NUMBERS.match(text)
            first, second = (int(parts[1]), int(parts[3])) if parts else (0, 0)
            self._may_be_mixed = 0 < min(first, second) <= _MONTHS_PER_YEAR
            if max(first, second) > _MONTHS_PER_YEAR:
                self._is_one_order.setdefault(first > second, (text, line(row)))

    @property
    def is_possible(self) -> bool:
        """Every value so far can be read as a date."""
        return bool(self._statistics)

    @property
    def is_ambiguous(self) -> bool:
        """More than one order of day and month is possible."""
        return len(self._columns) > 1

    def add(self, found: list[str]) -> None:
        """Add values, missing ones as empty texts."""
        present = [text for text in found if text]
        self.n_dates += len(present)
        if _ISO in self._statistics:
            moments = _parse_until_failure(present, _ISO)
            if moments:
                self._add(_ISO, moments)
            if moments is not None:
                return  # the other orders read the same
            self._leave_iso()
        for order in list(self._statistics):
            moments = _parse_until_failure(present, order)
            if moments is None:
                del self._statistics[order]
                self._columns.pop(order, None)
            elif moments:
                self._add(order, moments)

    def choose(self, order: str | None = None) -> tuple[DateColumn, Statistics]:
        """Return the column and the statistics of its features, in the given order if it is possible."""
        chosen = order if order in self._columns else min(self._columns, key=ORDERS.index)
        column, statistics = self._columns[chosen], self._statistics[chosen]
        is_seasonal = bool(statistics.high[0] - statistics.low[0] >= _MIN_YEARS)
        column = replace(column, mean=float(statistics.mean[0]), seasonal=is_seasonal)
        all_features = replace(column, has_time=True, seasonal=True).features
        return column, statistics.of_columns([all_features.index(name) for name in column.features])

    def _leave_iso(self) -> None:
        """Take the dates so far, if there are any, for those of every other order."""
        statistics, column = self._statistics.pop(_ISO), self._columns.pop(_ISO, None)
        if column is not None:
            others = [order for order in self._statistics if order in _MIXABLE]
            self._statistics = {order: deepcopy(statistics) for order in others}
            self._columns = {order: replace(column, order=order) for order in others}

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
