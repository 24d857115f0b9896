"""The original rows of a file, from which views and digests are made, independent of the features."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, vstack

from hinge.io import Rows, Table, is_number
from hinge.tables._values import texts
from hinge.web.pools._base import short_digest

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hinge.io import Chunk
    from hinge.web.pools._base import Features

Column: TypeAlias = NDArray[np.object_] | NDArray[np.floating]  # texts or numbers
Columns: TypeAlias = dict[str, Column]
Cells: TypeAlias = list[list[str]]  # pairs of column and value

_MAX_CELLS = 200  # shown on the page
_PIECE_ROWS = 4096
_SEPARATOR = "\x1f"


class SourceRows(Protocol):
    """The original rows of a file, without their labels."""

    def cells(self, row: int) -> Cells:
        """Return pairs of column and value of a row, as strings."""

    def digest(self, row: int) -> str:
        """Return a hash of a row."""

    def numbers(self, rows: Sequence[int] | NDArray[np.int64]) -> NDArray[np.floating]:
        """Return rows as numbers, if all columns are numeric."""

    def extremes(self) -> tuple[float, float]:
        """Return the minimum and maximum of all numbers."""


class NumericRows:
    """Rows of a numeric matrix.

    Parameters
    ----------
    X : ndarray or CSR matrix
        The matrix.
    first : int
        The index of the first feature in the file; columns before it are empty.
    """

    def __init__(self, X: Features, first: int = 0) -> None:
        self._X, self._first = X, first

    def cells(self, row: int) -> Cells:
        """Return pairs of index and value of a row as strings; of a sparse row only the nonzero ones."""
        X = self._X
        indices, values = (range(X.shape[1]), X[row]) if isinstance(X, np.ndarray) else self._nonzero(row)
        pairs = zip(indices, values.tolist(), strict=True)
        return _truncated([[str(index), f"{value:.6g}"] for index, value in pairs])

    def digest(self, row: int) -> str:
        """Return a hash of a row, which is the same for dense and sparse rows."""
        indices, values = self._nonzero(row)
        numbers = values.astype("<f8")
        return short_digest((indices - self._first).astype("<i8").tobytes(), numbers.tobytes())

    def numbers(self, rows: Sequence[int] | NDArray[np.int64]) -> NDArray[np.floating]:
        """Return rows as a dense matrix."""
        chosen = self._X[rows]
        dense: NDArray[np.floating] = chosen if isinstance(chosen, np.ndarray) else chosen.toarray()
        return dense[:, self._first :]

    def extremes(self) -> tuple[float, float]:
        """Return the minimum and maximum of all numbers."""
        return float(self._X.min()), float(self._X.max())

    def _nonzero(self, row: int) -> tuple[NDArray[np.int64], NDArray[np.floating]]:
        """Return the indices and the values of the nonzero entries of a row."""
        X = self._X
        if isinstance(X, np.ndarray):
            indices = np.flatnonzero(X[row])
            return indices, X[row, indices]
        part = slice(*X.indptr[row : row + 2])
        is_nonzero = X.data[part] != 0
        return X.indices[part][is_nonzero].astype(np.int64), X.data[part][is_nonzero]


class TableRows:
    """Rows of a table, without its label column."""

    def __init__(self, columns: Columns) -> None:
        self._columns = columns

    def cells(self, row: int) -> Cells:
        """Return pairs of column and value of a row, as strings."""
        return _truncated([[name, text] for name, text in zip(self._columns, self._texts(row), strict=True)])

    def digest(self, row: int) -> str:
        """Return a hash of a row, which is the same for 1, 1.0 and 1e0."""
        values = (repr(float(text)).removesuffix(".0") if is_number(text) else text for text in self._texts(row))
        return short_digest(_SEPARATOR.join(values).encode("utf-8", "surrogatepass"))

    def numbers(self, rows: Sequence[int] | NDArray[np.int64]) -> NDArray[np.floating]:
        """Return rows as a dense matrix."""
        return np.column_stack([values[rows] for values in self._columns.values()]).astype(np.float64)

    def extremes(self) -> tuple[float, float]:
        """Return the minimum and maximum of all numbers."""
        columns = self._columns.values()
        return float(min(values.min() for values in columns)), float(max(values.max() for values in columns))

    def _texts(self, row: int) -> list[str]:
        return [texts(values[row : row + 1])[0] for values in self._columns.values()]


def concatenate(chunks: list[Chunk]) -> Chunk:
    """Concatenate the chunks of a file."""
    first = chunks[0]
    if isinstance(first, Table):
        tables = [chunk for chunk in chunks if isinstance(chunk, Table)]
        columns = {name: np.concatenate([table.columns[name] for table in tables]) for name in first.columns}
        return Table(columns, [line for table in tables for line in table.lines], first.named)
    rows = [chunk for chunk in chunks if isinstance(chunk, Rows)]
    labels = [chunk.y for chunk in rows if chunk.y is not None]
    y = np.concatenate(labels) if labels else None
    return Rows(stack([chunk.X for chunk in rows]), y, first.first, first.indexed)


def pieces(chunk: Chunk) -> Iterator[Chunk]:
    """Split a chunk into pieces of a few thousand rows."""
    for start in range(0, len(chunk), _PIECE_ROWS):
        part = slice(start, start + _PIECE_ROWS)
        if isinstance(chunk, Table):
            columns = {name: values[part] for name, values in chunk.columns.items()}
            yield Table(columns, chunk.lines[part], chunk.named)
        else:
            yield Rows(chunk.X[part], None, chunk.line(start), chunk.indexed)


def label_texts(values: NDArray[np.generic]) -> dict[int, str]:
    """Return labels by row; missing values and dashes are not labels.

    Examples
    --------
    >>> import numpy as np
    >>> label_texts(np.array(["cat", "", "-", "dog"], dtype=object)), label_texts(np.array([3.0, np.nan]))
    ({0: 'cat', 3: 'dog'}, {0: '3'})
    """
    return {row: text for row, text in enumerate(texts(values)) if text not in ("", "-")}


def stack(parts: list[Features]) -> Features:
    """Stack matrices vertically; those of svmlight files are as wide as their last entry."""
    if dense := [part for part in parts if isinstance(part, np.ndarray)]:
        return np.concatenate(dense)
    sparse = [part for part in parts if not isinstance(part, np.ndarray)]
    width = max(part.shape[1] for part in sparse)
    widened = [csr_matrix((X.data, X.indices, X.indptr), shape=(X.shape[0], width)) for X in sparse]
    return vstack(widened, format="csr")


def _truncated(cells: Cells) -> Cells:
    n_left = len(cells) - _MAX_CELLS
    return cells if n_left <= 0 else [*cells[:_MAX_CELLS], ["...", f"{n_left:,} more"]]
