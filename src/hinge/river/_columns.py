"""From dictionaries of features to rows of numbers.

A feature gets the next free column when it is first learned; in other rows it is 0. Numbers and booleans are values
of the column `name`. A text is 1 in the column `name=text`, as in scikit-learn's `DictVectorizer`. None and NaN count
as missing, which is the same as 0. Predictions ignore features that have no column.
"""

from __future__ import annotations

import math
from decimal import Decimal
from numbers import Real
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from scipy.sparse import csr_matrix

from hinge.exceptions import DataError, quoted

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from hinge._model.types import Rows

    Features: TypeAlias = Mapping[Hashable, Any]
    Entries: TypeAlias = dict[Hashable, float]

_PLAIN = frozenset((float, int, bool, np.float64, np.float32, np.int64, np.int32, np.bool_))


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
        for _ in range(n):
            del self._places[self.names.pop()]

    def quick_row(self, x: Features, *, ignore_unknown: bool) -> NDArray[np.float64] | None:
        """Return the row of a dictionary that has a plain number for each column; None for all others.

        Most dictionaries of a stream are such, and their row takes a few microseconds.
        """
        values = list(map(x.get, self.names))
        if self.sparse or not _PLAIN.issuperset(map(type, values)):
            return None
        if len(x) != len(values) and not ignore_unknown:
            return None
        try:
            if not math.isfinite(sum(values)):  # NaN, infinity, or large numbers
                return None
        except OverflowError:
            return None
        row = np.zeros((1, self.width))
        row[0, : len(values)] = values
        return row

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
        rows, places = np.zeros((len(entries), self.width)), self._places
        for row, each in zip(rows, entries, strict=True):
            for name, value in each.items():
                if name in places:
                    row[places[name]] = value
        return rows

    def _sparse_rows(self, entries: Sequence[Entries]) -> csr_matrix:
        places, indices, data, ends = self._places, [], [], [0]
        for each in entries:
            known = sorted((places[name], value) for name, value in each.items() if value and name in places)
            indices += [place for place, _ in known]
            data += [value for _, value in known]
            ends.append(len(indices))
        parts = np.array(data, dtype=np.float64), np.array(indices, dtype=np.int32), np.array(ends, dtype=np.int32)
        rows = csr_matrix(parts, shape=(len(entries), self.width))
        rows.has_canonical_format = True  # as sorted above; SciPy would check it in each call
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
        if isinstance(value, str):
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
