"""A pass over all rows of a file that decides how they become numbers."""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import issparse

from hinge.exceptions import DataError, ParameterError, listed, quoted
from hinge.io import Rows, Table
from hinge.tables._columns import Column, count_numbers, first_text, numbers, texts
from hinge.tables._labels import KINDS, MAX_CLASSES, detect_kind, find_label, parse_labels
from hinge.tables._preparation import Preparation, missing_value_error
from hinge.tables._scaling import Scaling, choose_scaling
from hinge.tables._statistics import Statistics

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from numpy.typing import NDArray

    from hinge.io import Chunk
    from hinge.tables._columns import LineOf, Values
    from hinge.tables._labels import Labels

MAX_CATEGORIES = 1000  # per column; more texts are names or sentences
MAX_FEATURES = 1 << 26  # of a model; the native code keeps arrays with one entry per feature
_MAX_DENSE_FEATURES, _MIN_DENSITY = 4096, 0.1  # of rows that are made dense
_MIN_ROWS_TO_DETECT_ORDER = 1000
_MAX_SCALED_FEATURES = 1 << 20  # the statistics of more columns would take more memory than the rows


class ColumnSurvey:
    """Collects what occurs in one column of a table."""

    def __init__(self, name: str, *, categorical: bool) -> None:
        self.name = name
        self.categorical = categorical
        self.statistics = Statistics()
        self.distinct: set[str] = set()
        self.n_numbers = self.n_texts = 0
        self.missing_line: int | None = None
        self.text_line: tuple[str, int] | None = None  # of the first value that is not a number

    def add(self, values: Values, line: LineOf) -> None:
        found = None if self.categorical else numbers(values)
        if found is None:
            self._add_texts(values, line)
            return
        is_missing = np.isnan(found)
        self._add_missing(is_missing, line)
        if np.isinf(found).any():
            where = line(int(np.argmax(np.isinf(found))))
            raise DataError(
                f"Column {quoted(self.name)} must hold finite numbers, got infinity in line {where}; correct it."
            )
        self.n_numbers += int(np.count_nonzero(~is_missing))
        self.statistics.add(found[~is_missing, None])
        if len(self.distinct) <= MAX_CATEGORIES and values.dtype == object:
            self.distinct.update(texts(values))

    def _add_texts(self, values: Values, line: LineOf) -> None:
        found = texts(values)
        n_numbers = 0 if self.categorical else count_numbers(values)
        self.n_numbers += n_numbers
        self.n_texts += len(found) - n_numbers - found.count("")
        self._add_missing(np.array([text == "" for text in found], dtype=bool), line)
        if self.text_line is None and not self.categorical:
            row, text = first_text(values)
            self.text_line = (text, line(row))
        if len(self.distinct) <= MAX_CATEGORIES:
            self.distinct.update(found)

    def _add_missing(self, is_missing: NDArray[np.bool_], line: LineOf) -> None:
        if self.missing_line is None and is_missing.any():
            self.missing_line = line(int(np.argmax(is_missing)))

    def to_column(self, missing: str) -> Column:
        """Return the column; raise an error if it cannot be learned."""
        if self.missing_line is not None and missing == "error":
            raise missing_value_error(self.name, self.missing_line)
        if not self.categorical and not self.n_texts:
            return Column(self.name, mean=float(self.statistics.mean[0]) if self.n_numbers else 0.0)
        if self.n_numbers > self.n_texts:
            text, line = self.text_line or ("", 0)
            raise DataError(
                f"Column {quoted(self.name)} must hold either numbers or categories, got {quoted(text)} in line "
                f"{line} among {self.n_numbers:,} numbers; correct it, drop the column, or declare it categorical."
            )
        if len(self.distinct) > MAX_CATEGORIES:
            raise DataError(
                f"A column must hold at most {MAX_CATEGORIES} different categories, {quoted(self.name)} holds more; "
                "drop the column if it holds names or sentences."
            )
        present = self.distinct - {""} if missing == "drop" else self.distinct
        return Column(self.name, tuple(sorted(present)))


