"""Figure 10: REPROCESS repeated until delta < delta_max, on Banana.

Delta = g_max - g_min is the uncertainty of the threshold b; an example is inserted if y f(x) < 1 + delta / 2 - tau.
With one REPROCESS after each example delta stays large, and many examples are kept that the finishing step then
discards. With many REPROCESS delta becomes small, and examples are rejected that would have been needed later.
"""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

from experiments.experiment import Cell, Check, Experiment, Measurement, Table
from experiments.formatting import change, count, decimal, multiple, percent
from experiments.measure import fit_and_measure, make_libsvm
from experiments.plotting import BLACK, COLOURS, MARKERS, style_axes
from experiments.problems import banana
from hinge import OnlineSVC

if TYPE_CHECKING:
    from collections.abc import Iterator

    from matplotlib.figure import Figure

    from experiments.problems import Problem
    from experiments.records import Record, Records

LIBSVM, UNMODIFIED = "LIBSVM", "one epoch, one REPROCESS"
ONLINE, FINISHED, TWO_EPOCHS = "one epoch", "one epoch, finished", "two epochs, finished"
VARIANTS = {ONLINE: (1, False), FINISHED: (1, True), TWO_EPOCHS: (2, True)}
SWEET_SPOT, SWEET_SPOT_RANGE = 3.0, (2.0, 4.0)  # "There clearly is a sweet spot around delta_max = 3"
_DELTAS = (0.1, 0.2, 0.3, 0.5, 1.0, 2.0, SWEET_SPOT, 4.0, 5.0, 10.0, 30.0, 100.0, 1000.0)
_QUICK_DELTAS = (0.1, 0.5, 2.0, SWEET_SPOT, 5.0, 30.0, 1000.0)
_SEEDS, _QUICK_SEEDS = 10, 2
_TEST_ROWS = 1_300


def _lasvm(problem: Problem, seed: int, epochs: int, finishing: bool, delta: float | None) -> Record:
    model = OnlineSVC(
        C=problem.C,
        gamma=problem.gamma,
        cache_size=40,
        epochs=epochs,
        finishing=finishing,
        max_gap=delta,
        random_state=seed,
        n_jobs=1,
    )
    return fit_and_measure(model, problem)


def _measure(seed: int, delta: float) -> list[Record]:
    problem = banana(seed)
    return [
        {"variant": name, **_lasvm(problem, seed, epochs, finish, delta)} for name, (epochs, finish) in VARIANTS.items()
    ]


def _measure_references(seed: int) -> list[Record]:
    """Measure the methods that do not depend on delta_max."""
    problem = banana(seed)
    return [
        {"variant": UNMODIFIED, **_lasvm(problem, seed, 1, finishing=False, delta=None)},
        {"variant": LIBSVM, **fit_and_measure(make_libsvm(problem, cache_size=40), problem)},
    ]


def _cells(quick: bool) -> Iterator[Cell]:
    for seed in range(_QUICK_SEEDS if quick else _SEEDS):
        yield Cell({"seed": seed, "delta": "any"}, partial(_measure_references, seed))
        for delta in _QUICK_DELTAS if quick else _DELTAS:
            yield Cell({"seed": seed, "delta": delta}, partial(_measure, seed, delta))


def _deltas(records: Records) -> list[float]:
    return sorted(delta for delta in records.unique("delta") if not isinstance(delta, str))


def _value(records: Records, variant: str, column: str, delta: float | None = None) -> float:
    chosen = records.where(variant=variant)
    return (chosen if delta is None else chosen.where(delta=delta)).mean(column)


def _tabulate(records: Records) -> list[Table]:
    base = _value(records, LIBSVM, "seconds")
    columns = ["delta_max"]
    columns += [f"{what}, {name}" for what in ("error", "SVs", "time / LIBSVM") for name in VARIANTS]
    rows = []
    for delta in _deltas(records):
        errors = [percent(_value(records, name, "error", delta)) for name in VARIANTS]
        support = [count(_value(records, name, "support", delta)) for name in VARIANTS]
        seconds = [multiple(_value(records, name, "seconds", delta) / base) for name in VARIANTS]
        rows.append([f"{delta:g}", *errors, *support, *seconds])
    exact = percent(_value(records, LIBSVM, "error")), count(_value(records, LIBSVM, "support")), f"{decimal(base)} s"
    rows.append([LIBSVM, exact[0], "", "", exact[1], "", "", exact[2], "", ""])
    return [Table(columns, rows, "The paper has a sweet spot at delta_max = 3; it gives no other numbers")]


def _check(records: Records) -> list[Check]:
    return [
        _check_replicated(records),
        _check_unmodified(records),
        _check_slow(records),
        _check_aggressive(records),
        *_check_sweet_spot(records),
    ]


def _noise(records: Records) -> float:
    """Return the standard error of the mean test error over splits, in points."""
    share = _value(records, LIBSVM, "error") / 100
    rows = _TEST_ROWS * max(len(records.where(variant=LIBSVM)), 1)
    return 100 * math.sqrt(share * (1 - share) / rows)


def _check_replicated(records: Records) -> Check:
    exact = _value(records, LIBSVM, "error")
    differences = [abs(_value(records, TWO_EPOCHS, "error", delta) - exact) for delta in _deltas(records)]
    return Check(
        "Regardless of delta_max, two epochs and the finishing step replicate the test error of the SVM: within "
        f"{decimal(2 * _noise(records))} points, two standard errors of the mean over these splits",
        bool(differences) and all(difference <= 2 * _noise(records) for difference in differences),
        f"at most {decimal(max(differences, default=math.nan))} points away",
    )


