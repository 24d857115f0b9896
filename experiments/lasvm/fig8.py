"""Figure 8: one epoch of LASVM compared with LIBSVM on diverse data sets: error, support vectors, kernel values, time.

scikit-learn's LIBSVM does not count kernel values, so that ours are compared with the paper's counts for both. Our
counts include kernel values that were computed ahead and not used.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from experiments.experiment import Check, Experiment, Table
from experiments.formatting import MISSING, count, decimal, millions, multiple, percent
from experiments.lasvm.datasets import DATASETS, LASVM, LIBSVM, MEASUREMENT, SETTING
from experiments.plotting import plot_comparison, style_axes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from experiments.records import Records


class Row(NamedTuple):
    """The paper's results of one method on one data set; kernel values in millions."""

    error: float
    support: int
    kernel_evals: float
    seconds: float


PAPER = {
    "Waveform": (Row(8.82, 1006, 4.2, 3.2), Row(8.68, 948, 2.2, 2.7)),
    "Banana": (Row(9.96, 873, 6.8, 9.9), Row(9.98, 869, 6.7, 10.0)),
    "Reuters": (Row(2.76, 1493, 11.8, 24), Row(2.76, 1504, 9.2, 31.4)),
    "USPS": (Row(0.41, 236, 1.97, 13.5), Row(0.43, 201, 1.08, 15.9)),
    "USPS+N": (Row(0.41, 2750, 63, 305), Row(0.53, 2572, 20, 178)),
    "Adult": (Row(14.90, 11327, 1760, 1079), Row(14.94, 11268, 626, 809)),
    "Forest (100k)": (Row(8.03, 43251, 27569, 14598), Row(8.15, 41750, 18939, 10310)),
    "Forest (521k)": (Row(4.84, 124782, 316750, 159443), Row(4.83, 122064, 188744, 137183)),
}
_NOT_RUN = "Forest (521k)"  # LIBSVM would take a day
_SAME_ROWS = ("Adult", "Banana", "Reuters")  # the paper's data and scales, so that its exact numbers can be expected


def _ours(records: Records, name: str, method: str, column: str) -> float:
    return records.where(data=name, method=method).mean(column)


def _ratio(records: Records, name: str) -> float:
    return _ours(records, name, LASVM, "seconds") / _ours(records, name, LIBSVM, "seconds")


def _tabulate(records: Records) -> list[Table]:
    return [_accuracy(records), _cost(records)]


def _accuracy(records: Records) -> Table:
    rows = []
    for name, paper in PAPER.items():
        cells = [name]
        for method, row in zip((LIBSVM, LASVM), paper, strict=True):
            error, support = (_ours(records, name, method, column) for column in ("error", "support"))
            cells += [percent(row.error), percent(error), count(row.support), count(support)]
        rows.append(cells)
    columns = [
        f"{method}: {what}" for method in (LIBSVM, LASVM) for what in ("error, paper", "error", "SVs, paper", "SVs")
    ]
    return Table(("set", *columns), rows, "Test error and support vectors")


def _cost(records: Records) -> Table:
    rows = []
    for name, (libsvm, lasvm) in PAPER.items():
        evals = (1e6 * libsvm.kernel_evals, 1e6 * lasvm.kernel_evals, _ours(records, name, LASVM, "kernel_evals"))
        seconds = decimal(_ours(records, name, LIBSVM, "seconds")) if name != _NOT_RUN else "not run"
        ratios = multiple(lasvm.seconds / libsvm.seconds), multiple(_ratio(records, name))
        rows.append([name, *(millions(value) for value in evals), *ratios, seconds])
    kernel = "kernel values: LIBSVM, paper", "LASVM x1, paper", "LASVM x1"
    return Table(
        ("set", *kernel, "time / LIBSVM, paper", "time / LIBSVM", "LIBSVM, s"), rows, "Kernel values and times"
    )


def _noise(records: Records, name: str) -> float:
    """Return the standard error of one test error of LIBSVM, in points."""
    lines = records.where(data=name, method=LIBSVM)
    share = lines.mean("error") / 100
    return 100 * math.sqrt(share * (1 - share) / lines.mean("test_rows"))


def _check(records: Records) -> list[Check]:
    accuracies = [check for name in DATASETS for check in (_check_error(records, name), _check_support(records, name))]
    return [*accuracies, *(_check_paper_numbers(records, name) for name in _SAME_ROWS), _check_kernel_values(records)]


def _check_error(records: Records, name: str) -> Check:
    difference = _ours(records, name, LASVM, "error") - _ours(records, name, LIBSVM, "error")
    allowed = _noise(records, name)
    return Check(
        f"{name}: the error of LASVM x1 is very close to LIBSVM's, within one standard error of a test error "
        f"({decimal(allowed)} points)",
        abs(difference) <= allowed,
        f"{difference:+.2f} points" if not math.isnan(difference) else MISSING,
    )


