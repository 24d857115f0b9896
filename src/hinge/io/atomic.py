"""Files that appear complete or not at all."""

from __future__ import annotations

import os
import secrets
import stat
import sys
import time
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_PREFIX, _SUFFIX = ".hinge-", ".tmp"  # of names of unfinished files
_MOST_LOOKED_AT = 10_000  # files of a folder
_LEFT = 60.0  # seconds after which nobody is in between making an unfinished file and holding it


class FileError(OSError):
    """A file cannot be used; the message is a sentence."""


class FolderError(FileError, IsADirectoryError):
    """There is a folder where a file should be; the message is a sentence."""


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give the name of a temporary file beside `path` to write to, and move it there at the end of the context.

    Nobody ever sees half a file, and what was there before stays until the new one is safely on the disk. What
    processes that were killed have left unfinished in the folder is removed.

    Parameters
    ----------
    path : path
        Where the file shall be. The file behind a symbolic link is replaced, not the link; a folder, a pipe or a
        device is not.

    Yields
    ------
    Path
        An empty file.

    Raises
    ------
    OSError
        It cannot be written; the message is a sentence. (What a signal handler raises comes out as it is, even if it is
        an OSError: TimeoutError is one.)

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with replacing(Path(folder) / "note.txt") as unfinished:
    ...         count = unfinished.write_bytes(b"all or nothing")
    ...     (Path(folder) / "note.txt").read_bytes()
    b'all or nothing'
    """
    path = Path(path)
    try:
        place = _resolved(path)
        before = _status(place)
        if before is not None:
            require_plain(path, before.st_mode)  # or a move would put a file in the place of a device
        _remove_leftovers(place.parent)
        unfinished, handle = _empty_file(place.parent)
    except (FileNotFoundError, NotADirectoryError):
        raise FileNotFoundError(f"There is no folder {path.parent} to write {path.name} to.") from None
    except OSError as error:
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
    finally:
        if handle is not None:
            os.close(handle)
    _flush_folder(place.parent)


def require_plain(path: Path, mode: int) -> None:
    """Refuse what is not a plain file."""
    if stat.S_ISDIR(mode):
        raise FolderError(f"{path} is a folder; give the name of a file.")
    if not stat.S_ISREG(mode):
        raise FileError(f"{path} is a pipe or a device; give the name of a plain file.")


def _resolved(path: Path) -> Path:
    try:
        return path.resolve()
    except (RuntimeError, ValueError) as error:  # links that go round in a circle, names that no file can have
        raise _unwritable(path, error) from None


def _status(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except FileNotFoundError:
        return None


def _empty_file(folder: Path) -> tuple[Path, int | None]:
    """Make a file, and hold it where the system can: the second value is what it is held by."""
    # The system takes the user's mask off these permissions; asking for the mask would change it for other threads.
    name = folder / f"{_PREFIX}{secrets.token_hex(8)}{_SUFFIX}"
    handle = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    if sys.platform == "win32":  # a file that is open cannot be moved there
        os.close(handle)
        return name, None
    try:
        with _tolerating():  # some file systems know no locks
            _hold(handle)
    except BaseException:
        os.close(handle)
        name.unlink()
        raise
    return name, handle


def _hold(handle: int) -> None:
    """Lock a file against being removed as a leftover; fails when somebody holds it."""
    if sys.platform != "win32":
        import fcntl  # noqa: PLC0415

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _remove_leftovers(folder: Path) -> None:
    """Remove unfinished files that nobody is writing any more: their processes were killed, and could not."""
    with _tolerating(), os.scandir(folder) as entries:
        for entry in islice(entries, _MOST_LOOKED_AT):
            if entry.name.startswith(_PREFIX) and entry.name.endswith(_SUFFIX):
                with _tolerating():
                    _remove_if_left(Path(entry.path))


def _remove_if_left(file: Path) -> None:
    if sys.platform == "win32" or time.time() - file.lstat().st_mtime < _LEFT:
        return
    handle = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        _hold(handle)
        file.unlink()
    finally:
        os.close(handle)


@contextmanager
def _tolerating() -> Iterator[None]:
    """Let pass what the file system complains about."""
    try:
        yield
    except OSError as error:
        if error.errno is None:
            raise


def _unwritable(path: Path, error: Exception) -> OSError:
    """Return what went wrong as a sentence; what is one already, or is not about files, stays."""
    if isinstance(error, OSError) and error.errno is None:
        return error
    name = path if str(path).isprintable() else repr(str(path))
    return FileError(f"{name} cannot be written: {getattr(error, 'strerror', None) or str(error).rstrip('.')}.")


def _flush(path: Path) -> None:
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def _flush_folder(folder: Path) -> None:
    """Make the move itself last; some systems have no way to do so, and the file is complete in any case."""
    with _tolerating():
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
