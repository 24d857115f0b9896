"""Fuzz guided by coverage: atheris runs libFuzzer and instruments the Python code of the package."""

from __future__ import annotations

import random
import sys
import tempfile
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["hinge"]):
    from fuzz._blind import damaged
    from fuzz._corpus import CORPUS
    from fuzz._outcome import TIME_LIMIT_S, outcome
    from fuzz._targets import TARGETS

_MAX_BYTES = 1 << 16  # of an input
_LIBFUZZER_SHARE = 0.25  # of changes that are left to libFuzzer


def fuzz_guided(name: str, options: list[str], findings: Path, corpus: Path) -> None:
    """Fuzz a target; does not return.

    Parameters
    ----------
    name : str
        The target.
    options : list of str
        Options of libFuzzer.
    findings, corpus : Path
        Folders for inputs that break something, and for inputs that reach new code.
    """
    target = TARGETS[name]
    folder = Path(tempfile.mkdtemp())
    last = findings / f"last-{name}{target.suffix}"

    def try_one(content: bytes) -> None:
        last.write_bytes(content)  # before it is tried, since the process may crash
        outcome(target, content, folder)

    def change(content: bytes, max_size: int, seed: int) -> bytes:
        source = random.Random(seed)
        other = damaged(target, content, source) if source.random() > _LIBFUZZER_SHARE else b""
        return other if 0 < len(other) <= max_size else bytes(atheris.Mutate(content, max_size))

    limits = [f"-timeout={TIME_LIMIT_S}", f"-max_len={_MAX_BYTES}", "-rss_limit_mb=4000"]
    reports = [f"-artifact_prefix={findings}/", "-print_final_stats=1"]
    arguments = [sys.argv[0], *limits, *reports, *options, str(corpus), str(CORPUS / name)]
    atheris.Setup(arguments, try_one, custom_mutator=change)
    atheris.Fuzz()
