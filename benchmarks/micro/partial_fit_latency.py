"""Time of `partial_fit` for one row on a model with thousands of support vectors."""

import numpy as np

from benchmarks.micro import Section
from benchmarks.models import MODELS
from benchmarks.tasks import TASKS
from benchmarks.worker import timed

N_ROWS = 500


def measure(quick: bool) -> Section:
    """Learn the first test rows one by one with the fitted mnist-8 model."""
    task = TASKS["mnist8"]
    split = task.split(quick=quick)
    model = MODELS["hinge"].make(task).fit(split.X, split.y)
    milliseconds = [
        1e3 * timed(model.partial_fit, split.X_test[row : row + 1], split.y_test[row : row + 1])[0]
        for row in range(N_ROWS)
    ]
    median, high = np.percentile(milliseconds, [50, 95])
    return Section(
        f"partial_fit of a single row, {task.title}, {N_ROWS} rows",
        ("support vectors", "median, ms", "95 %, ms", "maximum, ms"),
        [(f"{len(model.support_):,}", f"{median:.2f}", f"{high:.2f}", f"{max(milliseconds):.2f}")],
    )
