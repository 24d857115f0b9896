"""Draw memory and accuracy over time."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from matplotlib.figure import Figure

from benchmarks.soak.records import WARM_UP, Record, slope

ACCURACY = "accuracy "


def draw(records: Sequence[Record], file: Path) -> None:
    """Draw the memory on the left and the accuracies on the right."""
    figure = Figure(figsize=(11, 4.5), layout="constrained", dpi=80)
    held, accuracies = figure.subplots(1, 2, width_ratios=(2, 3))
    minutes = [record["minutes"] for record in records]
    for name, color in (("resident, MB", "#27548a"), ("allocated, MB", "#c8553d")):
        label = f"{name.removesuffix(', MB')} ({slope(records, name):+.1f} MB per hour)"
        held.plot(minutes, [record[name] for record in records], color=color, label=label)
    held.axvspan(0, WARM_UP * minutes[-1], color="#f0f2f5", zorder=0)
    held.set_ylim(0, 1.2 * max(record["resident, MB"] for record in records))
    held.set_title("Memory, MB", loc="left", fontweight="bold")
    for name in (each for each in records[-1] if each.startswith(ACCURACY)):
        accuracies.plot(minutes, [record[name] for record in records], label=name.removeprefix(ACCURACY), linewidth=1.2)
    accuracies.set_ylim(0, 1)
    accuracies.set_title("Accuracy before learning, last 2,000 examples", loc="left", fontweight="bold")
    for axes, columns in ((held, 1), (accuracies, 4)):
        axes.legend(frameon=False, fontsize="small", ncols=columns, loc="upper center", bbox_to_anchor=(0.5, -0.14))
        axes.set_xlabel("minutes")
        axes.set_xlim(0, minutes[-1])
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(color="#e6e9ee")
    figure.savefig(file)
