"""Checks of the files that commands write, made before the work starts."""

import os
import sys
from pathlib import Path

from hinge.exceptions import ParameterError
from hinge.io import STANDARD_INPUT
from hinge.io.atomic import require_plain

DEFAULT_MODEL = Path("model.hinge")


def choose_output(output: Path | None, resume: Path | None, *, in_place: bool) -> Path:
    """Return where to write a model: a model that is trained further replaces its file only on request.

    Examples
    --------
    >>> str(choose_output(None, Path("old.hinge"), in_place=True)), str(choose_output(None, None, in_place=False))
    ('old.hinge', 'model.hinge')
    """
    if resume is None:
        if in_place:
            raise ParameterError("--in-place must be left out without --resume, which names the file to replace.")
        return output or DEFAULT_MODEL
    if in_place and output is not None and not _is_same(output, resume):
        raise ParameterError(f"-o must be left out with --in-place: the model is written to {resume}.")
    if output is None and not in_place:
        raise ParameterError(f"--resume needs -o FILE for the new model, or --in-place to replace {resume}.")
    return output or resume


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
