"""Rows as they stand in a file: what is shown, and what digests are made of, whatever a model sees."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from scipy.sparse import csr_matrix, issparse, vstack

from hinge.io import Rows, Table, is_number
from hinge.tables._columns import texts
from hinge.web.pools._pool import digest_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from hinge.io import Chunk

Cells = list[list[str]]  # pairs of column and value

_MOST_CELLS = 200  # shown
_PIECE = 4096  # rows
_BETWEEN = "\x1f"


class Raw(Protocol):
    """Rows as they stand in a file, without their labels."""

    def cells(self, row: int) -> Cells:
        """Return the values of a row as texts, each with the name of its column."""

    def digest(self, row: int) -> str:
        """Return the digest of a row."""

    def numbers(self, rows: Sequence[int] | NDArray[np.int64]) -> NDArray[np.float64]:
        """Return some rows of a file that holds nothing but numbers."""

    def extremes(self) -> tuple[float, float]:
        """Return the smallest and the largest of all numbers of such a file."""


class RawRows:
    """Rows of numbers.

    Parameters
    ----------
    X : ndarray or CSR matrix
        All of them.
    first : int
        What the file calls the first feature; its columns before are empty.
    """

    def __init__(self, X: Any, first: int = 0) -> None:
        self._X, self._first = X, first

    def cells(self, row: int) -> Cells:
        """Return the values of a row as texts; of a sparse row those that are not zero."""
        places, values = self._stored(row) if issparse(self._X) else (range(self._X.shape[1]), self._X[row])
        pairs = zip(places, values.tolist(), strict=True)
        return _bounded([[str(place), f"{value:.6g}"] for place, value in pairs])

    def digest(self, row: int) -> str:
        """Return the digest of a row, the same for a dense and a sparse one."""
        places, values = self._stored(row)
        numbers = values.astype("<f8")
        return digest_of((places - self._first).astype("<i8").tobytes(), numbers.tobytes())

    def numbers(self, rows: Sequence[int] | NDArray[np.int64]) -> NDArray[np.float64]:
        """Return some rows."""
        chosen = self._X[rows]
        dense: NDArray[np.float64] = (chosen.toarray() if issparse(chosen) else chosen)[:, self._first :]
        return dense

    def extremes(self) -> tuple[float, float]:
        """Return the smallest and the largest of all numbers."""
        return float(self._X.min()), float(self._X.max())

    def _stored(self, row: int) -> tuple[NDArray[np.int64], NDArray[Any]]:
        """Return the places and the values of what is not zero in a row."""
        if not issparse(self._X):
            places = np.flatnonzero(self._X[row])
            return places, self._X[row, places]
        part = slice(*self._X.indptr[row : row + 2])
        kept = self._X.data[part] != 0
        return self._X.indices[part][kept].astype(np.int64), self._X.data[part][kept]


class RawTable:
    """Rows of named columns, without that of the labels."""

    def __init__(self, columns: dict[str, NDArray[Any]]) -> None:
        self._columns = columns

    def cells(self, row: int) -> Cells:
        """Return the values of a row as texts."""
        return _bounded([[name, text] for name, text in zip(self._columns, self._texts(row), strict=True)])

    def digest(self, row: int) -> str:
        """Return the digest of a row; 1, 1.0 and 1e0 are the same number, whatever file they stand in."""
        values = (repr(float(text)).removesuffix(".0") if is_number(text) else text for text in self._texts(row))
        return digest_of(_BETWEEN.join(values).encode("utf-8", "surrogatepass"))

    def numbers(self, rows: Sequence[int] | NDArray[np.int64]) -> NDArray[np.float64]:
        """Return some rows."""
        return np.column_stack([values[rows] for values in self._columns.values()]).astype(np.float64)

    def extremes(self) -> tuple[float, float]:
        """Return the smallest and the largest of all numbers."""
        columns = self._columns.values()
        return float(min(values.min() for values in columns)), float(max(values.max() for values in columns))

    def _texts(self, row: int) -> list[str]:
        return [texts(values[row : row + 1])[0] for values in self._columns.values()]


def joined(chunks: list[Chunk]) -> Chunk:
    """Return chunks of one file as one."""
    first = chunks[0]
    if isinstance(first, Table):
        tables = [chunk for chunk in chunks if isinstance(chunk, Table)]
        columns = {name: np.concatenate([table.columns[name] for table in tables]) for name in first.columns}
        return Table(columns, [line for table in tables for line in table.lines], first.named)
    rows = [chunk for chunk in chunks if isinstance(chunk, Rows)]
    labels = [chunk.y for chunk in rows if chunk.y is not None]
    return Rows(_stacked([chunk.X for chunk in rows]), _labels(labels), first.first, first.indexed)


def pieces(chunk: Chunk) -> Iterator[Chunk]:
    """Yield a few thousand rows at a time."""
    for start in range(0, len(chunk), _PIECE):
        part = slice(start, start + _PIECE)
        if isinstance(chunk, Table):
            columns = {name: values[part] for name, values in chunk.columns.items()}
            yield Table(columns, chunk.lines[part], chunk.named)
        else:
            yield Rows(chunk.X[part], None, chunk.line(start), chunk.indexed)


def label_texts(values: NDArray[Any]) -> dict[int, str]:
    """Return labels by row; those that are missing, and dashes, are none.

    Examples
    --------
    >>> import numpy as np
    >>> label_texts(np.array(["cat", "", "-", "dog"], dtype=object)), label_texts(np.array([3.0, np.nan]))
    ({0: 'cat', 3: 'dog'}, {0: '3'})
    """
    return {row: text for row, text in enumerate(texts(values)) if text not in ("", "-")}


def _stacked(parts: list[Any]) -> Any:
    """Return rows below each other; those of svmlight files are as wide as their last entry."""
    if not issparse(parts[0]):
        return np.concatenate(parts)
    width = max(part.shape[1] for part in parts)
    widened = [csr_matrix((X.data, X.indices, X.indptr), shape=(X.shape[0], width)) for X in parts]
    return vstack(widened, format="csr")


def _labels(parts: list[NDArray[Any]]) -> NDArray[Any] | None:
    return np.concatenate(parts) if parts else None


def _bounded(cells: Cells) -> Cells:
    more = len(cells) - _MOST_CELLS
    return cells if more <= 0 else [*cells[:_MOST_CELLS], ["...", f"{more:,} more"]]
