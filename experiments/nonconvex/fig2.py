"""Figure 2: LASVM and LASVM-G on Adult: (a) test error and (b) support vectors along the training."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from experiments.experiment import Check, Experiment, Table
from experiments.formatting import count, decimal, percent
from experiments.nonconvex.datasets import ADULT
from experiments.nonconvex.paper_numbers import ACCURACY, SUPPORT, printed
from experiments.nonconvex.passes import CHECKPOINTS, GAP, LASVM, ONLINE, passes
from experiments.nonconvex.summaries import COLOUR, SETTING, noise, ours, runs
from experiments.plotting import style_axes

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from experiments.records import Records

_BOTH = (LASVM, GAP)
_EARLY = sum(look < 0.2 for look in CHECKPOINTS)  # looks within the first fifth


def _tabulate(records: Records) -> list[Table]:
    rows = [
        [
            count(seen),
            *(percent(runs(records, ADULT, method).where(seen=seen).mean("error")) for method in _BOTH),
            *(count(runs(records, ADULT, method).where(seen=seen).mean("support")) for method in _BOTH),
        ]
        for seen in sorted(records.unique("seen"))
    ]
    paper = [
        "the paper, at the end",
        *(percent(100 - printed(ACCURACY, method, ADULT)) for method in _BOTH),
        *(count(printed(SUPPORT, method, ADULT)) for method in _BOTH),
    ]
    columns = ("rows", *(f"error, {method}" for method in _BOTH), *(f"support vectors, {method}" for method in _BOTH))
    return [Table(columns, [*rows, paper])]


def _on_the_way(records: Records, method: str, column: str) -> NDArray[np.float64]:
    return runs(records, ADULT, method).where(stage=ONLINE).curve("seen", column)[1]


def _unrest(records: Records, method: str) -> float:
    """Return by how many points the error moves from look to look once the first fifth is learned; mean of the runs."""
    chosen = runs(records, ADULT, method).where(stage=ONLINE)
    each = [chosen.where(seed=seed).values("error") for seed in chosen.unique("seed")]
    moves = [np.abs(np.diff(errors[_EARLY:])).mean() for errors in each if len(errors) > _EARLY + 1]
    return float(np.mean(moves)) if moves else math.nan


def _arrival(records: Records, method: str) -> float:
    """Return after how many rows the error is within a point of LASVM's at the end, for good."""
    seen, errors = runs(records, ADULT, method).where(stage=ONLINE).curve("seen", "error")
    away = np.flatnonzero(~(errors <= ours(records, ADULT, LASVM, "error") + 1))
    first = away[-1] + 1 if len(away) else 0
    return float(seen[first]) if first < len(seen) else math.nan


def _check(records: Records) -> list[Check]:
    errors, supports = (
        [_on_the_way(records, method, column) for method in (GAP, LASVM)] for column in ("error", "support")
    )
    whole = len(errors[0]) == len(errors[1]) > 0
    better, sparser = (
        one < other if whole else np.zeros(1, dtype=bool) for one, other in (errors, (s[_EARLY:] for s in supports))
    )
    ends = {method: ours(records, ADULT, method, "error") for method in _BOTH}
    unrest = {method: _unrest(records, method) for method in _BOTH}
    arrival = {method: _arrival(records, method) for method in _BOTH}
    return [
        Check(
            "'LASVM-G reaches a better classification accuracy at an earlier point in training': it comes within a "
            "point of LASVM's last error, for good, earlier than LASVM",
            arrival[GAP] < arrival[LASVM],
            f"after {count(arrival[GAP])} rows, LASVM after {count(arrival[LASVM])}",
        ),
        Check(
            "Its error is lower at every look on the way",
            bool(better.all()),
            f"at {np.count_nonzero(better)} of {len(better)}",
        ),
        Check(
            "'and is able to maintain its performance relatively stable': after the first fifth its error moves less "
            "than half as much from look to look",
            unrest[GAP] < 0.5 * unrest[LASVM],
            f"by {decimal(unrest[GAP])} points, LASVM's by {decimal(unrest[LASVM])}",
        ),
        Check(
            "'Both algorithms report the same generalization performance in the end of training', within a standard "
            "error of a test set of this size",
            abs(ends[GAP] - ends[LASVM]) <= noise(records, ADULT),
            f"{percent(ends[GAP])}, LASVM {percent(ends[LASVM])}",
        ),
        Check(
            "'LASVM-G maintains fewer number of support vectors in the intermediate training steps': at every look "
            "after the first fifth",
            bool(sparser.all()),
            f"at {np.count_nonzero(sparser)} of {len(sparser)}",
        ),
    ]


def _draw(records: Records, figure: Figure) -> None:
    places = figure.subplots(1, 2)
    for place, column in zip(places, ("error", "support"), strict=True):
        for method in _BOTH:
            place.plot(*runs(records, ADULT, method).curve("seen", column), color=COLOUR[method], label=method)
    style_axes(places[0], "(a) Test error", "training rows", "test error, %")
    style_axes(places[1], "(b) Support vectors", "training rows", "support vectors", legend=False)


EXPERIMENT = Experiment(
    title="LASVM and LASVM-G along the training, Adult",
    claim="'While both algorithms report the same generalization performance in the end of training, LASVM-G reaches a "
    "better classification accuracy at an earlier point in training than LASVM and is able to maintain its performance "
    "relatively stable', with fewer support vectors on the way.",
    setting=SETTING,
    quick="One seed, 6 000 rows.",
    measurement=passes(data=(ADULT,), methods=_BOTH),
    tabulate=_tabulate,
    check=_check,
    draw=_draw,
    size=(9.0, 3.8),
)
