"""Numbers as people write them: 1,234.5 and 1.234,5, 12 %, $5, (7), 7-.

Which format a column has is decided by all of its values: 1.234 alone may be one and a bit, or a thousand. A format is
possible as long as it can read every value; values read differently by two possible formats are counted for both.
"""

from __future__ import annotations

import re
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from hinge.tables._statistics import Statistics
from hinge.tables._values import numbers, texts

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from hinge.tables._values import Values

DECIMALS, THOUSANDS = (".", ","), ("", ",", ".", " ", "'")

_MAX_LENGTH = 64  # characters of a number

_SIGNS = "€$£¥₹₽₩₺₪฿%‰"
_CODES = (
    "EUR|USD|GBP|CHF|JPY|CNY|INR|Rs\\.?|RUB|SEK|NOK|DKK|PLN|CZK|HUF|BRL|CAD|AUD|NZD|ZAR|MXN|TRY|KRW|Fr\\.?|kr\\.?|zł|Kč"
)
_MEASURES = (
    "mm|cm|km|m²|m³|qm|mg|kg|lbs?|oz|ml|ha|ft|min|ms|Hz|kHz|MHz|GHz|kW|kWh|MW|MWh|kB|KB|MB|GB|TB|mph|km/h|°C|°F|hPa"
)
_LETTERS = "[mgtlhsKWVA]"  # after a blank only: 4G and 5G are names
_UNIT = rf"(?:US\$|C\$|A\$|R\$|[{_SIGNS}]|{_CODES})"
_WRITTEN = re.compile(
    rf"(?P<open>\()?(?P<sign>[-+]?)\s*(?P<before>{_UNIT})?\s*(?P<inner>[-+]?)"
    rf"(?P<digits>\d[\d., ']*|[.,]\d+)(?P<power>[eE][-+]?\d+)?\s*(?P<last>-)?\s*"
    rf"(?P<after>{_UNIT}|{_MEASURES}|(?<=\s){_LETTERS})?(?P<close>\))?"
)
_LOOKALIKES = str.maketrans({"\u00a0": " ", "\u202f": " ", "\u2009": " ", "\u2019": "'", "\u2212": "-", "\u2013": "-"})


@dataclass(frozen=True)
class NumberFormat:
    """How the numbers of a column are written.

    Attributes
    ----------
    decimal : {".", ","}
        The sign before the fraction.
    thousands : {"", ",", ".", " ", "'"}
        What separates groups of three digits; empty: nothing.
    unit : str
        A currency, "%" or a measure such as "kg" that stands at the number; empty: none.

    Examples
    --------
    >>> NumberFormat(",", ".", "€").parse("1.234,50 €"), NumberFormat().parse("1.234,50 €") is None
    (1234.5, True)
    """

    decimal: str = "."
    thousands: str = ""
    unit: str = ""

    def parse(self, text: str) -> float | None:
        """Return the number, or None if it is written in another format."""
        written = _split(text)
        if written is None or written.unit not in ("", self.unit):
            return None
        return written.value(self)

    def parse_all(self, values: Values) -> NDArray[np.float64] | None:
        """Return values as numbers, missing ones as NaN; None if one of them is not a number of this format."""
        found = numbers(values) if self.decimal == "." and self.thousands != "." else None
        if found is not None or values.dtype.kind != "O":
            return numbers(values) if found is None else found
        parsed = []
        for text in texts(values):
            value = self.parse(text) if text else np.nan
            if value is None:
                return None
            parsed.append(value)
        return np.array(parsed, dtype=np.float64)

    def first_other(self, values: Values) -> tuple[int, str]:
        """Return position and text of the first value that is not a number of this format; there must be one."""
        return next((row, text) for row, text in enumerate(texts(values)) if text and self.parse(text) is None)

    def role(self, sign: str) -> str:
        """Return what a sign means: "decimal", "thousands" or nothing."""
        return "decimal" if sign == self.decimal else "thousands" if sign == self.thousands else ""

    def describe(self) -> str:
        """Describe the format by the way it writes a number."""
        return f"1{self.thousands}234{self.decimal}5 {self.unit}".rstrip()


PLAIN = NumberFormat()
FORMATS = (PLAIN, *(NumberFormat(d, t) for d in DECIMALS for t in THOUSANDS if t != d and (d, t) != (".", "")))


@dataclass(frozen=True)
class _Written:
    """A number in its parts."""

    sign: float
    digits: str
    power: str
    unit: str

    def value(self, style: NumberFormat) -> float | None:
        if not _shape(style.decimal, style.thousands).fullmatch(self.digits):
            return None
        digits = self.digits.replace(style.thousands, "") if style.thousands else self.digits
        return self.sign * float(digits.replace(style.decimal, ".") + self.power)


@cache
def _shape(decimal: str, thousands: str) -> re.Pattern[str]:
    """Return the pattern of digits in a format."""
    d, t = re.escape(decimal), re.escape(thousands)
    grouped = rf"[1-9]\d{{,2}}(?:{t}\d{{3}})+|" if thousands else ""  # 0,123 is no thousand
    grouped += rf"[1-9]\d?(?:{t}\d\d)+{t}\d{{3}}|" if thousands == "," else ""  # 12,34,567 in India
    return re.compile(rf"(?:{grouped}\d+)(?:{d}\d*)?|{d}\d+")


