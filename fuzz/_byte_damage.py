"""Change bytes regardless of their meaning."""

from __future__ import annotations

import random


def damage_bytes(content: bytes, source: random.Random, *, ends: tuple[int, ...] = ()) -> bytes:
    """Change, remove or insert a few bytes, more often before one of the offsets in `ends`."""
    changed = bytearray(content)
    end = min(source.choice([*ends, len(changed)]), len(changed))
    for _ in range(source.choice([1, 1, 2, 8]) if end else 0):
        place = source.randrange(end)
        changed[place] = source.choice([changed[place] ^ (1 << source.randrange(8)), source.randrange(256), 0, 255])
    if source.random() < 0.1:
        del changed[source.randrange(len(changed) + 1) :]
    if source.random() < 0.1:
        place = source.randrange(len(changed) + 1)
        changed[place:place] = source.randbytes(source.choice([1, 8, 100]))
    return bytes(changed)
