"""Write files atomically: the new file appears complete or not at all."""

from __future__ import annotations

import fcntl
import os
import secrets
import stat
import time
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_PREFIX, _SUFFIX = ".hinge-", ".tmp"  # of the names of temporary files
_MAX_FILES_SCANNED = 10_000  # per folder
_MIN_LEFTOVER_AGE_S = 60.0  # younger files may just have been created and not yet been locked


class FileError(OSError):
    """A file cannot be used; the message is a complete sentence."""


class FolderError(FileError, IsADirectoryError):
    """The path names a folder instead of a file; the message is a complete sentence."""


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a temporary file next to `path` to write to, and rename it to `path` at the end of the context.

    Readers see the old file or the complete new one, never a part. The old file stays until the new one is safely on
    the disk. Temporary files that killed processes have left in the folder are removed.

    Parameters
    ----------
    path : path
        The file to write. A symbolic link is kept, and the file it points to is replaced. Folders, pipes and devices
        are refused.

    Yields
    ------
    Path
        An empty file.

    Raises
    ------
    OSError
        The file cannot be written; the message is a complete sentence. An exception raised by a signal handler passes
        unchanged, even if it is an OSError such as TimeoutError.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with replacing(Path(folder) / "note.txt") as temporary:
    ...         count = temporary.write_bytes(b"all or nothing")
    ...     (Path(folder) / "note.txt").read_bytes()
    b'all or nothing'
    """
    path = Path(path)
    try:
        target = _resolve(path)
        before = _status(target)
        if before is not None:
            require_plain(path, before.st_mode)  # renaming would replace a device by a file
        _remove_leftovers(target.parent)
        temporary, descriptor = _create_locked(target.parent)
    except (FileNotFoundError, NotADirectoryError):
        raise FileNotFoundError(f"There is no folder {path.parent} to write {path.name} to.") from None
    except OSError as error:
        raise _unwritable(path, error) from None
    try:
        yield temporary
        if before is not None:
            temporary.chmod(stat.S_IMODE(before.st_mode))
        _sync(temporary)
        temporary.replace(target)
    except BaseException as error:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise _unwritable(path, error) from None
        raise
    finally:
        os.close(descriptor)
    _sync_folder(target.parent)


def require_plain(path: Path, mode: int) -> None:
    """Raise a `FileError` for folders, pipes and devices."""
    if stat.S_ISDIR(mode):
        raise FolderError(f"{path} is a folder; give the name of a file.")
    if not stat.S_ISREG(mode):
        raise FileError(f"{path} is a pipe or a device; give the name of a plain file.")


def _resolve(path: Path) -> Path:
    try:
        return path.resolve()
    except (RuntimeError, ValueError) as error:  # circular links, and names that no file can have
        raise _unwritable(path, error) from None


def _status(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except FileNotFoundError:
        return None


def _create_locked(folder: Path) -> tuple[Path, int]:
    """Create an empty temporary file and lock it; return its path and its descriptor."""
    # The system applies the user's umask to these permissions; reading the umask would change it for other threads.
    path = folder / f"{_PREFIX}{secrets.token_hex(8)}{_SUFFIX}"
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    try:
        with _ignore_file_system_errors():  # some file systems have no locks
            _lock(descriptor)
    except BaseException:
        os.close(descriptor)
        path.unlink()
        raise
    return path, descriptor


def _lock(descriptor: int) -> None:
    """Lock a file so that it is not removed as a leftover; fails if another process holds the lock."""
    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _remove_leftovers(folder: Path) -> None:
    """Remove the temporary files of processes that were killed before they could do so."""
    with _ignore_file_system_errors(), os.scandir(folder) as entries:
        for entry in islice(entries, _MAX_FILES_SCANNED):
            if entry.name.startswith(_PREFIX) and entry.name.endswith(_SUFFIX):
                with _ignore_file_system_errors():
                    _remove_if_leftover(Path(entry.path))


def _remove_if_leftover(file: Path) -> None:
    if time.time() - file.lstat().st_mtime < _MIN_LEFTOVER_AGE_S:
        return
    descriptor = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        _lock(descriptor)
        file.unlink()
    finally:
        os.close(descriptor)


@contextmanager
def _ignore_file_system_errors() -> Iterator[None]:
    """Ignore errors of the file system, which have a number; others come from signal handlers."""
    try:
        yield
    except OSError as error:
        if error.errno is None:
            raise


def _unwritable(path: Path, error: Exception) -> OSError:
    """Return the error to raise: a sentence about `path`, or `error` itself if it does not come from the system."""
    if isinstance(error, OSError) and error.errno is None:
        return error
    name = path if str(path).isprintable() else repr(str(path))
    return FileError(f"{name} cannot be written: {getattr(error, 'strerror', None) or str(error).rstrip('.')}.")


def _sync(path: Path) -> None:
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def _sync_folder(folder: Path) -> None:
    """Make the renaming itself durable where the file system can; the file is complete in any case."""
    with _ignore_file_system_errors():
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
