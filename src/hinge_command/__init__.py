"""The command `hinge` before anything is imported: loading takes a second, in which Ctrl-C must be quiet."""

import os
import signal
from typing import Any

INTERRUPTED = 130


def main() -> None:
    """Run the command line."""
    before = signal.signal(signal.SIGINT, _leave)
    from hinge.cli import main as run  # noqa: PLC0415

    signal.signal(signal.SIGINT, before)
    run()


def _leave(*_: Any) -> None:
    os._exit(INTERRUPTED)
