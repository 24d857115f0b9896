"""Fuzz with random changes: no coverage, no extra package, the same inputs for the same seed."""

from __future__ import annotations

import json
import random
import sys
import tempfile
from collections import Counter
from pathlib import Path

from fuzz._byte_damage import damage_bytes
from fuzz._corpus import inputs
from fuzz._outcome import outcome, time_limit
from fuzz._targets import TARGETS, Target


def fuzz_blindly(name: str, runs: int, seed: int, findings: Path) -> None:
    """Try changed inputs; an input that breaks something stays in the folder of findings, and its error is raised."""
    target, originals = TARGETS[name], list(inputs(name).values())
    outcomes: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        for number in range(runs):
            content = changed(target, originals, random.Random(f"{seed} {number}"))
            last = findings / f"{name}-{seed}-{number}{target.suffix}"
            last.write_bytes(content)  # before it is tried, since the process may crash
            with time_limit():
                outcomes[outcome(target, content, Path(folder))] += 1
            last.unlink()
    sys.stdout.write(json.dumps(outcomes, indent=1, sort_keys=True) + "\n")


def changed(target: Target, originals: list[bytes], source: random.Random) -> bytes:
    """Return a changed version of one of the originals."""
    content = source.choice(originals)
    for _ in range(source.choice([1, 1, 2])):
        content = damaged(target, content, source)
    return content


def damaged(target: Target, content: bytes, source: random.Random) -> bytes:
    """Return a changed input; change bytes if its structure cannot be parsed."""
    try:
        return target.damage(content, source)
    except Exception:  # noqa: BLE001  an earlier change may lead to anything
        return damage_bytes(content, source)
