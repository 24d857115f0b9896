"""Speed-up of `fit` by a second thread, and whether the model stays the same."""

import numpy as np

from benchmarks.micro import Section
from benchmarks.models import MODELS
from benchmarks.tasks import TASKS
from benchmarks.worker import timed


def measure(quick: bool) -> Section:
    """Fit with 1 and 2 threads and compare decision values bit for bit."""
    rows = [row for name in ("mnist8", "mnist10") for row in _rows(name, quick)]
    return Section("Threads", ("task", "threads", "fit, s", "support vectors", "same model as with 1"), rows)


def _rows(name: str, quick: bool) -> list[tuple[str, ...]]:
    task = TASKS[name]
    split = task.split(quick=quick)
    rows: list[tuple[str, ...]] = []
    decisions = []
    for n_jobs in (1, 2):
        model = MODELS["hinge"].make(task, n_jobs=n_jobs)
        seconds, _ = timed(model.fit, split.X, split.y)
        decisions.append(model.decision_function(split.X_test))
        same = "yes" if np.array_equal(decisions[0], decisions[-1]) else "no"
        rows.append((task.title, str(n_jobs), f"{seconds:.2f}", f"{len(model.support_):,}", same))
    return rows
