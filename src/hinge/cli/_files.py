"""Files that commands write: checked before the work, rescued after it."""

import os
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from hinge.exceptions import ParameterError
from hinge.io import STANDARD_INPUT
from hinge.io.atomic import require_plain
from hinge.persistence import ModelFileError, save

EVERY = 60.0  # seconds between two saves on the way
COSTS = 0.02  # share of the time that saving on the way may take


class Checkpoint:
    """Saves a model on the way, so that a killed process loses a minute of learning rather than all of it."""

    def __init__(self, wrap: Callable[[Any], Any], path: Path) -> None:
        self._wrap, self._path = wrap, path
        self._next = time.monotonic() + EVERY

    def pass_by(self, model: Any) -> None:
        """Save the model if it is time."""
        start = time.monotonic()
        if start < self._next:
            return
        # A full disk may have room again at the end, and a full memory; until then the model is in memory.
        with suppress(OSError, ModelFileError, MemoryError):
            save(self._wrap(model), self._path)
        end = time.monotonic()
        self._next = end + max(EVERY, (end - start) / COSTS)


def save_or_rescue(model: Any, path: Path) -> None:
    """Save a model; if that fails, save it among the temporary files and say so."""
    try:
        save(model, path)
    except (OSError, ModelFileError) as error:
        handle, rescue = tempfile.mkstemp(prefix=f"{path.stem}-", suffix=path.suffix)
        os.close(handle)
        try:
            save(model, rescue)
        except BaseException:
            Path(rescue).unlink()
            raise
        raise OSError(f"{error} The model is in {rescue} instead; move it to where it belongs.") from None


def require_writable(file: Path | None, *others: str | Path | None) -> None:
    """Complain about a file to be written before the work is done; it must be none of the others of the command."""
    if file is None:
        return
    folder = file.absolute().parent
    if not folder.is_dir():
        raise NotADirectoryError(f"There is no folder {file.parent} for {file.name}.")
    if file.exists():
        require_plain(file, file.stat().st_mode)
    if not os.access(folder, os.W_OK) or (file.exists() and not os.access(file, os.W_OK)):
        raise PermissionError(f"{file} may not be written; choose another place.")
    for other in others:
        if other is not None and _is_same(file, other):
            name = "standard input" if other == STANDARD_INPUT else other
            raise ParameterError(
                f"The output {file} must be another file than {name}, which would be lost; choose another name."
            )


def _is_same(file: Path, other: str | Path) -> bool:
    """Tell whether two names are those of one file, by way of links as well."""
    try:
        there = os.fstat(sys.stdin.fileno()) if other == STANDARD_INPUT else Path(other).stat()
        return os.path.samestat(file.stat(), there)
    except (OSError, ValueError):  # one of them is not there yet, or no name of a file
        return os.path.realpath(file) == os.path.realpath(other)
