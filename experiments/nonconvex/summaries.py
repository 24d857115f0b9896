"""Questions that the tables and figures ask of the passes, and how they print and draw the answers."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from experiments.experiment import Check, Table
from experiments.formatting import multiple
from experiments.nonconvex.datasets import NAMES, RAMP
from experiments.nonconvex.paper_numbers import ACCURACY, SECONDS, printed
from experiments.nonconvex.passes import END, LEFT_OUT, LIBSVM, METHODS, NO_RAMP, STREAMING, WITH_RAMP
from experiments.plotting import COLOURS, plot_comparison, style_axes

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from matplotlib.figure import Figure

    from experiments.records import Records

QUICK = "One seed; 6 000 rows of Adult and of Mnist, so that their errors and counts are those of smaller sets."
SETTING = (
    "One pass over the rows in random order, with s = -1, the paper's C and gamma (C = 1000 for USPS, as in the "
    "LASVM paper; the printed 1 does not give LIBSVM's numbers), and the library's defaults where the paper gives "
    "nothing: CLEAN every 256 examples, 200 idle ones kept, ramp loss after 100 support vectors. Means of 10 runs on "
    "Banana, 5 on Reuters and USPS, 2 on Adult and 1 on Mnist (the paper: 10). Banana and USPS are new random splits "
    "in every run. LASVM's last look is after its finishing step. All have one thread and 2000 MB for kernel values. "
    "FULL SVM on Mnist was broken off after twelve CPU minutes and is left out: what is said of every set and "
    "FULL SVM is asked of the other five."
)
COLOUR = dict(zip(METHODS, COLOURS, strict=False))


def runs(records: Records, data: str, method: str) -> Records:
    """Return the passes of a method over a set, all checkpoints, with the paper's s."""
    return records.where(data=data, method=method, ramp=RAMP if method in WITH_RAMP else NO_RAMP)


def ours(records: Records, data: str, method: str, column: str) -> float:
    """Return what a method comes to at the end of a pass, the mean of the runs."""
    return runs(records, data, method).where(stage=END).mean(column)


def accuracy(records: Records, data: str, method: str) -> float:
    """Return the per cent of test rows that are right."""
    return 100 - ours(records, data, method, "error")


def of_libsvm(records: Records, data: str, method: str) -> float:
    """Return training time as a share of LIBSVM's."""
    return ours(records, data, method, "seconds") / ours(records, data, LIBSVM, "seconds")


def printed_of_libsvm(data: str, method: str) -> float:
    """Return the same from the paper."""
    return printed(SECONDS, method, data) / printed(SECONDS, LIBSVM, data)


def noise(records: Records, data: str) -> float:
    """Return the standard error of an accuracy, in points, by the size of the test set."""
    right = printed(ACCURACY, LIBSVM, data)
    return math.sqrt(right * (100 - right) / _whole(records, data, "test_rows"))


def positive_noise(records: Records, data: str, rate: float) -> float:
    """Return the standard error of a rate among positive test rows, in points."""
    return math.sqrt(rate * (100 - rate) / _whole(records, data, "positive"))


def verdict(claim: str, cases: Mapping[str, tuple[bool, str]]) -> Check:
    """Return a claim about several cases; what is seen are those that fail, or else all of them.

    Cases that need what was left out are not asked for.
    """
    asked = {name: case for name, case in cases.items() if not all(word in name for word in LEFT_OUT)}
    failed = {name: seen for name, (holds, seen) in asked.items() if not holds}
    shown = failed or {name: seen for name, (_, seen) in asked.items()}
    return Check(claim, bool(asked) and not failed, ", ".join(f"{name} {seen}" for name, seen in shown.items()))


def side_by_side(title: str, methods: Sequence[str], cell: Callable[[str, str], str]) -> Table:
    """Return a table with a line for each method and a column for each set."""
    return Table(["", *NAMES], [[method, *(cell(data, method) for data in NAMES)] for method in methods], title)


def time_table(records: Records, methods: Sequence[str]) -> Table:
    """Return training times as shares of LIBSVM's, the paper's in brackets."""
    return side_by_side(
        "Training time / LIBSVM's; in brackets the paper's",
        methods,
        lambda data, method: (
            f"{multiple(of_libsvm(records, data, method))} ({multiple(printed_of_libsvm(data, method))})"
        ),
    )


def draw_table(
    figure: Figure,
    methods: Sequence[str],
    measures: Sequence[tuple[str, bool, Callable[[str, str], float], Callable[[str, str], float]]],
) -> None:
    """Draw tables, a column of panels for each set.

    Parameters
    ----------
    figure : Figure
        Where.
    methods : sequence of str
        The lines of each panel.
    measures : sequence
        For each row of panels: its name, whether it is logarithmic, and the paper's and our numbers by set and method.
    """
    places = figure.subplots(len(measures), len(NAMES), sharey=True)
    for row, (name, log, paper, here) in enumerate(measures):
        for place, data in zip(places[row], NAMES, strict=True):
            series = {"paper": [paper(data, m) for m in methods], "here": [here(data, m) for m in methods]}
            draw_panel(place, methods, series, log=log)
            style_axes(place, data if row == 0 else "", name, "", legend=row == 0 and data == NAMES[0])


def draw_panel(place: Any, methods: Sequence[str], series: dict[str, list[float]], *, log: bool) -> None:
    """Draw the paper's numbers and ours, a line for each method; logarithmic ones over whole decades."""
    plot_comparison(place, methods, series, log=log)
    place.set_ylim(len(methods) - 0.5, -0.5)  # of shared axes, every second inversion would undo the one before
    if log:
        lowest, highest = place.get_xlim()
        place.set_xlim(0.8 * 10 ** math.floor(math.log10(lowest)), 1.25 * 10 ** math.ceil(math.log10(highest)))


def draw_growth(
    records: Records, figure: Figure, column: str, up: str, *, unit: float = 1.0, line: bool = False
) -> None:
    """Draw a measure against the number of training rows, a panel for each set; a line where LIBSVM ends up."""
    places = figure.subplots(2, 3)
    for place, data in zip(places.flat, NAMES, strict=True):
        for method in STREAMING:
            seen, means = runs(records, data, method).curve("seen", column)
            place.plot(seen, means / unit, color=COLOUR[method], label=method, linewidth=1.4)
        level = ours(records, data, LIBSVM, column) / unit if line else math.nan
        if not math.isnan(level):
            place.axhline(level, color=COLOUR[LIBSVM], linestyle=":", label=LIBSVM)
        style_axes(place, data, "training rows", up, legend=data == NAMES[0])


def fewer(records: Records, data: Sequence[str], pairs: Sequence[tuple[str, str]], column: str) -> dict[str, Any]:
    """Return cases for `verdict`: the first method of each pair has less of a thing at the end than the second."""
    cases = {}
    for name in data:
        for one, other in pairs:
            less, more = (ours(records, name, method, column) for method in (one, other))
            cases[f"{name}, {one} / {other}:"] = (less < more, multiple(less / more))
    return cases


def _whole(records: Records, data: str, column: str) -> float:
    return records.where(data=data, stage=END).mean(column)
