"""Record errors of all threads."""

import threading
import traceback
from collections.abc import Iterator
from contextlib import contextmanager


class ErrorLog:
    """Count exceptions and keep the first few as text."""

    def __init__(self, n_kept: int = 50) -> None:
        self._lock = threading.Lock()
        self._n_kept = n_kept
        self.n_errors = 0
        self.texts: list[str] = []

    @contextmanager
    def recording(self, where: str) -> Iterator[None]:
        """Record an exception raised inside the context, and continue."""
        try:
            yield
        except Exception:  # noqa: BLE001  any exception is an error here
            with self._lock:
                self.n_errors += 1
                if len(self.texts) < self._n_kept:
                    self.texts.append(f"{where}: {traceback.format_exc()}")
