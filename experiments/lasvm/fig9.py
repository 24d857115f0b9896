"""Figure 9: effect of the finishing step after one epoch on error, support vectors and time.

A relative variation is (after - before) / before, for means over the runs of figure 8. For times it is the median over
runs, since the shortest fits take a few hundredths of a second.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from scipy.stats import rankdata

from experiments.experiment import Check, Experiment, Table
from experiments.formatting import change, decimal
from experiments.lasvm.datasets import DATASETS, LASVM, MEASUREMENT, SETTING
from experiments.plotting import plot_comparison, style_axes

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from experiments.records import Records

PAPER = {  # relative variation of error, support vectors, time
    "Waveform": (-0.00, -0.00, 0.04),
    "Banana": (-0.79, -0.74, 1.85),
    "Reuters": (0.0, -0.00, 0.03),
    "USPS": (0.0, -0.02, 0.00),
    "USPS+N": (-0.67, -0.33, 0.07),
    "Adult": (-0.13, -0.19, 0.80),
    "Forest (100k)": (-0.01, -0.24, 2.48),
    "Forest (521k)": (-0.02, -0.24, 0.84),  # not run
}
_CLEAN, _NOISY = ("Waveform", "Reuters", "USPS"), ("Banana", "Adult", "USPS+N")
_DISCARDING = (*_NOISY, "Forest (100k)")
_COMPLICATED = ("Banana", "Forest (100k)")
_COLUMNS = ("error", "support", "seconds")


def _average(records: Records, column: str) -> float:
    values = records.values(column)
    if not len(values):
        return math.nan
    return float(np.median(values) if column.endswith("seconds") else np.mean(values))


def _variation(records: Records, name: str, column: str) -> float:
    chosen = records.where(data=name, method=LASVM)
    before = _average(chosen, f"online_{column}")
    return (_average(chosen, column) - before) / before if before else math.nan


def _tabulate(records: Records) -> list[Table]:
    rows = []
    for name, paper in PAPER.items():
        ours = [_variation(records, name, column) for column in _COLUMNS]
        pairs = [change(value) for both in zip(paper, ours, strict=True) for value in both]
        rows.append([name if name in DATASETS else f"{name}, not run", *pairs])
    columns = [text for what in ("error", "SVs", "time") for text in (f"{what}, paper", what)]
    return [Table(("set", *columns), rows, "Relative variations due to the finishing step")]


def _check(records: Records) -> list[Check]:
    improved = [_check_improved(records, name) for name in _NOISY]
    return [
        *(_check_unchanged(records, name) for name in _CLEAN),
        *improved,
        *(_check_fewer(records, name) for name in _DISCARDING),
        _check_slow(records),
        _check_fast(records),
    ]


def _check_unchanged(records: Records, name: str) -> Check:
    chosen = records.where(data=name, method=LASVM)
    before, support = chosen.mean("online_error"), _variation(records, name, "support")
    noise = 100 * math.sqrt(before / 100 * (1 - before / 100) / chosen.mean("test_rows"))
    difference = chosen.mean("error") - before
    return Check(
        f"{name}: the online iterations select the right support vectors, and finishing does very little: the error "
        f"changes by at most one standard error of a test error ({decimal(noise)} points), support vectors by 5 %",
        abs(difference) <= noise and abs(support) <= 0.05,
        f"{decimal(difference)} points, {change(support)}",
    )


def _check_improved(records: Records, name: str) -> Check:
    chosen = records.where(data=name, method=LASVM)
    gains = chosen.values("online_error") - chosen.values("error")
    chance, gain = _signed_rank(gains), float(gains.mean()) if len(gains) else math.nan
    return Check(
        f"{name}: finishing significantly improves the accuracy (Wilcoxon's signed-rank test over runs, 5 %)",
        chance <= 0.05,
        f"by {decimal(gain)} points, on {np.sum(gains > 0)} runs of {len(gains)}; p = {decimal(chance, 4)}",
    )


def _signed_rank(gains: NDArray[np.float64]) -> float:
    """Return the one-sided p-value of Wilcoxon's signed-rank test.

    Gains are far from normal, since errors before finishing are sometimes very large.
    """
    gains = np.round(gains[gains != 0], 6)  # makes equal numbers of errors equal gains
    ranks = np.rint(2 * rankdata(np.abs(gains))).astype(int)  # doubled, since ties have half ranks
    chances = np.ones(1)
    for rank in ranks:
        chances = (np.pad(chances, (0, rank)) + np.pad(chances, (rank, 0))) / 2
    return float(chances[ranks[gains > 0].sum() :].sum())


def _check_fewer(records: Records, name: str) -> Check:
    ours, paper = _variation(records, name, "support"), PAPER[name][1]
    return Check(
        f"{name}: the online iterations keep more potential support vectors, which finishing discards: "
        f"{change(paper)} in the paper, at least half of that here",
        ours <= paper / 2,
        change(ours),
    )


def _check_slow(records: Records) -> Check:
    longer = {name: _variation(records, name, "seconds") for name in _COMPLICATED}
    paper = ", ".join(f"{name} {change(PAPER[name][2])}" for name in longer)
    return Check(
        "Finishing drastically increases the computation time on data sets with complicated boundaries: by at least "
        f"half as much as in the paper ({paper})",
        all(value >= PAPER[name][2] / 2 for name, value in longer.items()),
        ", ".join(f"{name} {change(value)}" for name, value in longer.items()),
    )


def _check_fast(records: Records) -> Check:
    longer = {name: _variation(records, name, "seconds") for name in _CLEAN}
    return Check(
        "Finishing takes hardly any time on the clean data sets: at most 15 %",
        all(value <= 0.15 for value in longer.values()),
        ", ".join(f"{name} {change(value)}" for name, value in longer.items()),
    )


def _draw(records: Records, figure: Figure) -> None:
    names = list(DATASETS)
    titles = ("Test error", "Support vectors", "Training time")
    for axes, column, title in zip(figure.subplots(1, 3), _COLUMNS, titles, strict=True):
        number = _COLUMNS.index(column)
        series = {
            "paper": [100 * PAPER[name][number] for name in names],
            "here": [100 * _variation(records, name, column) for name in names],
        }
        plot_comparison(axes, names, series, log=False)
        style_axes(axes, title, "relative variation, %", "", legend=column == "error")


EXPERIMENT = Experiment(
    title="Before and after the finishing step",
    claim="'The online iterations pretty much select the right support vectors on clean data sets such as Waveform, "
    "Reuters or USPS, and the finishing step does very little. On the other problems the online iterations keep much "
    "more examples as potential support vectors. The finishing step significantly improves the accuracy on noisy data "
    "sets such as Banana, Adult or USPS+N, and drastically increases the computation time on data sets with "
    "complicated decision boundaries such as Banana or Forest.'",
    setting=SETTING,
    quick="Two or three seeds; 4,000 rows of Reuters, 6,000 of Adult, 10,000 of Forest, 5,000 test rows. Too few "
    "runs for tests of significance.",
    explanation="The time of finishing relative to the online iterations also depends on the program: half of their "
    "time on Forest is not drastic, and less than on USPS+N. First-order selection of pairs, as published, was tried: "
    "71 s instead of 61 to 64 s on Forest (42 to 52 s without finishing), so that the selection does not explain the "
    "difference; on Banana finishing then takes three to four times as long. Presumably the paper's cache was too "
    "small for Forest, where fewer superfluous examples are kept here, and its slow kernel made finishing a small "
    "part of USPS+N. The error before finishing depends on a threshold that is uncertain by delta, and varies much "
    "between runs.",
    changes="The scales of Waveform, USPS and Forest, which the paper does not give, were chosen by the numbers "
    "of LIBSVM; Forest (521k) is omitted.",
    measurement=MEASUREMENT,
    tabulate=_tabulate,
    check=_check,
    draw=_draw,
    size=(11.0, 4.0),
)
