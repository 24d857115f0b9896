"""What the pictures have in common. matplotlib is optional and imported when it is needed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from hinge.exceptions import DataError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike, NDArray

MUTED, GRID = "#8b93a1", "#e6e9ee"
MAIN, LIGHT, WRONG = "#2563eb", "#c9dafb", "#dc2626"
COLOURS = (MAIN, "#d97706", "#0d9488", "#9333ea")  # of one line after the other


class Display:
    """A picture that was drawn on some axes."""

    ax_: Axes
    figure_: Any

    def _drawn_on(self, ax: Axes) -> Self:
        self.ax_, self.figure_ = ax, ax.figure
        return self


def known_classes(classes: ArrayLike | None, labels: NDArray[Any]) -> NDArray[Any]:
    """Return the classes in the order of the columns: the given ones, or the sorted labels."""
    return np.unique(labels) if classes is None else np.asarray(classes)


def require_columns(name: str, shape: tuple[int, ...], labels: NDArray[Any], classes: NDArray[Any]) -> None:
    """Raise DataError unless there is a row per label and a column per class."""
    if shape != (len(labels), len(classes)):
        raise DataError(f"{name} must have {len(labels)} rows and {len(classes)} columns, one per class, got {shape}.")


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
