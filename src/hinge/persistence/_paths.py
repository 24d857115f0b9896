"""Open model files for reading, and write them atomically."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

from hinge.exceptions import sentence
from hinge.io import atomic
from hinge.persistence._errors import ModelFileError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import BinaryIO


@contextmanager
def reading(path: Path) -> Iterator[tuple[BinaryIO, int]]:
    """Open a regular file; yield the file and its size.

    The file is not memory-mapped: truncating a mapped file kills the process that reads it.
    """
    try:
        atomic.require_plain(path, _mode(path))  # before opening: opening a pipe blocks until its other end is opened
        with path.open("rb") as file:
            status = os.fstat(file.fileno())
            atomic.require_plain(path, status.st_mode)
            yield file, status.st_size
    except (FileNotFoundError, NotADirectoryError):
        raise FileNotFoundError(f"There is no file {path}.") from None
    except atomic.FileError as error:
        raise ModelFileError(str(error)) from None
    except OSError as error:
        if error.errno is None:  # not a file error, for example the TimeoutError of a signal handler
            raise
        raise ModelFileError(f"{path} cannot be read: {sentence(error.strerror or error)}.") from None


def _mode(path: Path) -> int:
    try:
        return path.stat().st_mode
    except ValueError as error:
        raise ModelFileError(f"{str(path)!r} is not the name of a file: {sentence(error)}.") from None


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield an empty temporary file to write to, and rename it to `path` on success."""
    try:
        with atomic.replacing(path) as unfinished:
            yield unfinished
    except atomic.FileError as error:
        raise ModelFileError(str(error)) from None
