"""Files of a folder and of the folders in it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from hinge.exceptions import DataError
from hinge.web.pools._pool import left_out

BY_FOLDER = "folder"  # sub-folders are labels


@dataclass(frozen=True)
class Folder:
    """Files of some kinds, wherever they are in a folder.

    Attributes
    ----------
    root : Path
        The folder, without symbolic links.
    keys : tuple of str
        Names of the files in it, "cats/1.png" for instance, in the order of the alphabet.
    notes : tuple of str
        What was left out.
    """

    root: Path
    keys: tuple[str, ...]
    notes: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """What the folder is called."""
        return self.root.name or "data"

    def path(self, key: str) -> Path:
        """Return the path of a file, which must not lead out of the folder, now as when the folder was looked at."""
        path = (self.root / key).resolve()
        if not (path.is_relative_to(self.root) and path.is_file()):
            raise DataError(f"{key} is no longer in the folder {self.name}; put it back, or open the folder again.")
        return path

    def known(self, known: str | None) -> dict[int, str]:
        """Return the labels that the names of sub-folders are, if they are meant to be."""
        if known is None:
            return {}
        if known != BY_FOLDER:
            raise DataError(f"known must be 'folder' for {self.name}, whose files have no columns, got {known!r}.")
        parts = (key.split("/") for key in self.keys)
        return {row: first for row, (first, *rest) in enumerate(parts) if rest}

    def without(self, keys: set[str], reason: str) -> Folder:
        """Return the folder without some of its files."""
        kept = tuple(key for key in self.keys if key not in keys)
        return Folder(self.root, kept, (*self.notes, *left_out(sorted(keys), reason)))


def look_into(folder: Path, suffixes: tuple[str, ...]) -> Folder:
    """Return the files with some endings. Hidden ones do not count, and links must not lead out of the folder."""
    root = folder.resolve()
    keys: list[str] = []
    nameless: list[str] = []
    for place, folders, files in os.walk(root):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in files:
            path = Path(place, name)
            if name.startswith(".") or not name.lower().endswith(suffixes) or not _is_inside(path, root):
                continue
            key = path.relative_to(root).as_posix()
            (keys if _is_text(key) else nameless).append(key)
    shown = [key.encode("utf-8", "backslashreplace").decode() for key in sorted(nameless)]
    return Folder(root, tuple(sorted(keys)), tuple(left_out(shown, "has a name that is not UTF-8")))


def _is_inside(path: Path, root: Path) -> bool:
    try:
        return path.resolve(strict=True).is_relative_to(root) and path.is_file()
    except (OSError, RuntimeError):  # links that lead nowhere, or round in a circle
        return False


def _is_text(key: str) -> bool:
    try:
        key.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
