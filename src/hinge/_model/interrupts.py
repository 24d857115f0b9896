"""Ctrl-C while the native code calls a kernel function of the user."""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

    from hinge import _core


class StepInterrupted(KeyboardInterrupt):
    """A second Ctrl-C: it interrupted the native model in the middle of a step, so the model cannot be used."""


@contextmanager
def deferred_interrupts(monitor: _core.Monitor | None) -> Iterator[_core.Monitor | None]:
    """Delay Ctrl-C until the native code next calls its monitor; the value is the monitor to pass to it.

    The native code checks for Ctrl-C between steps. It calls kernel functions of the user in the middle of a step,
    where Python would raise KeyboardInterrupt. A second Ctrl-C raises there, for functions that never return.
    """
    in_main_thread = threading.current_thread() is threading.main_thread()
    if not in_main_thread or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield monitor
        return
    pressed = False

    def handle(_signal: int, _frame: FrameType | None) -> None:
        nonlocal pressed
        if pressed:
            raise StepInterrupted
        pressed = True

    def check(progress: _core.Progress) -> bool:
        if pressed:
            raise KeyboardInterrupt
        return monitor is None or monitor(progress)

    signal.signal(signal.SIGINT, handle)
    try:
        yield check
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if pressed:
        raise KeyboardInterrupt
