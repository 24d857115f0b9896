"""One look at all rows of a file, to settle how they become numbers."""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import issparse

from hinge.exceptions import DataError, ParameterError, listed, quoted
from hinge.io import Rows, Table
from hinge.tables._columns import Column, count_numbers, first_text, numbers, texts
from hinge.tables._labels import KINDS, MOST_CLASSES, as_kind, find_label, kind_of
from hinge.tables._preparation import Preparation, missing_value
from hinge.tables._scaling import Scaling, choose_scaling
from hinge.tables._statistics import Statistics

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from numpy.typing import NDArray

    from hinge.io import Chunk
    from hinge.tables._columns import Line

MOST_CATEGORIES = 1000  # texts of one column; more are names or sentences rather than categories
_DENSE_WIDTH, _DENSE_SHARE = 4096, 0.1  # rows with at most so many features, so many of them not zero, are kept dense
# Of a model. The native code has lists with an entry for each feature, so that a number alone would take memory.
MOST_FEATURES = 1 << 26
_MANY_ROWS = 1000  # enough to tell whether rows are sorted
_WIDEST = 1 << 20  # beyond, statistics of each column would take more memory than the rows


class _ColumnSurvey:
    """What stands in one column of a table."""

    def __init__(self, name: str, *, categorical: bool) -> None:
        self.name = name
        self.categorical = categorical
        self.statistics = Statistics()
        self.distinct: set[str] = set()
        self.n_numbers = self.n_texts = 0
        self.missing_line: int | None = None
        self.text_line: tuple[str, int] | None = None  # the first that is not a number

    def add(self, values: NDArray[Any], line: Line) -> None:
        found = None if self.categorical else numbers(values)
        if found is None:
            self._add_texts(values, line)
            return
        absent = np.isnan(found)
        self._miss(absent, line)
        if np.isinf(found).any():
            place = line(int(np.argmax(np.isinf(found))))
            raise DataError(
                f"Column {quoted(self.name)} must hold finite numbers, got infinity in line {place}; correct it."
            )
        self.n_numbers += int(np.count_nonzero(~absent))
        self.statistics.add(found[~absent, None])
        if len(self.distinct) <= MOST_CATEGORIES and values.dtype == object:
            self.distinct.update(texts(values))

    def _add_texts(self, values: NDArray[Any], line: Line) -> None:
        found = texts(values)
        n_numbers = 0 if self.categorical else count_numbers(values)
        self.n_numbers += n_numbers
        self.n_texts += len(found) - n_numbers - found.count("")
        self._miss(np.array([text == "" for text in found], dtype=bool), line)
        if self.text_line is None and not self.categorical:
            place, text = first_text(values)
            self.text_line = (text, line(place))
        if len(self.distinct) <= MOST_CATEGORIES:
            self.distinct.update(found)

    def _miss(self, absent: NDArray[np.bool_], line: Line) -> None:
        if self.missing_line is None and absent.any():
            self.missing_line = line(int(np.argmax(absent)))

    def settled(self, missing: str) -> Column:
        """Return the column, or refuse it."""
        if self.missing_line is not None and missing == "error":
            raise missing_value(self.name, self.missing_line)
        if not self.categorical and not self.n_texts:
            return Column(self.name, mean=float(self.statistics.mean[0]) if self.n_numbers else 0.0)
        if self.n_numbers > self.n_texts:
            text, line = self.text_line or ("", 0)
            raise DataError(
                f"Column {quoted(self.name)} must hold numbers only or categories only, got {quoted(text)} in line "
                f"{line} among {self.n_numbers:,} numbers; correct it, drop the column, or name it as categorical."
            )
        if len(self.distinct) > MOST_CATEGORIES:
            raise DataError(
                f"A column of categories must hold at most {MOST_CATEGORIES} different ones, {quoted(self.name)} has "
                "more; drop the column if it holds names or sentences."
            )
        present = self.distinct - {""} if missing == "drop" else self.distinct
        return Column(self.name, tuple(sorted(present)))


