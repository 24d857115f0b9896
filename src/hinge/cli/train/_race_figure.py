"""The map of the settings of C and gamma that took part in a race. Imports matplotlib."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm, Normalize

from hinge.cli._values import PERCENT
from hinge.cli.train._tune import Finalist, Tuning

INK, MUTED = "#22262e", "#8b93a1"
_SMALLEST, _LARGEST = 40, 190  # squares of settings that left at once, and that came to the end


def draw_race(axes: Axes, tuning: Tuning) -> None:
    """Draw one square per setting with the scaling chosen: its last error, larger the longer it took part.

    A line joins the leaders of the rungs, and a star is the setting chosen.
    """
    shown = [one for one in tuning.settings if one.scaling == tuning.best.scaling and one.score is not None]
    shown.reverse()  # the best on top
    losses = np.array([_loss(one, tuning.measure) for one in shown])
    most = max(one.rung for one in tuning.settings) or 1
    positive = losses[losses > 0]
    norm = LogNorm(positive.min(), positive.max()) if len(set(positive)) > 1 else Normalize()
    marks = axes.scatter(
        np.array([one.gamma for one in shown], dtype=np.float64),
        np.array([one.C for one in shown], dtype=np.float64),
        c=np.maximum(losses, positive.min(initial=1.0)),
        s=[_SMALLEST + (_LARGEST - _SMALLEST) * one.rung / most for one in shown],
        marker="s",
        cmap="viridis_r",
        norm=norm,
    )
    axes.figure.colorbar(
        marks, ax=axes, label=f"{tuning.measure}, %" if tuning.measure in PERCENT else f"1 - {tuning.measure}", pad=0.02
    )
    axes.plot(*zip(*tuning.path, strict=True), color="#dc2626", linewidth=1.4, label="leader, rung by rung")
    axes.plot(*tuning.path[-1], "*", color="#dc2626", markeredgecolor="white", markersize=15, label="chosen")
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("gamma", color=MUTED)
    axes.set_ylabel("C", color=MUTED)
    axes.tick_params(colors=MUTED)
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_title(f"Race of {len(tuning.settings):,} settings", color=INK, fontsize=11, loc="left", fontweight="bold")
    axes.legend(frameon=False, labelcolor=INK, fontsize=9, loc="upper left", bbox_to_anchor=(0, -0.14), ncols=2)


def _loss(one: Finalist, measure: str) -> float:
    score = one.score or 0.0
    return score if measure in PERCENT else 1.0 - score
