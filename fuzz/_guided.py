"""Changes guided by coverage: libFuzzer, by way of atheris, which instruments the Python code of the package."""

from __future__ import annotations

import random
import sys
import tempfile
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["hinge"]):
    from fuzz._blind import damaged
    from fuzz._corpus import CORPUS
    from fuzz._outcome import PATIENCE, outcome
    from fuzz._targets import TARGETS

_LONGEST = 1 << 16  # bytes of an input
_PLAIN = 0.25  # share of changes that are left to libFuzzer


def guided(name: str, options: list[str], findings: Path, kept: Path) -> None:
    """Fuzz a target; does not return.

    Parameters
    ----------
    name : str
        The target.
    options : list of str
        For libFuzzer.
    findings, kept : Path
        Folders for inputs that break something, and for those that reach something new.
    """
    target = TARGETS[name]
    folder = Path(tempfile.mkdtemp())
    last = findings / f"last-{name}{target.suffix}"

    def try_one(content: bytes) -> None:
        last.write_bytes(content)  # before it is tried: the process may end
        outcome(target, content, folder)

    def change(content: bytes, most: int, seed: int) -> bytes:
        source = random.Random(seed)
        other = damaged(target, content, source) if source.random() > _PLAIN else b""
        return other if 0 < len(other) <= most else bytes(atheris.Mutate(content, most))

    usual = [f"-timeout={PATIENCE}", f"-max_len={_LONGEST}", f"-artifact_prefix={findings}/", "-rss_limit_mb=4000"]
    arguments = [sys.argv[0], *usual, "-print_final_stats=1", *options, str(kept), str(CORPUS / name)]
    atheris.Setup(arguments, try_one, custom_mutator=change)
    atheris.Fuzz()
