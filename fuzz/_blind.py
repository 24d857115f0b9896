"""Changes at random: no coverage, no further package, the same inputs for the same seed."""

from __future__ import annotations

import json
import random
import sys
import tempfile
from collections import Counter
from pathlib import Path

from fuzz._byte_damage import damage_bytes
from fuzz._corpus import inputs
from fuzz._outcome import outcome, patience
from fuzz._targets import TARGETS, Target


def blind(name: str, runs: int, seed: int, findings: Path) -> None:
    """Try changed inputs; one that breaks something is left among the findings, and what it broke is raised."""
    target, originals = TARGETS[name], list(inputs(name).values())
    outcomes: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        for number in range(runs):
            content = changed(target, originals, random.Random(f"{seed} {number}"))
            last = findings / f"{name}-{seed}-{number}{target.suffix}"
            last.write_bytes(content)  # before it is tried: the process may end
            with patience():
                outcomes[outcome(target, content, Path(folder))] += 1
            last.unlink()
    sys.stdout.write(json.dumps(outcomes, indent=1, sort_keys=True) + "\n")


def changed(target: Target, originals: list[bytes], source: random.Random) -> bytes:
    """Return an input made of one of some."""
    content = source.choice(originals)
    for _ in range(source.choice([1, 1, 2])):
        content = damaged(target, content, source)
    return content


def damaged(target: Target, content: bytes, source: random.Random) -> bytes:
    """Return a changed input; one that cannot be taken apart has its bytes changed."""
    try:
        return target.damage(content, source)
    except Exception:  # noqa: BLE001  whatever an earlier change has led to
        return damage_bytes(content, source)
