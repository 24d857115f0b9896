"""The picture of a stream. matplotlib is optional and imported when it is needed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from hinge.exceptions import DataError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike, NDArray

    from hinge.stream._drift import Drift

_COLOURS = ("#2563eb", "#d97706", "#0d9488", "#8b93a1", "#9333ea")
_DRIFT_COLOUR = "#dc2626"


def plot_stream(
    right: ArrayLike | Mapping[str, ArrayLike],
    drifts: Iterable[Drift] = (),
    *,
    window: int = 200,
    ax: Axes | None = None,
) -> Axes:
    """Draw the accuracy of predictions over time, with drifts.

    Parameters
    ----------
    right : array-like of bool, or mapping from names to these
        Whether each prediction was right, in the order of the stream; a mapping draws one line per model.
    drifts : iterable of Drift, default=()
        `drifts_` of the model: a line where each change is estimated to have begun, and a shade until it was detected.
    window : int, default=200
        Number of examples to average over.
    ax : matplotlib Axes, default=None
        Where to draw; None makes a new figure.

    Returns
    -------
    matplotlib Axes
        The axes; `axes.figure.savefig("stream.png")` writes a file.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from hinge.stream import Drift, plot_stream
    >>> ax = plot_stream([True] * 500 + [False] * 500, [Drift(520, 500, 0.0, 1.0)], ax=Figure().subplots())
    >>> ax.get_xlabel()
    'examples'
    """
    named = right if isinstance(right, Mapping) else {"": right}
    curves = {name: _moving_mean(name, values, window) for name, values in named.items()}
    if ax is None:
        import matplotlib.pyplot as plt  # noqa: PLC0415

        _, ax = plt.subplots(figsize=(9, 3.5), layout="constrained")
    for number, (name, curve) in enumerate(curves.items()):
        colour = _COLOURS[number % len(_COLOURS)]
        ax.plot(np.arange(len(curve)), 100 * curve, color=colour, linewidth=1.6, label=name or None)
    for number, drift in enumerate(drifts):
        ax.axvspan(drift.start, drift.position, color=_DRIFT_COLOUR, alpha=0.15, linewidth=0)
        label = "drift" if number == 0 else None
        ax.axvline(drift.start, color=_DRIFT_COLOUR, linestyle="--", linewidth=1.2, label=label)
    ax.set_xlabel("examples")
    ax.set_ylabel(f"accuracy over {window} examples, %")
    ax.spines[["top", "right"]].set_visible(False)
    if ax.get_legend_handles_labels()[1]:
        ax.legend(frameon=False)
    return ax


def _moving_mean(name: str, values: ArrayLike, window: int) -> NDArray[np.float64]:
    """Return the mean of the last values at each place; NaN until there are ten."""
    flags = np.asarray(values, dtype=np.float64)
    if flags.ndim != 1 or not np.isin(flags, (0.0, 1.0)).all():
        what = f"right[{name!r}]" if name else "right"
        raise DataError(
            f"{what} must be a list of True and False, got an array of shape {flags.shape} with other values."
        )
    sums = np.concatenate([[0.0], np.cumsum(flags)])
    ends = np.arange(1, len(flags) + 1)
    starts = np.maximum(ends - window, 0)
    means: NDArray[np.float64] = (sums[ends] - sums[starts]) / (ends - starts)
    means[: min(9, len(means))] = np.nan
    return means
