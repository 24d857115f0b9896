"""Change model files so that they stay partly readable: the table of arrays, an array, or the header."""

from __future__ import annotations

import json
import random
import warnings
from typing import TYPE_CHECKING

import numpy as np
from safetensors.numpy import load, save

from fuzz._byte_damage import damage_bytes
from fuzz._json_damage import VALUES, damage_json

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fuzz._json_damage import Json

_INTEGERS = [0, 1, -1, 5, 2**31 - 1, -(2**31), 2**62, 2**63 - 1, -(2**63)]
_ENTRIES = [*_INTEGERS, np.nan, np.inf, -np.inf, 1e308, -1e308, 1e-320, 1e150, 0.5]
_TYPES = ["f8", "f4", "i8", "i4", "u1", "?", "f2"]


def damage_model(content: bytes, source: random.Random) -> bytes:
    """Change a model file in one of the ways below."""
    changes = [_damage_all_bytes, _damage_table, _damage_array, _damage_array, _damage_header, _damage_text]
    return source.choice(changes)(content, source)


def split(content: bytes) -> tuple[dict[str, Json], bytes]:
    """Return the table of arrays of a file, and the bytes of the arrays."""
    length = int.from_bytes(content[:8], "little")
    return json.loads(content[8 : 8 + length]), content[8 + length :]


def with_table(text: str, rest: bytes) -> bytes:
    """Return a file with `text` as its table of arrays."""
    table = text.encode()
    return len(table).to_bytes(8, "little") + table + rest


def _damage_all_bytes(content: bytes, source: random.Random) -> bytes:
    return damage_bytes(content, source, ends=(8, 8 + int.from_bytes(content[:8], "little")))


def _damage_table(content: bytes, source: random.Random) -> bytes:
    """Change what the file says about its arrays, which stay where they are."""
    table, rest = split(content)
    names = [name for name in table if name != "__metadata__"]
    name = source.choice(names)
    choice = source.random()
    if choice < 0.6:
        table[name] = damage_json(table[name], source)
    elif choice < 0.7:
        table[source.choice(["extra", "values", "shift", "gathered.ids"])] = dict(table[name])
    elif choice < 0.8:
        table[name], table[names[0]] = table[names[0]], table[name]
    else:
        size = source.choice([2**20, 2**31, 2**40, 2**61, 2**63])
        table[name]["shape"] = [size, *table[name]["shape"][1:]]
        if source.random() < 0.5:
            table[name]["data_offsets"][1] = table[name]["data_offsets"][0] + 8 * size
    return with_table(json.dumps(table), rest)


def _damage_array(content: bytes, source: random.Random) -> bytes:
    table, _ = split(content)
    arrays = load(content)
    name = source.choice(sorted(arrays))
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        arrays[name] = _changed_array(arrays[name].copy(), source)
    return save({key: np.ascontiguousarray(array) for key, array in arrays.items()}, table["__metadata__"])


def _changed_array(array: NDArray[np.generic], source: random.Random) -> NDArray[np.generic]:
    choice = source.random()
    if choice < 0.7 and array.size:
        for _ in range(source.choice([1, 1, 2, 5])):
            value = source.choice([*_ENTRIES, array.flat[source.randrange(array.size)]])
            array.flat[source.randrange(array.size)] = np.array(value).astype(array.dtype)
        return array
    if choice < 0.8:
        return source.choice([array[:-1], array[1:], array[:0], np.concatenate([array, array])])
    if choice < 0.9:
        return array.astype(source.choice(_TYPES), casting="unsafe")
    return source.choice([array.reshape(-1), array[None], array.reshape(-1, 1), array[::-1]])


def _damage_header(content: bytes, source: random.Random) -> bytes:
    """Change a value of the JSON header."""
    table, rest = split(content)
    header = damage_json(json.loads(table["__metadata__"]["hinge"]), source)
    table["__metadata__"]["hinge"] = json.dumps(header)
    return with_table(json.dumps(table), rest)


def _damage_text(content: bytes, source: random.Random) -> bytes:
    """Change the JSON header as text: repeated keys, endless numbers, swapped values."""
    table, rest = split(content)
    text = table["__metadata__"]["hinge"]
    place = source.choice([place for place, letter in enumerate(text) if letter in ',:{[}]"'])
    pieces = [", ", ": ", '"format": "hinge", ', "[" * 2000, "9" * 5000, "1e400", "-Infinity", "\\ud800", "\\u0000"]
    piece = source.choice([*pieces, json.dumps(source.choice(VALUES)), text[place : place + source.randrange(200)]])
    table["__metadata__"]["hinge"] = text[:place] + piece + text[place + source.choice([0, 1, len(piece)]) :]
    return with_table(json.dumps(table), rest)
