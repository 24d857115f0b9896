"""Figure 1: the duality gap of LASVM-G, divided by the number of examples seen.

LASVM-G controls the gap of the problem given by the examples in its expansion,

    J - G = 1/2 ||w||^2 + C sum_i |1 - y_i f(x_i)|_+ - (sum_i alpha_i y_i - 1/2 ||w||^2),

which its steps reduce below max(C, target) after each example. The target is sqrt(t) times a standard deviation, so
that (J - G) / t falls like 1 / sqrt(t). The gap of the problem given by all t examples seen is shown as well: examples
that were cleaned away have alpha_i = 0, and a loss if the boundary has returned to them.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from experiments.experiment import Check, Experiment, Table
from experiments.formatting import count, decimal
from experiments.nonconvex.datasets import ADULT, NAMES
from experiments.nonconvex.passes import GAP, passes
from experiments.nonconvex.summaries import METHOD_COLOURS, QUICK, SETTING, runs
from experiments.plotting import style_axes

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from experiments.records import Records

_COLUMNS = {"held_gap": "the expansion", "gap": "all examples seen"}


def _curve(records: Records, data: str, column: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    seen, gaps = runs(records, data, GAP).curve("seen", column)
    return seen, gaps / seen


def _tabulate(records: Records) -> list[Table]:
    rows = []
    for data in NAMES:
        for column, name in _COLUMNS.items():
            seen, gaps = _curve(records, data, column)
            if len(seen):
                rows.append([data, name, count(seen[0]), decimal(gaps[0], 4), count(seen[-1]), decimal(gaps[-1], 4)])
    return [
        Table(("data", "gap over", "first checkpoint", "gap / examples", "last checkpoint", "gap / examples"), rows)
    ]


def _check(records: Records) -> list[Check]:
    gaps = _curve(records, ADULT, "held_gap")[1]
    first, last = (gaps[0], gaps[-1]) if len(gaps) > 1 else (math.nan, math.nan)
    thirds = [float(part.mean()) for part in np.array_split(gaps, 3)] if len(gaps) > 2 else [math.nan] * 3
    return [
        Check(
            "Adult: 'as the learner sees more training examples, the duality gap gets smaller': it falls below a fifth "
            "of its value after the first 2 %",
            bool(last < 0.2 * first),
            f"{decimal(first, 4)} to {decimal(last, 4)}",
        ),
        Check(
            "Adult: it falls throughout: its mean over each third of the checkpoints is smaller than over the "
            "previous third",
            thirds[0] > thirds[1] > thirds[2],
            ", ".join(decimal(third, 4) for third in thirds),
        ),
    ]


def _draw(records: Records, figure: Figure) -> None:
    panels = figure.subplots(2, 3)
    for axes, data in zip(panels.flat, NAMES, strict=True):
        for (column, name), style in zip(_COLUMNS.items(), ("-", ":"), strict=True):
            axes.plot(*_curve(records, data, column), style, color=METHOD_COLOURS[GAP], label=name)
        style_axes(axes, data, "training rows", "duality gap / rows", legend=data == NAMES[0])


EXPERIMENT = Experiment(
    title="Duality gap of LASVM-G during training",
    claim="'Fig. 1 shows that as the learner sees more training examples, the duality gap gets smaller', normalised "
    "by the number of training instances.",
    setting=SETTING
    + " The paper does not say which data set its figure shows. The verdict is about Adult, the data set of figure 2; "
    "the others are shown as well. The verdict is about the gap of the expansion, which controls the algorithm; that "
    "of all examples seen (dotted) stays level, or rises, after examples have been cleaned away.",
    quick=QUICK,
    changes="The paper does not name its data set, which is taken to be Adult, the one of figure 2; two runs.",
    measurement=passes(methods=(GAP,)),
    tabulate=_tabulate,
    check=_check,
    draw=_draw,
    size=(11.0, 6.0),
)
