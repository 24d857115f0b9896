"""Figure 4: precision-recall break-even point during training."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from experiments.experiment import Check, Experiment, Table
from experiments.formatting import decimal
from experiments.nonconvex.datasets import ADULT, BANANA, NAMES
from experiments.nonconvex.paper_numbers import PRBEP, paper_value
from experiments.nonconvex.passes import FULL, GAP, IGNORE, LASVM, NONCONVEX, ONLINE, STREAMING, passes
from experiments.nonconvex.summaries import (
    CHANGES,
    QUICK,
    SETTING,
    check_cases,
    draw_curves,
    final_value,
    method_table,
    positive_rate_error,
    runs,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from experiments.records import Records

_COMPARED = (GAP, NONCONVEX, IGNORE)


def _total_fall(records: Records, data: str, method: str) -> float:
    """Return the sum of all falls of the curve of a run, in points; the mean over the runs."""
    chosen = runs(records, data, method).where(stage=ONLINE)
    curves = [chosen.where(seed=seed).values("prbep") for seed in chosen.unique("seed")]
    return float(np.mean([np.maximum(0.0, -np.diff(curve)).sum() for curve in curves])) if curves else float("nan")


def _tabulate(records: Records) -> list[Table]:
    return [
        method_table(
            "PRBEP at the end, %; in brackets the paper's",
            STREAMING,
            lambda d, m: f"{decimal(final_value(records, d, m, 'prbep'))} ({decimal(paper_value(PRBEP, m, d))})",
        ),
        method_table(
            "Sum of all falls of the curve, in points",
            STREAMING,
            lambda d, m: decimal(_total_fall(records, d, m)),
        ),
    ]


def _check(records: Records) -> list[Check]:
    ends, falls = {}, {}
    for data in NAMES:
        full = final_value(records, data, FULL, "prbep")
        allowed = positive_rate_error(records, data, paper_value(PRBEP, FULL, data))
        for method in _COMPARED:
            less = final_value(records, data, method, "prbep") - full
            ends[f"{data}, {method} / {FULL}"] = (less >= -allowed, f"{less:+.2f} points")
    for data in (ADULT, BANANA):
        for method in _COMPARED:
            here, there = _total_fall(records, data, method), _total_fall(records, data, LASVM)
            falls[f"{data}, {method}"] = (here < there, f"{decimal(here)} (LASVM {decimal(there)}) points")
    return [
        check_cases(
            "'Compared to the baseline case FULL SVM, all algorithms are able to maintain competitive generalization "
            "performances at the end of training': at least that of FULL SVM, up to a standard error of a rate among "
            "the positive test rows",
            ends,
        ),
        check_cases(
            "They 'show a more homogeneous growth compared to LASVM, especially for the Adult and Banana data sets': "
            "the sum of all falls of the curve is smaller",
            falls,
        ),
    ]


def _draw(records: Records, figure: Figure) -> None:
    draw_curves(records, figure, "prbep", "PRBEP, %")


EXPERIMENT = Experiment(
    title="Precision-recall break-even point during training",
    claim="'Compared to the baseline case FULL SVM, all algorithms are able to maintain competitive generalization "
    "performances at the end of training on all examples and show a more homogeneous growth compared to LASVM, "
    "especially for the Adult and Banana data sets.'",
    setting=SETTING,
    quick=QUICK,
    changes=CHANGES,
    measurement=passes(methods=STREAMING),
    tabulate=_tabulate,
    check=_check,
    draw=_draw,
    size=(12.0, 6.5),
)