class Survey:
    """One look at all rows of a file.

    Parameters
    ----------
    label : str or int, default=None
        Name or number of the label column of a table; None takes one called label, class, target or y, else the last.
    drop, categorical : collection of str, default=()
        Columns of a table to leave out, and columns of numbers that are names of categories.
    missing : {"error", "drop", "fill"}, default="error"
        See `Preparation`.

    Attributes
    ----------
    n_rows : int
        Rows so far.
    """

    def __init__(
        self,
        *,
        label: str | int | None = None,
        drop: Collection[str] = (),
        categorical: Collection[str] = (),
        missing: str = "error",
    ) -> None:
        self.n_rows = 0
        self._wanted_label = label
        self._drop, self._categorical, self._missing = drop, categorical, missing
        self._names: tuple[str, ...] = ()
        self._label: str | None = None
        self._label_kind = KINDS[0]
        self._labels: set[str] = set()
        self._n_changes = 0
        self._columns: dict[str, _ColumnSurvey] | None = None
        self._matrix = Statistics()
        self._width = 0
        self._sparse = self._indexed = False
        self._counts_from_zero = False

    def look_at(self, chunks: Iterator[Chunk]) -> Iterator[Chunk]:
        """Take in rows, and pass them on; whatever goes wrong, their file is closed."""
        try:
            for chunk in chunks:
                self.add(chunk)
                yield chunk
        finally:
            if isinstance(chunks, Generator):
                chunks.close()

    def add(self, chunk: Chunk) -> None:
        """Take in the next rows."""
        self.n_rows += len(chunk)
        if isinstance(chunk, Table):
            self._add_table(chunk)
        else:
            self._add_rows(chunk)

    @property
    def classes(self) -> NDArray[Any]:
        """The labels that occur, sorted."""
        raw = np.array(list(self._labels), dtype=object)
        return np.unique(as_kind(raw, self._label_kind, line=lambda place: place))

    @property
    def sorted_by_class(self) -> bool:
        """The label hardly ever changes from one row to the next: rows in random order would mix."""
        return self.n_rows >= _MANY_ROWS and self._n_changes < self.n_rows / 100

    def preparation(
        self, *, scale: str = "auto", unknown: str = "error", dtype: str = "float64", dense: bool | None = None
    ) -> Preparation:
        """Return how rows like these become numbers.

        Parameters
        ----------
        scale : {"auto", "standard", "largest", "none"}
            See `choose_scaling`.
        unknown : {"error", "ignore"}
            See `Preparation`.
        dtype : {"float64", "float32"}
            Precision.
        dense : bool, default=None
            Make rows dense; None does so when few of their entries are zero.
        """
        columns = self._settled_columns()
        if columns is not None:
            statistics = Statistics.joined([self._of_column(column) for column in columns])
            n_features = statistics.n_columns
        else:
            empty = int(self._indexed and not self._counts_from_zero)  # the column of index 0
            statistics, n_features = self._matrix.from_column(empty), self._width - empty
        if n_features < 1:
            raise DataError("There must be at least one feature besides the label, got none.")
        if n_features > MOST_FEATURES:
            raise DataError(
                f"Features must be numbered up to {MOST_FEATURES:,}, got {self._width - 1:,}; number them anew."
            )
        if dense is None:
            mostly = n_features <= _DENSE_WIDTH and statistics.density >= _DENSE_SHARE
            dense = mostly or (columns is None and not self._sparse)
        return Preparation(
            n_features=n_features,
            columns=columns,
            names=self._names,
            label=self._label,
            label_kind=self._label_kind,
            first_index=0 if self._counts_from_zero else 1,
            dense=dense,
            dtype=dtype,
            scaling=self._scaling(statistics, scale, table=columns is not None, dense=dense),
            missing=self._missing,
            unknown=unknown,
        )

    def _add_rows(self, rows: Rows) -> None:
        X = rows.X
        values = X.data if issparse(X) else X
        if not np.isfinite(values).all():
            raise DataError(f"Every number must be finite, got NaN or infinity in or after line {rows.first}.")
        self._sparse |= issparse(X)
        self._width = max(self._width, X.shape[1])
        if self._width <= _WIDEST:
            self._matrix.add(X)
        self._indexed |= rows.indexed
        if rows.indexed and not self._counts_from_zero:
            self._counts_from_zero = bool((X.indices == 0).any())
        if rows.y is not None:
            self._add_labels(rows.y, rows.line)

    def _add_table(self, table: Table) -> None:
        if self._columns is None:
            self._columns = self._open_columns(list(table.columns))
        for name, column in self._columns.items():
            column.add(table.columns[name], table.line)
        self._add_labels(table.columns[self._label or ""], table.line)

    def _open_columns(self, names: list[str]) -> dict[str, _ColumnSurvey]:
        unknown = [name for name in (*self._drop, *self._categorical) if name not in names]
        if unknown:
            raise DataError(f"There must be a column {unknown[0]!r}, got {listed(names)}.")
        self._names = tuple(names)
        left = [name for name in names if name not in self._drop]
        self._label = find_label(left if self._wanted_label is None else names, self._wanted_label)
        if self._label in self._drop:
            raise DataError(f"The label must not be dropped, got {self._label!r} for both.")
        features = [name for name in left if name != self._label]
        return {name: _ColumnSurvey(name, categorical=name in self._categorical) for name in features}

    def _add_labels(self, values: NDArray[Any], line: Line) -> None:
        kind = kind_of(values)
        self._n_changes += int(np.count_nonzero(values[1:] != values[:-1]))
        self._label_kind = max(self._label_kind, kind, key=KINDS.index) if self._labels else kind
        found = set(texts(values))
        if "" in found and self._missing != "drop":
            as_kind(values, "text", line=line)  # says in which line
        self._labels |= found - {""}
        if len(self._labels) > MOST_CLASSES:
            raise DataError(
                f"Labels must be classes, at most {MOST_CLASSES} of them, got more"
                + (f" in column {quoted(self._label)}; name the column of the labels." if self._label else ".")
            )

    def _settled_columns(self) -> tuple[Column, ...] | None:
        if self._columns is None:
            return None
        return tuple(column.settled(self._missing) for column in self._columns.values())

    def _of_column(self, column: Column) -> Statistics:
        survey = (self._columns or {})[column.name]
        numeric = column.categories is None and survey.n_numbers > 0
        return survey.statistics if numeric else Statistics.of_indicators(self.n_rows, column.width)

    def _scaling(self, statistics: Statistics, scale: str, *, table: bool, dense: bool) -> Scaling:
        if self._width <= _WIDEST:
            return choose_scaling(statistics, scale, table=table, dense=dense)
        if scale not in ("auto", "none"):
            raise ParameterError(f"Scaling must be 'none' for more than {_WIDEST:,} features, got {scale!r}.")
        return Scaling()
