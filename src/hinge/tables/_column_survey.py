"""What occurs in one column of a table, and which kind of column it therefore is."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from hinge.exceptions import quoted
from hinge.tables._columns import BOOLEAN_WORDS, BooleanColumn, CategoryColumn, Column, IdColumn, NumberColumn
from hinge.tables._dates import DateColumn, DateSurvey
from hinge.tables._numbers import NumberSurvey, is_written_number
from hinge.tables._statistics import Statistics
from hinge.tables._values import how_to_name, texts
from hinge.tables._words import TextColumn, WordSurvey

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from hinge.tables._values import LineOf, Values

KINDS: dict[str, type[Column]] = {
    "number": NumberColumn,
    "category": CategoryColumn,
    "boolean": BooleanColumn,
    "date": DateColumn,
    "text": TextColumn,
    "id": IdColumn,
}
MAX_CATEGORIES = 1000  # per column; more are names or sentences
_MIN_ROWS = 20  # fewer rows say little about what is typical
_MIN_UNIQUE = 0.95  # share of distinct values of an id
_MIN_REPEATED = 0.5  # share of distinct values above which sentences are not categories
_WORDS_OF_SENTENCE = 3.0
_MAX_COUNTED = 1000  # values looked at in a chunk
_MAX_WORDS = 3  # among numbers that may stand for missing values
_MIN_CODE_LENGTH = 3  # digits; 01 to 12 are months
_ID_NAME = re.compile(
    r"(?i:(.*[\W_])?(id|uuid|guid|index|idx|nr|no|number|key)\W*|.*nummer|unnamed: ?\d+|column 0)|.*[a-z](I[dD]|N[ror])"
)


@dataclass(frozen=True)
class Hints:
    """What decides where the values of a column leave a choice; see `Survey`.

    Attributes
    ----------
    decimal, thousands : str or None
        The separators of numbers.
    order : str or None
        The order of day and month, one of those of `DateColumn`.
    """

    decimal: str | None = None
    thousands: str | None = None
    order: str | None = None


class ColumnSurvey:
    """Collects what occurs in one column of a table.

    Parameters
    ----------
    name : str
        The name of the column.
    kind : type of Column, default=None
        What the user says it is.
    """

    def __init__(self, name: str, kind: type[Column] | None = None) -> None:
        self.name, self.kind = name, kind
        self.numbers, self.dates, self.words = NumberSurvey(), DateSurvey(name), WordSurvey()
        self.missing_line: int | None = None
        self.n_missing = 0
        self._distinct: dict[str, int] = {}  # with how often each occurs, in the first rows
        self._n_counted = 0  # rows until there were too many distinct values
        self._n_rows = self._n_numbers = self._n_texts = 0
        self._text: tuple[str, int] | None = None  # the first value that is not a number, and its line
        self._words: dict[str, None] = {}  # values that are not numbers, the first few
        self._infinite_line: int | None = None
        self._is_counting, self._last = True, np.nan  # whether values are those before plus one
        self._ids: set[float] = set()

    def add(self, values: Values, line: LineOf) -> None:
        """Add the values of more rows."""
        may_be_numbers = self.kind in (None, NumberColumn, IdColumn) and self.numbers.is_possible
        is_missing = self.numbers.add(values) if may_be_numbers else None
        if is_missing is None:
            self._add_texts(values, line)
        else:
            self._add_missing(is_missing, line)
            self._n_numbers += int(np.count_nonzero(~is_missing))
            if self._infinite_line is None and self.numbers.infinite_row is not None:
                self._infinite_line = line(self.numbers.infinite_row)
            self._watch_counting(values)
            if self.dates.is_possible and self.kind is None:
                self.dates.add(texts(values))  # 20241231
            if values.dtype == object:
                self._count(texts(values))
        self._n_rows += len(values)

    def problems(self) -> list[str]:
        """Return what keeps the column from being learned, in sentences; missing values are not among them."""
        found = []
        if self._infinite_line is not None and self.kind is not IdColumn:
            found.append(
                f"Column {quoted(self.name)} must hold finite numbers, got infinity in line {self._infinite_line}; "
                "correct it."
            )
        if self.kind is None and self._is_mixed():
            text, line = self._text or ("", 0)
            units = list(self.numbers.units)
            hint = f" (amounts in {' and '.join(units[:3])})" if len(units) > 1 else ""
            found.append(
                f"Column {quoted(self.name)} must hold either numbers or categories, got {quoted(text)} in line "
                f"{line} among {self._n_numbers:,} numbers{hint}; {self._how_to_mend(text)}correct it, drop the "
                "column, or declare it categorical."
            )
        if self.kind in (NumberColumn, DateColumn) and not self._is_possible(self.kind):
            found.append(self._other_format(self.kind))
        if self.kind is BooleanColumn and self._boolean() is None:
            found.append(f"Column {quoted(self.name)} must hold two words such as yes and no to be a boolean.")
        return found

    def _other_format(self, kind: type[Column]) -> str:
        """Return the problem that a column does not hold the numbers or dates that the user says."""
        if kind is DateColumn and self.dates.mixture:
            return f"Column {quoted(self.name)} mixes dates: {self.dates.mixture}; write all in one way."
        text, line = self._text or ("", 0)
        return (
            f"Column {quoted(self.name)} must hold {'numbers' if kind is NumberColumn else 'dates'} written in one "
            f"way, got {quoted(text)} in line {line}; {self._how_to_mend(text)}correct it, or do not say what it holds."
        )

    def _how_to_mend(self, first: str) -> str:
        """Return what to do about words among numbers: they may stand for missing values."""
        words = [first, *(word for word in self._words if word != first)]
        if len(words) > _MAX_WORDS or is_written_number(first):
            return ""
        return f"if a missing value is meant, name it ({how_to_name(words)}), else "

    def to_column(self, missing: str, hints: Hints) -> tuple[Column, Statistics]:
        """Return the column and the statistics of its features; there must be no problems."""
        kind = self.kind or self._guess_kind()
        if kind is NumberColumn:
            chosen = self.numbers.choose(hints.decimal, hints.thousands)
            style, statistics = chosen or (None, Statistics())
            if style is None or not self._n_numbers:
                return NumberColumn(self.name), Statistics.of_one_hot(self._n_rows, 1)
            return NumberColumn(self.name, float(statistics.mean[0]), style), statistics
        if kind is DateColumn:
            return self.dates.choose(hints.order)
        column: Column
        if kind is IdColumn:
            column = IdColumn(self.name)
        elif kind is TextColumn:
            found = self.words.to_column(self.name)
            column = found if found.words or self.kind is TextColumn else IdColumn(self.name)
        elif kind is BooleanColumn:
            column = self._boolean() or IdColumn(self.name)
        else:
            kept = {text for text in self._distinct if text or missing != "drop"}
            column = CategoryColumn(self.name, tuple(sorted(kept)))
        statistics = Statistics.of_one_hot(self._n_rows, column.width)
        if isinstance(column, TextColumn):
            statistics.n_stored = self.words.n_words
        return column, statistics

    @property
    def is_empty(self) -> bool:
        """No row has a value, though there are rows."""
        return self.kind is None and 0 < self._n_rows == self.n_missing

    @property
    def needs_value(self) -> bool:
        """A missing value must be filled in or dropped."""
        return (self.kind or self._guess_kind()).needs_value

    def notes(self, column: Column, hints: Hints) -> list[str]:
        """Return what the user should know about how the column was read; see `to_column`."""
        name = quoted(self.name)
        is_open = hints.decimal is hints.thousands is None and self.numbers.is_ambiguous
        if isinstance(column, NumberColumn) and is_open and column.style.thousands:
            return [f"Column {name} is read as numbers like {column.style.describe()}; --decimal says otherwise."]
        if isinstance(column, CategoryColumn) and self.kind is None and self._are_codes():
            return [f"Column {name} is read as codes, since its numbers begin with 0; --kind says otherwise."]
        if isinstance(column, DateColumn) and self.kind is None and not self._n_texts:
            return [f"Column {name} is read as dates, year, month and day; --kind says otherwise."]
        if isinstance(column, DateColumn) and self.dates.is_ambiguous and hints.order is None:
            return [f"Column {name} is read as {column.order}; --day-first says otherwise."]
        if not isinstance(column, DateColumn) and self.kind is None and self.dates.mixture:
            return [f"Column {name} is not read as dates, since it mixes {self.dates.mixture}; write all in one way."]
        return []

    def _guess_kind(self) -> type[Column]:
        if self.is_empty or (not self._n_texts and self._numbers_rows()):
            return IdColumn
        if not self._n_texts:
            return self._kind_of_numbers()
        if self._boolean() is not None:
            return BooleanColumn
        if self._is_possible(DateColumn):
            return DateColumn
        present = {text: count for text, count in self._distinct.items() if text}
        n_phrases = sum(count for text, count in present.items() if _is_phrase(text))
        n_counted = sum(present.values())
        is_long = self.words.words_per_row >= _WORDS_OF_SENTENCE and 2 * n_phrases >= n_counted  # a-b-c is a name
        share = len(present) / max(n_counted, 1)
        if n_counted >= _MIN_ROWS and share >= _MIN_UNIQUE and not is_long:
            return IdColumn
        is_varied = n_counted >= _MIN_ROWS and share > _MIN_REPEATED
        return TextColumn if len(self._distinct) > MAX_CATEGORIES or (is_long and is_varied) else CategoryColumn

    def _kind_of_numbers(self) -> type[Column]:
        if self._is_possible(DateColumn) and self._n_numbers >= _MIN_ROWS:
            return DateColumn
        return self._kind_of_codes() if self._are_codes() else NumberColumn

    def _kind_of_codes(self) -> type[Column]:
        is_unique = self._n_counted >= _MIN_ROWS and len(self._distinct) >= _MIN_UNIQUE * self._n_counted
        return IdColumn if is_unique else CategoryColumn

    def _is_mixed(self) -> bool:
        return not self.numbers.is_possible and self._n_numbers > self._n_texts and not self._is_possible(DateColumn)

    def _is_possible(self, kind: type[Column]) -> bool:
        if kind is NumberColumn:
            return self.numbers.is_possible
        return self.dates.is_possible and 0 < self.dates.n_dates == self._n_rows - self.n_missing

    def _numbers_rows(self) -> bool:
        """Tell whether numbers count the rows, or are all different under a name such as id."""
        if self._n_numbers < _MIN_ROWS or self.n_missing:
            return False
        is_named = _ID_NAME.fullmatch(self.name) is not None and len(self._ids) >= min(self._n_rows, MAX_CATEGORIES)
        return self._is_counting or is_named

    def _are_codes(self) -> bool:
        """Tell whether numbers are codes, such as postcodes."""
        return len(self._distinct) <= MAX_CATEGORIES and are_codes(self._distinct)

    def _boolean(self) -> BooleanColumn | None:
        folded: dict[str, int] = {}
        for text, count in self._distinct.items():
            folded[text.casefold()] = folded.get(text.casefold(), 0) + count
        n_missing = folded.pop("", 0)
        pair = next((pair for pair in BOOLEAN_WORDS if folded.keys() == set(pair)), None)
        if pair is None:
            return None
        spelled = {text.casefold(): text for text in reversed(self._distinct)}
        share = folded[pair[0]] / max(self._n_counted - n_missing, 1)
        return BooleanColumn(self.name, spelled[pair[0]], spelled[pair[1]], share)

    def _add_texts(self, values: Values, line: LineOf) -> None:
        found = texts(values)
        is_number = [is_written_number(text) for text in found] if self.kind is None else [False] * len(found)
        n_missing = found.count("")
        self._n_numbers += sum(is_number)
        self._n_texts += len(found) - sum(is_number) - n_missing
        self._add_missing(np.array([text == "" for text in found], dtype=bool), line)
        if self._text is None:
            others = (row for row, text in enumerate(found) if text and not is_number[row])
            any_row = (row for row, text in enumerate(found) if text)
            row = next(others, next(any_row, None))
            self._text = None if row is None else (found[row], line(row))
        if self.kind in (None, DateColumn):
            self.dates.watch_order(found, line)
            if self.dates.is_possible:
                self.dates.add(found)
        self.words.add(text for text in found if text)
        if len(self._words) <= _MAX_WORDS:
            words = (text for text, number in zip(found, is_number, strict=True) if text and not number)
            self._words.update(dict.fromkeys(islice(words, _MAX_COUNTED)))
        self._count(found)

    def _count(self, found: list[str]) -> None:
        if len(self._distinct) > MAX_CATEGORIES:
            return
        for text in found:
            self._distinct[text] = self._distinct.get(text, 0) + 1
        self._n_counted += len(found)

    def _add_missing(self, is_missing: NDArray[np.bool_], line: LineOf) -> None:
        if self.missing_line is None and is_missing.any():
            self.missing_line = line(int(np.argmax(is_missing)))
        self.n_missing += int(np.count_nonzero(is_missing))

    def _watch_counting(self, values: Values) -> None:
        """Notice whether numbers go up by one from row to row, starting with 0 or 1, and whether any repeats."""
        if len(self._ids) >= MAX_CATEGORIES and not self._is_counting:
            return
        try:
            found = np.asarray(values, dtype=np.float64)
        except (TypeError, ValueError):
            self._is_counting = False
            return
        if self._is_counting and len(found):
            starts = self._last + 1 == found[0] if self._last == self._last else found[0] in (0.0, 1.0)
            self._is_counting = bool(starts and np.all(np.diff(found) == 1))
            self._last = float(found[-1])
        if len(self._ids) < MAX_CATEGORIES and bool(np.all(found == np.round(found))):
            self._ids.update(found[: MAX_CATEGORIES - len(self._ids)].tolist())


def _is_phrase(text: str) -> bool:
    """Tell whether a text has several words, mostly of letters."""
    return " " in text and 2 * sum(map(str.isalpha, text)) >= len(text)


def are_codes(found: Iterable[str]) -> bool:
    """Tell whether texts are codes such as postcodes: digits of one length, and some begin with 0.

    Examples
    --------
    >>> are_codes(["01067", "80331", ""]), are_codes(["100", "200"]), are_codes(["0", "1"])
    (True, False, False)
    """
    present = [text for text in found if text]
    lengths = {len(text) if text.isdecimal() else 0 for text in present}
    is_long = len(lengths) == 1 and min(lengths) >= _MIN_CODE_LENGTH
    return is_long and any(text.startswith("0") for text in present)
