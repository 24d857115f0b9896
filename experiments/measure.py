"""Measuring of models, the same way in every experiment.

Times are CPU seconds of one thread: other processes hardly influence them, and LIBSVM uses one thread as well.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Protocol, TypeVar

import numpy as np
from sklearn.svm import SVC

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from experiments.problems import Labels, Matrix, Problem
    from experiments.records import Record

Result = TypeVar("Result")


class Classifier(Protocol):
    """A fitted classifier."""

    def predict(self, X: Matrix, /) -> Labels:
        """Predict labels."""


class KernelClassifier(Classifier, Protocol):
    """A classifier with support vectors."""

    support_: NDArray[np.integer]

    def fit(self, X: Matrix, y: Labels, /) -> object:
        """Train."""


def cpu_time(action: Callable[[], Result]) -> tuple[float, Result]:
    """Return the CPU seconds that an action takes, and its result."""
    start = time.process_time()
    result = action()
    return time.process_time() - start, result


def test_error(model: Classifier, problem: Problem) -> float:
    """Return the percentage of test rows that a model predicts wrongly."""
    return 100 * float(np.mean(model.predict(problem.X_test) != problem.y_test))


def fit_and_measure(model: KernelClassifier, problem: Problem) -> Record:
    """Fit a model; return seconds, test error, support vectors, and kernel evaluations where they are counted."""
    seconds, _ = cpu_time(lambda: model.fit(problem.X, problem.y))
    record: Record = {"seconds": seconds, "error": test_error(model, problem), "support": len(model.support_)}
    if hasattr(model, "n_kernel_evals_"):
        record["kernel_evals"] = int(model.n_kernel_evals_)
    return record


def make_libsvm(problem: Problem, *, cache_size: float = 1000.0) -> SVC:
    """Create scikit-learn's SVC, which is LIBSVM, with C and gamma of a problem; the cache is in megabytes."""
    return SVC(C=problem.C, gamma=problem.gamma, cache_size=cache_size)
