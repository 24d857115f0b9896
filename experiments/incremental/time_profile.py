"""The time profile of Algorithm 1 by operation, kernel and size, digit 8 of MNIST (figures 1 and 3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from experiments.experiment import Table
from experiments.formatting import MISSING, decimal, percent
from experiments.incremental.mnist_runs import SETTINGS
from experiments.plotting import COLOURS, style_axes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from experiments.records import Records

OPERATIONS = {
    "kernel": "kernel values (lines 1, 3)",
    "selection": "selection of examples (1, 3)",
    "gamma: matrix": "gamma: matrix creation (3)",
    "gamma: product": "gamma: product (3)",
    "beta": "beta (3)",
    "augmentation": "kernel matrix augmentation (13)",
    "kappa": "kappa (17)",
    "inverse": "inverse: expansion, rank one (17)",
    "rest": "other",
}
MEMORY = ("selection", "gamma: matrix", "augmentation", "inverse")
KERNELS = {"linear": "linear kernel", "poly": "polynomial kernel, degree 2", "rbf": "RBF kernel, sigma = 30"}


def sizes(records: Records) -> list[int]:
    """Return the sizes at which times were recorded."""
    return sorted(records.unique("n"))


def share(records: Records, kernel: str, size: int, *operations: str) -> float:
    """Return the percentage of the time that some operations take; nan if it was not measured."""
    line = records.where(kernel=kernel, n=size)
    whole = line.mean("seconds")
    if not whole > 0:
        return float("nan")
    spent = [line.mean(f"in {name}") for name in operations]
    return 100 * float(np.nansum(spent)) / whole


def shares(records: Records, *operations: str) -> dict[str, list[float]]:
    """Return the shares by kernel, one per size at which this kernel was measured."""
    return {
        kernel: [share(records, kernel, size, *operations) for size in sizes(records.where(kernel=kernel))]
        for kernel in SETTINGS
    }


def table(records: Records, title: str) -> Table:
    """Return all shares as a table."""
    columns = ("kernel", "operation", *(f"n = {size:,}" for size in sizes(records)))
    rows = []
    for kernel in SETTINGS:
        for name, label in OPERATIONS.items():
            rows.append([kernel, label, *(percent(share(records, kernel, size, name), 0) for size in sizes(records))])
        spent = [records.where(kernel=kernel, n=size).mean("seconds") for size in sizes(records)]
        rows.append([kernel, "seconds in all", *(decimal(value, 1) for value in spent)])
    return Table(columns, rows, title)


def format_shares(values: list[float]) -> str:
    """Format shares from the smallest size to the largest."""
    return " → ".join(f"{value:.0f}" for value in values) + " %" if values else MISSING


def draw(records: Records, figure: Figure) -> None:
    """Draw stacked bars, one panel per kernel."""
    panels = figure.subplots(1, 3, sharey=True)
    labels = [f"{size // 1000}k" if size >= 1000 else f"{size}" for size in sizes(records)]
    for axes, (kernel, title) in zip(panels, KERNELS.items(), strict=True):
        bottom = np.zeros(len(labels))
        for number, (name, label) in enumerate(OPERATIONS.items()):
            heights = np.nan_to_num([share(records, kernel, size, name) for size in sizes(records)])
            if len(heights):
                axes.bar(labels, heights, bottom=bottom, color=COLOURS[number % len(COLOURS)], label=label, width=0.7)
            bottom += heights
        style_axes(axes, title, "examples", "per cent of the time" if kernel == "linear" else "", legend=False)
    if labels:
        handles, names = panels[0].get_legend_handles_labels()
        figure.legend(handles, names, loc="outside right center", frameon=False, fontsize="small")
