"""From dictionaries of features to rows of numbers.

A feature gets the next free column when it is first learned; in other rows it is 0. Numbers and booleans are values
of the column `name`. A text is 1 in the column `name=text`, as in scikit-learn's `DictVectorizer`. None and NaN count
as missing, which is the same as 0. Predictions ignore features that have no column.
"""

from __future__ import annotations

import math
from decimal import Decimal
from itertools import repeat
from numbers import Real
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from scipy.sparse import csr_matrix

from hinge.exceptions import DataError, quoted

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from numpy.typing import NDArray

    from hinge._model.types import Rows

    Features: TypeAlias = Mapping[Any, Any]  # keys of any hashable type
    Entries: TypeAlias = dict[Hashable, float]

_PLAIN = frozenset((float, int, bool, np.float64, np.float32, np.int64, np.int32, np.bool_))
_MAX_INT = 2**1000  # a float can hold smaller whole numbers
_MAX_ABSENT = 4  # times as many columns as features: looking each column up would take longer


class Columns:
    """The column of each feature.

    Attributes
    ----------
    names : list
        The feature of each column.
    width : int
        Number of columns of a row; those without a name are 0.
    sparse : bool
        Whether rows are sparse.

    Examples
    --------
    >>> columns = Columns()
    >>> entries = read_entries({"size": 2, "colour": "red", "age": None})
    >>> columns.add(columns.missing([entries]))
    >>> columns.width = len(columns.names)
    >>> columns.names, columns.rows([entries]).tolist()
    (['colour=red', 'size'], [[1.0, 2.0]])
    """

    def __init__(self) -> None:
        self.names: list[Hashable] = []
        self.width = 0
        self.sparse = False
        self._places: dict[Hashable, int] = {}
        self._texts: dict[tuple[Hashable, str], int] = {}  # columns of texts that came before; saves making their names
        self._empty: csr_matrix | None = None

    def knows_all(self, names: AbstractSet[Hashable]) -> bool:
        """Return True if all features have a column."""
        return names <= self._places.keys()

    def missing(self, rows: Iterable[Iterable[Hashable]]) -> list[Hashable]:
        """Return the features without a column, in an order that does not depend on that of the dictionaries."""
        return sorted({name for row in rows for name in row if name not in self._places}, key=repr)

    def add(self, names: Sequence[Hashable]) -> None:
        """Give features the next columns."""
        for name in names:
            self._places[name] = len(self.names)
            self.names.append(name)

    def drop_last(self, n: int) -> None:
        """Take back the last n columns."""
        self._texts.clear()
        for _ in range(n):
            del self._places[self.names.pop()]

    def quick_row(self, x: Features) -> Rows | None:
        """Return the row of a dictionary of plain numbers and texts that all have columns; None for all others.

        Most dictionaries of a stream are such, and their row takes a few microseconds.
        """
        if not x:
            return None
        few = not self.sparse and len(self.names) <= _MAX_ABSENT * len(x) and x.keys() <= self._places.keys()
        values = list(map(x.get, self.names, repeat(0.0))) if few else ()
        if few and _PLAIN.issuperset(map(type, values)):
            return self._quick_dense_row(slice(len(values)), values)
        placed = self._quick_places(x)
        if placed is None:
            return None
        if not self.sparse:
            return self._quick_dense_row(list(placed), list(placed.values()))
        return self._quick_sparse_row(placed)

    def _quick_places(self, x: Features) -> dict[int, float] | None:
        """Return the value of each column, if all are plain numbers or texts that have one."""
        placed: dict[int, float] = {}
        places, texts = self._places, self._texts
        try:
            for name, value in x.items():
                kind = type(value)
                if kind is str:
                    place = texts.get((name, value))
                    if place is None:
                        place = texts[name, value] = places[f"{name}={value}"]
                    placed[place] = 1.0
                elif kind in _PLAIN:
                    placed[places[name]] = value
                else:
                    return None
        except KeyError:
            return None
        return placed

    def _quick_dense_row(self, places: slice | list[int], values: Sequence[float]) -> NDArray[np.float64] | None:
        if not _all_finite(values):
            return None
        row = np.zeros((1, self.width))
        row[0, places] = values
        return row

    def _quick_sparse_row(self, placed: dict[int, float]) -> csr_matrix | None:
        if not _all_finite(placed.values()):
            return None
        indices = sorted([place for place, value in placed.items() if value])
        return self._filled(list(map(placed.__getitem__, indices)), indices, [0, len(indices)])

    def rows(self, entries: Sequence[Entries]) -> Rows:
        """Return the rows of some examples; features without a column are ignored."""
        return self._sparse_rows(entries) if self.sparse else self._dense_rows(entries)

    def place(self, names: Sequence[Hashable], values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return dense rows with the given values, whose columns have these names; NaN becomes 0."""
        rows, known = np.zeros((len(values), self.width)), [name in self._places for name in names]
        places = [self._places[name] for name in names if name in self._places]
        rows[:, places] = np.nan_to_num(values[:, known], nan=0.0)
        return rows

    def _dense_rows(self, entries: Sequence[Entries]) -> NDArray[np.float64]:
        rows = np.zeros((len(entries), self.width))
        for row, each in zip(rows, entries, strict=True):
            places, values = self._placed(each)
            row[places] = values
        return rows

    def _placed(self, entries: Entries) -> tuple[list[int], list[float]]:
        """Return the columns and the values of the entries that have a column."""
        places = self._places
        if entries.keys() <= places.keys():
            return [places[name] for name in entries], list(entries.values())
        known = {name: value for name, value in entries.items() if name in places}
        return [places[name] for name in known], list(known.values())

    def _sparse_rows(self, entries: Sequence[Entries]) -> csr_matrix:
        indices: list[int] = []
        data: list[float] = []
        ends = [0]
        for each in entries:
            places, values = self._placed(each)
            pairs = sorted(zip(places, values, strict=True))
            indices += [place for place, value in pairs if value]
            data += [value for _, value in pairs if value]
            ends.append(len(indices))
        return self._filled(data, indices, ends)

    def _filled(self, data: list[float], indices: list[int], ends: list[int]) -> csr_matrix:
        """Return sparse rows; SciPy's constructor, and `copy`, take several times as long."""
        shape = (len(ends) - 1, self.width)
        if self._empty is None or self._empty.shape != shape:
            self._empty = csr_matrix(shape)
            self._empty.has_canonical_format = True
        rows = object.__new__(csr_matrix)
        rows.__dict__.update(
            self._empty.__dict__,
            data=np.array(data, dtype=np.float64),
            indices=np.array(indices, dtype=np.int32),
            indptr=np.array(ends, dtype=np.int32),
        )
        return rows


def read_entries(x: Features) -> Entries:
    """Return the numbers in a dictionary by the names of their columns; missing ones are left out.

    Raises
    ------
    DataError
        If a value is neither a finite number, a boolean, a text nor missing.

    Examples
    --------
    >>> read_entries({"size": 2, "new": True, "colour": "red", "age": None, "price": float("nan")})
    {'size': 2.0, 'new': 1.0, 'colour=red': 1.0}
    """
    entries: Entries = {}
    for name, value in x.items():
        if type(value) is float and -math.inf < value < math.inf:  # the quickest way for the usual case
            entries[name] = value
        elif type(value) is int and -_MAX_INT < value < _MAX_INT:
            entries[name] = float(value)
        elif isinstance(value, str):
            entries[f"{name}={value}"] = 1.0
        elif value is not None:
            number = _as_number(name, value)
            if number == number:  # not NaN  # noqa: PLR0124
                entries[name] = number
    return entries


def require_finite(names: Sequence[Hashable], values: NDArray[np.float64]) -> None:
    """Raise DataError if a matrix with one column per name contains infinity."""
    infinite = np.isinf(values).any(axis=0)
    if infinite.any():
        raise _not_finite(names[int(infinite.argmax())], math.inf)


def _all_finite(values: Iterable[float]) -> bool:
    try:
        return math.isfinite(sum(values))  # False for large numbers, too
    except OverflowError:
        return False


def _as_number(name: Hashable, value: object) -> float:
    if type(value) not in _PLAIN and not isinstance(value, (Real, Decimal, np.generic)):
        raise _not_a_number(name, value)
    try:
        number = float(value)  # type: ignore[arg-type]
    except OverflowError:
        number = math.inf
    except (TypeError, ValueError):  # NumPy's dates, bytes and complex numbers
        raise _not_a_number(name, value) from None
    if math.isinf(number):
        raise _not_finite(name, value)
    return number


def _not_a_number(name: Hashable, value: object) -> DataError:
    return DataError(
        f"Feature {quoted(name)} must be a number, a boolean, a text or None, got {type(value).__name__}; "
        "convert it to numbers first."
    )


def _not_finite(name: Hashable, value: object) -> DataError:
    return DataError(f"Feature {quoted(name)} must be finite, got {quoted(value)}; leave it out, or pass None.")
