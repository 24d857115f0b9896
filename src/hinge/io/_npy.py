"""One array inside an npz archive, read from its beginning in pieces."""

from __future__ import annotations

import io
import math
import warnings
import zipfile
from tokenize import TokenError
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.lib import format as npy

from hinge.exceptions import sentence
from hinge.io._errors import DataFileError

if TYPE_CHECKING:
    from contextlib import ExitStack

    from numpy.typing import NDArray

_HEADER_BYTES = 10_000
_PACKINGS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_PIECE = 1 << 20
_WHOLE = 1 << 28  # bytes that are unpacked at once, however few they are on the disk
_MOST = 1 << 62  # entries
# What NumPy lets through, which reads headers as Python does.
_UNREADABLE = (ValueError, TypeError, SyntaxError, TokenError, OverflowError, RecursionError, MemoryError)
_NAMES = {"b": "truth values", "i": "integers", "u": "integers", "f": "floats", "U": "texts", "S": "texts"}


class NpyMember:
    """Array of an archive whose rows are taken one after the other.

    Parameters
    ----------
    archive : ZipFile
        The npz file.
    array : str
        Name of the array.
    label : str
        What messages call it.
    files : ExitStack
        Closes what is opened here.
    kinds : str
        Accepted kinds of numbers, as NumPy's dtypes abbreviate them.
    n_dimensions : int
        Required number of dimensions.

    Attributes
    ----------
    shape : tuple of int
        Rows first.
    dtype : numpy dtype
        As in the file.
    """

    def __init__(
        self, archive: zipfile.ZipFile, array: str, label: str, files: ExitStack, *, kinds: str, n_dimensions: int
    ) -> None:
        self._label = label
        self._kinds = kinds
        information = archive.getinfo(f"{array}.npy")
        if information.compress_type not in _PACKINGS:
            raise DataFileError(f"{self._label} must be packed as NumPy does, or not at all; save it anew.")
        self._file: Any = files.enter_context(archive.open(information))
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
            self._require_worth(expected, information.compress_size)
            self._file = io.BytesIO(self._in_row_order(expected))

    def take(self, n_rows: int) -> NDArray[Any]:
        """Return the next rows."""
        data = self._read(n_rows * self._row_bytes)
        return np.frombuffer(data, dtype=self.dtype).reshape(n_rows, *self.shape[1:])

    def _header(self) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
        try:
            version = npy.read_magic(self._file)
            read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of headers that Python 2 wrote
                shape, fortran, dtype = read(self._file, max_header_size=_HEADER_BYTES)
        except _UNREADABLE as error:
            reason = sentence(str(error).partition("\n")[0])
            raise DataFileError(f"{self._label} is damaged: its header cannot be read ({reason}).") from None
        return tuple(int(size) for size in shape), bool(fortran), dtype

    def _check(self, n_dimensions: int) -> None:
        if self.dtype.kind not in self._kinds:
            wanted = " or ".join(dict.fromkeys(_NAMES[kind] for kind in self._kinds))
            raise DataFileError(f"{self._label} must hold {wanted}, got type {self.dtype}.")
        if not self.dtype.itemsize or max(self.shape, default=0) > _MOST:
            raise DataFileError(f"{self._label} is damaged: it claims entries of no size, or more than there can be.")
        if len(self.shape) != n_dimensions or min(self.shape, default=0) < 0:
            raise DataFileError(f"{self._label} must have {n_dimensions} dimension(s), got shape {self.shape}.")

    def _require_worth(self, size: int, packed: int) -> None:
        """Refuse to unpack all columns at once if that would take far more memory than the file takes on the disk."""
        if size > max(_WHOLE, 4 * packed):
            raise DataFileError(
                f"{self._label} stands column by column and unpacks to {size >> 20} MB, which are not read at once; "
                "save np.ascontiguousarray(X), whose rows can be read one by one."
            )

    def _in_row_order(self, size: int) -> bytes:
        whole = np.frombuffer(self._read(size), dtype=self.dtype)
        return whole.reshape(self.shape, order="F").tobytes(order="C")

    def _read(self, size: int) -> bytearray:
        """Read exactly so many bytes; memory grows with what is there, not with what the header promises."""
        data = bytearray()
        while len(data) < size:
            piece = self._file.read(min(_PIECE, size - len(data)))
            if not piece:
                raise DataFileError(f"{self._label} is damaged: it ends too early.")
            data += piece
        return data