class Survey:
    """A pass over all rows of a file that decides how they become numbers.

    Parameters
    ----------
    label : str or int, default=None
        Name or number of the label column of a table. None chooses a column called label, class, target or y, else the
        last one.
    drop, categorical : collection of str, default=()
        Columns of a table to leave out, and columns of numbers that are categories.
    missing : {"error", "drop", "fill"}, default="error"
        See `Preparation`.

    Attributes
    ----------
    n_rows : int
        The number of rows so far.
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
        self._chosen_label = label
        self._drop, self._categorical, self._missing = drop, categorical, missing
        self._names: tuple[str, ...] = ()
        self._label: str | None = None
        self._label_kind = KINDS[0]
        self._labels: set[str] = set()
        self._n_changes = 0
        self._columns: dict[str, ColumnSurvey] | None = None
        self._matrix = Statistics()
        self._width = 0
        self._sparse = self._indexed = False
        self._counts_from_zero = False

    def scan(self, chunks: Iterator[Chunk]) -> Iterator[Chunk]:
        """Add chunks, and yield each of them; their file is closed at the end, also after an error."""
        try:
            for chunk in chunks:
                self.add(chunk)
                yield chunk
        finally:
            if isinstance(chunks, Generator):
                chunks.close()

    def add(self, chunk: Chunk) -> None:
        """Add the next rows."""
        self.n_rows += len(chunk)
        if isinstance(chunk, Table):
            self._add_table(chunk)
        else:
            self._add_rows(chunk)

    @property
    def classes(self) -> Labels:
        """The labels that occur, sorted."""
        raw = np.array(list(self._labels), dtype=object)
        return np.unique(parse_labels(raw, self._label_kind, line=lambda row: row))

    @property
    def is_sorted_by_class(self) -> bool:
        """The label rarely changes from one row to the next, unlike in random order."""
        return self.n_rows >= _MIN_ROWS_TO_DETECT_ORDER and self._n_changes < self.n_rows / 100

    def preparation(
        self, *, scale: str = "auto", unknown: str = "error", dtype: str = "float64", dense: bool | None = None
    ) -> Preparation:
        """Decide how rows like these become numbers.

        Parameters
        ----------
        scale : {"auto", "standard", "largest", "none"}
            See `choose_scaling`.
        unknown : {"error", "ignore"}
            See `Preparation`.
        dtype : {"float64", "float32"}
            The type of the features.
        dense : bool, default=None
            Make rows dense. None makes them dense unless most entries are zero.

        Returns
        -------
        Preparation
            The preparation.
        """
        columns = self._final_columns()
        statistics, n_features = self._feature_statistics(columns)
        if dense is None:
            is_full = n_features <= _MAX_DENSE_FEATURES and statistics.density >= _MIN_DENSITY
            dense = is_full or (columns is None and not self._sparse)
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
        if self._width <= _MAX_SCALED_FEATURES:
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

    def _open_columns(self, names: list[str]) -> dict[str, ColumnSurvey]:
        unknown = [name for name in (*self._drop, *self._categorical) if name not in names]
        if unknown:
            raise DataError(f"There must be a column {unknown[0]!r}, got {listed(names)}.")
        self._names = tuple(names)
        kept = [name for name in names if name not in self._drop]
        self._label = find_label(kept if self._chosen_label is None else names, self._chosen_label)
        if self._label in self._drop:
            raise DataError(f"The label must not be dropped, got {self._label!r} for both.")
        features = [name for name in kept if name != self._label]
        return {name: ColumnSurvey(name, categorical=name in self._categorical) for name in features}

    def _add_labels(self, values: Values, line: LineOf) -> None:
        kind = detect_kind(values)
        self._n_changes += int(np.count_nonzero(values[1:] != values[:-1]))
        self._label_kind = max(self._label_kind, kind, key=KINDS.index) if self._labels else kind
        found = set(texts(values))
        if "" in found and self._missing != "drop":
            parse_labels(values, "text", line=line)  # raises the error with the line
        self._labels |= found - {""}
        if len(self._labels) > MAX_CLASSES:
            raise DataError(
                f"Labels must be classes, at most {MAX_CLASSES} of them, got more"
                + (f" in column {quoted(self._label)}; choose another label column." if self._label else ".")
            )

    def _final_columns(self) -> tuple[Column, ...] | None:
        if self._columns is None:
            return None
        return tuple(column.to_column(self._missing) for column in self._columns.values())

    def _feature_statistics(self, columns: tuple[Column, ...] | None) -> tuple[Statistics, int]:
        """Return the statistics and the number of the features; very wide matrices have no statistics."""
        if columns is not None:
            statistics = Statistics.joined([self._column_statistics(column) for column in columns])
            n_features = statistics.n_columns
        else:
            empty = int(self._indexed and not self._counts_from_zero)  # svmlight files may have no index 0
            statistics, n_features = self._matrix.from_column(empty), self._width - empty
        if n_features < 1:
            raise DataError("There must be at least one feature besides the label, got none.")
        if n_features > MAX_FEATURES:
            raise DataError(
                f"Features must be numbered up to {MAX_FEATURES:,}, got {self._width - 1:,}; renumber them."
            )
        return statistics, n_features

    def _column_statistics(self, column: Column) -> Statistics:
        survey = (self._columns or {})[column.name]
        is_numeric = column.categories is None and survey.n_numbers > 0
        return survey.statistics if is_numeric else Statistics.of_one_hot(self.n_rows, column.width)

    def _scaling(self, statistics: Statistics, scale: str, *, table: bool, dense: bool) -> Scaling:
        if self._width <= _MAX_SCALED_FEATURES:
            return choose_scaling(statistics, scale, table=table, dense=dense)
        if scale not in ("auto", "none"):
            raise ParameterError(
                f"Scaling must be 'none' for more than {_MAX_SCALED_FEATURES:,} features, got {scale!r}."
            )
        return Scaling()
