"""Try one input, and check what it may cost."""

from __future__ import annotations

import faulthandler
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from hinge import HingeError

if TYPE_CHECKING:
    from fuzz._targets import Target

MAX_MEMORY = 200 << 20  # bytes that the process may grow by; inputs are small
TIME_LIMIT_S = 20
MAX_SENTENCE = 1000  # characters

_RESET = Path("/proc/self/clear_refs")
_STATUS = Path("/proc/self/status")


class FindingError(AssertionError):
    """An input did something that no input may do."""


def outcome(target: Target, content: bytes, folder: Path) -> str:
    """Return "read" or "refused" (or what the target says); raise everything else."""
    file = folder / f"input{target.suffix}"
    file.write_bytes(content)
    with warnings.catch_warnings(), bounded_memory():
        warnings.simplefilter("error")
        try:
            return target.use(file)
        except HingeError as error:
            require_sentence(str(error))
            return "refused"


def require_sentence(text: str) -> None:
    """Raise unless a message is one sentence of reasonable length on one line, or a list of such sentences."""
    first, *problems = text.split("\n- ")
    sentences = problems if problems and first.endswith(":") else [text]
    if any("\n" in each or not each.endswith((".", "?")) or len(each) > MAX_SENTENCE for each in sentences):
        raise FindingError(f"the message is not one sentence: {text[:MAX_SENTENCE]!r}")


def require(condition: bool, what: str) -> None:
    """Raise a finding unless a condition holds."""
    if not condition:
        raise FindingError(what)


@contextmanager
def bounded_memory() -> Iterator[None]:
    """Raise at the end of the context if the process has grown by more than `MAX_MEMORY` inside it (Linux only)."""
    if not _RESET.exists():
        yield
        return
    _RESET.write_text("5")  # resets the peak
    before = _peak()
    yield
    grown = _peak() - before
    require(grown < MAX_MEMORY, f"a small file took {grown >> 20} MB")


@contextmanager
def time_limit() -> Iterator[None]:
    """End the process with a traceback if the context takes too long."""
    faulthandler.dump_traceback_later(TIME_LIMIT_S, exit=True)
    try:
        yield
    finally:
        faulthandler.cancel_dump_traceback_later()


def _peak() -> int:
    """Return the peak memory of the process in bytes."""
    line = next(line for line in _STATUS.read_text().splitlines() if line.startswith("VmHWM:"))
    return int(line.split()[1]) << 10