def _split(text: str) -> _Written | None:
    found = _WRITTEN.fullmatch(text.translate(_LOOKALIKES)) if len(text) <= _MAX_LENGTH else None
    if found is None or bool(found["open"]) != bool(found["close"]) or _has_two_signs(found):
        return None
    if found["before"] and found["after"]:
        return None
    is_negative = "-" in (found["sign"], found["inner"], found["last"]) or bool(found["open"])
    unit = (found["before"] or found["after"] or "").rstrip(".")
    return _Written(-1.0 if is_negative else 1.0, found["digits"].rstrip(" '"), found["power"] or "", unit)


def _has_two_signs(found: re.Match[str]) -> bool:
    """Tell whether a number has several signs; SAP writes that of 5- last."""
    return len([sign for sign in ("sign", "inner", "last") if found[sign]]) > 1


def is_written_number(text: str) -> bool:
    """Tell whether a text is a number in some format.

    Examples
    --------
    >>> is_written_number("1.234,5 €"), is_written_number("(12)"), is_written_number("1.2.3"), is_written_number("A4")
    (True, True, False, False)
    """
    written = _split(text)
    return written is not None and any(written.value(style) is not None for style in FORMATS)


class NumberSurvey:
    """Finds the formats that can read all values of a column, and the statistics of the values as each reads them."""

    def __init__(self) -> None:
        self._groups: list[tuple[Statistics, tuple[NumberFormat, ...]]] = [(Statistics(), FORMATS)]
        self.units: dict[str, None] = {}  # in the order of their first occurrence
        self.n_numbers = 0
        self.infinite_row: int | None = None  # of the last chunk

    @property
    def is_possible(self) -> bool:
        """Every value so far can be read as a number."""
        return bool(self._groups)

    def add(self, values: Values) -> NDArray[np.bool_] | None:
        """Add values; return which of them are missing, or None if they cannot all be numbers of one format."""
        kept: list[tuple[Statistics, tuple[NumberFormat, ...]]] = []
        is_missing = None
        plain = numbers(values)
        signs = _separators(values)
        self._add_units(values, plain)
        for before, formats in self._groups:
            parts = _by_roles(formats, signs)
            for alike in parts:
                style = alike[0] if len(self.units) != 1 else replace(alike[0], unit=next(iter(self.units)))
                found = plain if plain is not None and style.role(".") == "decimal" else style.parse_all(values)
                if found is None:
                    continue
                is_missing = np.isnan(found)
                kept.append((deepcopy(before) if len(parts) > 1 else before, alike))
                self._add_numbers(kept[-1][0], found, is_missing)
        self._groups = _without_copies(kept)
        if is_missing is not None:
            self.n_numbers += int(np.count_nonzero(~is_missing))
        return is_missing

    def choose(
        self, decimal: str | None = None, thousands: str | None = None
    ) -> tuple[NumberFormat, Statistics] | None:
        """Return a possible format and its statistics, with the given separators if there is a choice."""
        choices = [(style, statistics) for statistics, formats in self._groups for style in formats]
        fitting = [choice for choice in choices if thousands in (None, choice[0].thousands)] or choices
        fitting = [choice for choice in fitting if decimal in (None, choice[0].decimal)] or fitting
        if not fitting:
            return None
        style, statistics = min(fitting, key=lambda choice: FORMATS.index(choice[0]))
        return replace(style, unit=next(iter(self.units), "")), statistics

    @property
    def decimal(self) -> str | None:
        """The decimal sign, if the values leave no choice and use one."""
        signs = {style.decimal for _, formats in self._groups for style in formats}
        return next(iter(signs)) if len(signs) == 1 else None

    @property
    def is_ambiguous(self) -> bool:
        """Possible formats read some values as different numbers."""
        return len(self._groups) > 1

    def _add_units(self, values: Values, plain: NDArray[np.float64] | None) -> None:
        if plain is None:
            written = (_split(text) for text in texts(values))
            self.units |= dict.fromkeys(part.unit for part in written if part is not None and part.unit)

    def _add_numbers(self, statistics: Statistics, found: NDArray[np.float64], is_missing: NDArray[np.bool_]) -> None:
        is_infinite = np.isinf(found)
        self.infinite_row = int(np.argmax(is_infinite)) if is_infinite.any() else None
        statistics.add(found[~(is_missing | is_infinite), None])


def _separators(values: Values) -> str:
    """Return the separators that occur in values, with what looks like them."""
    if values.dtype.kind not in "OUS":
        return ""
    joined = "\n".join(value.strip() for value in values.tolist() if isinstance(value, str))
    joined = joined if joined.isascii() else joined.translate(_LOOKALIKES)
    return "".join(sign for sign in ".,' " if sign in joined)


def _by_roles(formats: Iterable[NumberFormat], signs: str) -> list[tuple[NumberFormat, ...]]:
    """Return formats in groups that read the same numbers if no separators but these occur."""
    groups: dict[tuple[str, ...], list[NumberFormat]] = {}
    for style in formats:
        groups.setdefault(tuple(style.role(sign) for sign in signs), []).append(style)
    return [tuple(group) for group in groups.values()]


def _without_copies(
    groups: list[tuple[Statistics, tuple[NumberFormat, ...]]],
) -> list[tuple[Statistics, tuple[NumberFormat, ...]]]:
    """Join formats that have read the same numbers so far, so that their statistics are kept once."""
    joined: dict[tuple[float, ...], tuple[Statistics, tuple[NumberFormat, ...]]] = {}
    for statistics, formats in groups:
        key = (*statistics.mean, *statistics.low, *statistics.high, *statistics.deviation)
        before = joined[key][1] if key in joined else ()
        joined[key] = (statistics, (*before, *formats))
    return list(joined.values())
