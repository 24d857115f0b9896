"""A pass over all rows of a file that decides how they become numbers."""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import issparse

from hinge.exceptions import DataError, ParameterError, listed, quoted
from hinge.io import Rows, Table
from hinge.tables._column_survey import KINDS as COLUMN_KINDS
from hinge.tables._column_survey import ColumnSurvey, Hints
from hinge.tables._columns import CategoryColumn, Column, IdColumn
from hinge.tables._label_survey import LabelSurvey
from hinge.tables._labels import find_label
from hinge.tables._patterns import by_name, matching
from hinge.tables._preparation import Preparation
from hinge.tables._scaling import Scaling, choose_scaling, other_scalings
from hinge.tables._statistics import Statistics
from hinge.tables._values import HOW_TO_FILL, and_more_rows, texts, to_words, without_words
from hinge.tables._words import TextColumn

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from hinge.io import Chunk
    from hinge.tables._labels import Labels
    from hinge.tables._values import LineOf, Values

MAX_FEATURES = 1 << 26  # of a model; the native code keeps arrays with one entry per feature
_MAX_DENSE_FEATURES, _MIN_DENSITY = 4096, 0.1  # of rows that are made dense
_MIN_ROWS_TO_DETECT_ORDER = 1000
_MAX_SCALED_FEATURES = 1 << 20  # the statistics of more columns would take more memory than the rows
_MAX_WHOLE_CLASSES = 30  # more different whole numbers are values to predict, unless they count the classes ...
_MIN_ROWS_PER_CLASS = 5  # ... and there are so many rows of each
_MIN_NUMBERS = 0.9  # share of the rows whose labels are numbers that makes the others mistakes
_MAX_PROBLEMS, _MAX_LINES, _MAX_GROUPS = 20, 5, 5  # listed in a message
_MAX_COLUMNS = 10  # with missing values that are named


