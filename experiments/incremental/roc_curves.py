"""ROC curves of figures 9 and 10: means over the seeds, tables and panels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from experiments.experiment import Table
from experiments.formatting import MISSING, decimal
from experiments.incremental.intrusion import ASKED, FIRST, KERNELS, RATES
from experiments.plotting import COLOURS, style_axes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from experiments.records import Records

SHOWN = (0.02, 0.05, 0.1, 0.3, 0.5, 0.9)  # rates of false positives in tables
LABELLED = 0.06  # all labels together are at most this share of the normal rows


def curves(records: Records, kernel: str, rows: str, name: str) -> NDArray[np.float64]:
    """Return the curve of every seed, one a row."""
    part = records.where(kernel=kernel, rows=rows)
    each = [part.where(seed=seed).values(name) for seed in part.unique("seed")]
    return np.array([curve for curve in each if len(curve) == len(RATES)]).reshape(-1, len(RATES))


def mean_curve(records: Records, kernel: str, rows: str, name: str) -> NDArray[np.float64]:
    """Return the mean over the seeds; nan without any."""
    each = curves(records, kernel, rows, name)
    return each.mean(axis=0) if len(each) else np.full(len(RATES), np.nan)


def average(values: NDArray[np.float64], low: float, high: float) -> NDArray[np.float64]:
    """Return the means of curves over an interval of false positive rates."""
    inside = (low - 1e-9 <= RATES) & (high + 1e-9 >= RATES)
    widths = np.gradient(RATES)[inside]
    return np.asarray((values[..., inside] * widths).sum(axis=-1) / widths.sum())


def significance(differences: NDArray[np.float64]) -> tuple[float, float]:
    """Return the mean over seeds and its standard error."""
    if len(differences) < 2:
        return float("nan"), float("nan")
    return float(differences.mean()), float(differences.std(ddof=1) / np.sqrt(len(differences)))


def table(records: Records, rows: str, names: Sequence[str]) -> Table:
    """Return shares of attacks found by kernel and ranking, means over the seeds."""
    columns = ("kernel", "ranking", f"found with {FIRST + ASKED}", "support vectors", "area")
    lines = []
    for kernel in KERNELS:
        counts = records.where(kernel=kernel, rows="counts")
        for name in names:
            curve = mean_curve(records, kernel, rows, name)
            found = counts.mean(f"found, {name}") if rows == "training" else float("nan")
            shown = [decimal(float(curve[np.abs(RATES - rate).argmin()])) for rate in SHOWN]
            line = [kernel, name, decimal(found, 1), decimal(counts.mean(f"support, {name}"), 0)]
            lines.append([*line, decimal(float(average(curve, 0.0, 1.0)), 3), *shown])
    return Table((*columns, *(f"FP {rate:g}" for rate in SHOWN)), lines)


def draw(records: Records, figure: Figure, rows: str, names: Sequence[str]) -> None:
    """Draw one seed, as in the paper, above the means of all seeds; a column for each kernel."""
    places = figure.subplots(2, 2, sharex=True, sharey=True)
    seeds = sorted(records.unique("seed"))
    for column, kernel in enumerate(KERNELS):
        one = records.where(seed=seeds[0]) if seeds else records
        _panel(places[0][column], one, kernel, rows, names)
        _panel(places[1][column], records, kernel, rows, names)
        title = f"{kernel} kernel, n = {FIRST}, m = {ASKED}"
        style_axes(places[0][column], f"{title}: seed {seeds[0] if seeds else MISSING}", "", "true positives")
        style_axes(places[1][column], f"mean of {len(seeds)} seeds", "false positives", "true positives", legend=False)


def _panel(place: Any, records: Records, kernel: str, rows: str, names: Sequence[str]) -> None:
    for number, name in enumerate(names):
        curve = mean_curve(records, kernel, rows, name)
        if not np.isnan(curve).any():
            place.plot(RATES, curve, color=COLOURS[number], label=name)
    place.set(xlim=(-0.01, 1.0), ylim=(0.0, 1.02))
