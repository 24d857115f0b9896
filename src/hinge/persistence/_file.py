"""The file itself: arrays and one JSON text, written all at once or not at all."""

import json
import os
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file

from hinge.persistence._errors import ModelFileError

FORMAT = "hinge"
VERSION = 1

Arrays = dict[str, NDArray[Any]]


def write(path: Path, arrays: Arrays, header: dict[str, Any]) -> None:
    """Write to a temporary file beside `path`, then move it there: no reader ever sees half a model."""
    text = json.dumps({"format": FORMAT, "version": VERSION} | header)
    path = path.resolve()  # the file behind a symbolic link is replaced, not the link
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".tmp")
    os.close(handle)
    unfinished = Path(name)
    try:
        save_file({key: np.ascontiguousarray(array) for key, array in arrays.items()}, unfinished, {FORMAT: text})
        unfinished.chmod(_permissions(path))
        _flush(unfinished)
        unfinished.replace(path)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise


def read(path: Path) -> tuple[Arrays, dict[str, Any]]:
    """Return the arrays and the header of a model file of this version."""
    if not path.is_file():
        raise FileNotFoundError(f"There is no file {path}.")
    try:
        with safe_open(path, framework="numpy") as file:
            header = _parse(path, (file.metadata() or {}).get(FORMAT))
            return {name: file.get_tensor(name) for name in file.keys()}, header  # noqa: SIM118  not a dictionary
    except (SafetensorError, TypeError, AttributeError) as error:  # the last two: types of numbers NumPy has not
        raise ModelFileError(f"{path} is damaged or not a model file ({error}).") from None


def _parse(path: Path, text: str | None) -> dict[str, Any]:
    try:
        header = json.loads(text or "null")
    except (ValueError, RecursionError):
        header = None
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise ModelFileError(f"{path} is a safetensors file, but not one that hinge wrote.")
    if header.get("version") != VERSION:
        raise ModelFileError(
            f"{path} has version {header.get('version')!r} of the model format; this hinge reads version {VERSION}."
        )
    return header


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
