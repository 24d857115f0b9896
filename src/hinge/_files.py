"""Files that appear complete or not at all."""

from __future__ import annotations

import os
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give the name of a temporary file beside `path` to write to, and move it there at the end of the context.

    No reader ever sees half a file; when something goes wrong inside, what was there before stays.

    Parameters
    ----------
    path : path
        Where the file shall be. The file behind a symbolic link is replaced, not the link.

    Yields
    ------
    Path
        An empty file.

    Raises
    ------
    FileNotFoundError, IsADirectoryError
        There is no folder for the file, or one in its place.

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
    place = Path(path).resolve()
    if place.is_dir():
        raise IsADirectoryError(f"{path} is a folder; give the name of a file.")
    if not place.parent.is_dir():
        raise FileNotFoundError(f"There is no folder {place.parent} to write {place.name} to.")
    handle, name = tempfile.mkstemp(dir=place.parent, prefix=f".{place.name}.", suffix=".tmp")
    os.close(handle)
    unfinished = Path(name)
    try:
        yield unfinished
        unfinished.chmod(_permissions(place))
        _flush(unfinished)
        unfinished.replace(place)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise


def _permissions(path: Path) -> int:
    """Return those of the file that is replaced, else those any new file would get."""
    if path.exists():
        return path.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def _flush(path: Path) -> None:
    with path.open("rb") as file:
        os.fsync(file.fileno())
