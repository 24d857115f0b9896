"""What goes wrong, from any thread."""

import threading
import traceback
from collections.abc import Iterator
from contextlib import contextmanager


class Trouble:
    """Counts exceptions and keeps the first few as text."""

    def __init__(self, n_kept: int = 50) -> None:
        self._lock = threading.Lock()
        self._n_kept = n_kept
        self.n_errors = 0
        self.texts: list[str] = []

    @contextmanager
    def noted(self, where: str) -> Iterator[None]:
        """Write down what goes wrong inside, and go on."""
        try:
            yield
        except Exception:  # noqa: BLE001  whatever it is, it should not have happened
            with self._lock:
                self.n_errors += 1
                if len(self.texts) < self._n_kept:
                    self.texts.append(f"{where}: {traceback.format_exc()}")
