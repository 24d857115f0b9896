"""Figure 9: what the finishing step changes after one epoch: error, support vectors, time.

A relative variation is (after - before) / before, of means over the runs of figure 8; of times, the median over runs,
for the smallest fits take a few hundredths of a second.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from scipy.stats import rankdata

from experiments.experiment import Check, Experiment, Table
from experiments.formatting import change, decimal
from experiments.lasvm.datasets import LASVM, MEASUREMENT, SETS, SETTING
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
_KEPT = (*_NOISY, "Forest (100k)")
_COMPLICATED = ("Banana", "Forest (100k)")
_COLUMNS = ("error", "support", "seconds")


def _middle(records: Records, column: str) -> float:
    values = records.values(column)
    if not len(values):
        return math.nan
    return float(np.median(values) if column.endswith("seconds") else np.mean(values))


def _variation(records: Records, name: str, column: str) -> float:
    chosen = records.where(data=name, method=LASVM)
    before = _middle(chosen, f"online_{column}")
    return (_middle(chosen, column) - before) / before if before else math.nan


def _tabulate(records: Records) -> list[Table]:
    rows = []
    for name, paper in PAPER.items():
        ours = [_variation(records, name, column) for column in _COLUMNS]
        pairs = [change(value) for both in zip(paper, ours, strict=True) for value in both]
        rows.append([name if name in SETS else f"{name}, not run", *pairs])
    columns = [text for what in ("error", "SVs", "time") for text in (f"{what}, paper", what)]
    return [Table(("set", *columns), rows, "Relative variations by the finishing step")]


def _check(records: Records) -> list[Check]:
    improved = [_improved(records, name) for name in _NOISY]
    return [
        *(_little(records, name) for name in _CLEAN),
        *improved,
        *(_fewer(records, name) for name in _KEPT),
        _slow(records),
    ]


def _little(records: Records, name: str) -> Check:
    chosen = records.where(data=name, method=LASVM)
    before, support = chosen.mean("online_error"), _variation(records, name, "support")
    noise = 100 * math.sqrt(before / 100 * (1 - before / 100) / chosen.mean("test_rows"))
    difference = chosen.mean("error") - before
    return Check(
        f"{name}: the online iterations select the right support vectors, and finishing does very little: the error "
        f"moves by at most one standard error of a test error ({decimal(noise)} points), support vectors by 5 %",
        abs(difference) <= noise and abs(support) <= 0.05,
        f"{decimal(difference)} points, {change(support)}",
    )


def _improved(records: Records, name: str) -> Check:
    chosen = records.where(data=name, method=LASVM)
    gains = chosen.values("online_error") - chosen.values("error")
    chance, gain = _signed_rank(gains), float(gains.mean()) if len(gains) else math.nan
    return Check(
        f"{name}: finishing significantly improves the accuracy (Wilcoxon's signed-rank test over runs, 5 %)",
        chance <= 0.05,
        f"by {decimal(gain)} points, on {np.sum(gains > 0)} runs of {len(gains)}; p = {decimal(chance, 4)}",
    )


def _signed_rank(gains: NDArray[np.float64]) -> float:
    """Return how likely so large a sum of the ranks of positive numbers is, if each had its sign by chance.

    Gains are far from normal, for errors before finishing are sometimes very large: means and deviations say little.
    """
    gains = np.round(gains[gains != 0], 6)  # equal numbers of errors are equal gains
    ranks = np.rint(2 * rankdata(np.abs(gains))).astype(int)  # twice, since ties have halves
    chances = np.ones(1)
    for rank in ranks:
        chances = (np.pad(chances, (0, rank)) + np.pad(chances, (rank, 0))) / 2
    return float(chances[ranks[gains > 0].sum() :].sum())


def _fewer(records: Records, name: str) -> Check:
    ours, paper = _variation(records, name, "support"), PAPER[name][1]
    return Check(
        f"{name}: the online iterations keep more potential support vectors, which finishing discards: "
        f"{change(paper)} in the paper, at least half of it here",
        ours <= paper / 2,
        change(ours),
    )


def _slow(records: Records) -> Check:
    longer = {name: _variation(records, name, "seconds") for name in SETS}
    most = max(longer[name] for name in _CLEAN)
    return Check(
        "Finishing takes long on complicated boundaries (Banana, Forest: at least three tenths of the time of the "
        "online iterations), and hardly any time on the clean sets (at most half as much)",
        all(longer[name] >= 0.3 for name in _COMPLICATED) and most <= 0.15,
        ", ".join(f"{name} {change(value)}" for name, value in longer.items()),
    )


def _draw(records: Records, figure: Figure) -> None:
    names = list(SETS)
    titles = ("Test error", "Support vectors", "Training time")
    for place, column, title in zip(figure.subplots(1, 3), _COLUMNS, titles, strict=True):
        number = _COLUMNS.index(column)
        series = {
            "paper": [100 * PAPER[name][number] for name in names],
            "here": [100 * _variation(records, name, column) for name in names],
        }
        plot_comparison(place, names, series, log=False)
        style_axes(place, title, "relative variation, %", "", legend=column == "error")


EXPERIMENT = Experiment(
    title="Before and after the finishing step",
    claim="'The online iterations pretty much select the right support vectors on clean data sets such as Waveform, "
    "Reuters or USPS, and the finishing step does very little. On the other problems the online iterations keep much "
    "more examples as potential support vectors. The finishing step significantly improves the accuracy on noisy data "
    "sets such as Banana, Adult or USPS+N, and drastically increases the computation time on data sets with "
    "complicated decision boundaries such as Banana or Forest.'",
    setting=SETTING,
    quick="Two or three seeds; 4 000 rows of Reuters, 6 000 of Adult, 10 000 of Forest, 5 000 test rows. Too few "
    "runs for tests of significance.",
    explanation="How much time finishing takes beside the online iterations is a property of programs as well: half of "
    "their time on Forest is not drastic, and less than on USPS+N. Choosing pairs by first order, as published, "
    "was tried: 71 s instead of 61 to 64 s on Forest (42 to 52 s without finishing), so that the pairs do not explain "
    "it; on Banana finishing then takes three to four times as long. Presumably the paper's cache was too small for "
    "Forest, where fewer superfluous examples are kept here, and its slow kernel made finishing a small part of "
    "USPS+N. The error before finishing hangs on a threshold that is uncertain by delta: it varies much by run.",
    measurement=MEASUREMENT,
    tabulate=_tabulate,
    check=_check,
    draw=_draw,
    size=(11.0, 4.0),
)
