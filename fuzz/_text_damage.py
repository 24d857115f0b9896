"""Change lines and words of text, compressed or not."""

from __future__ import annotations

import bz2
import gzip
import lzma
import random
import re
from collections.abc import Callable
from functools import partial

from fuzz._byte_damage import damage_bytes

Damage = Callable[[bytes, random.Random], bytes]

_COMMON = [
    b"",
    b" ",
    b"\t",
    b"\r",
    b"\r\n",
    b"\n",
    b"\0",
    b"\xef\xbb\xbf",
    b"\xff",
    b"\xc3\xa4",
    b"\x0c",
    b"\x1c",
    b"#",
    b"_",
]
_NUMBERS = [
    b"0",
    b"-0",
    b"1",
    b"+1",
    b"-1",
    b"1e308",
    b"1e400",
    b"1e-400",
    b"nan",
    b"inf",
    b"1_0",
    b"0x1",
    b".5",
    b"5.",
]
_LONG = [b"2147483646", b"2147483647", b"2147483648", b"4294967296", b"9223372036854775807", b"9" * 30, b"9" * 5000]
_SVMLIGHT = [b"1:1", b"0:1", b"2:nan", b":", b"1:", b":1", b"qid:1", b"qid:", b"1,2", b"# 1:1", b"2147483646:1"]
_CSV = [b",", b";", b"|", b'"', b'""', b'"a\nb"', b"NA", b"label", b"y", b"'", b",,,", b"\\"]
_LIBSVM = [b"SV", b"rho", b"nr_sv 1 1", b"probA 1", b"gamma 0", b"degree 1000", b"coef0 1e300", b"kernel_type sigmoid"]
_COMPRESSORS = (gzip.compress, bz2.compress, lzma.compress)
_DECOMPRESSORS: dict[bytes, Callable[[bytes], bytes]] = {
    b"\x1f\x8b": gzip.decompress,
    b"BZh": bz2.decompress,
    b"\xfd7zXZ": lzma.decompress,
}


def _damage_text(words: list[bytes], content: bytes, source: random.Random) -> bytes:
    decompress = next((decompress for magic, decompress in _DECOMPRESSORS.items() if content.startswith(magic)), None)
    if decompress is not None and source.random() < 0.7:
        content = decompress(content)
    changed = source.choice([_damage_line, _damage_words, _damage_words, _damage_bytes])(words, content, source)
    if source.random() < 0.05:
        changed = source.choice(_COMPRESSORS)(changed)
    return changed


def _damage_line(words: list[bytes], content: bytes, source: random.Random) -> bytes:  # noqa: ARG001
    lines = content.split(b"\n")
    place, other = source.randrange(len(lines)), source.randrange(len(lines))
    choice = source.randrange(5)
    if choice == 0:
        del lines[place]
    elif choice == 1:
        lines[place], lines[other] = lines[other], lines[place]
    elif choice == 2:
        lines[place:place] = [lines[other]] * source.choice([1, 2, 40])
    elif choice == 3:
        lines[place : place + 2] = [b"".join(lines[place : place + 2])]
    else:
        lines[place] = lines[place][: source.randrange(len(lines[place]) + 1)]
    return source.choice([b"\n", b"\n", b"\n", b"\r\n", b"\r"]).join(lines)


def _damage_words(words: list[bytes], content: bytes, source: random.Random) -> bytes:
    parts = re.split(rb"([\s,;:|]+)", content)
    for _ in range(source.choice([1, 1, 2, 5])):
        place = source.randrange(len(parts))
        parts[place] = source.choice([source.choice(words), parts[source.randrange(len(parts))], parts[place] * 2])
    return b"".join(parts)


def _damage_bytes(words: list[bytes], content: bytes, source: random.Random) -> bytes:  # noqa: ARG001
    return damage_bytes(content, source)


damage_svmlight: Damage = partial(_damage_text, _COMMON + _NUMBERS + _LONG + _SVMLIGHT)
damage_csv: Damage = partial(_damage_text, _COMMON + _NUMBERS + _CSV)
damage_libsvm: Damage = partial(_damage_text, _COMMON + _NUMBERS + _LONG + _SVMLIGHT + _LIBSVM)
