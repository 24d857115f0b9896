"""From rows as they are in a file to the numbers that a model learns."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import csr_matrix, issparse, vstack

from hinge.exceptions import DataError, listed, quoted
from hinge.io import Rows, Table
from hinge.tables._answers import Answers
from hinge.tables._columns import Column, NumberColumn
from hinge.tables._labels import Labels, find_label, merge, parse_labels
from hinge.tables._scaling import Scaling
from hinge.tables._values import Cells, Ignored, texts, without_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from hinge.io import Chunk
    from hinge.tables._values import Entries, Values

Matrix = Any  # a float array or a CSR matrix; SciPy has no types
Examples = tuple[Matrix, Labels]

_MAX_DENSE_BYTES = 1 << 31
_MAX_EXPANSION = 4  # of rows that are made dense: entries per entry given


@dataclass(frozen=True, eq=False)
class Preparation:
    """How rows of a file become features: which columns are used, how categories are encoded and features scaled.

    Attributes
    ----------
    n_features : int
        The number of features that the model sees.
    columns : tuple of Column or None
        The columns they come from; None: the file holds only numbers, and each column is a feature.
    names : tuple of str
        All columns of the table, used or not, in the order of the file.
    label : str or None
        The label column of a table.
    label_kind : {"truth", "whole", "number", "text"}
        How labels are read: as booleans, integers, numbers or text.
    first_index : int
        The index of the first feature in svmlight files: 1, rarely 0.
    dense : bool
        The features are a dense array, not a CSR matrix.
    dtype : str
        Their type, "float32" or "float64".
    scaling : Scaling
        How features are scaled at the end.
    missing : {"error", "drop", "fill"}
        How missing values are handled: raise an error, drop their rows, or fill in the mean of numbers and an extra
        category of texts.
    unknown : {"error", "ignore"}
        How categories and features that did not occur in the surveyed rows are handled: raise an error, or ignore
        them.
    missing_values : tuple of str
        Words and numbers that stand for a missing value besides the usual ones, in all columns of a table.
    merged : tuple of str
        Labels that stand for all labels that differ from them only in upper and lower case, blanks, hyphens or
        underscores.
    answers : Answers
        How the outputs of the model become answers.
    """

    n_features: int
    columns: tuple[Column, ...] | None = None
    names: tuple[str, ...] = ()
    label: str | None = None
    label_kind: str = "whole"
    first_index: int = 1
    dense: bool = True
    dtype: str = "float64"
    scaling: Scaling = field(default_factory=Scaling)
    missing: str = "error"
    unknown: str = "error"
    missing_values: tuple[str, ...] = ()
    merged: tuple[str, ...] = ()
    answers: Answers = field(default_factory=Answers)

    @property
    def changes_nothing(self) -> bool:
        """The features are the numbers of the file, so that the model needs no preparation."""
        usual = self.first_index == 1 and self.missing == self.unknown == "error" and not self.merged
        usual = usual and self.answers == Answers()
        return self.columns is None and self.scaling.factor is None and usual

    @property
    def feature_names(self) -> list[str] | None:
        """The names of the features, if the file has names."""
        return None if self.columns is None else [name for column in self.columns for name in column.features]

    def examples(self, chunk: Chunk, ignored: Ignored | None = None) -> Examples:
        """Return the features and labels of rows; with `missing="drop"`, without rows that have missing values.

        Parameters
        ----------
        chunk : Rows or Table
            The rows.
        ignored : Ignored, default=None
            Counts unknown values, if these are ignored.
        """
        if isinstance(chunk, Table):
            if not chunk.named and self.columns is not None:
                chunk = self._with_names(chunk)
            label = self._label_of(chunk)
            chunk = self._without_missing(chunk, label)
            y = self._values(chunk, label)
        elif chunk.y is None:
            raise DataError("There must be labels to learn from or to compare with, but the file has none.")
        else:
            y = chunk.y
        labels = parse_labels(y, self.label_kind, line=chunk.line, style=self.answers.style)
        return self.features(chunk, ignored), merge(labels, self.merged) if self.merged else labels

    def iter_examples(self, chunks: Iterable[Chunk], ignored: Ignored | None = None) -> Iterator[Examples]:
        """Yield the features and labels of chunks; chunks without any rows left are skipped."""
        try:
            for chunk in chunks:
                X, y = self.examples(chunk, ignored)
                if len(y):
                    yield X, y
        finally:  # close the file, also after an error
            if isinstance(chunks, Generator):
                chunks.close()

    def all_examples(self, chunks: Iterable[Chunk], ignored: Ignored | None = None) -> Examples:
        """Return the features and labels of all rows."""
        pairs = list(self.iter_examples(chunks, ignored))
        if not pairs:
            raise DataError("There must be rows without missing values, but every row has one; set missing to 'fill'.")
        return stacked(pairs)

    def features(self, chunk: Chunk, ignored: Ignored | None = None) -> Matrix:
        """Return the features of rows; see `examples`."""
        if self.columns is None:
            return self.scaling.apply(self._from_rows(self._to_rows(chunk) if isinstance(chunk, Table) else chunk))
        if isinstance(chunk, Table):
            return self.scaling.apply(self._from_table(chunk, ignored))
        raise DataError("The model was trained on a table with named columns, got rows of numbers; pass a table.")

    def _label_of(self, table: Table) -> str:
        """Return the label column; if the preparation has none, the one that would be guessed."""
        if self.label is None and self.columns is not None:
            features = {column.name for column in self.columns}
            return find_label([name for name in table.columns if name not in features] or [""], None)
        label = find_label(list(table.columns), None) if self.label is None else self.label
        if label not in table.columns:
            raise DataError(f"There must be a column {label!r} with the labels, got {listed([*table.columns])}.")
        return label

    def _to_rows(self, table: Table) -> Rows:
        """Return the columns of a table as an array, without the label if there is one column too many."""
        names = list(table.columns)
        if len(names) == self.n_features + 1:
            names.remove(self._label_of(table))
        columns = [NumberColumn(name).parse(self._cells(table, name, None)) for name in names]
        return Rows(np.column_stack(columns), None, table.line(0))

    def _without_missing(self, table: Table, label: str) -> Table:
        """Drop rows with missing values, if `missing` says so."""
        if self.missing != "drop":
            return table
        used = [column.name for column in self.columns or () if column.needs_value and column.name in table.columns]
        is_complete = np.ones(len(table), dtype=bool)
        for name in [*used, label]:
            is_complete &= np.array([text != "" for text in texts(self._values(table, name))], dtype=bool)
        return table.select(is_complete)

    def _with_names(self, table: Table) -> Table:
        """Name the columns of a table without a header like those of the training file.

        The table may have all columns, all but the label, or only those that are used.
        """
        without_label = [name for name in self.names if name != self.label]
        used = [column.name for column in self.columns or () if column.width]
        for names in (list(self.names), without_label, used):
            if len(names) == len(table.columns):
                return Table(dict(zip(names, table.columns.values(), strict=True)), table.lines, table.named)
        raise DataError(
            f"Rows must have {len(self.names)} fields as in training, or {len(without_label)} without the label, "
            f"got {len(table.columns)}."
        )

    def _from_table(self, table: Table, ignored: Ignored | None) -> Matrix:
        """Return the features of a table."""
        table = table if table.named else self._with_names(table)
        self._check_memory(len(table), len(table) * len(table.columns))
        shape = (len(table), self.n_features)
        if self.dense:
            X = np.zeros(shape, dtype=self.dtype)
            for rows, features, values in self._entries(table, ignored):
                X[rows, features] = values
            return X
        rows, features, values = map(np.concatenate, zip(*self._entries(table, ignored), strict=True))
        matrix = csr_matrix((values.astype(self.dtype), (rows, features)), shape=shape)
        matrix.eliminate_zeros()
        return matrix

    def _entries(self, table: Table, ignored: Ignored | None) -> Iterator[Entries]:
        """Yield the rows, features and values that each column of a table becomes."""
        start = 0
        for column in self.columns or ():
            if column.width:  # others may be absent
                rows, features, values = column.entries(self._cells(table, column.name, ignored))
                self._check_size(column.name, table, rows, values)
                yield rows, start + features, values
            start += column.width

    def _check_size(self, name: str, table: Table, rows: NDArray[np.intp], values: NDArray[np.float64]) -> None:
        """Raise an error for numbers that the type of the features cannot hold."""
        largest = float(np.finfo(self.dtype).max)
        if len(values) and np.abs(values).max() > largest:
            entry = int(np.argmax(np.abs(values)))
            raise DataError(
                f"Column {quoted(name)} must hold numbers up to {largest:.1g}, got {values[entry]:g} in line "
                f"{table.line(int(rows[entry]))}; correct it, or leave the column out."
            )

    def _cells(self, table: Table, name: str, ignored: Ignored | None) -> Cells:
        return Cells(self._values(table, name), table.line, self.missing, self.unknown, ignored)

    def _values(self, table: Table, name: str) -> Values:
        return without_words(_get_column(table, name), self.missing_values)

    def _from_rows(self, rows: Rows) -> Matrix:
        """Return numbers as an array or CSR matrix with one column per feature, of the right type."""
        X, first = rows.X, self.first_index if rows.indexed else 0
        last = first + self.n_features
        if not rows.indexed and X.shape[1] != self.n_features:
            raise DataError(f"Rows must have {self.n_features} numbers, as in training, got {X.shape[1]}.")
        if not issparse(X):
            return X.astype(self.dtype, copy=False) if self.dense else csr_matrix(X, dtype=self.dtype)
        is_outside = (X.indices < first) | (X.indices >= last)
        if is_outside.any():
            self._check_known(rows, is_outside)
            X = csr_matrix(
                (np.where(is_outside, 0, X.data), np.clip(X.indices, first, last - 1), X.indptr), shape=X.shape
            )
            X.sum_duplicates()
        self._check_memory(X.shape[0], X.nnz)
        shape = (X.shape[0], self.n_features)
        features = csr_matrix((X.data.astype(self.dtype, copy=False), X.indices - first, X.indptr), shape=shape)
        return features.toarray() if self.dense else features

    def _check_memory(self, n_rows: int, n_given: int) -> None:
        """Raise an error if dense rows take far more memory than the file: it can claim any number of features."""
        entries = n_rows * self.n_features
        size = entries * np.dtype(self.dtype).itemsize
        if self.dense and size > _MAX_DENSE_BYTES and entries > _MAX_EXPANSION * n_given:
            raise DataError(
                f"Dense rows must take at most {_MAX_DENSE_BYTES >> 20} MB at a time, got {n_rows:,} rows of "
                f"{self.n_features:,} features; keep them sparse, or pass fewer at a time."
            )

    def _check_known(self, rows: Rows, is_outside: NDArray[np.bool_]) -> None:
        if self.unknown == "ignore":
            return
        entry = int(np.argmax(is_outside))
        line = rows.line(int(np.searchsorted(rows.X.indptr, entry, side="right")) - 1)
        raise DataError(
            f"Features must be numbered from {self.first_index} to {self.first_index + self.n_features - 1}, as in "
            f"training, got {rows.X.indices[entry]} in line {line}; correct it, or choose unknown='ignore' "
            "(--unknown ignore) to ignore such features."
        )


def _get_column(table: Table, name: str) -> Values:
    try:
        return table.columns[name]
    except KeyError:
        raise DataError(
            f"There must be a column {quoted(name)}, as in training, got {listed([*table.columns])}."
        ) from None


def stacked(parts: Sequence[Examples]) -> Examples:
    """Return the examples of several parts as one."""
    X, y = [X for X, _ in parts], np.concatenate([y for _, y in parts])
    return (vstack(X, format="csr") if issparse(X[0]) else np.concatenate(X)), y
