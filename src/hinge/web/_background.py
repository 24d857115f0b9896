"""Computations in a background thread, with pauses between them."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

Argument = TypeVar("Argument")
Result = TypeVar("Result")

_PAUSE_RATIO = 4.0  # pause after a computation, as a multiple of its duration


class Background(Generic[Argument, Result]):
    """Runs a function in a thread, one call at a time, and keeps its latest result.

    Parameters
    ----------
    work : callable
        The function.
    initial : object
        The result before the first call has ended.
    name : str
        The name of the thread.
    """

    def __init__(self, work: Callable[[Argument], Result], initial: Result, name: str) -> None:
        self._work, self._result, self._name = work, initial, name
        self._thread: threading.Thread | None = None
        self._next_start = 0.0
        self._start_lock = threading.Lock()

    @property
    def result(self) -> Result:
        """The latest result."""
        return self._result

    def update(self, argument: Argument) -> Result:
        """Return the latest result; start a new call unless one is running or has just ended."""
        with self._start_lock:
            is_running = self._thread is not None and self._thread.is_alive()
            if not is_running and time.monotonic() >= self._next_start:
                self._thread = threading.Thread(target=self.compute, args=(argument,), name=self._name, daemon=True)
                self._thread.start()
        return self._result

    def compute(self, argument: Argument) -> Result:
        """Call the function in this thread."""
        began = time.monotonic()
        try:
            self._result = self._work(argument)
        finally:
            now = time.monotonic()
            self._next_start = now + _PAUSE_RATIO * (now - began)
        return self._result

    def wait(self, timeout: float | None = None) -> None:
        """Wait for a running call, at most `timeout` seconds."""
        if self._thread is not None:
            self._thread.join(timeout)
