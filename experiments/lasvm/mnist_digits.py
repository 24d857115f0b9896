"""Ten handwritten digits, each against the rest (section 3.3): figures 1 to 5.

One cell fits the ten classifiers of a method, because figure 4 combines them: the class of a row is the digit with the
largest decision value, argmax_d f_d(x). A cell has one record per digit, and one for `ALL` with the sum of the seconds.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from experiments.experiment import Cell, Measurement
from experiments.measure import cpu_time, make_libsvm
from experiments.plotting import COLOURS, style_axes
from experiments.problems import mnist, mnist_digit
from hinge import KernelPerceptron, OnlineSVC

if TYPE_CHECKING:
    from collections.abc import Iterator

    from matplotlib.axes import Axes
    from sklearn.svm import SVC

    from experiments.problems import Problem
    from experiments.records import Record, Records

LIBSVM, LASVM, LASVM2 = "LIBSVM", "LASVM x1", "LASVM x2"
AVGPERC, AVGPERC10 = "AVGPERC x1", "AVGPERC x10"
METHODS = (LASVM, LASVM2, AVGPERC, AVGPERC10, LIBSVM)
DIGITS = range(10)
ALL = "all"
SETTING = (
    "All 60,000 + 10,000 rows of pixels / 255, one digit against the rest; C = 1000, gamma = 0.02 (0.005 on pixels in "
    "[-1, 1]), tolerance 0.001, caches of 256 MB as in the paper, but 1 GB for LIBSVM. One order of the examples (seed "
    "0). CPU seconds of one thread. Our models compute kernel values in blocks, LIBSVM one row at a time; in the paper "
    "all methods share their kernel code, so that its ratios of times say less about the programs."
)
QUICK = "4,000 training and 2,000 test rows."
_CACHE, _LIBSVM_CACHE = 256.0, 1000.0  # megabytes
_QUICK_ROWS = 4_000, 2_000


def _make_model(method: str, problem: Problem) -> SVC | OnlineSVC | KernelPerceptron:
    if method == LIBSVM:
        return make_libsvm(problem, cache_size=_LIBSVM_CACHE)
    if method in (LASVM, LASVM2):
        model = OnlineSVC(C=problem.C, epochs=1 if method == LASVM else 2)
    else:
        model = KernelPerceptron(average=True, epochs=1 if method == AVGPERC else 10)
    return model.set_params(gamma=problem.gamma, cache_size=_CACHE, random_state=0, n_jobs=1)


def _measure(method: str, rows: tuple[int, int] | None) -> list[Record]:
    """Fit the ten classifiers of a method; return one record for each, and one for the ten combined."""
    all_digits = mnist() if rows is None else mnist().head(*rows)
    decisions = np.empty((len(all_digits.y_test), len(DIGITS)))
    lines: list[Record] = []
    for number in DIGITS:
        problem = mnist_digit(number) if rows is None else mnist_digit(number).head(*rows)
        model = _make_model(method, problem)
        seconds, _ = cpu_time(partial(model.fit, problem.X, problem.y))
        decisions[:, number] = model.decision_function(problem.X_test)
        error = 100 * float(np.mean((decisions[:, number] > 0) != problem.y_test))
        lines.append({"digit": number, "seconds": seconds, "error": error, "support": len(model.support_)})
        if method != LIBSVM:
            lines[-1]["kernel_evals"] = int(model.n_kernel_evals_)
    total = sum(float(line["seconds"]) for line in lines)
    error = 100 * float(np.mean(decisions.argmax(axis=1) != all_digits.y_test))
    return [*lines, {"digit": ALL, "seconds": total, "error": error, "test_rows": len(decisions)}]


def _cells(quick: bool) -> Iterator[Cell]:
    for method in METHODS:
        yield Cell({"method": method}, partial(_measure, method, _QUICK_ROWS if quick else None))


MEASUREMENT = Measurement("digits", _cells)


def by_digit(records: Records, method: str, column: str) -> list[float]:
    """Return a column of a method by digit; nan where it was not measured."""
    return [records.where(method=method, digit=number).mean(column) for number in DIGITS]


def per_digit(records: Records, column: str) -> dict[str, list[float]]:
    """Return a column of each method by digit, LIBSVM first."""
    return {method: by_digit(records, method, column) for method in (LIBSVM, *METHODS[:-1])}


def draw_digits(axes: Axes, series: dict[str, list[float]], y_label: str) -> None:
    """Draw ten bars per method, as in figures 1, 2 and 5 of the paper."""
    width = 0.8 / len(series)
    for number, (method, values) in enumerate(series.items()):
        panels = [digit + width * (number - (len(series) - 1) / 2) for digit in DIGITS]
        axes.bar(panels, np.nan_to_num(values), width, color=COLOURS[number], label=method)
    axes.set_xticks(list(DIGITS))
    style_axes(axes, "", "digit against the rest", y_label)
