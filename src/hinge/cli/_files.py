"""Checks of the files that commands write, made before the work starts."""

import os
import sys
from pathlib import Path

from hinge.exceptions import ParameterError
from hinge.io import STANDARD_INPUT
from hinge.io.atomic import require_plain


def require_writable(file: Path | None, *others: str | Path | None) -> None:
    """Raise an error if a file cannot be written, or is one of the other files of the command."""
    if file is None:
        return
    folder = file.absolute().parent
    if not folder.is_dir():
        raise NotADirectoryError(f"There is no folder {file.parent} for {file.name}.")
    if file.exists():
        require_plain(file, file.stat().st_mode)
    if not os.access(folder, os.W_OK) or (file.exists() and not os.access(file, os.W_OK)):
        raise PermissionError(f"There is no permission to write {file}; choose another place.")
    for other in others:
        if other is not None and _is_same(file, other):
            name = "standard input" if other == STANDARD_INPUT else other
            raise ParameterError(
                f"The output {file} must not be the same file as {name}, which would be lost; choose another name."
            )


def _is_same(file: Path, other: str | Path) -> bool:
    """Tell whether two paths lead to the same file, links included."""
    try:
        status = os.fstat(sys.stdin.fileno()) if other == STANDARD_INPUT else Path(other).stat()
        return os.path.samestat(file.stat(), status)
    except (OSError, ValueError):  # one of them does not exist yet, or is no valid path
        return os.path.realpath(file) == os.path.realpath(other)
