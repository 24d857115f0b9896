"""Figure 5: numbers of support vectors of the ten MNIST classifiers.

The paper's figure has no numbers; the checks are about the statements in the text: one epoch gathers most of the
support vectors of the exact solution, and a second epoch most of the missing ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from experiments.experiment import Check, Experiment, Table
from experiments.formatting import count, decimal
from experiments.lasvm.mnist_digits import (
    DIGITS,
    LASVM,
    LASVM2,
    LIBSVM,
    MEASUREMENT,
    QUICK,
    SETTING,
    by_digit,
    draw_digits,
    per_digit,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from experiments.records import Records


def _tabulate(records: Records) -> list[Table]:
    series = per_digit(records, "support")
    rows = [[str(number), *(count(values[number]) for values in series.values())] for number in DIGITS]
    means = ["mean", *(count(float(np.mean(values))) for values in series.values())]
    return [Table(("digit", *series), [*rows, means], "Support vectors; the paper gives no numbers")]


def _check(records: Records) -> list[Check]:
    exact = np.array(by_digit(records, LIBSVM, "support"))
    one, two = (np.array(by_digit(records, method, "support")) / exact for method in (LASVM, LASVM2))
    captured = 1 - (1 - float(np.mean(two))) / (1 - float(np.mean(one))) if np.mean(one) != 1 else 1.0
    return [
        Check(
            "A single epoch gathers most of the support vectors of the exact solution: at least 80 % of LIBSVM's "
            "number in the mean, 75 % on each digit, and no more than 102 %",
            float(np.mean(one)) >= 0.8 and bool(np.all((one >= 0.75) & (one <= 1.02))),
            f"{decimal(float(np.min(one)))} to {decimal(float(np.max(one)))} of LIBSVM's number",
        ),
        Check(
            "A second epoch captures most of the missing ones: more than half of the difference in the mean",
            captured > 0.5,
            f"{decimal(captured)} of the difference; {decimal(float(np.mean(one)), 3)} and "
            f"{decimal(float(np.mean(two)), 3)} of LIBSVM's number after one and two epochs",
        ),
    ]


def _draw(records: Records, figure: Figure) -> None:
    series = {name: values for name, values in per_digit(records, "support").items() if name in (LIBSVM, LASVM, LASVM2)}
    draw_digits(figure.subplots(), series, "support vectors")


EXPERIMENT = Experiment(
    title="Support vectors of the ten MNIST classifiers",
    claim="'A single epoch of the Online LASVM algorithm gathers most of the support vectors of the SVM solution "
    "computed by LIBSVM. Performing a second epoch captures most of the missing support vectors.'",
    setting=f"{SETTING} Support vectors are counted, not compared individually.",
    quick=QUICK,
    measurement=MEASUREMENT,
    tabulate=_tabulate,
    check=_check,
    draw=_draw,
    size=(8.0, 4.5),
)
