"""Bytes of a file or a pipe: opened, unpacked where they are packed, and handed out as they arrive."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import select
import stat
import sys
import zlib
from pathlib import Path
from typing import IO, Any

from hinge.exceptions import sentence
from hinge.io._errors import DataFileError

PIECE = 1 << 20  # bytes asked for at a time
STANDARD_INPUT = "-"
_XZ_MEMORY = 1 << 28  # four times what the strongest of the usual settings needs

# Long enough for a busy writer to come back, short enough not to be noticed by whoever watches a slow stream.
_PATIENCE = 0.05

_MAGIC = {b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\xfd7zXZ\x00": "xz"}


def require_file(path: Path) -> os.stat_result:
    """Return what the system knows of a file; one sentence if it is not there."""
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
    """Bytes as they stand on disk or come through a pipe.

    Parameters
    ----------
    path : Path or None
        None stands for the standard input, which is never closed.
    name : str
        For complaints.

    Attributes
    ----------
    taken : int
        Bytes handed out so far.
    size : int or None
        Bytes in all, where that can be known.
    """

    def __init__(self, path: Path | None, name: str) -> None:
        self.taken = 0
        self._name = name
        self._pushed = b""
        self._owned = path is not None
        self._file: Any = _open(path) if path is not None else _standard_input(name)
        self._descriptor = _descriptor(self._file)
        self.size = _regular_size(self._descriptor)

    def read(self, size: int = PIECE) -> bytes:
        """Return what is there, at most `size` bytes and at least one; nothing at the end."""
        if self._pushed:
            data, self._pushed = self._pushed[:size], self._pushed[size:]
        else:
            data = self._read(size)
        self.taken += len(data)
        return data

    def _read(self, size: int) -> bytes:
        """Ask the system once, which an unbuffered file does; of a buffered one, `read1` does the same."""
        try:
            return bytes(self._file.read(size) if self._owned else self._file.read1(size))
        except OSError as error:
            if error.errno is None:
                raise
            raise DataFileError(f"{self._name} cannot be read: {error.strerror}.") from None

    def packing(self) -> str | None:
        """Return how the bytes are packed, from the first few of them, which stay unread."""
        head = b""
        while not (found := next((kind for magic, kind in _MAGIC.items() if head.startswith(magic)), None)):
            # Waits for no more bytes than are needed to tell: a slow pipe may have sent only one short line.
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
        """Tell whether more bytes, or the end, can be had without waiting for whoever writes them."""
        if self._pushed or self.size is not None or self._descriptor is None:
            return True
        try:
            return bool(select.select([self._descriptor], [], [], _PATIENCE)[0])
        except (OSError, ValueError):  # a system that cannot ask pipes
            return False

    def seekable(self) -> bool:
        """Return False: bytes are read once, in order."""
        return False

    def close(self) -> None:
        """Close what was opened here."""
        if self._owned:
            self._file.close()


class ByteStream:
    """Unpacked bytes of a file, a pipe or the standard input (path None)."""

    def __init__(self, path: Path | None, name: str) -> None:
        self._name = name
        self._raw = RawBytes(path, name)
        try:
            self._packing = self._raw.packing()
        except BaseException:
            self._raw.close()
            raise
        self._unpacked = _unpacked(self._raw, self._packing)

    def read(self) -> bytes:
        """Return the bytes that are there, at most `PIECE` of them; nothing at the end."""
        if self._unpacked is None:
            return self._raw.read()
        try:
            return bytes(self._unpacked.read1(PIECE))
        except (EOFError, zlib.error, lzma.LZMAError, OSError) as error:
            if isinstance(error, OSError) and error.errno is not None:  # the disk, not the contents
                raise
            if "Memory usage limit" in str(error):
                raise DataFileError(
                    f"{self._name} must need at most {_XZ_MEMORY >> 20} MB to be unpacked; pack it by xz -6, say."
                ) from None
            raise DataFileError(
                f"{self._name} is damaged or cut short: it cannot be unpacked as {self._packing} data "
                f"({sentence(error)})."
            ) from None

    def ready(self) -> bool:
        """Tell whether `read` returns without waiting for whoever writes."""
        return self._raw.ready()

    def share(self) -> float | None:
        """Return the share of the bytes on disk that has been read."""
        if self._raw.size is None:
            return None
        return min(1.0, self._raw.taken / self._raw.size) if self._raw.size else 1.0

    def close(self) -> None:
        """Close the file."""
        if self._unpacked is not None:
            self._unpacked.close()
        self._raw.close()


class XzFile:
    """Unpacked bytes of xz data, one part after the other.

    Python's own reader takes as much memory as the data ask for, up to four gigabytes.
    """

    def __init__(self, raw: RawBytes) -> None:
        self._raw = raw
        self._packed = b""  # read, but not yet given to the decompressor
        self._part = self._next_part()

    def read1(self, size: int) -> bytes:
        """Return some bytes, at most `size`; nothing at the end."""
        while True:
            if self._part.eof:
                self._packed = self._part.unused_data.lstrip(b"\0") or self._raw.read().lstrip(b"\0")
                if not self._packed:
                    return b""
                self._part = self._next_part()
            if self._part.needs_input and not self._packed:
                self._packed = self._raw.read()
                if not self._packed:
                    raise EOFError("it ends before the end of the packed data")
            packed, self._packed = self._packed, b""
            if data := self._part.decompress(packed, size):
                return data

    def close(self) -> None:
        """Leave the packed file to whoever opened it."""

    @staticmethod
    def _next_part() -> lzma.LZMADecompressor:
        return lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_XZ_MEMORY)


def _open(path: Path) -> IO[bytes]:
    require_file(path)
    return path.open("rb", buffering=0)


def _standard_input(name: str) -> Any:
    if sys.stdin is None:
        raise DataFileError(f"{name} is closed; give the name of a file.")
    return sys.stdin.buffer


def _unpacked(raw: Any, packing: str | None) -> Any:
    if packing == "gzip":
        return gzip.GzipFile(fileobj=raw, mode="rb")
    if packing == "bzip2":
        return bz2.BZ2File(raw, "rb")
    return XzFile(raw) if packing == "xz" else None


def _descriptor(file: Any) -> int | None:
    try:
        return int(file.fileno())
    except (OSError, AttributeError):  # a stand-in for the standard input
        return None


def _regular_size(descriptor: int | None) -> int | None:
    if descriptor is None:
        return None
    status = os.fstat(descriptor)
    return status.st_size if stat.S_ISREG(status.st_mode) else None
