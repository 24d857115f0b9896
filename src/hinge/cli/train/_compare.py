"""Comparison with scikit-learn's SVC or OneClassSVM, trained on the same rows."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sklearn.svm import SVC, OneClassSVM

from hinge.cli.train._sources import rows_to_learn
from hinge.streaming import cache_megabytes, kernel, traits

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.console import Console

    from hinge.cli.train._job import TrainJob
    from hinge.cli.train._metrics import OutlierMetrics
    from hinge.streaming import Model

SHARED_PARAMETERS = ("kernel", "degree", "coef0", "cache_size")


@dataclass(frozen=True)
class SklearnResult:
    """What scikit-learn's estimator reached on the same rows."""

    name: str
    seconds: float
    test_error: float | None
    n_support: int
    outliers: OutlierMetrics | None = None


def train_sklearn(job: TrainJob, terminal: Console) -> SklearnResult:
    """Train scikit-learn's estimator on the rows of a job, with the parameters that both estimators have."""
    X, y = job.rows_in_memory()
    X = rows_to_learn(job.model, X, y)
    peer = _sklearn_estimator(job.model, X.shape[0])
    name = type(peer).__name__
    with terminal.status(f"scikit-learn's {name} is training on the same rows; press Ctrl-C to skip it"):
        start = time.perf_counter()
        run_in_background(lambda: peer.fit(X, y[: X.shape[0]]))
        seconds = time.perf_counter() - start
    return SklearnResult(name, seconds, job.test_error(peer), len(peer.support_), job.outlier_metrics(peer))


def _sklearn_estimator(model: Model, n_rows: int) -> SVC | OneClassSVM:
    """Return the estimator of scikit-learn that solves the problem of a fitted model for `n_rows` examples."""
    parameters = {name: value for name, value in model.get_params().items() if name in SHARED_PARAMETERS}
    parameters["gamma"] = kernel(model).gamma
    if "cache_size" in parameters:
        parameters["cache_size"] = cache_megabytes(model)
    if traits(model).task != "one-class":
        return SVC(**parameters, **{name: value for name, value in model.get_params().items() if name == "C"})
    nu = model.nu if model.C is None else min(1.0, 1.0 / (model.C * n_rows))  # coefficients are at most C, and sum to 1
    return OneClassSVM(**parameters, nu=nu)


def run_in_background(work: Callable[[], object]) -> None:
    """Run a function in a thread, so that Ctrl-C ends the wait for it: SVC itself does not react to Ctrl-C."""
    raised: list[BaseException] = []

    def run() -> None:
        try:
            work()
        except BaseException as error:  # noqa: BLE001  raised again in the waiting thread
            raised.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(timeout=0.1)
    if raised:
        raise raised[0]