def _check_unmodified(records: Records) -> Check:
    largest = max(_deltas(records), default=math.nan)
    support = _value(records, ONLINE, "support", largest) / _value(records, UNMODIFIED, "support")
    return Check(
        "Large values of delta_max correspond to the unmodified algorithm: the same support vectors, within 1 %",
        abs(support - 1) <= 0.01,
        change(support - 1),
    )


def _check_slow(records: Records) -> Check:
    deltas = _deltas(records) or [math.nan]
    growth = _value(records, ONLINE, "seconds", deltas[0]) / _value(records, ONLINE, "seconds", deltas[-1])
    return Check(
        "Small values considerably increase the computation time: at least threefold, from the largest value to the "
        "smallest",
        growth >= 3,
        multiple(growth),
    )


def _check_aggressive(records: Records) -> Check:
    smallest = min(_deltas(records), default=math.nan)
    above = _value(records, FINISHED, "error", smallest) - _value(records, LIBSVM, "error")
    support = _value(records, FINISHED, "support", smallest) / _value(records, LIBSVM, "support")
    return Check(
        "Small values discard support vectors too aggressively for a competitive result after one epoch and the "
        f"finishing step: at {smallest:g} at least one point of error more than the SVM, and fewer support vectors",
        above >= 1 and support < 1,
        f"{decimal(above)} points, {change(support - 1)} support vectors",
    )


def _check_sweet_spot(records: Records) -> list[Check]:
    """Check where one epoch alone has its lowest error, and where one epoch with finishing is fastest."""
    deltas, exact = _deltas(records), _value(records, LIBSVM, "error")
    best = min(deltas, key=lambda delta: _value(records, ONLINE, "error", delta), default=math.nan)
    fastest = min(deltas, key=lambda delta: _value(records, FINISHED, "seconds", delta), default=math.nan)
    above, at_three, plain = (
        _value(records, ONLINE, "error", delta) - exact for delta in (best, SWEET_SPOT, max(deltas, default=math.nan))
    )
    extra, plain_extra = (_finishing(records, delta) for delta in (SWEET_SPOT, max(deltas, default=math.nan)))
    allowed = 2 * _noise(records) * math.sqrt(max(len(records.where(variant=LIBSVM)), 1))
    return [
        Check(
            f"There is a sweet spot around delta_max = 3 (from {SWEET_SPOT_RANGE[0]:g} to {SWEET_SPOT_RANGE[1]:g}): "
            "there one epoch alone has its lowest error, and one epoch with the finishing step its shortest time",
            SWEET_SPOT_RANGE[0] <= best <= SWEET_SPOT_RANGE[1]
            and SWEET_SPOT_RANGE[0] <= fastest <= SWEET_SPOT_RANGE[1],
            f"lowest error at {best:g}, {decimal(above)} points above the SVM; shortest time at {fastest:g}",
        ),
        Check(
            f"At delta_max = 3 one epoch alone almost matches the SVM: within {decimal(allowed)} points, two standard "
            "errors of a single test error",
            at_three <= allowed,
            f"{decimal(at_three)} points above it; {decimal(plain)} without repeated REPROCESS",
        ),
        Check(
            "delta_max = 3 makes the finishing step very fast: at most half as long as the online steps, and half "
            "of what it takes after the unmodified ones at most",
            extra <= 0.5 and extra <= plain_extra / 2,
            f"{change(extra)} of their time instead of {change(plain_extra)}",
        ),
    ]


def _finishing(records: Records, delta: float) -> float:
    return _value(records, FINISHED, "seconds", delta) / _value(records, ONLINE, "seconds", delta) - 1


def _draw(records: Records, figure: Figure) -> None:
    columns = {"error": "test error, %", "seconds": "training time, s", "support": "support vectors"}
    for axes, (column, up) in zip(figure.subplots(1, 3), columns.items(), strict=True):
        deltas = _deltas(records)
        for number, name in enumerate(VARIANTS):
            values = [_value(records, name, column, delta) for delta in deltas]
            axes.plot(deltas, values, f"{MARKERS[number]}-", color=COLOURS[number], label=name, markersize=4)
        if deltas:  # a logarithmic scale needs data
            exact = _value(records, LIBSVM, column)
            axes.plot([deltas[0] / 2.5], [exact], "<", color=BLACK, markersize=11, label=LIBSVM)
            axes.set_xscale("log")
            axes.invert_xaxis()
            axes.set_yscale("log" if column == "seconds" else "linear")
        style_axes(axes, "", "delta_max", up, legend=column == "error")


EXPERIMENT = Experiment(
    title="Repeated REPROCESS on Banana",
    claim="Two epochs and finishing replicate the SVM for any delta_max. Small values cost much time and degrade one "
    "epoch with finishing, because support vectors are discarded too aggressively. 'There clearly is a "
    "sweet spot around delta_max = 3 when one epoch of online iterations alone almost match the SVM performance and "
    "also makes the finishing step very fast.'",
    setting="Ten random splits of 4,000 + 1,300 rows, C = 316, gamma = 0.5, cache 40 MB; means over the splits.",
    quick="Two splits and seven values of delta_max.",
    explanation="On these splits the number of support vectors falls sharply between delta_max = 4 and 3, and one "
    "epoch alone is best at 2. At exactly 3 it has 40 % more support vectors than the SVM on every split, and its "
    "mean error is 2.6 points above the SVM's. The paper's split is not known.",
    measurement=Measurement("delta", _cells),
    tabulate=_tabulate,
    check=_check,
    draw=_draw,
    size=(12.0, 4.0),
)
