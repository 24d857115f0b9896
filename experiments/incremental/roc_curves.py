"""Means over the seeds, tables and plots of the ROC curves of figures 9 and 10."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from experiments.experiment import Table
from experiments.formatting import MISSING, decimal
from experiments.incremental.intrusion import KERNELS, N_INITIAL, N_QUERIES, RATES
from experiments.plotting import COLOURS, style_axes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from experiments.records import Records

TABLE_RATES = (0.02, 0.05, 0.1, 0.3, 0.5, 0.9)  # false positive rates in tables
LABELLED_RATE = 0.06  # false positive rate after which no row is labelled


def curves(records: Records, kernel: str, rows: str, name: str) -> NDArray[np.float64]:
    """Return one curve per seed."""
    part = records.where(kernel=kernel, rows=rows)
    each = [part.where(seed=seed).values(name) for seed in part.unique("seed")]
    return np.array([curve for curve in each if len(curve) == len(RATES)]).reshape(-1, len(RATES))


def mean_curve(records: Records, kernel: str, rows: str, name: str) -> NDArray[np.float64]:
    """Return the mean curve over the seeds; nan if there are none."""
    each = curves(records, kernel, rows, name)
    return each.mean(axis=0) if len(each) else np.full(len(RATES), np.nan)


def average(values: NDArray[np.float64], low: float, high: float) -> NDArray[np.float64]:
    """Return the mean of each curve over an interval of false positive rates."""
    inside = (low - 1e-9 <= RATES) & (high + 1e-9 >= RATES)
    widths = np.gradient(RATES)[inside]
    return np.asarray((values[..., inside] * widths).sum(axis=-1) / widths.sum())


def mean_and_error(differences: NDArray[np.float64]) -> tuple[float, float]:
    """Return the mean over seeds and its standard error."""
    if len(differences) < 2:
        return float("nan"), float("nan")
    return float(differences.mean()), float(differences.std(ddof=1) / np.sqrt(len(differences)))


def table(records: Records, rows: str, names: Sequence[str]) -> Table:
    """Return the shares of detected attacks by kernel and ranking, means over the seeds."""
    columns = ("kernel", "ranking", f"found with {N_INITIAL + N_QUERIES}", "support vectors", "area")
    lines = []
    for kernel in KERNELS:
        counts = records.where(kernel=kernel, rows="counts")
        for name in names:
            curve = mean_curve(records, kernel, rows, name)
            found = counts.mean(f"found, {name}") if rows == "training" else float("nan")
            shown = [decimal(float(curve[np.abs(RATES - rate).argmin()])) for rate in TABLE_RATES]
            line = [kernel, name, decimal(found, 1), decimal(counts.mean(f"support, {name}"), 0)]
            lines.append([*line, decimal(float(average(curve, 0.0, 1.0)), 3), *shown])
    return Table((*columns, *(f"FP {rate:g}" for rate in TABLE_RATES)), lines)


def draw(records: Records, figure: Figure, rows: str, names: Sequence[str]) -> None:
    """Draw one seed, as in the paper, above the means of all seeds, with one column per kernel."""
    panels = figure.subplots(2, 2, sharex=True, sharey=True)
    seeds = sorted(records.unique("seed"))
    for column, kernel in enumerate(KERNELS):
        one = records.where(seed=seeds[0]) if seeds else records
        _panel(panels[0][column], one, kernel, rows, names)
        _panel(panels[1][column], records, kernel, rows, names)
        title = f"{kernel} kernel, n = {N_INITIAL}, m = {N_QUERIES}"
        style_axes(panels[0][column], f"{title}: seed {seeds[0] if seeds else MISSING}", "", "true positives")
        style_axes(panels[1][column], f"mean of {len(seeds)} seeds", "false positives", "true positives", legend=False)


def _panel(axes: Axes, records: Records, kernel: str, rows: str, names: Sequence[str]) -> None:
    for number, name in enumerate(names):
        curve = mean_curve(records, kernel, rows, name)
        if not np.isnan(curve).any():
            axes.plot(RATES, curve, color=COLOURS[number], label=name)
    axes.set(xlim=(-0.01, 1.0), ylim=(0.0, 1.02))
