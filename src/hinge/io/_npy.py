"""Read one array of an npz archive in pieces."""

from __future__ import annotations

import io
import math
import warnings
import zipfile
from tokenize import TokenError
from typing import IO, TYPE_CHECKING

import numpy as np
from numpy.lib import format as npy

from hinge.exceptions import sentence
from hinge.io._chunks import DataFileError

if TYPE_CHECKING:
    from contextlib import ExitStack

    from hinge.io._chunks import Values

_HEADER_BYTES = 10_000
_COMPRESSIONS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_PIECE = 1 << 20
_MAX_BYTES_AT_ONCE = 1 << 28  # that are decompressed at once, however few they are on disk
_MAX_ENTRIES = 1 << 62
# NumPy parses headers as Python literals and lets these exceptions through.
_UNREADABLE = (ValueError, TypeError, SyntaxError, TokenError, OverflowError, RecursionError, MemoryError)
_KIND_NAMES = {"b": "booleans", "i": "integers", "u": "integers", "f": "floats", "U": "texts", "S": "texts"}


class NpyMember:
    """An array of an archive, read row by row.

    Parameters
    ----------
    archive : ZipFile
        The npz file.
    array : str
        Name of the array.
    label : str
        The name for messages.
    files : ExitStack
        Closes the file that is opened here.
    kinds : str
        Accepted values of `dtype.kind`.
    n_dimensions : int
        Required number of dimensions.

    Attributes
    ----------
    shape : tuple of int
        The number of rows is first.
    dtype : numpy dtype
        The type of the array in the file.
    """

    def __init__(
        self, archive: zipfile.ZipFile, array: str, label: str, files: ExitStack, *, kinds: str, n_dimensions: int
    ) -> None:
        self._label = label
        self._kinds = kinds
        information = archive.getinfo(f"{array}.npy")
        if information.compress_type not in _COMPRESSIONS:
            raise DataFileError(f"{self._label} must be compressed as NumPy does, or not at all; save it again.")
        self._file: IO[bytes] = files.enter_context(archive.open(information))
        self.shape, fortran, self.dtype = self._header()
        self._check(n_dimensions)
        self._row_bytes = math.prod(self.shape[1:]) * self.dtype.itemsize
        expected = math.prod(self.shape) * self.dtype.itemsize
        present = information.file_size - self._file.tell()
        if present != expected:
            raise DataFileError(
                f"{self._label} is damaged: it has {present} bytes where its shape asks for {expected}."
            )
        if fortran and n_dimensions > 1:
            self._check_decompressed_size(expected, information.compress_size)
            self._file = io.BytesIO(self._in_row_order(expected))

    def take(self, n_rows: int) -> Values:
        """Return the next rows."""
        data = self._read(n_rows * self._row_bytes)
        return np.frombuffer(data, dtype=self.dtype).reshape(n_rows, *self.shape[1:])

    def _header(self) -> tuple[tuple[int, ...], bool, np.dtype[np.generic]]:
        try:
            version = npy.read_magic(self._file)
            read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # about headers that Python 2 wrote
                shape, fortran, dtype = read(self._file, max_header_size=_HEADER_BYTES)
        except _UNREADABLE as error:
            reason = sentence(str(error).partition("\n")[0])
            raise DataFileError(f"{self._label} is damaged: its header cannot be read ({reason}).") from None
        return tuple(int(size) for size in shape), bool(fortran), dtype

    def _check(self, n_dimensions: int) -> None:
        if self.dtype.kind not in self._kinds:
            wanted = " or ".join(dict.fromkeys(_KIND_NAMES[kind] for kind in self._kinds))
            raise DataFileError(f"{self._label} must hold {wanted}, got type {self.dtype}.")
        if not self.dtype.itemsize or max(self.shape, default=0) > _MAX_ENTRIES:
            raise DataFileError(f"{self._label} is damaged: its header claims entries of no size, or too many.")
        if len(self.shape) != n_dimensions or min(self.shape, default=0) < 0:
            raise DataFileError(f"{self._label} must have {n_dimensions} dimension(s), got shape {self.shape}.")

    def _check_decompressed_size(self, size: int, compressed: int) -> None:
        """Refuse arrays in column order that decompress to far more than the file takes on disk."""
        if size > max(_MAX_BYTES_AT_ONCE, 4 * compressed):
            raise DataFileError(
                f"{self._label} is stored in column order and decompresses to {size >> 20} MB, which is too much "
                "to read at once; save np.ascontiguousarray(X), whose rows can be read one by one."
            )

    def _in_row_order(self, size: int) -> bytes:
        whole = np.frombuffer(self._read(size), dtype=self.dtype)
        return whole.reshape(self.shape, order="F").tobytes(order="C")

    def _read(self, size: int) -> bytearray:
        """Read exactly `size` bytes; memory grows with what the file holds, not with what its header claims."""
        data = bytearray()
        while len(data) < size:
            piece = self._file.read(min(_PIECE, size - len(data)))
            if not piece:
                raise DataFileError(f"{self._label} is damaged: it ends too early.")
            data += piece
        return data
