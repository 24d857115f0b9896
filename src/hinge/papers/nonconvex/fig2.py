"""Figure 2: LASVM and LASVM-G on Adult: (a) test error and (b) support vectors along the training."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hinge.papers._experiment import Check, Experiment, Table
from hinge.papers._pictures import frame
from hinge.papers._text import count, decimal, percent
from hinge.papers.nonconvex._paper import ACCURACY, SUPPORT, printed
from hinge.papers.nonconvex._passes import GAP, LASVM, ONLINE, passes
from hinge.papers.nonconvex._reading import COLOUR, SETTING, noise, ours, runs
from hinge.papers.nonconvex._sets import ADULT

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from hinge.papers._records import Records

_BOTH = (LASVM, GAP)


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
    """Return how far the error moves from look to look, the mean over looks and runs."""
    each = [
        runs(records, ADULT, method).where(seed=seed, stage=ONLINE).values("error") for seed in records.unique("seed")
    ]
    moves = [
        np.abs(np.diff(errors[_settled(errors) :])).mean() for errors in each if len(errors) > _settled(errors) + 1
    ]
    return float(np.mean(moves)) if moves else float("nan")


def _settled(errors: NDArray[np.float64]) -> int:
    """Return the look from which on movement is unrest and not learning, a fifth of the looks."""
    return len(errors) // 5


def _check(records: Records) -> list[Check]:
    errors = {method: _on_the_way(records, method, "error") for method in _BOTH}
    supports = {method: _on_the_way(records, method, "support") for method in _BOTH}
    whole = all(len(values) and len(values) == len(errors[GAP]) for values in errors.values())
    better = errors[GAP] < errors[LASVM] if whole else np.zeros(1)
    sparser = supports[GAP] < supports[LASVM] if whole else np.zeros(1)
    ends = {method: ours(records, ADULT, method, "error") for method in _BOTH}
    unrest = {method: _unrest(records, method) for method in _BOTH}
    return [
        Check(
            "'LASVM-G reaches a better classification accuracy at an earlier point in training': lower error at "
            "every look in the first half of the training, and at nine of ten looks in all",
            bool(better[: (len(better) + 1) // 2].all() and better.mean() >= 0.9),
            f"at {np.count_nonzero(better)} of {len(better)} looks",
        ),
        Check(
            "'and is able to maintain its performance relatively stable': from look to look its error moves less "
            "than half as far as LASVM's",
            unrest[GAP] < 0.5 * unrest[LASVM],
            f"{decimal(unrest[GAP])} and {decimal(unrest[LASVM])} points a look",
        ),
        Check(
            "'Both algorithms report the same generalization performance in the end of training', within a standard "
            "error of a test set of this size",
            abs(ends[GAP] - ends[LASVM]) <= noise(records, ADULT),
            f"{percent(ends[LASVM])} and {percent(ends[GAP])}",
        ),
        Check(
            "'LASVM-G maintains fewer number of support vectors in the intermediate training steps': at every look",
            bool(sparser.all()),
            f"at {np.count_nonzero(sparser)} of {len(sparser)} looks",
        ),
    ]


def _draw(records: Records, figure: Figure) -> None:
    places = figure.subplots(1, 2)
    for place, column in zip(places, ("error", "support"), strict=True):
        for method in _BOTH:
            place.plot(*runs(records, ADULT, method).curve("seen", column), color=COLOUR[method], label=method)
    frame(places[0], "(a) Test error", "training rows", "test error, %")
    frame(places[1], "(b) Support vectors", "training rows", "support vectors", legend=False)


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
