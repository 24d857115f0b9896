"""Figure 2: test error of on-line models by training time, on a stream of deformed digits.

The paper draws the test error of ASSET on-line and ASSET* on-line by the seconds of one pass, one line per number of
Fourier features, with a vertical line at the end of the pass.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from experiments.asset.batch import LASVM
from experiments.asset.stream import (
    ASSET_ON,
    ASSET_STAR_ON,
    CHANGES,
    MEASUREMENT,
    N_EXAMPLES,
    N_TEST,
    PAPER,
    SIZES,
    final_errors,
    is_paper_error,
    measured_sizes,
    training_seconds,
)
from experiments.experiment import Check, Experiment, Table
from experiments.formatting import decimal, multiple, percent
from experiments.plotting import BLACK, COLOURS, style_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from experiments.records import Records

HOUR = 3600.0
PAPER_LASVM = {"error": 0.2, "train": 4.3 * 24 * HOUR}
PAPER_LAST = {ASSET_ON: 2.7, ASSET_STAR_ON: 3.5}  # with 16384 features, from the text


def _tabulate(records: Records) -> list[Table]:
    largest = SIZES[-1]
    rows: list[tuple[str, ...]] = []
    for size in SIZES:
        for method in (ASSET_ON, ASSET_STAR_ON):
            paper = PAPER_LAST[method] if size == largest else PAPER[size][method]
            rows.append((f"{method}, {size}", *_line(records, method, size, paper, PAPER[size]["train"])))
    rows.append((LASVM, *_line(records, LASVM, 0, PAPER_LASVM["error"], PAPER_LASVM["train"])))
    columns = ("model, features", "error at the end", "paper", "seconds", f"/ time of {largest}", "paper")
    return [Table(columns, rows, "At the end of the stream")]


def _line(records: Records, method: str, size: int, paper_error: float, paper_seconds: float) -> tuple[str, ...]:
    seconds, unit = (training_seconds(records, *model) for model in ((method, size), (ASSET_ON, SIZES[-1])))
    return (
        percent(float(final_errors(records, method, size)[-1])),
        percent(paper_error, 1),
        decimal(seconds, 1),
        multiple(seconds / unit),
        multiple(paper_seconds / PAPER[SIZES[-1]]["train"]),
    )


def _check(records: Records) -> list[Check]:
    sizes = measured_sizes(records)
    return [
        _check_falls(records, sizes),
        _check_faster(records, sizes),
        _check_linear(records, sizes),
        _check_lasvm(records, sizes),
        _check_paper(records),
    ]


def _check_falls(records: Records, sizes: list[int]) -> Check:
    means = {
        method: [final_errors(records, method, size).mean() for size in sizes] for method in (ASSET_ON, ASSET_STAR_ON)
    }
    return Check(
        "More features give fewer errors at the end, at each doubling, for ASSET on-line and ASSET* on-line (means of "
        "the last ten checkpoints)",
        len(sizes) > 1 and all(later < earlier for errors in means.values() for earlier, later in pairwise(errors)),
        "; ".join(f"{method}: {', '.join(percent(error) for error in errors)}" for method, errors in means.items()),
    )


def _check_faster(records: Records, sizes: list[int]) -> Check:
    leads = {
        size: records.where(method=ASSET_STAR_ON, size=size).mean("error")
        - records.where(method=ASSET_ON, size=size).mean("error")
        for size in sizes
    }
    return Check(
        "ASSET on-line tends to converge faster than ASSET* on-line: its mean error over all checkpoints is smaller "
        "with every number of features",
        bool(sizes) and all(value > 0 for value in leads.values()),
        "difference in points: " + ", ".join(f"{size}: {value:+.2f}" for size, value in leads.items()),
    )


def _check_linear(records: Records, sizes: list[int]) -> Check:
    first, last = min(sizes, default=SIZES[0]), max(sizes, default=SIZES[-1])
    ratio = training_seconds(records, ASSET_ON, last) / training_seconds(records, ASSET_ON, first)
    paper = PAPER[last]["train"] / PAPER[first]["train"]
    return Check(
        f"The training time grows with the number of features: {last // first} times as many features take "
        f"{paper:.1f} times as long (within a third)",
        2 / 3 <= ratio / paper <= 4 / 3,
        multiple(ratio),
    )


def _check_lasvm(records: Records, sizes: list[int]) -> Check:
    last = max(sizes, default=SIZES[-1])
    error, approximate = (final_errors(records, *model).mean() for model in ((LASVM, 0), (ASSET_ON, last)))
    ratio = training_seconds(records, LASVM, 0) / training_seconds(records, ASSET_ON, last)
    return Check(
        "LASVM has a better solution than the largest approximate model, but takes longer (14 times in the paper)",
        bool(error < approximate and ratio > 1),
        f"{percent(error)} compared with {percent(approximate)}, in {multiple(ratio)} the time",
    )


def _check_paper(records: Records) -> Check:
    paper = {(method, SIZES[-1]): error for method, error in PAPER_LAST.items()} | {(LASVM, 0): PAPER_LASVM["error"]}
    here = {model: float(final_errors(records, *model)[-1]) for model in paper}
    return Check(
        f"With {SIZES[-1]:,} features ASSET on-line ends with an error of 2.7 %, ASSET* on-line with 3.5 %, LASVM with "
        "0.2 % (within two standard errors of the difference between two test sets)",
        all(is_paper_error(here[model], error) for model, error in paper.items()),
        "; ".join(f"{model[0]}: {percent(here[model])} ({percent(error, 1)})" for model, error in paper.items()),
    )


def _draw(records: Records, figure: Figure) -> None:
    panels = figure.subplots(1, 2, sharey=True)
    for axes, method in zip(panels, (ASSET_ON, ASSET_STAR_ON), strict=True):
        _panel(records, method, axes)
    panels[0].set_ylim(0, 1.05 * max(records.values("error"), default=1.0))
    seconds = records.values("seconds")
    for axes in panels:
        axes.set_xlim(min(seconds, default=1.0) / 1.5, 1.5 * max(seconds, default=1.0))


def _panel(records: Records, method: str, axes: Axes) -> None:
    lasvm = records.where(method=LASVM)
    if len(lasvm):
        axes.plot(lasvm.values("seconds"), lasvm.values("error"), color=BLACK, linewidth=1, label=LASVM)
    for colour, size in zip(COLOURS, SIZES, strict=False):
        run = records.where(method=method, size=size)
        if len(run):
            axes.plot(run.values("seconds"), run.values("error"), color=colour, label=f"d = {size}")
            axes.axvline(run.values("seconds")[-1], color=colour, linewidth=0.8, linestyle=":")
    axes.set_xscale("log")
    style_axes(axes, method, "CPU seconds of training", "test error, %")


EXPERIMENT = Experiment(
    title="One pass over a stream of deformed digits",
    claim="On a million digits (MNIST-E) ASSET on-line tends to converge faster than ASSET* on-line and has fewer "
    "errors; with 16,384 features they take 7.2 hours to 2.7 % and 3.5 %. LASVM comes to 0.2 %, but takes 4.3 days.",
    setting=f"{N_EXAMPLES:,} deformed digits of `hinge.datasets.load('mnist-e')`, 0-4 against 5-9, in chunks of 1,000, "
    "C = 100, gamma = 0.01, one run; ApproximateSVC with Fourier features and steps='asset', lambda = 1 / (C n) for "
    "all n examples of the stream, averages over about the last 100 steps; OnlineSVC for LASVM, on the same stream. "
    f"Errors are on {N_TEST:,} other deformations of the same digits.",
    changes=CHANGES,
    quick="12,000 examples, three numbers of features.",
    measurement=MEASUREMENT,
    tabulate=_tabulate,
    check=_check,
    draw=_draw,
    size=(10.0, 4.5),
    explanation="Errors are about one and a half times those of the paper with every number of features, and this "
    "claim was not checked at first. The digits come from the published recipe, but the paper says neither which it "
    "took nor how it prepared the pixels; 26.7 % of the pixels of the deformed digits are not zero, 25.6 % of the "
    "paper's. ASSET on-line has an intercept here, in the paper it has none: without it the error with 1,024 features "
    "is 18.17 % instead of 16.50 % (last ten checkpoints), farther from the paper's. LASVM takes 2.4 times as long as "
    "the largest approximate model for a quarter of the digits; its time grows about as the square of their number.",
)
