"""Ctrl-C while the native code calls back into Python."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hinge import _core


class Abandoned(KeyboardInterrupt):
    """Ctrl-C was pressed a second time: the native model was left in the middle of a step and cannot be used."""


@contextmanager
def deferred_interrupts(monitor: _core.Monitor | None) -> Iterator[_core.Monitor | None]:
    """Let Ctrl-C take effect when the native code next asks its monitor; the value is the monitor to give to it.

    The native code checks for Ctrl-C by itself where it may stop. A kernel function of the user, however,
    is called in the middle of a step, and Python would raise KeyboardInterrupt right there. A second Ctrl-C does so,
    for functions that never return.
    """
    in_charge = threading.current_thread() is threading.main_thread()
    if not in_charge or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield monitor
        return
    pressed = False

    def note(_signal: int, _frame: FrameType | None) -> None:
        nonlocal pressed
        if pressed:
            raise Abandoned
        pressed = True

    def ask(progress: _core.Progress) -> bool:
        if pressed:
            raise KeyboardInterrupt
        return monitor is None or monitor(progress)

    signal.signal(signal.SIGINT, note)
    try:
        yield ask
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if pressed:
        raise KeyboardInterrupt
