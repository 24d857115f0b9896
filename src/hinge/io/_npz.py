"""Read NumPy's npz files row by row: arrays X and y, or the parts of a CSR matrix."""

from __future__ import annotations

import errno
import struct
import zipfile
import zlib
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_matrix

from hinge.exceptions import listed, sentence
from hinge.io._bytes import require_file
from hinge.io._chunks import DataFileError, Rows
from hinge.io._npy import NpyMember

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from hinge.io._chunks import Values

_CHUNK_BYTES = 1 << 25  # chunks of long rows have fewer rows
_ROW_BYTES = 1 << 26  # the longest row
_LABEL_BYTES = 1 << 12  # the longest label
_SPARSE = ("data", "indices", "indptr", "shape")
_DAMAGE = (
    *(zipfile.BadZipFile, zlib.error, struct.error, EOFError, KeyError, OverflowError),
    *(NotImplementedError, RuntimeError, UnicodeDecodeError),  # other compressions, passwords, names
)


class NpzReader:
    """One pass over an npz file."""

    def __init__(self, path: Path) -> None:
        require_file(path)
        self._name = path.name
        with self._refusing_damage():
            self._archive = zipfile.ZipFile(path)
        self._files = ExitStack()
        self._n_rows = 0
        self._done = 0

    def chunks(self, n_rows: int) -> Iterator[Rows]:
        """Yield the rows, at most `n_rows` at a time."""
        with self._refusing_damage():
            members = {name.removesuffix(".npy") for name in self._archive.namelist() if name.endswith(".npy")}
            if "X" in members:
                yield from self._dense(n_rows, "y" in members)
            elif members.issuperset(_SPARSE):
                yield from self._sparse(n_rows, members)
            else:
                raise DataFileError(
                    f"{self._name} must hold an array X (and y), or data, indices, indptr and shape of a CSR matrix; "
                    f"it holds {listed(sorted(members)) or 'no arrays'}."
                )

    def share(self) -> float | None:
        """Return the fraction of the rows that has been read."""
        return self._done / self._n_rows if self._n_rows else None

    def close(self) -> None:
        """Close the file."""
        self._files.close()  # the archive stays open as long as one of these
        self._archive.close()

    def _dense(self, n_rows: int, labelled: bool) -> Iterator[Rows]:
        X = self._open("X", kinds="biuf", n_dimensions=2)
        self._n_rows = X.shape[0]
        y = self._labels(labelled)
        row_bytes = max(1, X.shape[1] * max(X.dtype.itemsize, 8))
        self._require_short(row_bytes)
        if not X.shape[1]:  # a file of any size could claim any number of rows without bytes
            raise DataFileError(f"{self._name} must hold rows of at least one number, got an X of shape {X.shape}.")
        n_rows = max(1, min(n_rows, _CHUNK_BYTES // row_bytes))
        for first in range(0, self._n_rows, n_rows):
            count = min(n_rows, self._n_rows - first)
            values = _floats(X.take(count))
            yield Rows(values, y.take(count) if y else None, first + 1)
            self._done = first + count

    def _sparse(self, n_rows: int, members: set[str]) -> Iterator[Rows]:
        self._n_rows, n_columns = self._shape(members)
        data, indices = self._open("data", kinds="biuf"), self._open("indices", kinds="iu")
        indptr, y = self._open("indptr", kinds="iu"), self._labels("y" in members)
        if indptr.shape != (self._n_rows + 1,) or data.shape != indices.shape:
            raise DataFileError(f"{self._name} is damaged: data, indices, indptr and shape do not match.")
        place = self._pointers(indptr, 1, 0, 0)
        for first in range(0, self._n_rows, n_rows):
            count = min(n_rows, self._n_rows - first)
            pointers = self._pointers(indptr, count, int(place[-1]), data.shape[0])
            place = np.concatenate([place[-1:], pointers])
            for start, stop in self._runs(place):
                size = int(place[stop] - place[start])
                parts = data.take(size), indices.take(size), place[start : stop + 1] - place[start]
                X = self._rows(parts, n_columns)
                yield Rows(X, y.take(stop - start) if y else None, first + start + 1)
                self._done = first + stop
        if place[-1] != data.shape[0]:
            raise DataFileError(f"{self._name} is damaged: indptr must end at {data.shape[0]}, got {place[-1]}.")

    def _runs(self, place: NDArray[np.int64]) -> Iterator[tuple[int, int]]:
        """Split rows into runs, none of which has too many entries."""
        entry, start, stop = 12, 0, len(place) - 1
        while start < stop:
            limit = place[start] + _CHUNK_BYTES // entry
            end = max(start + 1, int(np.searchsorted(place, limit, side="right")) - 1)
            self._require_short(int(place[end] - place[start]) * entry if end == start + 1 else 0)
            yield start, min(end, stop)
            start = end

    def _pointers(self, indptr: NpyMember, count: int, lowest: int, highest: int) -> NDArray[np.int64]:
        pointers = indptr.take(count).astype(np.int64)
        if pointers[0] < lowest or (np.diff(pointers) < 0).any() or pointers[-1] > highest:
            raise DataFileError(f"{self._name} is damaged: indptr must rise from 0 to the number of entries.")
        return pointers

    def _rows(self, parts: tuple[Values, Values, NDArray[np.int64]], n_columns: int) -> csr_matrix:
        data, indices, indptr = parts
        if indices.size and not 0 <= int(indices.min()) <= int(indices.max()) < n_columns:
            raise DataFileError(f"{self._name} is damaged: indices must lie between 0 and {n_columns - 1}.")
        arrays = (_floats(data), indices.astype(np.int32), indptr.astype(np.int32))
        X = csr_matrix(arrays, shape=(len(indptr) - 1, n_columns))
        X.sum_duplicates()  # also sorts
        return X

    def _shape(self, members: set[str]) -> tuple[int, int]:
        if "format" in members and self._format() != "csr":
            raise DataFileError(
                f"{self._name} must hold a CSR matrix, got {sentence(self._format())}; save X.tocsr() instead."
            )
        shape = self._open("shape", kinds="iu")
        if shape.shape != (2,):
            raise DataFileError(f"{self._name} must hold a matrix of rows and columns, got shape of {shape.shape[0]}.")
        n_rows, n_columns = (int(size) for size in shape.take(2))
        if min(n_rows, n_columns) < 0 or n_columns >= 2**31:
            raise DataFileError(
                f"{self._name} must have between 0 and 2**31 - 1 columns, got shape ({n_rows}, {n_columns})."
            )
        return n_rows, n_columns

    def _format(self) -> str:
        text = self._open("format", kinds="SU", n_dimensions=0).take(1)[0]
        return text.decode("ascii", errors="replace") if isinstance(text, bytes) else str(text)

    def _labels(self, labelled: bool) -> NpyMember | None:
        if not labelled:
            return None
        y = self._open("y", kinds="biufU")
        if y.shape[0] != self._n_rows:
            raise DataFileError(f"{self._name} must have one label per row, got {y.shape[0]} for {self._n_rows} rows.")
        if y.dtype.itemsize > _LABEL_BYTES:
            raise DataFileError(
                f"{self._name} must have labels of at most {_LABEL_BYTES} bytes, got {y.dtype.itemsize}; shorten them."
            )
        return y

    def _open(self, array: str, *, kinds: str, n_dimensions: int = 1) -> NpyMember:
        label = f"{self._name}, array {array}"
        return NpyMember(self._archive, array, label, self._files, kinds=kinds, n_dimensions=n_dimensions)

    def _require_short(self, row_bytes: int) -> None:
        if row_bytes > _ROW_BYTES:
            raise DataFileError(f"{self._name} has rows of more than {_ROW_BYTES >> 20} MB, which are too long.")

    @contextmanager
    def _refusing_damage(self) -> Iterator[None]:
        try:
            yield
        except (*_DAMAGE, OSError) as error:
            if isinstance(error, OSError) and error.errno != errno.EINVAL:  # the disk; else an offset before the file
                raise
            raise DataFileError(f"{self._name} is damaged or not an npz file ({sentence(error)}).") from None


def _floats(values: Values) -> Values:
    return values if values.dtype == np.float32 else values.astype(np.float64)
