"""The style that all pictures share. Nothing here imports matplotlib; callers pass figures in."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes

COLOURS = ("#2563eb", "#d97706", "#059669", "#b91c1c", "#7c3aed", "#64748b", "#0891b2", "#be185d", "#111827")
BLACK, GRID = "#111827", "#e6e9ee"
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*", "d")


def style_axes(axes: Axes, title: str, x_label: str, y_label: str, *, legend: bool = True) -> None:
    """Set title, labels, grid and legend of axes."""
    axes.set_title(title, loc="left", fontweight="bold", fontsize="medium")
    axes.set_xlabel(x_label)
    axes.set_ylabel(y_label)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(color=GRID, linewidth=0.8)
    axes.set_axisbelow(True)
    if legend and axes.get_legend_handles_labels()[0]:
        axes.legend(frameon=False, fontsize="small")


def plot_comparison(
    axes: Axes, names: Sequence[str], series: Mapping[str, Sequence[float]], *, log: bool = True
) -> None:
    """Plot one row per name and one marker per series; the paper's series are hollow, nan draws nothing."""
    for number, (label, values) in enumerate(series.items()):
        heights = [row + 0.12 * (number - (len(series) - 1) / 2) for row in range(len(names))]
        colour = COLOURS[number % len(COLOURS)]
        axes.plot(
            values,
            heights,
            MARKERS[number % len(MARKERS)],
            color=colour,
            markerfacecolor="none" if "paper" in label else colour,
            label=label,
        )
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    if log:
        axes.set_xscale("log")
