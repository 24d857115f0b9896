"""Scikit-learn's SVC or OneClassSVM on the same rows, for comparison."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sklearn.svm import SVC, OneClassSVM

from hinge.cli._learn import learnable
from hinge.cli._models import is_detector

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.console import Console

    from hinge.cli._lesson import Lesson
    from hinge.cli._outliers import Outliers

SHARED = ("kernel", "degree", "coef0", "cache_size")


@dataclass(frozen=True)
class Exact:
    """What scikit-learn reached."""

    name: str
    seconds: float
    test_error: float | None
    n_support: int
    outliers: Outliers | None = None


def solve(lesson: Lesson, terminal: Console) -> Exact:
    """Train scikit-learn's estimator with the settings of a model, as far as it has them, on the same rows."""
    X, y = lesson.kept_rows()
    X = learnable(lesson.model, X, y)
    peer = _peer(lesson.model, X.shape[0])
    name = type(peer).__name__
    with terminal.status(f"scikit-learn's {name} is training on the same rows; Ctrl-C leaves it out"):
        start = time.perf_counter()
        _run_in_background(lambda: peer.fit(X, y[: X.shape[0]]))
        seconds = time.perf_counter() - start
    return Exact(name, seconds, lesson.test_error(peer), len(peer.support_), lesson.outliers(peer))


def _peer(model: Any, n_rows: int) -> Any:
    """Return the estimator of scikit-learn that solves the same problem for so many rows."""
    settings = {name: value for name, value in model.get_params().items() if name in SHARED}
    settings["gamma"] = model._state.kernel.gamma
    if not is_detector(model):
        return SVC(**settings, **{name: value for name, value in model.get_params().items() if name == "C"})
    nu = model.nu if model.C is None else min(1.0, 1.0 / (model.C * n_rows))  # coefficients are at most C, and sum to 1
    return OneClassSVM(**settings, nu=nu)


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
