"""Test error of exact models that may hold only so many examples a machine: figure 8 of Laskov and others, 2006.

Their kernel has sigma^2 = 0.3 * 256, and the paper does not say whether 2 sigma^2 or sigma^2 divides the squared
distance. With pixels from -1 to 1 the former gives the fewer support vectors (460 a machine, they have 274) and the
smaller error; the latter is measured for the window that is spoken of.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.data import data_folder
from benchmarks.micro import Section
from benchmarks.tasks import Split
from benchmarks.worker import timed
from hinge import IncrementalSVC
from hinge.datasets import load

WINDOWS: tuple[int | None, ...] = (50, 100, 150, 250, 500, 1000, None)
SIGMA_SQUARED = 0.3 * 256
GAMMAS: dict[str, tuple[float, tuple[int | None, ...]]] = {
    "1 / (2 sigma^2)": (1 / (2 * SIGMA_SQUARED), WINDOWS),
    "1 / sigma^2": (1 / SIGMA_SQUARED, (150, None)),
}


@dataclass(frozen=True)
class Run:
    """One pass with one window."""

    seconds: float
    n_held: int
    error: float


def measure(quick: bool) -> Section:
    """Learn usps, 10 classes, in the order of the file; None is no window."""
    data_folder()
    data = load("usps")
    n_rows = 1_000 if quick else len(data.y_train)
    X, y = data.X_train[:n_rows].astype(np.float64), data.y_train[:n_rows]
    split = Split(X, y, data.X_test.astype(np.float64), data.y_test)
    rows = [row for name, (gamma, sizes) in GAMMAS.items() for row in _rows(name, gamma, sizes, split)]
    columns = ("gamma", "window", "seconds", "examples held", "error, %", "of no window's", "oldest leaves: error, %")
    return Section("Windows, usps, 10 classes, C=100 (aim: at 150 about 1.1 of no window's)", columns, rows)


def _rows(name: str, gamma: float, sizes: Sequence[int | None], split: Split) -> list[tuple[str, ...]]:
    runs = {size: _run(split, gamma=gamma, max_examples=size) for size in sizes}
    oldest = {size: _run(split, gamma=gamma, max_examples=size, eviction="age") for size in sizes if size}
    return [
        (
            name,
            f"{size}",
            f"{run.seconds:.1f}",
            f"{run.n_held:,}",
            f"{run.error:.2f}",
            f"{run.error / runs[None].error:.2f}",
            f"{oldest[size].error:.2f}" if size else "-",
        )
        for size, run in runs.items()
    ]


def _run(split: Split, **options: Any) -> Run:
    model = IncrementalSVC(C=100.0, **options)
    seconds, _ = timed(model.partial_fit if model.max_examples else model.fit, split.X, split.y)
    error = 100 * float(np.mean(model.predict(split.X_test) != split.y_test))
    return Run(seconds, len(model.ids_), error)
