"""From rows as they stand in a file to the numbers that a model learns."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import csr_matrix, issparse, vstack

from hinge.exceptions import DataError, listed, quoted
from hinge.io import Rows, Table
from hinge.tables._columns import Column, first_text, numbers, texts
from hinge.tables._labels import as_kind, find_label
from hinge.tables._scaling import Scaling

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from hinge.io import Chunk
    from hinge.tables._columns import Line

_MOST_DENSE = 1 << 31  # bytes, of rows that are
_FEW_TIMES = 4  # as large as what they were made from


@dataclass(frozen=True, eq=False)
class Preparation:
    """What is done to rows of a file before a model sees them: columns chosen, categories encoded, features scaled.

    Attributes
    ----------
    n_features : int
        Features that the model sees.
    columns : tuple of Column or None
        Where they come from; None: the file holds nothing but numbers, and a column is a feature.
    names : tuple of str
        All columns of the table, used or not, in the order of the file.
    label : str or None
        The column of the labels, in a table.
    label_kind : {"truth", "whole", "number", "text"}
        How labels are read.
    first_index : int
        What svmlight files call the first feature: 1, rarely 0.
    dense : bool
        The model gets dense rows.
    dtype : str
        Their precision, "float32" or "float64".
    scaling : Scaling
        What happens to each feature at the end.
    missing : {"error", "drop", "fill"}
        What is done about missing values: refuse them, leave their rows out, or take the mean (of numbers) or a
        category of their own (of texts).
    unknown : {"error", "ignore"}
        What is done about categories and features that were not there when the preparation was settled: refuse them,
        or leave them out.
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

    @property
    def changes_nothing(self) -> bool:
        """The model sees the numbers of the file, and nothing has to be known to read more of them."""
        usual = self.first_index == 1 and self.missing == self.unknown == "error"
        return self.columns is None and self.scaling.factor is None and usual

    @property
    def feature_names(self) -> list[str] | None:
        """Names of the features, if the file has names."""
        return None if self.columns is None else [name for column in self.columns for name in column.features]

    def examples(self, chunk: Chunk) -> tuple[Any, NDArray[Any]]:
        """Return features and labels of rows to learn from; rows may be left out if missing values ask for it."""
        if isinstance(chunk, Table):
            if not chunk.named and self.columns is not None:
                chunk = self._with_names(chunk)
            label = self._label_of(chunk)
            chunk = self._complete(chunk, label)
            y = chunk.columns[label]
        elif chunk.y is None:
            raise DataError("There must be labels to learn from or to compare with, but the file has none.")
        else:
            y = chunk.y
        return self.features(chunk), as_kind(y, self.label_kind, line=chunk.line)

    def each_examples(self, chunks: Iterable[Chunk]) -> Iterator[tuple[Any, NDArray[Any]]]:
        """Yield features and labels of chunks, but for those of which nothing is left."""
        try:
            for chunk in chunks:
                X, y = self.examples(chunk)
                if len(y):
                    yield X, y
        finally:  # a bad row must not leave a file open
            if isinstance(chunks, Generator):
                chunks.close()

    def all_examples(self, chunks: Iterable[Chunk]) -> tuple[Any, NDArray[Any]]:
        """Return features and labels of all rows."""
        pairs = list(self.each_examples(chunks))
        if not pairs:
            raise DataError("There must be rows without missing values, but every row has one; set missing to 'fill'.")
        X, y = [X for X, _ in pairs], np.concatenate([y for _, y in pairs])
        return (vstack(X, format="csr") if issparse(X[0]) else np.concatenate(X)), y

    def features(self, chunk: Chunk) -> Any:
        """Return the features of rows."""
        if self.columns is None:
            return self.scaling.apply(self._fitted(self._as_rows(chunk) if isinstance(chunk, Table) else chunk))
        if isinstance(chunk, Table):
            return self.scaling.apply(self._encoded(chunk))
        raise DataError("The model was made from a table with named columns, got rows of numbers; give it a table.")

    def _label_of(self, table: Table) -> str:
        """Return the label column; if the model does not know its name, the one that would be taken for it."""
        if self.label is None and self.columns is not None:
            features = {column.name for column in self.columns}
            return find_label([name for name in table.columns if name not in features] or [""], None)
        label = find_label(list(table.columns), None) if self.label is None else self.label
        if label not in table.columns:
            raise DataError(f"There must be a column {label!r} with the labels, got {listed([*table.columns])}.")
        return label

    def _as_rows(self, table: Table) -> Rows:
        """Return the columns of a table as a matrix, without the label if there is one column too many."""
        names = list(table.columns)
        if len(names) == self.n_features + 1:
            names.remove(self._label_of(table))
        columns = [self._numbers(Column(name), table.columns[name], table.line) for name in names]
        return Rows(np.column_stack(columns), None, table.line(0))

    def _complete(self, table: Table, label: str) -> Table:
        """Return the rows without missing values, if rows with some are to be left out."""
        if self.missing != "drop":
            return table
        used = [column.name for column in self.columns or () if column.name in table.columns]
        whole = np.ones(len(table), dtype=bool)
        for name in [*used, label]:
            whole &= np.array([text != "" for text in texts(table.columns[name])], dtype=bool)
        return table.select(whole)

    def _with_names(self, table: Table) -> Table:
        """Return a table without names, given those that its columns had when the model was made.

        It may have all columns, all but the label, or those that are used.
        """
        without_label = [name for name in self.names if name != self.label]
        used = [column.name for column in self.columns or ()]
        for names in (list(self.names), without_label, used):
            if len(names) == len(table.columns):
                return Table(dict(zip(names, table.columns.values(), strict=True)), table.lines, table.named)
        raise DataError(
            f"Rows must have {len(self.names)} fields as when the model was made, or {len(without_label)} without the "
            f"label, got {len(table.columns)}."
        )

    def _encoded(self, table: Table) -> Any:
        """Return the columns of a table side by side, categories as features of 0 and 1."""
        columns, rows = self.columns or (), np.arange(len(table))
        table = table if table.named else self._with_names(table)
        self._require_room(len(table), len(table) * len(table.columns))
        X = np.zeros((len(table), self.n_features), dtype=self.dtype) if self.dense else None
        parts: list[tuple[NDArray[Any], NDArray[Any], NDArray[Any]]] = []
        start = 0
        for column in columns:
            values = _of_table(table, column.name)
            if column.categories is None:
                part = (rows, np.full(len(rows), start), self._numbers(column, values, table.line))
            else:
                found = self._texts(column, values, table.line)
                codes = column.codes(found, line=table.line, unknown=self.unknown)
                part = (rows[codes >= 0], start + codes[codes >= 0], np.ones(np.count_nonzero(codes >= 0)))
            if X is not None:
                X[part[0], part[1]] = part[2]
            else:
                parts.append(part)
            start += column.width
        if X is not None:
            return X
        row, place, value = (np.concatenate(pieces) for pieces in zip(*parts, strict=True))
        matrix = csr_matrix((value.astype(self.dtype), (row, place)), shape=(len(table), self.n_features))
        matrix.eliminate_zeros()
        return matrix

    def _numbers(self, column: Column, values: NDArray[Any], line: Line) -> NDArray[np.float64]:
        found = numbers(values)
        if found is None:
            place, text = first_text(values)
            raise DataError(
                f"Column {quoted(column.name)} must hold numbers, got {quoted(text)} in line {line(place)}; correct it."
            )
        absent = np.isnan(found)
        if absent.any():
            if self.missing != "fill":
                raise missing_value(column.name, line(int(np.argmax(absent))))
            found = np.where(absent, column.mean, found)
        return found

    def _texts(self, column: Column, values: NDArray[Any], line: Line) -> list[str]:
        """Return texts, unless one is missing and that is not expected."""
        found = texts(values)
        if "" in found and self.missing != "fill" and "" not in (column.categories or ()):
            raise missing_value(column.name, line(found.index("")))
        return found

    def _fitted(self, rows: Rows) -> Any:
        """Return a matrix with as many columns as there are features, of the wanted form and precision."""
        X, first = rows.X, self.first_index if rows.indexed else 0
        last = first + self.n_features
        if not rows.indexed and X.shape[1] != self.n_features:
            raise DataError(f"Rows must have {self.n_features} numbers, as the model knows, got {X.shape[1]}.")
        if not issparse(X):
            return X.astype(self.dtype, copy=False) if self.dense else csr_matrix(X, dtype=self.dtype)
        outside = (X.indices < first) | (X.indices >= last)
        if outside.any():
            self._require_known(rows, outside)
            X = csr_matrix((np.where(outside, 0, X.data), np.clip(X.indices, first, last - 1), X.indptr), shape=X.shape)
            X.sum_duplicates()
        self._require_room(X.shape[0], X.nnz)
        shape = (X.shape[0], self.n_features)
        fitted = csr_matrix((X.data.astype(self.dtype, copy=False), X.indices - first, X.indptr), shape=shape)
        return fitted.toarray() if self.dense else fitted

    def _require_room(self, n_rows: int, n_given: int) -> None:
        """Refuse to fill up rows that would take any memory: the number of features may be what a file says."""
        entries = n_rows * self.n_features
        size = entries * np.dtype(self.dtype).itemsize
        if self.dense and size > _MOST_DENSE and entries > _FEW_TIMES * n_given:
            raise DataError(
                f"Rows with all their zeros must take at most {_MOST_DENSE >> 20} MB at a time, got {n_rows:,} rows of "
                f"{self.n_features:,} features; keep them sparse, or give fewer at a time."
            )

    def _require_known(self, rows: Rows, outside: NDArray[np.bool_]) -> None:
        if self.unknown == "ignore":
            return
        entry = int(np.argmax(outside))
        line = rows.line(int(np.searchsorted(rows.X.indptr, entry, side="right")) - 1)
        raise DataError(
            f"Features must be numbered from {self.first_index} to {self.first_index + self.n_features - 1}, as the "
            f"model knows, got {rows.X.indices[entry]} in line {line}; correct it, or choose unknown='ignore' "
            "(--unknown ignore) to leave such features out."
        )


def missing_value(name: str, line: int) -> DataError:
    """Return the complaint about a missing value."""
    return DataError(
        f"Every value must be there, but column {quoted(name)} has none in line {line}; fill it in, or choose "
        "missing='fill' (--missing fill: the mean, or a category of its own) or, for learning, 'drop' (leave such rows "
        "out)."
    )


def _of_table(table: Table, name: str) -> NDArray[Any]:
    try:
        return table.columns[name]
    except KeyError:
        raise DataError(
            f"There must be a column {quoted(name)}, as when the model was made, got {listed([*table.columns])}."
        ) from None
