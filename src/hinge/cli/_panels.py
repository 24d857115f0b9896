"""Panels that several figures of commands have. Imports matplotlib."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes

from hinge.cli._confusion import Confusion

INK, MUTED = "#22262e", "#8b93a1"
MAX_CONFUSION = 12  # classes


def draw_confusion(axes: Axes, classes: list[Any], confusion: Confusion) -> None:
    """Draw which classes are predicted as which, as shares of each class."""
    counts = np.array([[confusion.get((label, other), 0) for other in classes] for label in classes])
    axes.imshow(counts / np.maximum(counts.sum(axis=1, keepdims=True), 1), cmap="Blues", vmin=0, vmax=1)
    for (row, column), number in np.ndenumerate(counts):
        colour = "white" if 2 * number > counts[row].sum() else INK
        axes.text(column, row, f"{number:,}", ha="center", va="center", color=colour, fontsize=8)
    axes.set_xticks(range(len(classes)), [str(label) for label in classes], fontsize=8)
    axes.set_yticks(range(len(classes)), [str(label) for label in classes], fontsize=8)
    axes.set_xlabel("predicted", color=MUTED)
    axes.set_ylabel("label", color=MUTED)


def draw_title(axes: Axes, text: str) -> None:
    """Write the title of a panel."""
    axes.set_title(text, color=INK, fontsize=11, loc="left", fontweight="bold")
