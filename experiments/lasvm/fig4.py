"""Figure 4: errors and training times of the ten combined MNIST classifiers, one against the rest.

The class of a row is argmax_d f_d(x) over the classifiers of figures 1, 2, 3 and 5; times are the sums over the ten.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from experiments.experiment import Check, Experiment, Table
from experiments.formatting import decimal, multiple, percent
from experiments.lasvm.mnist_digits import (
    ALL,
    AVGPERC,
    AVGPERC10,
    LASVM,
    LASVM2,
    LIBSVM,
    MEASUREMENT,
    QUICK,
    SETTING,
)
from experiments.plotting import plot_comparison, style_axes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from experiments.records import Records

PAPER_ERROR = {LIBSVM: 1.36, LASVM: 1.42, LASVM2: 1.36}
PAPER_SECONDS = {LIBSVM: 17400.0, LASVM: 4950.0, LASVM2: 12210.0}
_OTHERS = (AVGPERC, AVGPERC10)  # not in the paper's table, but measured


def _error(records: Records, method: str) -> float:
    return records.where(method=method, digit=ALL).mean("error")


def _ratio(records: Records, method: str) -> float:
    seconds = [records.where(method=name, digit=ALL).mean("seconds") for name in (method, LIBSVM)]
    return seconds[0] / seconds[1]


def _tabulate(records: Records) -> list[Table]:
    rows = []
    for method in (*PAPER_ERROR, *_OTHERS):
        paper = PAPER_SECONDS.get(method, math.nan) / PAPER_SECONDS[LIBSVM]
        errors = percent(PAPER_ERROR.get(method, math.nan)), percent(_error(records, method))
        seconds = records.where(method=method, digit=ALL).mean("seconds")
        rows.append([method, *errors, multiple(paper), multiple(_ratio(records, method)), decimal(seconds, 1)])
    columns = ("algorithm", "error, paper", "error", "time / LIBSVM, paper", "time / LIBSVM", "seconds")
    return [Table(columns, rows)]


def _check(records: Records) -> list[Check]:
    error = {method: _error(records, method) for method in PAPER_ERROR}
    noise = 100 * math.sqrt(0.0136 * (1 - 0.0136) / records.where(digit=ALL).mean("test_rows"))
    exact, one, two = (error[method] for method in (LIBSVM, LASVM, LASVM2))
    fast, slow = _ratio(records, LASVM), _ratio(records, LASVM2)
    return [
        *(
            Check(
                f"{method}: an error of {PAPER_ERROR[method]} %, within two standard errors of a test set of this size "
                f"({decimal(2 * noise)} points)",
                abs(error[method] - PAPER_ERROR[method]) <= 2 * noise,
                percent(error[method]),
            )
            for method in PAPER_ERROR
        ),
        Check(
            "LASVM x1 provides almost the same accuracy as LIBSVM (within one standard error, "
            f"{decimal(noise)} points) with much shorter training times (at most 0.4 of LIBSVM's)",
            abs(one - exact) <= noise and fast <= 0.4,
            f"{decimal(one - exact)} points, {multiple(fast)}",
        ),
        Check(
            "LASVM x2 reproduces the accuracy of LIBSVM (within one standard error, "
            f"{decimal(noise)} points) with a shorter training time",
            abs(two - exact) <= noise and slow < 1,
            f"{decimal(two - exact)} points, {multiple(slow)}",
        ),
    ]


def _draw(records: Records, figure: Figure) -> None:
    panels = figure.subplots(1, 2)
    names = list(PAPER_ERROR)
    paper = [PAPER_SECONDS[name] / PAPER_SECONDS[LIBSVM] for name in names]
    errors = {"paper": list(PAPER_ERROR.values()), "here": [_error(records, name) for name in names]}
    plot_comparison(panels[0], names, errors, log=False)
    plot_comparison(panels[1], names, {"paper": paper, "here": [_ratio(records, name) for name in names]})
    style_axes(panels[0], "Multiclass error", "test error, %", "")
    style_axes(panels[1], "Training time", "time / LIBSVM", "", legend=False)


EXPERIMENT = Experiment(
    title="Multiclass errors and training times on MNIST",
    claim="One against the rest: LIBSVM 1.36 % in 17400 s, LASVM x1 1.42 % in 4950 s, LASVM x2 1.36 % in 12210 s. "
    "'LASVM x1 provides almost the same accuracy with much shorter training times. LASVM x2 reproduces the LIBSVM "
    "accuracy with slightly shorter training time.'",
    setting=SETTING,
    quick=QUICK + " With a fifteenth of the training rows the errors of the paper cannot be reached.",
    changes="'Slightly shorter training time' of LASVM x2 is read as shorter: it takes a twelfth of LIBSVM's time"
    " here, since it computes kernel values in blocks and LIBSVM does not.",
    measurement=MEASUREMENT,
    tabulate=_tabulate,
    check=_check,
    draw=_draw,
    size=(8.0, 2.8),
)
