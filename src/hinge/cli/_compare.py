"""Scikit-learn's SVC on the same rows, for comparison."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sklearn.svm import SVC

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.console import Console

    from hinge.cli._lesson import Lesson

SHARED = ("C", "kernel", "degree", "coef0", "cache_size")


@dataclass(frozen=True)
class Exact:
    """What scikit-learn's SVC reached."""

    seconds: float
    test_error: float | None
    n_support: int


def solve(lesson: Lesson, terminal: Console) -> Exact:
    """Train scikit-learn's SVC with the settings of a model, as far as it has them, on the same rows."""
    settings = {name: value for name, value in lesson.model.get_params().items() if name in SHARED}
    peer = SVC(**settings, gamma=lesson.model._state.kernel.gamma)
    X, y = lesson.kept_rows()
    with terminal.status("scikit-learn's SVC is training on the same rows; Ctrl-C leaves it out"):
        start = time.perf_counter()
        _run_in_background(lambda: peer.fit(X, y))
        seconds = time.perf_counter() - start
    return Exact(seconds, lesson.test_error(peer), len(peer.support_))


def _run_in_background(work: Callable[[], Any]) -> None:
    """Wait for some work in such a way that Ctrl-C ends the waiting: SVC itself does not hear it."""
    raised: list[BaseException] = []

    def run() -> None:
        try:
            work()
        except BaseException as error:  # noqa: BLE001  handed to whoever waits
            raised.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(timeout=0.1)
    if raised:
        raise raised[0]