def _check_support(records: Records, name: str) -> Check:
    libsvm, lasvm = PAPER[name]
    ratio = _ours(records, name, LASVM, "support") / _ours(records, name, LIBSVM, "support")
    paper = lasvm.support / libsvm.support
    return Check(
        f"{name}: the number of support vectors is slightly smaller than LIBSVM's: {decimal(paper)} of it in the "
        "paper, the same within 0.05 here",
        abs(ratio - paper) <= 0.05,
        decimal(ratio, 3),
    )


def _check_paper_numbers(records: Records, name: str) -> Check:
    """Compare the results on a data set with known rows and scales with the paper's numbers."""
    errors = [abs(_ours(records, name, *key) - row.error) for key, row in _paper_rows(name, "error")]
    support = [abs(_ours(records, name, *key) / row.support - 1) for key, row in _paper_rows(name, "support")]
    allowed = 2 * _noise(records, name)
    return Check(
        f"{name}: the paper's errors within two standard errors ({decimal(allowed)} points) and its numbers of support "
        "vectors within 5 %, for both methods",
        all(error <= allowed for error in errors) and all(share <= 0.05 for share in support),
        f"at most {decimal(max(errors))} points and {decimal(100 * max(support), 1)} % away",
    )


def _paper_rows(name: str, column: str) -> list[tuple[tuple[str, str], Row]]:
    return [((method, column), row) for method, row in zip((LIBSVM, LASVM), PAPER[name], strict=True)]


def _check_kernel_values(records: Records) -> Check:
    shares = {
        name: _ours(records, name, LASVM, "kernel_evals") / (1e6 * PAPER[name][0].kernel_evals) for name in DATASETS
    }
    return Check(
        "LASVM x1 computes fewer kernel values than LIBSVM in the paper, on all data sets (the paper: between 0.32 "
        "and 0.78 of them, 0.99 on Banana)",
        all(share < 1 for share in shares.values()),
        ", ".join(f"{name} {multiple(share)}" for name, share in shares.items()),
    )


def _draw(records: Records, figure: Figure) -> None:
    names = list(DATASETS)
    shown = {"error": "test error, %", "support": "support vectors", "kernel_evals": "kernel values"}
    panels = figure.subplots(2, 2).ravel()
    for axes, (column, across) in zip(panels, shown.items(), strict=False):
        scale = 1e6 if column == "kernel_evals" else 1
        series = {
            f"{method}, paper": [scale * getattr(PAPER[name][number], column) for name in names]
            for number, method in enumerate((LIBSVM, LASVM))
        }
        series |= {method: [_ours(records, name, method, column) for name in names] for method in (LIBSVM, LASVM)}
        plot_comparison(axes, names, series)
        style_axes(axes, "", across, "", legend=column == "error")
    ratios = {
        "paper": [PAPER[name][1].seconds / PAPER[name][0].seconds for name in names],
        "here": [_ratio(records, name) for name in names],
    }
    plot_comparison(panels[3], names, ratios)
    style_axes(panels[3], "", "time of LASVM x1 / time of LIBSVM", "")


EXPERIMENT = Experiment(
    title="LASVM x1 and LIBSVM on diverse data sets",
    claim="'The LASVM x1 experiments call the kernel function much less often, but do not always run faster. The "
    "LASVM x1 accuracies are very close to the LIBSVM accuracies. The number of support vectors is always slightly "
    "smaller.'",
    setting=SETTING,
    quick="Two or three seeds; 4,000 rows of Reuters, 6,000 of Adult, 10,000 of Forest, 5,000 test rows: errors and "
    "numbers of support vectors of these data sets differ from the paper's.",
    explanation="Forest: the paper's gamma of 1 belongs to columns whose scale it does not give. On standardised "
    "columns gamma = 0.5 comes closest, with fewer support vectors and a larger error for both LIBSVM and LASVM. "
    "Banana: LASVM computes three times as many kernel values as LIBSVM in the paper. The finishing step computes "
    "more than half of our kernel values (on USPS+N a third). Where the cache holds a part of a row, it computes the "
    "whole row again by matrix products, which is faster but takes more values.",
    changes="The scales of Waveform, USPS and Forest, which the paper does not give, were chosen by the numbers "
    "of LIBSVM; Forest (521k) is omitted.",
    measurement=MEASUREMENT,
    tabulate=_tabulate,
    check=_check,
    draw=_draw,
    size=(11.0, 7.0),
)
