"""Figure 3: training time as a function of the number of support vectors, on the ten MNIST classifiers.

The figure has ten points for LIBSVM and ten for LASVM x1, with least-squares lines t = a + b S.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from experiments.experiment import Check, Experiment, Table
from experiments.formatting import count, decimal
from experiments.lasvm.mnist_digits import DIGITS, LASVM, LIBSVM, MEASUREMENT, QUICK, SETTING, by_digit
from experiments.plotting import COLOURS, MARKERS, style_axes

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from experiments.records import Records

_SHOWN = (LIBSVM, LASVM)
_MIN_CORRELATION = 0.85  # correlation that counts as linear: three quarters of the variance


def _points(records: Records, method: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    support, seconds = (np.array(by_digit(records, method, column)) for column in ("support", "seconds"))
    known = np.isfinite(support) & np.isfinite(seconds)
    return support[known], seconds[known]


def _line(records: Records, method: str) -> tuple[float, float, float]:
    """Return the intercept and slope of the line, and the correlation; nan if points are missing."""
    support, seconds = _points(records, method)
    if len(support) < len(DIGITS):
        return math.nan, math.nan, math.nan
    slope, intercept = np.polyfit(support, seconds, 1)
    return float(intercept), float(slope), float(np.corrcoef(support, seconds)[0, 1])


def _tabulate(records: Records) -> list[Table]:
    rows = []
    for method in _SHOWN:
        support, seconds = _points(records, method)
        _, slope, correlation = _line(records, method)
        ranges = [f"{low} to {high}" for low, high in (_range(support, 0), _range(seconds, 1))]
        rows.append([method, *ranges, decimal(1000 * slope, 2), decimal(correlation)])
    columns = ("method", "support vectors", "seconds", "seconds per 1,000 SVs", "correlation")
    return [Table(columns, rows, "The paper gives no numbers")]


def _range(values: NDArray[np.float64], digits: int) -> tuple[str, str]:
    low, high = (values.min(), values.max()) if len(values) else (math.nan, math.nan)
    return decimal(float(low), digits), decimal(float(high), digits)


def _check(records: Records) -> list[Check]:
    checks = [
        Check(
            f"{method}: training time depends linearly on the number of support vectors (correlation at least "
            f"{_MIN_CORRELATION})",
            (correlation := _line(records, method)[2]) >= _MIN_CORRELATION,
            decimal(correlation),
        )
        for method in _SHOWN
    ]
    slower, slope = _line(records, LIBSVM)[1], _line(records, LASVM)[1]
    most = max(_points(records, LIBSVM)[0], default=math.nan)
    return [
        *checks,
        Check(
            "Online LASVM is more efficient overall: fewer seconds per additional support vector",
            slope < slower,
            f"{decimal(1000 * slope)} and {decimal(1000 * slower)} seconds per 1,000, for up to {count(most)}",
        ),
    ]


def _draw(records: Records, figure: Figure) -> None:
    axes = figure.subplots()
    for number, method in enumerate(_SHOWN):
        support, seconds = _points(records, method)
        axes.plot(support, seconds, MARKERS[number], color=COLOURS[number], label=method)
        intercept, slope, _ = _line(records, method)
        if not math.isnan(slope):
            ends = np.array([support.min(), support.max()])
            axes.plot(ends, intercept + slope * ends, color=COLOURS[number], linewidth=1)
    axes.set_xlim(left=0)
    axes.set_ylim(bottom=0)
    style_axes(axes, "", "support vectors", "training time, CPU seconds")


EXPERIMENT = Experiment(
    title="Training time by the number of support vectors",
    claim="'Both LIBSVM and LASVM x1 show a linear dependency. The Online LASVM algorithm seems more efficient "
    "overall.'",
    setting=SETTING,
    quick=QUICK,
    measurement=MEASUREMENT,
    tabulate=_tabulate,
    check=_check,
    draw=_draw,
)
