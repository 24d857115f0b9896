"""The look that all pictures share. Nothing here imports matplotlib: figures are handed in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

COLOURS = ("#2563eb", "#d97706", "#059669", "#b91c1c", "#7c3aed", "#64748b", "#0891b2", "#be185d", "#111827")
INK, PALE = "#111827", "#e6e9ee"
MARKS = ("o", "s", "^", "D", "v", "P", "X", "*", "d")


def frame(place: Any, title: str, across: str, up: str, *, legend: bool = True) -> None:
    """Give a set of axes its title, the names of what goes across and up, and a legend."""
    place.set_title(title, loc="left", fontweight="bold", fontsize="medium")
    place.set_xlabel(across)
    place.set_ylabel(up)
    place.spines[["top", "right"]].set_visible(False)
    place.grid(color=PALE, linewidth=0.8)
    place.set_axisbelow(True)
    if legend and place.get_legend_handles_labels()[0]:
        place.legend(frameon=False, fontsize="small")


def beside(place: Any, names: Sequence[str], series: Mapping[str, Sequence[float]], *, log: bool = True) -> None:
    """Draw tables: one line a name, a mark for each series (the paper's numbers, and ours); nan draws nothing."""
    for number, (label, values) in enumerate(series.items()):
        places = [line + 0.12 * (number - (len(series) - 1) / 2) for line in range(len(names))]
        hollow = "none" if "paper" in label else COLOURS[number % len(COLOURS)]
        place.plot(
            values,
            places,
            MARKS[number % len(MARKS)],
            color=COLOURS[number % len(COLOURS)],
            markerfacecolor=hollow,
            label=label,
        )
    place.set_yticks(range(len(names)), names)
    place.invert_yaxis()
    if log:
        place.set_xscale("log")