class Survey:
    """A pass over all rows of a file that decides how they become numbers.

    Parameters
    ----------
    label : str or int, default=None
        Name or number of the label column of a table. None chooses a column called label, class, target or y, else the
        last one.
    drop, categorical : collection of str, default=()
        Columns of a table to leave out, and columns of numbers that are categories. Here and below, `*` in a name
        stands for any characters.
    keep : collection of str, default=()
        The columns to use besides the label; empty: all.
    missing : {"error", "drop", "fill"}, default="error"
        See `Preparation`.
    missing_values : collection of str, default=()
        Words and numbers that stand for a missing value besides the usual ones, such as ERR and -999.
    kinds : mapping from str to str, default=None
        The kinds of columns for which the guess is wrong: "number", "category", "boolean", "date", "text" or "id".
    decimal : {".", ","}, default=None
        The decimal sign of columns that leave a choice: 1,234 may be a thousand. None: that of the other columns of
        the file, else a point.
    thousands : {",", ".", " ", "'"}, default=None
        What separates groups of three digits, likewise.
    day_first : bool, default=None
        Whether 01/02/2024 is in February, if a column leaves a choice. None: it is in January.
    merge_labels : bool, default=False
        Take labels for the same that differ only in upper and lower case, blanks, hyphens or underscores.
    regression : bool, default=False
        The labels are values to predict, not classes. None: decide by their number and kind.
    class_names : bool, default=False
        Numbers with fractions that are classes become names, which no reader takes for values to predict.

    Attributes
    ----------
    n_rows : int
        The number of rows so far.
    notes : list of str
        After `preparation`: what the user should know about how columns were read.
    notes_of_file : list of str
        What reading the file has to say; part of `notes` later.
    problems : list of str
        What is wrong with lines of the file; `preparation` raises an error about all of it.
    """

    def __init__(
        self,
        *,
        label: str | int | None = None,
        drop: Collection[str] = (),
        categorical: Collection[str] = (),
        keep: Collection[str] = (),
        missing: str = "error",
        missing_values: Collection[str] = (),
        kinds: Mapping[str, str] | None = None,
        decimal: str | None = None,
        thousands: str | None = None,
        day_first: bool | None = None,
        merge_labels: bool = False,
        regression: bool | None = False,
        class_names: bool = False,
    ) -> None:
        self.n_rows = 0
        self.notes: list[str] = []
        self.notes_of_file: list[str] = []
        self.problems: list[str] = []
        self._chosen_label = label
        self._drop, self._keep, self._missing = drop, keep, missing
        self._missing_values = to_words(missing_values)
        self._kinds = dict.fromkeys(categorical, CategoryColumn) | _to_types(kinds or {})
        self._decimal, self._thousands, self._day_first = decimal, thousands, day_first
        self._labels = LabelSurvey(merge=merge_labels, regression=regression, class_names=class_names)
        self._names: tuple[str, ...] = ()
        self._label: str | None = None
        self._columns: dict[str, ColumnSurvey] | None = None
        self._column_statistics: list[tuple[Column, Statistics]] = []
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
        return self._labels.classes

    @property
    def class_counts(self) -> dict[Any, int]:
        """The number of rows of each class."""
        return self._labels.class_counts

    @property
    def is_regression(self) -> bool:
        """The labels are values to predict: the user says so, or they are many different numbers."""
        return self._labels.is_regression

    @property
    def is_sorted_by_class(self) -> bool:
        """The label rarely changes from one row to the next, unlike in random order."""
        return self._labels.is_sorted

    @property
    def is_table(self) -> bool:
        """The rows have columns of several kinds, not only numbers."""
        return self._columns is not None

    def preparation(
        self, *, scale: str = "auto", unknown: str = "error", dtype: str = "float64", dense: bool | None = None
    ) -> Preparation:
        """Decide how rows like these become numbers.

        Parameters
        ----------
        scale : {"auto", "standard", "largest", "range", "none"}
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
        self._require_no_problems()
        self.notes = [*self.notes_of_file, *self._labels.notes()]
        columns = self._final_columns()
        statistics, n_features = self._feature_statistics(columns)
        if dense is None:
            # Sparse numbers next to words could not be standardised.
            has_text = any(isinstance(column, TextColumn) for column in columns or ())
            is_full = n_features <= _MAX_DENSE_FEATURES and (has_text or statistics.density >= _MIN_DENSITY)
            dense = is_full or (columns is None and not self._sparse)
        return Preparation(
            n_features=n_features,
            columns=columns,
            names=self._names,
            label=self._label,
            label_kind=self._labels.kind,
            first_index=0 if self._counts_from_zero else 1,
            dense=dense,
            dtype=dtype,
            scaling=self._scaling(statistics, scale, table=columns is not None, dense=dense),
            missing=self._missing,
            missing_values=self._missing_values,
            unknown=unknown,
            merged=self._labels.merged,
            answers=self._labels.answers(self._missing, self._hints()),
        )

    def other_scalings(self, preparation: Preparation) -> list[Scaling]:
        """Return scalings that may suit a model better than that of a preparation of this survey."""
        statistics, n_features = self._feature_statistics(preparation.columns)
        if n_features > _MAX_SCALED_FEATURES:
            return []
        n_words = sum(part.width for part in preparation.columns or () if isinstance(part, TextColumn))
        return other_scalings(preparation.scaling, statistics, dense=preparation.dense, n_words=n_words)

    def _hints(self) -> Hints:
        """Return what decides where columns leave a choice: what the user says, else what other columns say."""
        surveys = [*(self._columns or {}).values()]
        decimals = {survey.numbers.decimal for survey in surveys if survey.numbers.n_numbers} - {None}
        decimal = self._decimal or (decimals.pop() if len(decimals) == 1 else None)
        order = None if self._day_first is None else "day-month-year" if self._day_first else "month-day-year"
        return Hints(decimal, self._thousands, order)

    def _add_rows(self, rows: Rows) -> None:
        X = rows.X
        values = X.data if issparse(X) else X
        if not np.isfinite(values).all():
            raise DataError(f"Every number must be finite, got NaN or infinity in or after line {rows.first}.")
        if self._missing_values:
            raise DataError("Words for missing values need a table of columns, got rows of numbers; leave them out.")
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
            self._columns = self._open_columns(table)
        for name, column in self._columns.items():
            column.add(without_words(table.columns[name], self._missing_values), table.line)
        self._add_labels(without_words(table.columns[self._label or ""], self._missing_values), table.line)

    def _open_columns(self, table: Table) -> dict[str, ColumnSurvey]:
        names = list(table.columns)
        self._names = tuple(names)
        dropped, self._kinds = matching(self._drop, names), by_name(self._kinds, names)
        left = [name for name in names if name not in dropped]
        filled = [name for name in left if any(texts(table.columns[name]))]  # lines may end with a delimiter
        self._label = find_label((filled or left) if self._chosen_label is None else names, self._chosen_label)
        if self._label in dropped:
            raise DataError(f"The label must not be dropped, got {self._label!r} for both.")
        kept = matching(self._keep, names) if self._keep else left
        features = [name for name in left if name != self._label and name in kept]
        return {name: ColumnSurvey(name, self._kinds.get(name)) for name in features}

    def _add_labels(self, values: Values, line: LineOf) -> None:
        self._labels.add(values, line)

    def _require_no_problems(self) -> None:
        """Raise an error about everything that is wrong with the rows, so that one run is enough to correct it."""
        found = [*self._line_problems(), *self._labels.problems(self._label, self._missing)]
        surveys = list((self._columns or {}).values())
        if self._missing == "error":
            found += _missing_problems(surveys)
        found += [problem for survey in surveys for problem in survey.problems()]
        if len(found) > 1:
            more = [f"... and {len(found) - _MAX_PROBLEMS} more."] if len(found) > _MAX_PROBLEMS else []
            lines = "".join(f"\n- {problem}" for problem in (*found[:_MAX_PROBLEMS], *more))
            raise DataError(f"The rows have {len(found)} problems:{lines}")
        if found:
            raise DataError(found[0])

    def _line_problems(self) -> list[str]:
        """Return the problems of the first lines that have one; the rest is usually alike."""
        more = len(self.problems) - _MAX_LINES
        rest = [f"The same is wrong with {more:,} more lines."] if more > 0 else []
        found = [*self.problems[:_MAX_LINES], *rest]
        return [*found[:-1], f"{found[-1]} --bad-rows skip leaves such rows out."] if found else []

    def _final_columns(self) -> tuple[Column, ...] | None:
        """Return the columns, and keep the statistics of their features."""
        if self._columns is None:
            return None
        surveys = self._columns.values()
        hints = self._hints()
        self._column_statistics = [survey.to_column(self._missing, hints) for survey in surveys]
        columns = tuple(column for column, _ in self._column_statistics)
        for survey, column in zip(surveys, columns, strict=True):
            self.notes += survey.notes(column, hints)
        empty = [survey.name for survey in surveys if survey.is_empty]
        if empty:
            self.notes.append(f"Left out, since they hold no value in any row: {listed(empty)}.")
        unused = [column.name for column in columns if isinstance(column, IdColumn) and column.name not in self._kinds]
        ids = [name for name in unused if name not in empty]
        if ids:
            self.notes.append(f"Left out, since they only name or number the rows: {listed(ids)}; --kind keeps them.")
        return columns

    def _feature_statistics(self, columns: tuple[Column, ...] | None) -> tuple[Statistics, int]:
        """Return the statistics and the number of the features; very wide matrices have no statistics."""
        if columns is not None:
            statistics = Statistics.joined([part for _, part in self._column_statistics])
            n_features = statistics.n_columns
        else:
            empty = int(self._indexed and not self._counts_from_zero)  # svmlight files may have no index 0
            statistics, n_features = self._matrix.of_columns(slice(empty, None)), self._width - empty
        if n_features < 1:
            ids = [column.name for column in columns or () if isinstance(column, IdColumn)]
            hint = f"; {listed(ids)} only name or number the rows" if ids else ""
            raise DataError(f"There must be at least one feature besides the label, got none{hint}.")
        if n_features > MAX_FEATURES:
            raise DataError(
                f"Features must be numbered up to {MAX_FEATURES:,}, got {self._width - 1:,}; renumber them."
            )
        return statistics, n_features

    def _scaling(self, statistics: Statistics, scale: str, *, table: bool, dense: bool) -> Scaling:
        if self._width <= _MAX_SCALED_FEATURES:
            parts = (column for column, _ in self._column_statistics)
            n_words = sum(column.width for column in parts if isinstance(column, TextColumn))
            return choose_scaling(statistics, scale, table=table, dense=dense, n_words=n_words)
        if scale not in ("auto", "none"):
            raise ParameterError(
                f"Scaling must be 'none' for more than {_MAX_SCALED_FEATURES:,} features, got {scale!r}."
            )
        return Scaling()


def _to_types(kinds: Mapping[str, str]) -> dict[str, type[Column]]:
    for name, kind in kinds.items():
        if kind not in COLUMN_KINDS:
            raise ParameterError(f"The kind of column {name!r} must be one of {listed([*COLUMN_KINDS])}, got {kind!r}.")
    return {name: COLUMN_KINDS[kind] for name, kind in kinds.items()}


def _missing_problems(surveys: list[ColumnSurvey]) -> list[str]:
    """Return one sentence about all columns with missing values, if there are any."""
    lacking = [survey for survey in surveys if survey.missing_line is not None and survey.needs_value]
    if not lacking:
        return []
    parts = [
        f"column {quoted(survey.name)} has no value in line {survey.missing_line}" + and_more_rows(survey.n_missing - 1)
        for survey in lacking[:_MAX_COLUMNS]
    ]
    if len(lacking) > _MAX_COLUMNS:
        parts.append(f"and so on in {len(lacking) - _MAX_COLUMNS:,} more columns")
    return [f"Values must not be missing, but {', '.join(parts)}; {HOW_TO_FILL}"]
