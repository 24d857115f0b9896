"""Accuracy for data far from the origin: 1e4 is added to every feature.

The sums of kernel values in `decision_function` are compared with sums computed from differences of features in double
precision, for the same input.
"""

from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from benchmarks.data import Examples
from benchmarks.micro import Section
from benchmarks.models import MODELS
from benchmarks.tasks import TASKS, Task

OFFSET = 1e4
N_TRAIN, N_TEST = 3000, 1000


def measure(quick: bool) -> Section:
    """Compare kernel sums with exact ones, and predictions with those of SVC on the original data."""
    del quick  # always a subsample: the exact sums are slow
    task = TASKS["covtype"]
    split = task.split(quick=False).head(N_TRAIN, N_TEST)
    labels = MODELS["sklearn"].make(task).fit(split.X, split.y).predict(split.X_test)
    rows = []
    for dtype in (np.float64, np.float32):
        for offset in (0.0, OFFSET):
            X, X_test = _shifted(split.X, dtype, offset), _shifted(split.X_test, dtype, offset)
            model = MODELS["hinge"].make(task, epochs="converge").fit(X, split.y)
            same = 100 * np.mean(model.predict(X_test) == labels)
            rows.append(
                (np.dtype(dtype).name, f"{offset:g}", f"{_kernel_error(model, task, X_test):.1e}", f"{same:.1f}")
            )
    return Section(
        f"Data far from zero, {task.title.partition(',')[0]}, {N_TRAIN} rows",
        ("type", "added", "error of a kernel sum", "same labels as SVC at 0, %"),
        rows,
    )


def _shifted(X: Examples, dtype: DTypeLike, offset: float) -> Examples:
    return (X.astype(np.float64) + offset).astype(dtype)


def _kernel_error(model: Any, task: Task, X: Examples) -> float:
    """Return the largest error of a sum of kernel values, divided by the sum of its coefficients."""
    vectors, coefficients = model.support_vectors_.astype(np.float64), model.dual_coef_[0]
    exact = [coefficients @ np.exp(-task.gamma * np.square(vectors - row).sum(axis=1)) for row in X.astype(np.float64)]
    error = np.abs(model.decision_function(X) - model.intercept_[0] - exact).max()
    return float(error / np.abs(coefficients).sum())
