"""Where a model file is: looked at before anything is opened, and filled at once or not at all."""

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
    """Open a plain file; the value is the file and its size.

    Reading goes through an ordinary file handle and not through a memory map: a map of a file that somebody shortens
    kills the process.
    """
    try:
        atomic.require_plain(path, _mode(path))  # first, since opening a pipe waits for its other end
        with path.open("rb") as file:
            status = os.fstat(file.fileno())
            atomic.require_plain(path, status.st_mode)
            yield file, status.st_size
    except (FileNotFoundError, NotADirectoryError):
        raise FileNotFoundError(f"There is no file {path}.") from None
    except atomic.FileError as error:
        raise ModelFileError(str(error)) from None
    except OSError as error:
        if error.errno is None:  # not about files: the TimeoutError of a signal handler, say
            raise
        raise ModelFileError(f"{path} cannot be read: {sentence(error.strerror or error)}.") from None


def _mode(path: Path) -> int:
    try:
        return path.stat().st_mode
    except ValueError as error:
        raise ModelFileError(f"{str(path)!r} is not the name of a file: {sentence(error)}.") from None


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give an empty file beside `path` to write to, and move it there when all went well."""
    try:
        with atomic.replacing(path) as unfinished:
            yield unfinished
    except atomic.FileError as error:
        raise ModelFileError(str(error)) from None
