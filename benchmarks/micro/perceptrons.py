"""Averaged perceptrons after 1 and 10 epochs beside `OnlineSVC`."""

from typing import Any

import numpy as np

from benchmarks.micro import Section
from benchmarks.tasks import TASKS
from benchmarks.worker import timed
from hinge import KernelPerceptron, OnlineSVC


def measure(quick: bool) -> Section:
    """Fit them on mnist, 8 vs rest, and on a9a."""
    rows = []
    for name in ("mnist8", "a9a"):
        task = TASKS[name]
        split = task.split(quick=quick)
        models: dict[str, Any] = {
            "OnlineSVC, one pass": OnlineSVC(C=task.C, gamma=task.gamma, random_state=0, cache_size=1000),
            "averaged perceptron, 1 epoch": KernelPerceptron(
                gamma=task.gamma, average=True, random_state=0, cache_size=1000
            ),
            "averaged perceptron, 10 epochs": KernelPerceptron(
                gamma=task.gamma, average=True, epochs=10, random_state=0, cache_size=1000
            ),
            "perceptron, 1 epoch": KernelPerceptron(gamma=task.gamma, random_state=0, cache_size=1000),
        }
        for title, model in models.items():
            seconds = timed(model.fit, split.X, split.y)[0]
            error = 100 * float(np.mean(model.predict(split.X_test) != split.y_test))
            rows.append((task.title, title, f"{seconds:.2f}", f"{error:.2f}", f"{len(model.support_):,}"))
    return Section("Kernel perceptrons", ("task", "model", "fit, s", "test error, %", "support vectors"), rows)
