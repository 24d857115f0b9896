"""Figure 1: test error by the dimension of the approximation.

The paper draws one panel per batch task, with s from 2 to 1024: landmarks of the Nystroem map (ASSET, CPNY), bases
(CPSP) or Fourier features (ASSET on-line), and the error of SVM-Light as a line. The numbers of the figure are not in
the text; its end points are the errors of table 2.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING

from experiments.asset.batch import ASSET, ASSET_STAR, LARGE, MEASUREMENT, ONLINE, SIZES, after_most_passes, exact_error
from experiments.asset.paper_numbers import (
    ERRORS,
    ERRORS_EXPLANATION,
    N_TEST,
    check_errors,
    standard_error,
)
from experiments.asset.tasks import BATCH, ROWS, TASKS
from experiments.experiment import Check, Experiment, Table
from experiments.formatting import percent
from experiments.plotting import BLACK, COLOURS, style_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from experiments.records import Records

SMALL_SIZE = 64  # the s that the checks call small
MAX_EXCESS = 0.5  # points above the exact error that are good
OTHER_TASKS = tuple(name for name in BATCH if name != "adult")
LINE_STYLES = {ASSET: "o-", ONLINE: "s--"}


def _error(records: Records, data: str, method: str, size: int) -> float:
    return after_most_passes(records, data, method, size).mean("error")


def _tabulate(records: Records) -> list[Table]:
    rows = []
    for data in BATCH:
        for method in (ASSET, ONLINE):
            errors = [percent(_error(records, data, method, size)) for size in SIZES]
            rows.append((TASKS[data].title, method, *errors, percent(exact_error(records, data))))
        paper = [percent(ERRORS[data, size][ASSET]) if size in LARGE else "" for size in SIZES]
        rows.append((TASKS[data].title, "paper, ASSET", *paper, percent(ERRORS[data, 512]["LIBSVM"])))
    columns = ("task", "method", *(f"s = {size}" for size in SIZES), "exact")
    return [Table(columns, rows, "Test error by the dimension s, and without approximation")]


def _check(records: Records) -> list[Check]:
    return [
        check_errors(records, ASSET, "ASSET has the paper's errors at s = 512 and 1024"),
        _check_small(records),
        _check_falls(records),
        _check_online(records),
        _check_exact(records),
        _check_similar(records),
    ]


def _check_small(records: Records) -> Check:
    """Check that few dimensions are enough where the kernel is wide."""
    beyond = {data: _error(records, data, ASSET, SMALL_SIZE) - exact_error(records, data) for data in BATCH}
    holds = beyond["adult"] <= MAX_EXCESS and all(beyond[data] > MAX_EXCESS for data in OTHER_TASKS)
    seen = ", ".join(f"{TASKS[data].title} {value:+.2f}" for data, value in beyond.items())
    return Check(
        f"On ADULT, whose kernel is wide, a small s is enough: with {SMALL_SIZE} landmarks ASSET is at most "
        f"{MAX_EXCESS} points above the exact error, and on no other task",
        holds,
        f"points above the exact error: {seen}",
    )


def _check_falls(records: Records) -> Check:
    sizes = [size for size in SIZES if size >= SMALL_SIZE]
    falls = {}
    for data in OTHER_TASKS:
        errors = [_error(records, data, ASSET, size) for size in sizes]
        falls[data] = all(later < earlier for earlier, later in pairwise(errors))
    seen = ", ".join(f"{TASKS[data].title} {'yes' if fell else 'no'}" for data, fell in falls.items())
    return Check(
        f"On the other tasks the error keeps falling with s, at each doubling from {SMALL_SIZE} to 1024",
        all(falls.values()),
        f"ASSET falls each time: {seen}",
    )


def _check_online(records: Records) -> Check:
    sizes = [size for size in SIZES if size >= 16]
    beyond = {
        data: sum(_error(records, data, ONLINE, size) - _error(records, data, ASSET, size) for size in sizes)
        / len(sizes)
        for data in BATCH
    }
    others = [value for data, value in beyond.items() if data != "ccat"]
    holds = all(value > 0 for value in beyond.values()) and all(value < beyond["ccat"] for value in others)
    seen = ", ".join(f"{TASKS[data].title} {value:+.2f}" for data, value in beyond.items())
    return Check(
        "For a given dimension ASSET on-line is worse than ASSET (mean over s from 16 to 1024), most of all on CCAT",
        holds,
        f"points above ASSET: {seen}",
    )


def _check_exact(records: Records) -> Check:
    """Check that no approximation of these sizes beats the exact SVM, and that COVTYPE loses most."""
    beyond = {data: _error(records, data, ASSET, 1024) - exact_error(records, data) for data in BATCH}
    noise = standard_error(ERRORS["adult", 1024]["LIBSVM"], N_TEST["adult"][1])
    holds = (
        abs(beyond["adult"]) <= 2 * noise and all(beyond[data] > 0 for data in OTHER_TASKS) and beyond["covtype"] > 1
    )
    seen = ", ".join(f"{TASKS[data].title} {value:+.2f}" for data, value in beyond.items())
    return Check(
        "The approximations approach the exact SVM: with s = 1024 they reach it on ADULT (within two standard errors "
        f"of the test error, {2 * noise:.2f}) and on no other task, and on COVTYPE they are still more than one point "
        "worse",
        holds,
        f"points above the exact error: {seen}",
    )


def _check_similar(records: Records) -> Check:
    holds, observed = True, []
    for data in BATCH:
        for size in LARGE:
            plain, star = (_error(records, data, method, size) for method in (ASSET, ASSET_STAR))
            noise = standard_error(plain, N_TEST.get(data, (0, 13_212))[1])
            holds &= abs(plain - star) <= 2 * noise
            observed.append(f"{TASKS[data].title} {size}: {star - plain:+.2f} (± {2 * noise:.2f})")
    return Check(
        "ASSET and ASSET* yield very similar results (within two standard errors of the test error)",
        holds,
        "; ".join(observed),
    )


def _draw(records: Records, figure: Figure) -> None:
    panels: list[Axes] = list(figure.subplots(2, 3).flat)
    for data, axes in zip(BATCH, panels, strict=False):
        _panel(records, data, axes)
    handles, labels = panels[0].get_legend_handles_labels()
    if handles:
        panels[-1].legend(handles, labels, frameon=False, loc="center")
    panels[-1].axis("off")


def _panel(records: Records, data: str, axes: Axes) -> None:
    for colour, (method, line) in zip(COLOURS, LINE_STYLES.items(), strict=False):
        errors = [_error(records, data, method, size) for size in SIZES]
        axes.plot(SIZES, errors, line, color=colour, markersize=4, label=method)
    paper = [ERRORS[data, size][ASSET] for size in LARGE]
    axes.plot(LARGE, paper, "o", markersize=9, color=COLOURS[0], markerfacecolor="none", label="paper: ASSET")
    if not math.isnan(error := exact_error(records, data)):
        axes.axhline(error, color=BLACK, linewidth=1, label="exact (LASVM)")
    paper_error = ERRORS[data, 512]["LIBSVM"]
    axes.axhline(paper_error, color=BLACK, linewidth=1, linestyle=":", label="paper: SVM-Light")
    axes.set_xscale("log", base=2)
    axes.set_ylim(bottom=0)
    style_axes(axes, TASKS[data].title, "s", "test error, %", legend=False)


EXPERIMENT = Experiment(
    title="Test error by the dimension of the approximation",
    claim="With a wide kernel (ADULT) all approximations do well with few dimensions. On the other tasks the error "
    "keeps falling as s grows to 1024, towards that of the exact SVM; COVTYPE stays far from it. Fourier features "
    "(ASSET on-line) need more dimensions than Nystroem, most of all on CCAT. ASSET and ASSET* are very similar.",
    setting="ApproximateSVC(steps='asset') with both maps and C and gamma of table 1; 30 passes (IJCNN with 512 and "
    "1024 landmarks: 100, COVTYPE: 10) with an average over the last half, instead of 1000 passes with an average over "
    "the last 100 steps; one or two seeds instead of 50. ASSET has an intercept here; ASSET* and the paper's runs have "
    "none. Directions with eigenvalues below the precision of the rows are omitted. The exact error is that of LASVM "
    "(OnlineSVC, one pass and finishing), on 100,000 rows of COVTYPE. CPSP and CPNY are not available. " + ROWS,
    quick="3,000 training and 2,000 test rows of each task, one seed: errors are higher than the paper's.",
    changes="10 to 100 passes instead of 1000, one or two seeds instead of 50, ASSET with an intercept, another sample "
    "of CCAT; CPSP and CPNY are not available.",
    measurement=MEASUREMENT,
    tabulate=_tabulate,
    check=_check,
    draw=_draw,
    size=(11.0, 6.5),
    explanation="On COVTYPE alone ASSET on-line is not worse at every s: with 512 and 1024 features it is a few "
    "tenths of a point better. " + ERRORS_EXPLANATION,
)
