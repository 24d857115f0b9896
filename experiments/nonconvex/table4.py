"""Table 4: precision-recall break-even point, area under the ROC curve, g-means and kernel values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from experiments.experiment import Check, Experiment, Table
from experiments.formatting import decimal, multiple
from experiments.nonconvex.datasets import ADULT, NAMES, NOISY_USPS, REUTERS
from experiments.nonconvex.paper_numbers import AUC, GMEANS, KERNELS, PRBEP, Numbers, paper_value
from experiments.nonconvex.passes import FULL, GAP, IGNORE, LASVM, NONCONVEX, STREAMING, passes
from experiments.nonconvex.summaries import (
    CHANGES,
    QUICK,
    SETTING,
    check_cases,
    compare_pairs,
    draw_table,
    final_value,
    method_table,
    positive_rate_error,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.figure import Figure

    from experiments.nonconvex.summaries import Cases
    from experiments.records import Records

_ROBUST = (FULL, GAP, NONCONVEX, IGNORE)
_UNITS = {"prbep": 1.0, "auc": 1.0, "gmeans": 1.0, "kernel_evals": 1e6}
_PRINTED: dict[str, Numbers] = {
    "prbep": PRBEP,
    "auc": AUC,
    "gmeans": GMEANS,
    "kernel_evals": KERNELS,
}


def _measured_value(records: Records, column: str) -> Callable[[str, str], float]:
    return lambda data, method: final_value(records, data, method, column) / _UNITS[column]


def _paper_number(column: str) -> Callable[[str, str], float]:
    return lambda data, method: paper_value(_PRINTED[column], method, data)


def _tabulate(records: Records) -> list[Table]:
    titles = {"prbep": "PRBEP, %", "auc": "AUC", "gmeans": "g-means, %", "kernel_evals": "Kernel values, millions"}
    tables = []
    for column, title in titles.items():
        here, there, digits = (
            _measured_value(records, column),
            _paper_number(column),
            {"auc": 3, "kernel_evals": 1}.get(column, 2),
        )
        cells = _pairs(here, there, digits)
        tables.append(method_table(f"{title}; in brackets the paper's", STREAMING, cells))
    return tables


def _pairs(
    here: Callable[[str, str], float], there: Callable[[str, str], float], digits: int
) -> Callable[[str, str], str]:
    return lambda data, method: f"{decimal(here(data, method), digits)} ({decimal(there(data, method), digits)})"


def _check(records: Records) -> list[Check]:
    return [
        check_cases(
            "Every break-even point is at least the paper's, up to two standard errors of a rate among the positive "
            "test rows",
            _rates(records, "prbep"),
        ),
        check_cases("Every g-mean is at least the paper's, up to the same tolerance", _rates(records, "gmeans")),
        check_cases("Every area is at least the paper's, up to 0.005", _areas(records)),
        check_cases(
            "'LASVM-NC yields the highest g-means for the Adult, Reuters, and USPS-N data sets': lead over the highest "
            "of the others in points, in brackets the paper's",
            _highest(records),
        ),
        check_cases(
            "LASVM-G needs fewer kernel values than FULL SVM, LASVM-NC no more than LASVM-G, LASVM-I fewer than "
            "LASVM-NC",
            compare_pairs(records, NAMES, [(GAP, FULL), (NONCONVEX, GAP), (IGNORE, NONCONVEX)], "kernel_evals"),
        ),
        check_cases(
            "These four need the paper's number of kernel values within 30 % (it depends on the settings of CLEAN, "
            "which are not given), and LASVM no more; ratios to the paper",
            _kernel_values(records),
        ),
    ]


def _rates(records: Records, column: str) -> Cases:
    cases = {}
    for data in NAMES:
        for method in STREAMING:
            here, paper = _measured_value(records, column)(data, method), _paper_number(column)(data, method)
            enough = here >= paper - 2 * positive_rate_error(records, data, paper)
            cases[f"{data}, {method}"] = (enough, f"{decimal(here)} ({decimal(paper)})")
    return cases


def _areas(records: Records) -> Cases:
    here, there = _measured_value(records, "auc"), _paper_number("auc")
    return {
        f"{data}, {method}": (here(data, method) >= there(data, method) - 0.005, decimal(here(data, method), 3))
        for data in NAMES
        for method in STREAMING
    }


def _highest(records: Records) -> Cases:
    here = _measured_value(records, "gmeans")
    cases: Cases = {}
    for data in (ADULT, REUTERS, NOISY_USPS):
        leads = [
            value(data, NONCONVEX) - max(value(data, method) for method in STREAMING if method != NONCONVEX)
            for value in (here, _paper_number("gmeans"))
        ]
        cases[f"{data}, LASVM-NC"] = (leads[0] > 0, f"{leads[0]:+.2f} ({leads[1]:+.2f})")
    return cases


def _kernel_values(records: Records) -> Cases:
    cases = {}
    for data in NAMES:
        for method in STREAMING:
            ratio = _measured_value(records, "kernel_evals")(data, method) / _paper_number("kernel_evals")(data, method)
            lowest, highest = (0.0, 1.0) if method == LASVM else (0.7, 1.3)
            cases[f"{data}, {method}"] = (lowest <= ratio <= highest, multiple(ratio))
    return cases


def _draw(records: Records, figure: Figure) -> None:
    names = {"prbep": "PRBEP, %", "auc": "AUC", "gmeans": "g-means, %", "kernel_evals": "kernel values, millions"}
    measures = [
        (name, column == "kernel_evals", _paper_number(column), _measured_value(records, column))
        for column, name in names.items()
    ]
    draw_table(figure, STREAMING, measures)


EXPERIMENT = Experiment(
    title="Other measures of accuracy, and kernel values",
    claim="All algorithms 'yield as good results for these performance metrics as FULL SVM'; 'LASVM-NC yields the "
    "highest g-means for the Adult, Reuters, and USPS-N data sets'. LASVM-NC and LASVM-I compute the fewest kernel "
    "values.",
    setting=SETTING,
    quick=QUICK,
    explanation="On Adult LASVM-I has 0.9 points more than LASVM-NC, and on Reuters LASVM has 0.2 more; on Reuters "
    "and USPS-N the paper's lead of 0.02 points is less than the effect of one test row. LASVM computes fewer kernel "
    "values than the paper's, since it skips examples that would not be inserted.",
    changes=CHANGES,
    measurement=passes(methods=STREAMING),
    tabulate=_tabulate,
    check=_check,
    draw=_draw,
    size=(18.0, 10.0),
)
