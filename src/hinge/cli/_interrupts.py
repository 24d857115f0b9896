"""Ctrl-C before there is anything to save."""

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

INTERRUPTED = 130  # exit code, as shells report it


@contextmanager
def exit_on_interrupt() -> Iterator[None]:
    """End the process at once, without a traceback, when Ctrl-C is pressed inside the block.

    It surrounds imports, which take a second or two. A process that ignores Ctrl-C keeps ignoring it.
    """
    if threading.current_thread() is not threading.main_thread() or not _raises_keyboard_interrupt():
        yield
        return
    signal.signal(signal.SIGINT, _exit)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _raises_keyboard_interrupt() -> bool:
    return signal.getsignal(signal.SIGINT) is signal.default_int_handler


def _exit(_number: int, _frame: FrameType | None) -> None:
    os._exit(INTERRUPTED)
