"""Figure 2: LASVM and LASVM-G on Adult: (a) test error and (b) support vectors during training."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from experiments.experiment import Check, Experiment, Table
from experiments.formatting import count, decimal, percent
from experiments.nonconvex.datasets import ADULT
from experiments.nonconvex.paper_numbers import ACCURACY, SUPPORT, paper_value
from experiments.nonconvex.passes import CHECKPOINTS, GAP, LASVM, ONLINE, passes
from experiments.nonconvex.summaries import METHOD_COLOURS, SETTING, accuracy_error, final_value, runs
from experiments.plotting import style_axes

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from experiments.records import Records

_METHODS = (LASVM, GAP)
_EARLY = sum(share < 0.2 for share in CHECKPOINTS)  # checkpoints within the first fifth


def _tabulate(records: Records) -> list[Table]:
    rows = [
        [
            count(seen),
            *(percent(runs(records, ADULT, method).where(seen=seen).mean("error")) for method in _METHODS),
            *(count(runs(records, ADULT, method).where(seen=seen).mean("support")) for method in _METHODS),
        ]
        for seen in sorted(records.unique("seen"))
    ]
    paper = [
        "paper, at the end",
        *(percent(100 - paper_value(ACCURACY, method, ADULT)) for method in _METHODS),
        *(count(paper_value(SUPPORT, method, ADULT)) for method in _METHODS),
    ]
    columns = (
        "rows",
        *(f"error, {method}" for method in _METHODS),
        *(f"support vectors, {method}" for method in _METHODS),
    )
    return [Table(columns, [*rows, paper])]


def _online_curve(records: Records, method: str, column: str) -> NDArray[np.float64]:
    return runs(records, ADULT, method).where(stage=ONLINE).curve("seen", column)[1]


def _fluctuation(records: Records, method: str) -> float:
    """Return the mean change of the error between checkpoints after the first fifth, in points."""
    chosen = runs(records, ADULT, method).where(stage=ONLINE)
    each = [chosen.where(seed=seed).values("error") for seed in chosen.unique("seed")]
    moves = [np.abs(np.diff(errors[_EARLY:])).mean() for errors in each if len(errors) > _EARLY + 1]
    return float(np.mean(moves)) if moves else math.nan


def _convergence_point(records: Records, method: str) -> float:
    """Return after how many rows the error stays within a point of LASVM's final error."""
    seen, errors = runs(records, ADULT, method).where(stage=ONLINE).curve("seen", "error")
    away = np.flatnonzero(~(errors <= final_value(records, ADULT, LASVM, "error") + 1))
    first = away[-1] + 1 if len(away) else 0
    return float(seen[first]) if first < len(seen) else math.nan


def _check(records: Records) -> list[Check]:
    errors, supports = (
        [_online_curve(records, method, column) for method in (GAP, LASVM)] for column in ("error", "support")
    )
    whole = len(errors[0]) == len(errors[1]) > 0
    better, sparser = (
        one < other if whole else np.zeros(1, dtype=bool) for one, other in (errors, (s[_EARLY:] for s in supports))
    )
    ends = {method: final_value(records, ADULT, method, "error") for method in _METHODS}
    fluctuation = {method: _fluctuation(records, method) for method in _METHODS}
    convergence = {method: _convergence_point(records, method) for method in _METHODS}
    return [
        Check(
            "'LASVM-G reaches a better classification accuracy at an earlier point in training': its error stays "
            "within a point of LASVM's final error earlier than LASVM's",
            convergence[GAP] < convergence[LASVM],
            f"after {count(convergence[GAP])} rows, LASVM after {count(convergence[LASVM])}",
        ),
        Check(
            "Its error is lower at every checkpoint before the end",
            bool(better.all()),
            f"at {np.count_nonzero(better)} of {len(better)}",
        ),
        Check(
            "'and is able to maintain its performance relatively stable': after the first fifth its error changes less "
            "than half as much between checkpoints",
            fluctuation[GAP] < 0.5 * fluctuation[LASVM],
            f"by {decimal(fluctuation[GAP])} points, LASVM's by {decimal(fluctuation[LASVM])}",
        ),
        Check(
            "'Both algorithms report the same generalization performance in the end of training', within a standard "
            "error of a test set of this size",
            abs(ends[GAP] - ends[LASVM]) <= accuracy_error(records, ADULT),
            f"{percent(ends[GAP])}, LASVM {percent(ends[LASVM])}",
        ),
        Check(
            "'LASVM-G maintains fewer number of support vectors in the intermediate training steps': at every "
            "checkpoint after the first fifth",
            bool(sparser.all()),
            f"at {np.count_nonzero(sparser)} of {len(sparser)}",
        ),
    ]


def _draw(records: Records, figure: Figure) -> None:
    panels = figure.subplots(1, 2)
    for axes, column in zip(panels, ("error", "support"), strict=True):
        for method in _METHODS:
            axes.plot(*runs(records, ADULT, method).curve("seen", column), color=METHOD_COLOURS[method], label=method)
    style_axes(panels[0], "(a) Test error", "training rows", "test error, %")
    style_axes(panels[1], "(b) Support vectors", "training rows", "support vectors", legend=False)


EXPERIMENT = Experiment(
    title="LASVM and LASVM-G during training, Adult",
    claim="'While both algorithms report the same generalization performance in the end of training, LASVM-G reaches a "
    "better classification accuracy at an earlier point in training than LASVM and is able to maintain its performance "
    "relatively stable', with fewer support vectors before the end.",
    setting=SETTING,
    quick="One seed, 6,000 rows.",
    changes="Two runs instead of ten.",
    measurement=passes(data=(ADULT,), methods=_METHODS),
    tabulate=_tabulate,
    check=_check,
    draw=_draw,
    size=(9.0, 3.8),
)
