"""What the pictures have in common. matplotlib is optional and imported when it is needed."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MUTED, GRID = "#8b93a1", "#e6e9ee"
MAIN, LIGHT, WRONG = "#2563eb", "#c9dafb", "#dc2626"
COLOURS = (MAIN, "#d97706", "#0d9488", "#9333ea")  # of one line after the other


def new_axes(width: float = 5.0, height: float = 4.0) -> Axes:
    """Return the axes of a new figure of pyplot."""
    import matplotlib.pyplot as plt  # noqa: PLC0415

    axes: Axes = plt.subplots(figsize=(width, height), layout="constrained")[1]
    return axes


def finish(ax: Axes, x: str, y: str) -> None:
    """Name the axes, and remove what nobody reads."""
    ax.set_xlabel(x)
    ax.set_ylabel(y)
    ax.spines[["top", "right"]].set_visible(False)
    ax.set_axisbelow(True)
