"""What becomes of one input, and what it may cost."""

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

MOST_MEMORY = 200 << 20  # bytes beyond what the process had; inputs are small
PATIENCE = 20  # seconds
LONGEST_SENTENCE = 1000

_RESET = Path("/proc/self/clear_refs")
_STATUS = Path("/proc/self/status")


class FindingError(AssertionError):
    """An input that did what none may do."""


def outcome(target: Target, content: bytes, folder: Path) -> str:
    """Return what became of an input, "read" or "refused"; everything else is raised."""
    file = folder / f"input{target.suffix}"
    file.write_bytes(content)
    with warnings.catch_warnings(), little_memory():
        warnings.simplefilter("error")
        try:
            return target.use(file)
        except HingeError as error:
            require_sentence(str(error))
            return "refused"


def require_sentence(text: str) -> None:
    """Raise unless a complaint is one sentence of a sensible length on one line."""
    if "\n" in text or not text.endswith((".", "?")) or len(text) > LONGEST_SENTENCE:
        raise FindingError(f"the complaint is not one sentence: {text[:LONGEST_SENTENCE]!r}")


def require(condition: bool, what: str) -> None:
    """Raise unless something holds that must hold for all inputs."""
    if not condition:
        raise FindingError(what)


@contextmanager
def little_memory() -> Iterator[None]:
    """Raise at the end of the context if the process has grown by more than `MOST_MEMORY` on the way (Linux only)."""
    if not _RESET.exists():
        yield
        return
    _RESET.write_text("5")  # the peak begins anew
    before = _peak()
    yield
    grown = _peak() - before
    require(grown < MOST_MEMORY, f"a small file took {grown >> 20} MB")


@contextmanager
def patience() -> Iterator[None]:
    """End the process, and say where it hung, if a context takes too long."""
    faulthandler.dump_traceback_later(PATIENCE, exit=True)
    try:
        yield
    finally:
        faulthandler.cancel_dump_traceback_later()


def _peak() -> int:
    """Return the most memory that the process has had, in bytes."""
    line = next(line for line in _STATUS.read_text().splitlines() if line.startswith("VmHWM:"))
    return int(line.split()[1]) << 10
