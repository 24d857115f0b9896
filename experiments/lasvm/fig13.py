"""Figure 13: example selection on MNIST, 8 against the rest, clean labels.

On clean data GRADIENT can trust the labels: it does as well as ACTIVE, and both reach an error in about the time of
RANDOM, with fewer labels.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from experiments.experiment import Check, Experiment, Table
from experiments.formatting import MISSING, count, decimal, millions, multiple, percent
from experiments.lasvm.selection import ACTIVE, GRADIENT, LIBSVM, RANDOM
from experiments.lasvm.selection_mnist import (
    CLEAN,
    CRITERIA,
    MEASUREMENT,
    draw_errors,
    exact_solution,
    last_checkpoint,
    mean_errors,
    tolerance,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from experiments.records import Records

_MIN_LABELS = 1_000  # the curves are compared from here on
_MAX_TIME_RATIO = 3.0  # "about as much" time: ratio in either direction


def _target_error(records: Records) -> float:
    """Return the error of LIBSVM plus the tolerance."""
    return exact_solution(records, CLEAN).mean("error") + tolerance(records)


def _reached(records: Records, criterion: str) -> Records:
    """Return the records of the first checkpoint with the error of LIBSVM."""
    target = _target_error(records)
    labels = next((n for n, error in mean_errors(records, CLEAN, criterion).items() if error <= target), -1)
    return records.where(noise=CLEAN, method=criterion, labels=labels)


def _tabulate(records: Records) -> list[Table]:
    reference = exact_solution(records, CLEAN).mean("seconds")
    rows = []
    for criterion in CRITERIA:
        there, end = _reached(records, criterion), last_checkpoint(records, CLEAN, criterion)
        reached = [count(there.mean("labels")), millions(there.mean("kernel_evals"))]
        final = [count(end.mean("labels")), percent(end.mean("error")), count(end.mean("support"))]
        rows.append([criterion, *reached, multiple(there.mean("seconds") / reference), *final])
    exact = records.where(noise=CLEAN, method=LIBSVM)
    final = ["all", percent(exact.mean("error")), count(exact.mean("support"))]
    rows.append([LIBSVM, "all", MISSING, multiple(1.0), *final])
    until = f"until the error is at most {percent(_target_error(records))}"
    columns = (f"labels {until}", "kernel values", "time / LIBSVM", "labels at the end", "error", "SVs")
    return [Table(("criterion", *columns), rows)]


def _check(records: Records) -> list[Check]:
    return [_check_similar(records), *(_check_time(records, criterion) for criterion in (GRADIENT, ACTIVE))]


def _check_similar(records: Records) -> Check:
    gradient, active = (mean_errors(records, CLEAN, criterion, _MIN_LABELS) for criterion in (GRADIENT, ACTIVE))
    gaps = [abs(gradient[n] - active[n]) for n in gradient if n in active]
    return Check(
        f"GRADIENT and ACTIVE perform similarly: from {_MIN_LABELS:,} labels on within "
        f"{decimal(tolerance(records))} points of each other (two standard errors of the difference of test errors)",
        bool(gaps) and max(gaps) <= tolerance(records),
        f"at most {decimal(max(gaps, default=math.nan))} points apart",
    )


def _check_time(records: Records, criterion: str) -> Check:
    ours, random = _reached(records, criterion), _reached(records, RANDOM)
    ratio, kernel_ratio = (ours.mean(column) / random.mean(column) for column in ("seconds", "kernel_evals"))
    return Check(
        f"{criterion} takes about as much time as RANDOM to achieve a similar test error, LIBSVM's within "
        f"{decimal(tolerance(records))} points (within a factor of {_MAX_TIME_RATIO:g})",
        1 / _MAX_TIME_RATIO <= ratio <= _MAX_TIME_RATIO,
        f"{multiple(ratio)}, with {multiple(kernel_ratio)} the kernel values",
    )


def _draw(records: Records, figure: Figure) -> None:
    draw_errors(figure.subplots(), records, CLEAN, "MNIST, 8 against the rest")


EXPERIMENT = Experiment(
    title="Example selection on MNIST, clean labels",
    claim="GRADIENT and ACTIVE perform similarly on this relatively clean data set. They require about as much "
    "computing time as RANDOM to achieve a similar test error.",
    setting="C = 1000, gamma = 0.02 on pixels / 255, the standard split; 2 runs of GRADIENT and ACTIVE (paper: 5), one "
    "run of RANDOM, by OnlineSVC(selection=..., when_confident='draw').",
    explanation="An earlier version learned one example at a time by code of its own; there both criteria were several "
    "times as fast as RANDOM, whose kernel values were not computed in blocks.",
    quick="6,000 + 4,000 rows, one run, up to 1,500 labels.",
    changes="2 runs of GRADIENT and ACTIVE and one of RANDOM, instead of 5; 'about as much' time is read as within a "
    "factor of 3.",
    measurement=MEASUREMENT,
    tabulate=_tabulate,
    check=_check,
    draw=_draw,
)
