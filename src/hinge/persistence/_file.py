"""The safetensors file: arrays and JSON metadata."""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO, NamedTuple

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load as arrays_of
from safetensors.numpy import save as content_of

from hinge._model.types import Values
from hinge.exceptions import quoted, sentence
from hinge.io import foreign_format, looks_like_text
from hinge.persistence import _json
from hinge.persistence._errors import ModelFileError, require
from hinge.persistence._paths import reading, replacing

if TYPE_CHECKING:
    from pathlib import Path

    from hinge._model.types import Arrays, Values

FORMAT = "hinge"
VERSION = 2
MAX_HEADER_BYTES = 1 << 23  # about half a million feature names
TABLE_BYTES = 1 << 12  # of the header, reserved for the table of arrays
NUMBERS = ("F32", "F64", "I32", "I64")  # types of numbers that models hold, as safetensors calls them


class Parts(NamedTuple):
    """The parts of a model file: arrays, and a header that is a JSON object."""

    arrays: Arrays
    header: Values


def write(path: Path, parts: Parts) -> None:
    """Write a model file atomically."""
    try:
        text = _json.write({"format": FORMAT, "version": VERSION} | parts.header)
        fitting = len(_json.write(text)) <= MAX_HEADER_BYTES - TABLE_BYTES  # the text becomes a JSON string
        require(fitting, f"its names and labels take more than {MAX_HEADER_BYTES} bytes")
    except ModelFileError as error:
        raise ModelFileError(f"The model cannot be saved: {sentence(error)}.") from None
    arrays = {name: np.ascontiguousarray(array) for name, array in parts.arrays.items()}
    content = content_of(arrays, {FORMAT: text})
    with replacing(path) as unfinished:
        unfinished.write_bytes(content)


def read(path: Path) -> Parts:
    """Read the parts of a model file of this version."""
    with reading(path) as (file, size):
        try:
            start, table = _table(file, size)
        except ModelFileError as error:
            raise _not_a_model(path, error) from None
        header = _header(path, table)
        file.seek(0)
        content = _content(path, file, size)
    try:
        require(content.startswith(start), "it changed while it was read")
        return Parts(arrays_of(content), header)
    except (SafetensorError, ModelFileError, ArithmeticError, LookupError, TypeError, ValueError) as error:
        raise ModelFileError(f"{path} is damaged: {sentence(error)}.") from None


def _not_a_model(path: Path, error: ModelFileError) -> ModelFileError:
    """Return the error about a file without a table; say what it is instead, if that is certain."""
    words = foreign_format(path)
    if words is not None:
        return ModelFileError(f"{path} is not a model file but {words.partition(';')[0]}.")
    if looks_like_text(path):
        return ModelFileError(f"{path} is not a hinge model: it holds text; a model file is written by hinge train.")
    written = "model files are written by hinge train and hinge.save"
    return ModelFileError(f"{path} is damaged or not a model file: {sentence(error)}; {written}.")


def _content(path: Path, file: BinaryIO, size: int) -> bytes:
    try:
        return file.read(size)
    except MemoryError:
        raise ModelFileError(f"{path} does not fit into memory: it has {size} bytes.") from None


def _table(file: BinaryIO, size: int) -> tuple[bytes, Values]:
    """Return the first bytes of the file and the table of arrays in them.

    The rest is read only if the table is valid: the file may be anything, and larger than memory.
    """
    start = file.read(8)
    length = int.from_bytes(start, "little")
    require(len(start) == 8 and 0 < length <= size - 8, "it is truncated, or the length of its header is wrong")
    require(length <= MAX_HEADER_BYTES, f"its header takes {length} bytes, more than {MAX_HEADER_BYTES}")
    text = file.read(length)
    try:
        table = _json.parse(text.decode())
    except UnicodeDecodeError:
        raise ModelFileError("its header is not text") from None
    require(isinstance(table, dict), "its header is not a table of arrays")
    _check_table(table, size - 8 - length)
    return start + text, table


def _check_table(table: Values, size: int) -> None:
    """Raise `ModelFileError` for a table that no model has, before the whole file is read into memory."""
    end = 0
    for name, entry in table.items():
        if name == "__metadata__":
            continue
        known = isinstance(entry, dict) and entry.get("dtype") in NUMBERS
        require(known, f"the array {quoted(name)} holds numbers of a type that no model has")
        offsets = entry.get("data_offsets")
        placed = isinstance(offsets, list) and len(offsets) == 2 and all(type(offset) is int for offset in offsets)
        require(placed, f"the array {quoted(name)} has no valid position")
        end = max(end, offsets[1])
    require(end == size, f"its arrays take {end} bytes, but it has {size} bytes for them")


def _header(path: Path, table: Values) -> Values:
    metadata = table.get("__metadata__")
    text = metadata.get(FORMAT) if isinstance(metadata, dict) else None
    if not isinstance(text, str):
        raise ModelFileError(f"{path} is a safetensors file, but not one that hinge wrote.")
    try:
        header = _json.parse(text)
    except ModelFileError as error:
        raise ModelFileError(f"{path} is damaged: {sentence(error)}.") from None
    if not isinstance(header, dict) or header.pop("format", None) != FORMAT:
        raise ModelFileError(f"{path} is a safetensors file, but not one that hinge wrote.")
    version = header.pop("version", None)
    if type(version) is not int or version != VERSION:
        raise ModelFileError(
            f"{path} has version {quoted(version)} of the model format; this hinge reads version {VERSION}."
        )
    return header
