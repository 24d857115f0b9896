"""Figure 11: example selection on Adult, test error by the number of labels and by time.

The paper splits Adult 65 times at random and learns examples in the order of four criteria. At checkpoints a copy of
the model is finished and measured. With some of the labels, ACTIVE and AUTOACTIVE have a smaller error than LIBSVM,
which later rises back to it; GRADIENT, which uses labels, collects outliers.

All criteria are options of one pass of `fit`, which computes the kernel values of coming examples or candidates in
blocks, so that their times can be compared.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from experiments.experiment import Check, Experiment, Table
from experiments.formatting import MISSING, count, decimal, millions, multiple, percent, signed
from experiments.lasvm.selection import (
    ACTIVE,
    AUTOACTIVE,
    EXACT,
    GRADIENT,
    LIBSVM,
    RANDOM,
    draw_curves,
    draw_level,
)
from experiments.lasvm.selection_adult import (
    CRITERIA,
    MEANINGFUL_POINTS,
    MEASUREMENT,
    excess,
    first_at_libsvm_error,
    last_checkpoint,
    noise,
)
from experiments.plotting import style_axes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from experiments.records import Records

PAPER_SHARE = 1 / 15  # time until AUTOACTIVE has the accuracy of LIBSVM / time of a RANDOM epoch (section 4.4)
_TIME_TOLERANCE = 2.0  # tolerance of ratios of times: the relative cost of a kernel value depends on the machine


def _share(records: Records) -> float:
    """Return the time of AUTOACTIVE until it has the accuracy of LIBSVM, divided by that of an epoch of RANDOM."""
    return first_at_libsvm_error(records, AUTOACTIVE).mean("seconds") / last_checkpoint(records, RANDOM).mean("seconds")


def _tabulate(records: Records) -> list[Table]:
    return [_summary(records), _by_checkpoint(records)]


def _summary(records: Records) -> Table:
    reference = records.where(method=LIBSVM).mean("seconds")
    epoch = last_checkpoint(records, RANDOM).mean("seconds")
    exact = records.where(method=EXACT)
    rows = [
        [LIBSVM, "", "", "", percent(exact.mean("error")), MISSING, multiple(1.0), multiple(reference / epoch)],
    ]
    for criterion in CRITERIA:
        there, lowest = (
            first_at_libsvm_error(records, criterion),
            min((above for _, above in excess(records, criterion)), default=math.nan),
        )
        seconds = there.mean("seconds")
        rows.append(
            [
                criterion,
                count(there.mean("labels")),
                f"{PAPER_SHARE:.2f} x RANDOM epoch" if criterion == AUTOACTIVE else "",
                signed(lowest),
                percent(last_checkpoint(records, criterion).mean("error")),
                millions(there.mean("kernel_evals")),
                multiple(seconds / reference),
                multiple(seconds / epoch),
            ]
        )
    return Table(
        (
            "criterion",
            "labels until LIBSVM's error",
            "time until then, paper",
            "lowest error - LIBSVM's",
            "error at the end",
            "kernel values until then",
            "time / LIBSVM",
            "time / RANDOM epoch",
        ),
        rows,
    )


def _by_checkpoint(records: Records) -> Table:
    curves = {criterion: dict(excess(records, criterion)) for criterion in CRITERIA}
    checkpoints = sorted({labels for curve in curves.values() for labels in curve})
    rows = [[count(n), *(signed(curves[criterion].get(n, math.nan)) for criterion in CRITERIA)] for n in checkpoints]
    return Table(
        ("labels", *CRITERIA), rows, "Mean difference to the test error of LIBSVM on the same split, in points"
    )


def _check(records: Records) -> list[Check]:
    return [
        _check_poor(records),
        _check_bounded(records),
        *(_check_below(records, name) for name in (ACTIVE, AUTOACTIVE)),
        _check_early(records),
    ]


def _check_poor(records: Records) -> Check:
    gradient, random = dict(excess(records, GRADIENT)), dict(excess(records, RANDOM))
    both = [labels for labels in gradient if labels in random]
    holds = bool(both) and all(gradient[n] > random[n] for n in both)
    lowest = min(gradient.values(), default=math.nan)
    return Check(
        f"GRADIENT performs very poorly: worse than RANDOM after any number of labels, and never within "
        f"{noise(records):.2f} points of LIBSVM",
        holds and lowest > noise(records),
        f"at best {signed(lowest)} points compared with LIBSVM, RANDOM with as many labels at best "
        f"{signed(min((random[n] for n in both), default=math.nan))}",
    )


def _check_bounded(records: Records) -> Check:
    end = last_checkpoint(records, GRADIENT)
    share = end.mean("bounded") * end.mean("support") / end.mean("labels")
    return Check(
        "Most of the examples that GRADIENT selects become support vectors with a coefficient at C (more than half)",
        share > 50,
        f"{decimal(share, 0)} % of them",
    )


def _check_below(records: Records, criterion: str) -> Check:
    curve = excess(records, criterion)
    labels, lowest = min(curve, key=lambda pair: pair[1], default=(0, math.nan))
    end = curve[-1][1] if curve else math.nan
    return Check(
        f"{criterion} reaches a smaller error than LIBSVM, by {MEANINGFUL_POINTS} points, which the paper calls "
        f"meaningful, then returns to it (at the end higher than at its lowest, and within {noise(records):.2f} points "
        "of LIBSVM)",
        lowest <= -MEANINGFUL_POINTS and lowest < end and abs(end) <= noise(records),
        f"{signed(lowest)} points after {labels:,} labels, {signed(end)} at the end",
    )


def _check_early(records: Records) -> Check:
    share = _share(records)
    return Check(
        f"AUTOACTIVE has the accuracy of LIBSVM after about a fifteenth of the time of a RANDOM epoch "
        f"(within a factor of {_TIME_TOLERANCE:g})",
        PAPER_SHARE / _TIME_TOLERANCE <= share <= PAPER_SHARE * _TIME_TOLERANCE,
        f"{MISSING if math.isnan(share) else f'1 / {1 / share:.1f}'}",
    )


def _draw(records: Records, figure: Figure) -> None:
    panels = (("labels", "labels learned"), ("seconds", "CPU seconds, with one finishing step"))
    for axes, (column, name) in zip(figure.subplots(1, 2, sharey=True), panels, strict=True):
        draw_curves(axes, records, CRITERIA, column)
        draw_level(axes, records.where(method=EXACT).mean("error"))
        if column == "seconds":
            axes.set_xscale("log")
        axes.set_ylim(14.5, 20.0)
        style_axes(axes, "Adult", name, "test error, %")


EXPERIMENT = Experiment(
    title="Example selection on Adult: error by labels and by time",
    claim="ACTIVE and AUTOACTIVE both reach smaller test errors than LIBSVM and then return to it; AUTOACTIVE has the "
    "accuracy of LIBSVM after a fifteenth of the time of a full RANDOM epoch; GRADIENT performs very poorly.",
    setting="C = 100, gamma = 0.005. 5 random splits of all of Adult (paper: 65); OnlineSVC(selection=..., "
    "when_confident='draw') with up to 16,000 labels (RANDOM: all, GRADIENT: 6,000). LIBSVM is timed "
    "on one split; on the others OnlineSVC(epochs='converge') finds its solution.",
    quick="One split of 6,000 + 4,000 rows, up to 2,000 labels: too few to distinguish the criteria reliably.",
    explanation="At first ACTIVE was measured up to 10,000 labels, where it was still 0.15 points below LIBSVM and "
    "had not returned; it is now measured up to 16,000, and so is AUTOACTIVE.",
    changes="5 random splits instead of 65; 'about one fifteenth' of the time is read as within a factor of 2.",
    measurement=MEASUREMENT,
    tabulate=_tabulate,
    check=_check,
    draw=_draw,
    size=(11.0, 4.5),
)
