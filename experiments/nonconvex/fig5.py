"""Figure 5: test error by the number of support vectors, for several s of the ramp loss."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from experiments.experiment import Check, Experiment, Table
from experiments.formatting import count, decimal, multiple, percent
from experiments.nonconvex.datasets import NAMES, NOISY, OTHER_RAMPS, RAMP
from experiments.nonconvex.passes import (
    END,
    FULL,
    GAP,
    IGNORE,
    LASVM,
    LIBSVM,
    NONCONVEX,
    WITH_RAMP,
    passes,
)
from experiments.nonconvex.summaries import CHANGES, METHOD_COLOURS, SETTING, accuracy_error, check_cases, final_value
from experiments.plotting import MARKERS, style_axes
from experiments.records import Record, Records

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from experiments.nonconvex.summaries import Cases

RAMPS = sorted((*OTHER_RAMPS, RAMP))
_LOWEST, _HIGHEST = RAMPS[0], RAMPS[-1]
_OTHERS = (FULL, GAP, LASVM, LIBSVM)


def _value(records: Records, data: str, method: str, ramp: float, column: str) -> float:
    return records.where(data=data, method=method, ramp=ramp, stage=END).mean(column)


def _tabulate(records: Records) -> list[Table]:
    tables = []
    for data in NAMES:
        rows = [
            [
                f"s = {ramp:g}",
                *(percent(_value(records, data, method, ramp, "error")) for method in WITH_RAMP),
                *(count(_value(records, data, method, ramp, "support")) for method in WITH_RAMP),
            ]
            for ramp in RAMPS
        ]
        ends = {
            method: [final_value(records, data, method, column) for column in ("error", "support")]
            for method in _OTHERS
        }
        others = [f"{method}: {percent(error)}, {count(support)}" for method, (error, support) in ends.items()]
        columns = ("", *(f"error, {method}" for method in WITH_RAMP), *(f"support vectors, {m}" for m in WITH_RAMP))
        tables.append(Table(columns, rows, f"{data} ({'; '.join(others)})"))
    return tables


def _check(records: Records) -> list[Check]:
    return [
        check_cases(
            "With s = -1 LASVM-NC and LASVM-I 'achieve competitive generalization performance with much fewer "
            "support vectors, especially for Adult, Banana, and USPS-N': at most LIBSVM's error plus two standard "
            "errors of the test set, with at most 0.75 of its support vectors",
            _competitive(records),
        ),
        check_cases(
            "'In all data sets, increasing the value of s into the positive territory' becomes 'detrimental to the "
            f"generalization performance': at s = {_HIGHEST:g} the error is larger than at s = -1, by more than two "
            "standard errors of the difference over runs (of the test set where there is one run)",
            _detrimental(records),
        ),
        check_cases(
            "'Moving s further down to the negative territory diminishes the effect of the Ramp Loss on the "
            f"outliers': at s = {_LOWEST:g} the noisy sets have more support vectors than at s = -1, and LASVM-NC at "
            "least 0.85 of LASVM-G's",
            _diminished(records),
        ),
    ]


def _competitive(records: Records) -> Cases:
    cases = {}
    for data in NOISY:
        exact = [final_value(records, data, LIBSVM, column) for column in ("error", "support")]
        for method in WITH_RAMP:
            here = [_value(records, data, method, RAMP, column) for column in ("error", "support")]
            holds = here[0] <= exact[0] + 2 * accuracy_error(records, data) and here[1] <= 0.75 * exact[1]
            cases[f"{data}, {method}"] = (holds, f"{here[0] - exact[0]:+.2f} points, {multiple(here[1] / exact[1])}")
    return cases


def _detrimental(records: Records) -> Cases:
    cases = {}
    for data in NAMES:
        for method in WITH_RAMP:
            worse = _paired(records, data, method)
            spread = worse.standard_error("worse") if len(worse) > 1 else accuracy_error(records, data)
            mean = worse.mean("worse")
            cases[f"{data}, {method}"] = (mean > 2 * spread, f"{decimal(mean)} ± {decimal(spread)} points")
    return cases


def _paired(records: Records, data: str, method: str) -> Records:
    """Return the difference of the errors with the largest s and the paper's s, for each run that has both."""
    lines: list[Record] = []
    for seed in records.unique("seed"):
        chosen = records.where(data=data, method=method, seed=seed, stage=END)
        worse = chosen.where(ramp=_HIGHEST).mean("error") - chosen.where(ramp=RAMP).mean("error")
        lines.append({"worse": worse})
    return Records(line for line in lines if not math.isnan(float(line["worse"])))


def _diminished(records: Records) -> Cases:
    cases = {}
    for data in NOISY:
        for method in WITH_RAMP:
            few, many = (_value(records, data, method, ramp, "support") for ramp in (RAMP, _LOWEST))
            like_hinge = method == IGNORE or many >= 0.85 * final_value(records, data, GAP, "support")
            cases[f"{data}, {method}"] = (few < many and like_hinge, f"{count(few)} to {count(many)}")
    return cases


def _draw(records: Records, figure: Figure) -> None:
    panels = figure.subplots(2, 3)
    for axes, data in zip(panels.flat, NAMES, strict=True):
        for method, style in zip(WITH_RAMP, ("o-", "s--"), strict=True):
            known = [ramp for ramp in RAMPS if not math.isnan(_value(records, data, method, ramp, "error"))]
            points = [
                [_value(records, data, method, ramp, column) for ramp in known] for column in ("support", "error")
            ]
            axes.plot(*points, style, color=METHOD_COLOURS[method], label=method, markersize=4)
            if method == NONCONVEX:
                _label_points(axes, known, points)
        for method, mark in zip(_OTHERS, MARKERS[2:], strict=False):
            end = [final_value(records, data, method, column) for column in ("support", "error")]
            axes.plot(*[[value] for value in end], mark, color=METHOD_COLOURS[method], label=method)
        style_axes(axes, data, "support vectors", "test error, %", legend=data == NAMES[0])


def _label_points(axes: Axes, ramps: list[float], points: list[list[float]]) -> None:
    for ramp, x, y in zip(ramps, *points, strict=True):
        axes.annotate(f"{ramp:g}", (x, y), (3, 3), textcoords="offset points", fontsize=6)


EXPERIMENT = Experiment(
    title="Choice of s in the ramp loss",
    claim="'LASVM-NC and LASVM-I algorithms achieve competitive generalization performance with much fewer support "
    "vectors, especially for Adult, Banana, and USPS-N data sets.' Positive s are detrimental; very negative "
    "s have no effect.",
    setting=SETTING
    + " Values of s other than -1 have 3 runs (10 on Banana, 1 on Adult and Mnist); Mnist has only two of them.",
    quick="One seed; 6,000 rows of Adult and of Mnist.",
    explanation="At first errors of one test set were compared, and the claim about positive s failed on Banana. Runs "
    "are now compared in pairs, ten on Banana instead of three. LASVM-NC passes there by just two standard errors.",
    changes=CHANGES,
    measurement=passes(other_ramps=True),
    tabulate=_tabulate,
    check=_check,
    draw=_draw,
    size=(12.0, 7.0),
)
