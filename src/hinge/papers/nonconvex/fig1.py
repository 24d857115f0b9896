"""Figure 1: the duality gap of LASVM-G, divided by the number of examples seen.

The gap is that of the problem posed by all t examples seen so far,

    P(alpha) - D(alpha) = 1/2 ||w||^2 + C sum_{i <= t} |1 - y_i f(x_i)|_+ - (sum_i alpha_i y_i - 1/2 ||w||^2),

where examples that were cleaned away have alpha_i = 0. The steps of LASVM-G bring its part over the examples held below
max(C, target) after each example, and the target grows like sqrt(t) since it is sqrt(t) times a standard deviation.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from hinge.papers._experiment import Check, Experiment, Table
from hinge.papers._pictures import frame
from hinge.papers._text import count, decimal
from hinge.papers.nonconvex._passes import GAP, passes
from hinge.papers.nonconvex._reading import COLOUR, QUICK, SETTING, runs
from hinge.papers.nonconvex._sets import NAMES

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from hinge.papers._records import Records

_COLUMNS = {"gap": "all examples seen", "held_gap": "examples held"}


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
    return [Table(("set", "gap over", "first look", "gap / examples", "last look", "gap / examples"), rows)]


def _check(records: Records) -> list[Check]:
    checks = []
    for data in NAMES:
        gaps = _curve(records, data, "gap")[1]
        ends = (gaps[0], gaps[-1]) if len(gaps) > 1 else (math.nan, math.nan)
        steps = np.diff(gaps)
        steady = len(steps) > 0 and bool((steps < 0.1 * ends[0]).all())
        claim = (
            f"{data}: 'as the learner sees more training examples, the duality gap gets smaller', to less than half; "
            "from look to look it never rises by more than a tenth of what it was at first"
        )
        checks.append(Check(claim, steady and ends[1] < 0.5 * ends[0], " to ".join(decimal(end, 4) for end in ends)))
    return checks


def _draw(records: Records, figure: Figure) -> None:
    places = figure.subplots(2, 3)
    for place, data in zip(places.flat, NAMES, strict=True):
        for (column, name), style in zip(_COLUMNS.items(), ("-", ":"), strict=True):
            place.plot(*_curve(records, data, column), style, color=COLOUR[GAP], label=name)
        frame(place, data, "training rows", "duality gap / rows", legend=data == NAMES[0])


EXPERIMENT = Experiment(
    title="The duality gap of LASVM-G along the training",
    claim="'Fig. 1 shows that as the learner sees more training examples, the duality gap gets smaller', normalised "
    "by the number of training instances.",
    setting=SETTING + " The paper does not say which set its figure shows: here are all six.",
    quick=QUICK,
    measurement=passes(methods=(GAP,)),
    tabulate=_tabulate,
    check=_check,
    draw=_draw,
    size=(11.0, 6.0),
)
