"""Where a file is: looked at before anything is opened, and filled at once or not at all."""

from __future__ import annotations

import os
import secrets
import stat
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from hinge.persistence._errors import ModelFileError, sentence

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO


@contextmanager
def reading(path: Path) -> Iterator[tuple[BinaryIO, int]]:
    """Open a plain file; the value is the file and its size.

    Reading goes through an ordinary file handle and not through a memory map: a map of a file that somebody shortens
    kills the process.
    """
    try:
        _require_plain(path, path.stat().st_mode)  # first, since opening a pipe waits for its other end
        with path.open("rb") as file:
            status = os.fstat(file.fileno())
            _require_plain(path, status.st_mode)
            yield file, status.st_size
    except (FileNotFoundError, NotADirectoryError):
        raise FileNotFoundError(f"There is no file {path}.") from None
    except OSError as error:
        raise ModelFileError(f"{path} cannot be read: {sentence(error.strerror or error)}.") from None


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give an empty file beside `path` to write to, and move it there when all went well.

    Nobody ever sees half a file, and what was there before stays until the new one is safely on the disk. The file
    behind a symbolic link is replaced, not the link.
    """
    try:
        place = path.resolve()
        before = _status(place)
        if before is not None:
            _require_plain(path, before.st_mode)  # or a move would put a file in the place of a device
        unfinished = _empty_file(place.parent)
    except (FileNotFoundError, NotADirectoryError):
        raise FileNotFoundError(f"There is no folder {path.parent} to write {path.name} to.") from None
    except (OSError, RuntimeError) as error:  # RuntimeError: links that go round in a circle
        raise _unwritable(path, error) from None
    try:
        yield unfinished
        if before is not None:
            unfinished.chmod(stat.S_IMODE(before.st_mode))
        _flush(unfinished)
        unfinished.replace(place)
    except BaseException as error:
        with suppress(OSError):
            unfinished.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise _unwritable(path, error) from None
        raise
    _flush_folder(place.parent)


def _status(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except FileNotFoundError:
        return None


def _require_plain(path: Path, mode: int) -> None:
    if stat.S_ISDIR(mode):
        raise ModelFileError(f"{path} is a folder; give the name of a file.")
    if not stat.S_ISREG(mode):
        raise ModelFileError(f"{path} is a pipe or a device; give the name of a plain file.")


def _empty_file(folder: Path) -> Path:
    # The system takes the user's mask off these permissions; asking for the mask would change it for other threads.
    name = folder / f".hinge-{secrets.token_hex(8)}.tmp"
    os.close(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
    return name


def _unwritable(path: Path, error: Exception) -> ModelFileError:
    return ModelFileError(f"{path} cannot be written: {sentence(getattr(error, 'strerror', None) or error)}.")


def _flush(path: Path) -> None:
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def _flush_folder(folder: Path) -> None:
    """Make the move itself last; some systems have no way to do so, and the file is complete in any case."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
