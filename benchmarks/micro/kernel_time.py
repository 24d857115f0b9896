"""Share of kernel values in the time of `fit`, and their speed compared with matrix products.

`fit` counts its kernel values. The time of as many values in `decision_function` (kernel values and one pass over them)
and in BLAS (the products alone) shows how much is left for everything else.
"""

from typing import Any

import numpy as np

from benchmarks.micro import Section
from benchmarks.models import MODELS
from benchmarks.tasks import TASKS, Split, Task
from benchmarks.worker import timed

BLOCK = 256
REPEATS = 30


def measure(quick: bool) -> Section:
    """Compare fit, kernel values and products on the dense two-class tasks."""
    return Section(
        "Time of fit compared with the time of its kernel values",
        ("task", "fit, s", "kernel values, 1e6", "at our speed, s", "as BLAS products, s", "everything else, s"),
        [_row(TASKS[name], quick) for name in ("a9a", "mnist8", "covtype")],
    )


def _row(task: Task, quick: bool) -> tuple[str, ...]:
    split = task.split(quick=quick)
    model = MODELS["hinge"].make(task)
    fit_seconds, _ = timed(model.fit, split.X, split.y)
    count = int(np.sum(model.n_kernel_evals_))
    ours = count * _seconds_per_value(model, split)
    blas = count * _seconds_per_product(split, len(model.support_))
    return (
        task.name,
        f"{fit_seconds:.2f}",
        f"{count / 1e6:,.1f}",
        f"{ours:.2f}",
        f"{blas:.2f}",
        f"{fit_seconds - ours:.2f}",
    )


def _seconds_per_value(model: Any, split: Split) -> float:
    rows = split.X_test[: 8 * BLOCK]
    seconds = min(timed(model.decision_function, rows)[0] for _ in range(REPEATS))
    return seconds / (len(rows) * len(model.support_))


def _seconds_per_product(split: Split, n_support: int) -> float:
    block, kept = split.X_test[:BLOCK], np.ascontiguousarray(split.X[:n_support])
    seconds = min(timed(np.matmul, block, kept.T)[0] for _ in range(REPEATS))
    return seconds / (len(block) * len(kept))
