"""Figure 2: training times of the ten MNIST classifiers.

The paper's figure has bars without numbers; its text gives the ratios. Here times are ratios to LIBSVM in the same run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from experiments.experiment import Check, Experiment, Table
from experiments.formatting import decimal, multiple
from experiments.lasvm.mnist_digits import (
    AVGPERC,
    AVGPERC10,
    DIGITS,
    LASVM,
    LASVM2,
    LIBSVM,
    MEASUREMENT,
    QUICK,
    SETTING,
    draw_digits,
    per_digit,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from experiments.records import Records

PAPER = {LASVM: 1 / 3, LASVM2: 12210 / 17400}  # time / LIBSVM: "about three times faster"; the sums of figure 4


def _ratios(records: Records) -> dict[str, list[float]]:
    seconds = per_digit(records, "seconds")
    return {
        method: [ours / theirs for ours, theirs in zip(values, seconds[LIBSVM], strict=True)]
        for method, values in seconds.items()
    }


def _tabulate(records: Records) -> list[Table]:
    seconds, ratios = per_digit(records, "seconds"), _ratios(records)
    ours = [method for method in seconds if method != LIBSVM]
    rows = [
        [str(number), decimal(seconds[LIBSVM][number], 1), *(multiple(ratios[method][number]) for method in ours)]
        for number in DIGITS
    ]
    rows.append(
        ["mean", decimal(float(np.mean(seconds[LIBSVM])), 1), *(multiple(_total(records, name)) for name in ours)]
    )
    rows.append(["paper", "", *(multiple(PAPER[method]) if method in PAPER else "" for method in ours)])
    return [Table(("digit", "LIBSVM, seconds", *(f"{method} / LIBSVM" for method in ours)), rows)]


def _total(records: Records, method: str) -> float:
    seconds = per_digit(records, "seconds")
    return float(np.sum(seconds[method]) / np.sum(seconds[LIBSVM]))


def _check(records: Records) -> list[Check]:
    one, two, perceptron, ten = (_total(records, method) for method in (LASVM, LASVM2, AVGPERC, AVGPERC10))
    faster = sum(ratio < 1 for ratio in _ratios(records)[LASVM2])
    return [
        Check("LASVM x1 runs about three times faster than LIBSVM: at most 0.4 of its time", one <= 0.4, multiple(one)),
        Check(
            "LASVM x2 usually runs faster than LIBSVM: on most digits",
            two < 1 and faster > len(DIGITS) / 2,
            f"{multiple(two)} in total; faster on {faster} digits of {len(DIGITS)}",
        ),
        Check(
            "AVGPERC x1 has very good times: at most those of LASVM x1",
            perceptron <= one,
            f"{multiple(perceptron / one)}",
        ),
        Check(
            "AVGPERC x10 is no longer competitive: slower than LASVM x1",
            ten > one,
            f"{multiple(ten / one)} of LASVM x1",
        ),
    ]


def _draw(records: Records, figure: Figure) -> None:
    axes, series = figure.subplots(), per_digit(records, "seconds")
    draw_digits(axes, series, "training time, CPU seconds")
    highest = float(np.nan_to_num(list(series.values())).max())
    if highest > 0:
        axes.set_yscale("log")
        axes.set_ylim(top=8 * highest)  # space for the legend


EXPERIMENT = Experiment(
    title="Training times of the ten MNIST classifiers",
    claim="'LASVM x1 runs about three times faster than LIBSVM. LASVM x2 usually runs faster than LIBSVM.' AVGPERC x1 "
    "has very good times; those of AVGPERC x10 are no longer competitive.",
    setting=SETTING + " The picture has a logarithmic scale, since our times are far smaller than LIBSVM's.",
    quick=QUICK,
    changes="'About three times faster' is read as at least that: LASVM x1 is some thirty times as fast here, "
    "since it computes kernel values in blocks and LIBSVM does not.",
    measurement=MEASUREMENT,
    tabulate=_tabulate,
    check=_check,
    draw=_draw,
    size=(8.0, 4.5),
)
