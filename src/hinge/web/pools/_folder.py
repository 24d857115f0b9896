"""The files of a folder and its subfolders."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from hinge.exceptions import DataError
from hinge.web.pools._base import left_out_notes

BY_FOLDER = "folder"  # the names of subfolders are labels


@dataclass(frozen=True)
class Folder:
    """Files with given suffixes in a folder and its subfolders.

    Attributes
    ----------
    root : Path
        The folder, with symbolic links resolved.
    keys : tuple of str
        The relative paths of the files in alphabetical order, for example "cats/1.png".
    notes : tuple of str
        Sentences about what was left out.
    """

    root: Path
    keys: tuple[str, ...]
    notes: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The name of the folder."""
        return self.root.name or "data"

    def path(self, key: str) -> Path:
        """Return the path of a file; check again that it does not lead out of the folder."""
        path = (self.root / key).resolve()
        if not (path.is_relative_to(self.root) and path.is_file()):
            raise DataError(f"{key} is no longer in the folder {self.name}; put it back, or open the folder again.")
        return path

    def known(self, known: str | None) -> dict[int, str]:
        """Return the names of the subfolders as labels by row, if requested."""
        if known is None:
            return {}
        if known != BY_FOLDER:
            raise DataError(f"known must be 'folder' for {self.name}, which is a folder of files, got {known!r}.")
        parts = (key.split("/") for key in self.keys)
        return {row: first for row, (first, *rest) in enumerate(parts) if rest}

    def without(self, keys: set[str], reason: str) -> Folder:
        """Return the folder without some of its files, and note the reason."""
        kept = tuple(key for key in self.keys if key not in keys)
        return Folder(self.root, kept, (*self.notes, *left_out_notes(sorted(keys), reason)))


def find_files(folder: Path, suffixes: tuple[str, ...]) -> Folder:
    """Find the files with given suffixes, except hidden ones and links that lead out of the folder."""
    root = folder.resolve()
    keys: list[str] = []
    undecodable: list[str] = []
    for directory, folders, files in os.walk(root):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in files:
            path = Path(directory, name)
            if name.startswith(".") or not name.lower().endswith(suffixes) or not _is_inside(path, root):
                continue
            key = path.relative_to(root).as_posix()
            (keys if _is_utf8(key) else undecodable).append(key)
    shown = [key.encode("utf-8", "backslashreplace").decode() for key in sorted(undecodable)]
    return Folder(root, tuple(sorted(keys)), tuple(left_out_notes(shown, "has a name that is not UTF-8")))


def _is_inside(path: Path, root: Path) -> bool:
    try:
        return path.resolve(strict=True).is_relative_to(root) and path.is_file()
    except (OSError, RuntimeError):  # broken or circular links
        return False


def _is_utf8(key: str) -> bool:
    try:
        key.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
