"""Memory of an exact model by the number of examples: `python -m experiments.incremental.memory`.

The paper's program learned 28,000 examples of MNIST with the RBF kernel before its kernel matrix filled 3 GB (section
5.4). `IncrementalSVC` keeps the kernel values of the margin vectors and a cache. docs/design/papers.md has the result.
"""

from __future__ import annotations

import resource
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from experiments.incremental.mnist_runs import GAMMA, PROFILED_DIGIT, C
from experiments.measure import cpu_time
from experiments.problems import mnist
from hinge import IncrementalSVC

if TYPE_CHECKING:
    from collections.abc import Iterator

SIZES = (5_000, 10_000, 15_000, 20_000, 28_000)


def resident_memory() -> float:
    """Return the memory of this process in megabytes; Linux only."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * resource.getpagesize() / 1e6


def measure() -> Iterator[dict[str, float]]:
    """Learn one by one; yield the size of the model, the memory beyond that of the data set, and the time so far."""
    problem = mnist()
    rows = np.random.default_rng(0).permutation(len(problem.y))[: SIZES[-1]]
    X, y = problem.X[rows].astype(np.float64), problem.y[rows] == PROFILED_DIGIT
    del problem
    start = resident_memory()
    model = IncrementalSVC(kernel="rbf", C=C, gamma=GAMMA, n_jobs=1)
    first, seconds = 0, 0.0
    for size in SIZES:
        seconds += cpu_time(partial(model.partial_fit, X[first:size], y[first:size]))[0]
        first = size
        on_margin = int(np.count_nonzero(np.abs(model.dual_coef_) < C))
        yield {
            "examples": size,
            "support vectors": len(model.support_),
            "margin vectors": on_margin,
            "MB": resident_memory() - start,
            "seconds": seconds,
        }


if __name__ == "__main__":
    for line in measure():
        print(", ".join(f"{name} {value:,.0f}" for name, value in line.items()), flush=True)  # noqa: T201
