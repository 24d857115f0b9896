"""Read bytes from a file or a pipe as they arrive, decompressed if necessary."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import select
import stat
import sys
import zlib
from typing import IO, TYPE_CHECKING, Protocol, cast

from hinge.exceptions import sentence
from hinge.io._chunks import DataFileError
from hinge.io._encodings import Utf16Bytes

if TYPE_CHECKING:
    from collections.abc import Callable
    from io import BufferedReader, FileIO
    from pathlib import Path

PIECE = 1 << 20  # bytes per read
STANDARD_INPUT = "-"
_XZ_MEMORY = 1 << 28  # bytes; four times what `xz -9` needs
_PIPE_WAIT_S = 0.05  # long enough for a busy writer to continue, too short to be noticed by a person

_MAGIC = {
    b"\x1f\x8b": "gzip",
    b"BZh": "bzip2",
    b"\xfd7zXZ\x00": "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"PK\x03\x04": "zip",
}
_WAYS_OUT = {
    "zstd": "is compressed by zstd; decompress it first, such as by zstd -dc {0} | hinge train -",
    "zip": "is a zip archive or an Excel workbook; unpack it, or save the table as CSV",
}


def require_file(path: Path) -> os.stat_result:
    """Return the status of a file; raise an OSError with a complete sentence if it cannot be read."""
    try:
        status = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        raise FileNotFoundError(f"There is no file {path}.") from None
    except ValueError:  # a path with a null character
        raise FileNotFoundError(f"There is no file {str(path)!r}.") from None
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(f"{path} is a folder; give the path of a file in it.")
    if not os.access(path, os.R_OK):
        raise PermissionError(f"{path} may not be read by this user.")
    return status


class RawBytes:
    """Bytes of a file or a pipe, not decompressed.

    Parameters
    ----------
    path : Path or None
        None reads standard input, which is never closed.
    name : str
        The name for messages.

    Attributes
    ----------
    taken : int
        Number of bytes read so far.
    size : int or None
        Total number of bytes, None for a pipe.
    """

    def __init__(self, path: Path | None, name: str) -> None:
        self.taken = 0
        self._name = name
        self._pushed = b""
        self._owned = path is not None
        self._file: FileIO | BufferedReader
        # One system call per read: `read` of an unbuffered file, `read1` of a buffered one.
        if path is None:
            self._file = standard_input = _standard_input(name)
            self._read_once: Callable[[int], bytes | None] = standard_input.read1
        else:
            self._file = file = _open(path)
            self._read_once = file.read
        self._descriptor = _descriptor(self._file)
        self.size = _regular_size(self._descriptor)

    def read(self, size: int = PIECE) -> bytes:
        """Return the next bytes, at least one and at most `size`; empty at the end."""
        if self._pushed:
            data, self._pushed = self._pushed[:size], self._pushed[size:]
        else:
            data = self._read(size)
        self.taken += len(data)
        return data

    def _read(self, size: int) -> bytes:
        try:
            return self._read_once(size) or b""
        except OSError as error:
            if error.errno is None:
                raise
            raise DataFileError(f"{self._name} cannot be read: {error.strerror}.") from None

    def compression(self) -> str | None:
        """Return how the bytes are compressed, judged by the first few, which are not consumed."""
        head = b""
        while not (found := next((kind for magic, kind in _MAGIC.items() if head.startswith(magic)), None)):
            # Wait for no more bytes than necessary: a slow pipe may have sent only one short line.
            if not any(magic.startswith(head) for magic in _MAGIC):
                break
            more = self.read()
            if not more:
                break
            head += more
        self._pushed = head
        self.taken -= len(head)
        return found

    def ready(self) -> bool:
        """Tell whether `read` would return without waiting for the writer of a pipe."""
        if self._pushed or self.size is not None or self._descriptor is None:
            return True
        try:
            return bool(select.select([self._descriptor], [], [], _PIPE_WAIT_S)[0])
        except (OSError, ValueError):  # a descriptor that `select` does not support
            return False

    def seekable(self) -> bool:
        """Return False: the bytes are read once, in order."""
        return False

    def close(self) -> None:
        """Close the file if it was opened here."""
        if self._owned:
            self._file.close()


class ByteStream:
    """Decompressed bytes of a file, a pipe or standard input (path None)."""

    def __init__(self, path: Path | None, name: str) -> None:
        self._name = name
        self._raw = RawBytes(path, name)
        try:
            self._compression = self._raw.compression()
            if self._compression in _WAYS_OUT and path is not None:
                raise DataFileError(f"{name} {_WAYS_OUT[self._compression].format(name)}.")
        except BaseException:
            self._raw.close()
            raise
        self._decompressed = _decompress(self._raw, self._compression)
        self._text = Utf16Bytes(self._read, name)

    def read(self) -> bytes:
        """Return the next bytes; empty at the end. UTF-16 text is returned as UTF-8."""
        return self._text.read()

    def _read(self) -> bytes:
        """Return the next bytes of the file, at most `PIECE` of them; empty at the end."""
        if self._decompressed is None:
            return self._raw.read()
        try:
            return self._decompressed.read1(PIECE)
        except (EOFError, zlib.error, lzma.LZMAError, OSError) as error:
            if isinstance(error, OSError) and error.errno is not None:  # the disk, not the contents
                raise
            if "Memory usage limit" in str(error):
                raise DataFileError(
                    f"{self._name} needs more than {_XZ_MEMORY >> 20} MB to be decompressed; compress it with xz -6."
                ) from None
            raise DataFileError(
                f"{self._name} is damaged or truncated: it cannot be decompressed as {self._compression} "
                f"({sentence(error)})."
            ) from None

    def ready(self) -> bool:
        """Tell whether `read` would return without waiting for the writer of a pipe."""
        return self._raw.ready()

    def share(self) -> float | None:
        """Return the fraction of the bytes on disk that has been read."""
        if self._raw.size is None:
            return None
        return min(1.0, self._raw.taken / self._raw.size) if self._raw.size else 1.0

    def close(self) -> None:
        """Close the file."""
        if self._decompressed is not None:
            self._decompressed.close()
        self._raw.close()


class XzFile:
    """Decompressed bytes of xz data, which may consist of several streams.

    Python's own reader takes as much memory as the data ask for, up to four gigabytes.
    """

    def __init__(self, raw: RawBytes) -> None:
        self._raw = raw
        self._compressed = b""  # read, but not yet given to the decompressor
        self._stream = self._next_stream()

    def read1(self, size: int) -> bytes:
        """Return some bytes, at most `size`; empty at the end."""
        while True:
            if self._stream.eof:
                self._compressed = self._stream.unused_data.lstrip(b"\0") or self._raw.read().lstrip(b"\0")
                if not self._compressed:
                    return b""
                self._stream = self._next_stream()
            if self._stream.needs_input and not self._compressed:
                self._compressed = self._raw.read()
                if not self._compressed:
                    raise EOFError("it ends before the end of the compressed data")
            compressed, self._compressed = self._compressed, b""
            if data := self._stream.decompress(compressed, size):
                return data

    def close(self) -> None:
        """Do nothing: whoever opened the compressed file closes it."""

    @staticmethod
    def _next_stream() -> lzma.LZMADecompressor:
        return lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_XZ_MEMORY)


class _Decompressed(Protocol):
    def read1(self, size: int, /) -> bytes:
        """Return some bytes, at most `size`; empty at the end."""

    def close(self) -> None:
        """Release what belongs to the decompressor."""


def _open(path: Path) -> FileIO:
    require_file(path)
    return path.open("rb", buffering=0)


def _standard_input(name: str) -> BufferedReader:
    if sys.stdin is None:
        raise DataFileError(f"{name} is closed; give the name of a file.")
    return cast("BufferedReader", sys.stdin.buffer)


def _decompress(raw: RawBytes, compression: str | None) -> _Decompressed | None:
    file = cast("IO[bytes]", raw)  # it has the methods that these readers call
    if compression == "gzip":
        return gzip.GzipFile(fileobj=file, mode="rb")
    if compression == "bzip2":
        return bz2.BZ2File(file, "rb")
    return XzFile(raw) if compression == "xz" else None


def _descriptor(file: FileIO | BufferedReader) -> int | None:
    try:
        return file.fileno()
    except (OSError, AttributeError):  # a replacement of standard input
        return None


def _regular_size(descriptor: int | None) -> int | None:
    if descriptor is None:
        return None
    status = os.fstat(descriptor)
    return status.st_size if stat.S_ISREG(status.st_mode) else None
