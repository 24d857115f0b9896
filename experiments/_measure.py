"""How models are measured, the same way in every experiment.

Times are processor seconds of one thread: what else the machine does hardly matters, and LIBSVM has one thread too.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from sklearn.svm import SVC

if TYPE_CHECKING:
    from collections.abc import Callable

    from experiments._problems import Problem
    from experiments._records import Record

Result = TypeVar("Result")


def processor(action: Callable[[], Result]) -> tuple[float, Result]:
    """Return the processor seconds that an action takes, and its result."""
    start = time.process_time()
    result = action()
    return time.process_time() - start, result


def error_of(model: Any, problem: Problem) -> float:
    """Return the per cent of test rows that a model gets wrong."""
    return 100 * float(np.mean(model.predict(problem.X_test) != problem.y_test))


def fitted(model: Any, problem: Problem) -> Record:
    """Fit a model; return seconds, test error, support vectors, and kernel values where they are counted."""
    seconds, _ = processor(lambda: model.fit(problem.X, problem.y))
    record: Record = {"seconds": seconds, "error": error_of(model, problem), "support": len(model.support_)}
    if hasattr(model, "n_kernel_evals_"):
        record["kernel_evals"] = int(model.n_kernel_evals_)
    return record


def libsvm(problem: Problem, *, cache_size: float = 1000.0, **settings: Any) -> SVC:
    """Return LIBSVM, which is scikit-learn's SVC, with the settings of a problem; the cache is in megabytes."""
    return SVC(**{"C": problem.C, "gamma": problem.gamma, "cache_size": cache_size} | settings)
