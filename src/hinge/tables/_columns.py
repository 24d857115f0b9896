"""The kinds of columns, each a class that knows which features its values become."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from hinge.exceptions import DataError, listed, quoted
from hinge.tables._numbers import PLAIN, NumberFormat
from hinge.tables._values import Cells, Entries, missing_value_error, texts

if TYPE_CHECKING:
    from numpy.typing import NDArray

_MAX_LISTED = 8  # values in a message

# The words of booleans, true first; upper and lower case make no difference.
BOOLEAN_WORDS = (
    ("true", "false"),
    ("yes", "no"),
    ("y", "n"),
    ("t", "f"),
    ("on", "off"),
    ("ja", "nein"),
    ("wahr", "falsch"),
    ("oui", "non"),
    ("vrai", "faux"),
    ("si", "no"),
    ("sí", "no"),
    ("sì", "no"),
    ("sim", "não"),
    ("ja", "nej"),
    ("ja", "nee"),
)


@dataclass(frozen=True)
class Column(ABC):
    """A column of a table; the subclasses are the kinds of columns.

    Attributes
    ----------
    name : str
        Its name.
    """

    name: str

    needs_value: ClassVar[bool] = True  # a missing value is one that `missing` is about

    @property
    @abstractmethod
    def features(self) -> list[str]:
        """The names of the features that the column becomes."""

    @property
    def width(self) -> int:
        """The number of these features."""
        return len(self.features)

    @abstractmethod
    def entries(self, cells: Cells) -> Entries:
        """Return rows, features (counted from 0) and values of the entries that are not zero."""

    def describe(self) -> str:
        """Return the name, and in brackets what the column holds unless it holds plain numbers."""
        return self.name


@dataclass(frozen=True)
class NumberColumn(Column):
    """A column of numbers, one feature.

    Attributes
    ----------
    mean : float
        Replaces missing numbers, if missing values are filled.
    style : NumberFormat
        How the numbers are written.
    """

    mean: float = 0.0
    style: NumberFormat = PLAIN

    @property
    def features(self) -> list[str]:
        """The name of the feature."""
        return [self.name]

    @property
    def width(self) -> int:
        """One feature."""
        return 1

    def entries(self, cells: Cells) -> Entries:
        """Return the numbers."""
        return column_of(self.parse(cells))

    def parse(self, cells: Cells) -> NDArray[np.float64]:
        """Return the numbers, with missing ones filled in."""
        found = self.style.parse_all(cells.values)
        if found is None:
            row, text = self.style.first_other(cells.values)
            like = "" if self.style == PLAIN else f" like {self.style.describe()}"
            raise DataError(
                f"Column {quoted(self.name)} must hold numbers{like}, got {quoted(text)} in line {cells.line(row)}; "
                "correct it."
            )
        is_missing = np.isnan(found)
        cells.check_missing(self.name, is_missing)
        return np.where(is_missing, self.mean, found) if is_missing.any() else found

    def describe(self) -> str:
        """Return the name, and the format of its numbers unless it is the usual one."""
        return self.name if self.style == PLAIN else f"{self.name} (numbers like {self.style.describe()})"


@dataclass(frozen=True)
class CategoryColumn(Column):
    """A column of categories, with one feature of 0 and 1 for each.

    Attributes
    ----------
    categories : tuple of str
        The texts that may occur in it; the empty text stands for a missing value.
    """

    categories: tuple[str, ...]

    @property
    def features(self) -> list[str]:
        """The names of the features: column=category."""
        return [f"{self.name}={text}" for text in self.categories]

    @property
    def width(self) -> int:
        """One feature per category."""
        return len(self.categories)

    def entries(self, cells: Cells) -> Entries:
        """Return a 1 for the category of each row, and nothing for unknown ones that are ignored."""
        found = texts(cells.values)
        if "" in found and cells.missing != "fill" and "" not in self.categories:
            raise missing_value_error(self.name, cells.line(found.index("")))
        codes = self.encode(found, cells)
        rows = np.flatnonzero(codes >= 0)
        return rows, codes[rows], np.ones(len(rows))

    def encode(self, found: list[str], cells: Cells) -> NDArray[np.intp]:
        """Return the index of each category; -1 for unknown categories, if these are ignored."""
        index = {text: code for code, text in enumerate(self.categories)}
        codes = np.array([index.get(text, -1) for text in found], dtype=np.intp)
        unknown = np.flatnonzero(codes < 0)
        if len(unknown) and cells.unknown == "error":
            row = int(unknown[0])
            value = quoted(found[row]) if found[row] else "a missing value"
            raise DataError(
                f"Column {quoted(self.name)} must hold one of the {len(self.categories)} categories that were learned "
                f"({listed(self.categories, _MAX_LISTED)}), got {value} in line {cells.line(row)}; "
                "correct it, or choose unknown='ignore' (--unknown ignore) to treat it as none of them."
            )
        cells.count_ignored(self.name, unknown, found)
        return codes

    def describe(self) -> str:
        """Return the name and the number of categories."""
        return f"{self.name} ({len(self.categories)} categories)"


@dataclass(frozen=True)
class BooleanColumn(Column):
    """A column of yes and no, one feature that is 1 for yes and 0 for no.

    Attributes
    ----------
    true, false : str
        The words; upper and lower case make no difference.
    mean : float
        The share of yes; replaces missing and ignored values.
    """

    true: str
    false: str
    mean: float = 0.5

    @property
    def features(self) -> list[str]:
        """The name of the feature."""
        return [self.name]

    def entries(self, cells: Cells) -> Entries:
        """Return 1 for yes and 0 for no."""
        found = texts(cells.values)
        cells.check_missing(self.name, np.array([text == "" for text in found], dtype=bool))
        values = {self.true.casefold(): 1.0, self.false.casefold(): 0.0, "": self.mean}
        parsed = np.array([values.get(text.casefold(), np.nan) for text in found])
        unknown = np.flatnonzero(np.isnan(parsed))
        if len(unknown) and cells.unknown == "error":
            row = int(unknown[0])
            raise DataError(
                f"Column {quoted(self.name)} must hold {quoted(self.true)} or {quoted(self.false)}, got "
                f"{quoted(found[row])} in line {cells.line(row)}; correct it, or choose unknown='ignore' "
                "(--unknown ignore) to treat it as neither."
            )
        cells.count_ignored(self.name, unknown, found)
        parsed[unknown] = self.mean
        return column_of(parsed)

    def describe(self) -> str:
        """Return the name and the words."""
        return f"{self.name} ({self.true} or {self.false})"


@dataclass(frozen=True)
class IdColumn(Column):
    """A column from which nothing can be learned, since it names or numbers the rows or is empty: no features."""

    needs_value = False

    @property
    def features(self) -> list[str]:
        """No names."""
        return []

    def entries(self, cells: Cells) -> Entries:  # noqa: ARG002
        """Return nothing."""
        return np.empty(0, dtype=np.intp), np.empty(0, dtype=np.intp), np.empty(0)

    def describe(self) -> str:
        """Return the name, and that it is not used."""
        return f"{self.name} (not used)"


def column_of(values: NDArray[np.float64]) -> Entries:
    """Return the entries of a single feature."""
    return np.arange(len(values)), np.zeros(len(values), dtype=np.intp), values
