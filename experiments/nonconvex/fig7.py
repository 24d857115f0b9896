"""Figure 7: kernel values computed during training."""

from __future__ import annotations

from typing import TYPE_CHECKING

from experiments.experiment import Check, Experiment, Table
from experiments.formatting import decimal, multiple
from experiments.nonconvex.datasets import NAMES, NOISY
from experiments.nonconvex.paper_numbers import KERNELS, paper_value
from experiments.nonconvex.passes import FULL, GAP, IGNORE, NONCONVEX, STREAMING, WITH_RAMP, passes
from experiments.nonconvex.summaries import (
    CHANGES,
    QUICK,
    SETTING,
    check_cases,
    compare_pairs,
    draw_curves,
    final_value,
    method_table,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from experiments.records import Records


def _millions(records: Records, data: str, method: str) -> float:
    return final_value(records, data, method, "kernel_evals") / 1e6


def _tabulate(records: Records) -> list[Table]:
    return [
        method_table(
            "Kernel values at the end, millions; in brackets the paper's (table 4)",
            STREAMING,
            lambda d, m: f"{decimal(_millions(records, d, m), 1)} ({decimal(paper_value(KERNELS, m, d), 1)})",
        )
    ]


def _check(records: Records) -> list[Check]:
    saved = {}
    for data in NOISY:
        for method in WITH_RAMP:
            here = _millions(records, data, method) / _millions(records, data, GAP)
            paper = paper_value(KERNELS, method, data) / paper_value(KERNELS, GAP, data)
            saved[f"{data}, {method}"] = (here <= paper + 0.15, f"{multiple(here)} ({multiple(paper)})")
    return [
        check_cases(
            "'LASVM-G requires fewer kernel products than FULL SVM', on every data set",
            compare_pairs(records, NAMES, [(GAP, FULL)], "kernel_evals"),
        ),
        check_cases(
            "'LASVM-NC and LASVM-I yield significant reduction' on Adult, Banana and USPS-N: at most the paper's "
            "share of LASVM-G's, plus 0.15",
            saved,
        ),
        check_cases(
            "'LASVM-I achieves better reduction of kernel computations than LASVM-NC', on every data set",
            compare_pairs(records, NAMES, [(IGNORE, NONCONVEX)], "kernel_evals"),
        ),
    ]


def _draw(records: Records, figure: Figure) -> None:
    draw_curves(records, figure, "kernel_evals", "kernel values, millions", unit=1e6)


EXPERIMENT = Experiment(
    title="Kernel values during training",
    claim="'LASVM-G requires fewer kernel products than FULL SVM'; 'LASVM-NC and LASVM-I yield significant reduction "
    "in the number of kernel computations and their benefit is most pronounced in the noisy data sets Adult, Banana, "
    "and USPS-N. LASVM-I achieves better reduction of kernel computations than LASVM-NC.'",
    setting=SETTING,
    quick=QUICK,
    changes=CHANGES,
    measurement=passes(methods=STREAMING),
    tabulate=_tabulate,
    check=_check,
    draw=_draw,
    size=(12.0, 6.5),
)
