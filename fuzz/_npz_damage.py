"""Change npz archives: the header of an array, its bytes, the archive around it."""

from __future__ import annotations

import io
import random
import re
import zipfile

from fuzz._byte_damage import damage_bytes

_SHAPES = [
    b"()",
    b"(0,)",
    b"(2,)",
    b"(0, 0)",
    b"(3, 0)",
    b"(1000000000000, 0)",
    b"(-1, 2)",
    b"(2, 9223372036854775807)",
]
_TYPES = [
    b"<f8",
    b"<f4",
    b"<i8",
    b"<i4",
    b"|u1",
    b"|b1",
    b"<U0",
    b"<U3",
    b"|S0",
    b"|O",
    b"<c16",
    b">f8",
    b"|V0",
    b"<f16",
]
_METHODS = [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]
_NAMES = ["X", "y", "data", "indices", "indptr", "shape", "format", "extra"]


def damage_npz(content: bytes, source: random.Random) -> bytes:
    """Change an archive in one of the ways below."""
    if source.random() < 0.3:
        return damage_bytes(content, source)
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    name = source.choice(sorted(members))
    choice = source.randrange(4)
    if choice == 0:
        members[name] = damage_bytes(members[name], source, ends=(128,))
    elif choice == 1:
        members[f"{source.choice(_NAMES)}.npy"] = members[name]
    elif choice == 2:
        del members[name]
    else:
        members[name] = _changed_header(members[name], source)
    return _zip(members, source)


def _changed_header(array: bytes, source: random.Random) -> bytes:
    """Make an array claim another shape, type or order."""
    length = int.from_bytes(array[8:10], "little")
    header, rest = array[10 : 10 + length], array[10 + length :]
    for pattern, values in (
        (rb"\([0-9, ]*\)", _SHAPES),
        (rb"(?<=')[<>|=]\w+(?=')", _TYPES),
        (rb"False|True", [b"True", b"False"]),
    ):
        if source.random() < 0.5:
            header = re.sub(pattern, source.choice(values), header, count=1)
    keep = source.choice([len(rest), len(rest), 0, len(rest) // 2])
    return array[:8] + len(header).to_bytes(2, "little") + header + rest[:keep]


def _zip(members: dict[str, bytes], source: random.Random) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", compression=source.choice(_METHODS)) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return target.getvalue()
