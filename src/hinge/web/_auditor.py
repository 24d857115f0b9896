"""The learning curve behind the page: computed in the background, and never most of the time."""

from __future__ import annotations

import threading
import time
from functools import partial
from typing import TYPE_CHECKING, Any

from hinge.incremental import IncrementalSVC
from hinge.web._curve import Curve, History, Point

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_REST = 4.0  # times as long as the last look took


class Auditor:
    """Looks at the learning curve when asked to, unless it is busy or has just done so.

    Parameters
    ----------
    X : ndarray or CSR matrix
        The features of the pool.
    parameters : dict
        Parameters of the model; the exact one is examined, whichever learns.
    """

    def __init__(self, X: Any, parameters: dict[str, Any]) -> None:
        examine = partial(_examine, X, parameters)
        self._ours, self._chance = Curve(examine), Curve(examine)
        self._result: tuple[list[Point], list[Point]] = [], []
        self._thread: threading.Thread | None = None
        self._again_at = 0.0
        self._starting = threading.Lock()

    def look(self, history: History) -> tuple[list[Point], list[Point]]:
        """Return the last curves, of the model and of random draws alone, and have them brought up to date."""
        with self._starting:
            is_busy = self._thread is not None and self._thread.is_alive()
            if not is_busy and time.monotonic() >= self._again_at:
                self._thread = threading.Thread(target=self.compute, args=(history,), name="hinge-audit", daemon=True)
                self._thread.start()
        return self._result

    def compute(self, history: History) -> tuple[list[Point], list[Point]]:
        """Return the curves of labels, however long it takes."""
        began = time.monotonic()
        try:
            self._result = self._ours.points(history), self._chance.points(history.random_only())
        finally:
            now = time.monotonic()
            self._again_at = now + _REST * (now - began)
        return self._result

    def wait(self, seconds: float | None = None) -> None:
        """Wait for a look that is under way."""
        if self._thread is not None:
            self._thread.join(seconds)


def _examine(X: Any, parameters: dict[str, Any], rows: NDArray[np.int64], labels: NDArray[Any]) -> NDArray[np.bool_]:
    """Return for each example whether the model of the others is right about it."""
    model = IncrementalSVC(**parameters).fit(X[rows], labels)
    right: NDArray[np.bool_] = model.leave_one_out() == labels
    return right
