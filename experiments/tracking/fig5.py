"""Figure 5: test error of Algorithm 1 on MNIST by the number of examples, with a random and an active teacher."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from experiments.experiment import Check, Experiment, Table
from experiments.formatting import count, percent
from experiments.plotting import BLACK, COLOURS, style_axes
from experiments.tracking.mnist_streams import CHECKPOINTS, MEASUREMENT, STEPS, value_at_error
from experiments.tracking.training_stream import POOL, TEACHERS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from experiments.records import Records

SHOWN = tuple(n for n in CHECKPOINTS if n <= 3_000)
ERROR_TOLERANCE = 0.2  # points of test error: two standard errors at 1 % of 10,000 rows
ERROR_LEVEL = 1.0  # per cent


def curve(records: Records, teacher: str, steps: int) -> Records:
    """Return the records of one teacher and K."""
    return records.where(method=teacher, K=steps)


def tabulate(records: Records) -> list[Table]:
    """Return test errors by the number of examples, and the number of examples until 1 %."""
    columns = ["teacher", "K", *(f"{n:,}" for n in SHOWN), f"examples until {ERROR_LEVEL:.0f} %"]
    rows = []
    for teacher in TEACHERS:
        for steps in STEPS:
            lines = curve(records, teacher, steps)
            errors = [percent(lines.where(n=n).mean("error")) for n in SHOWN]
            rows.append([teacher, f"{steps}", *errors, count(value_at_error(lines, ERROR_LEVEL, "n"))])
    whole = percent(records.where(method="optimum").mean("error"))
    return [Table(columns, rows, f"Test error by the number of examples (optimum on all 60,000: {whole})")]


def errors_of(records: Records, teacher: str, steps: int) -> dict[int, float]:
    """Return the mean test errors of one teacher and K by the number of examples, where both teachers have records."""
    both = [set(curve(records, each, steps).unique("n")) for each in TEACHERS]
    lines = curve(records, teacher, steps)
    return {n: lines.where(n=n).mean("error") for n in SHOWN if n in both[0] & both[1]}


def check(records: Records) -> list[Check]:
    """Check the statements of section 6.2 about the figure."""
    drawn, chosen = ({steps: errors_of(records, teacher, steps) for steps in STEPS} for teacher in TEACHERS)
    optimum = records.where(method="optimum").mean("error")
    return [
        _check_fewer_examples(records),
        _check_lower_error(drawn, chosen),
        *_check_steps(drawn, chosen),
        _check_near_optimum(chosen, optimum),
    ]


def _check_fewer_examples(records: Records) -> Check:
    takes = {
        (teacher, steps): value_at_error(curve(records, teacher, steps), ERROR_LEVEL, "n")
        for teacher in TEACHERS
        for steps in STEPS
    }
    return Check(
        "A good teacher's policy allows to reach good accuracy with less training examples: an error of "
        f"{ERROR_LEVEL:.0f} % takes at most half as many, for both K.",
        all(takes["active", steps] <= 0.5 * takes["random", steps] for steps in STEPS),
        ", ".join(f"K = {k}: {takes['active', k]:,.0f} compared with {takes['random', k]:,.0f}" for k in STEPS),
    )


def _check_lower_error(drawn: dict[int, dict[int, float]], chosen: dict[int, dict[int, float]]) -> Check:
    pairs = [(chosen[steps][n], drawn[steps][n]) for steps in STEPS for n in chosen[steps] if n >= 250]
    return Check(
        "Active selection has the lower test error at every checkpoint from 250 examples on, for both K.",
        bool(pairs) and all(active < random for active, random in pairs),
        f"{sum(active < random for active, random in pairs)} of {len(pairs)} checkpoints",
    )


def _check_steps(drawn: dict[int, dict[int, float]], chosen: dict[int, dict[int, float]]) -> list[Check]:
    few, many = (_mean(chosen[steps]) for steps in STEPS)
    gains = [_mean(drawn[steps]) - _mean(chosen[steps]) for steps in STEPS]
    return [
        Check(
            "K = 100 leads to better generalisation than K = 10 with active selection: its mean test error over all "
            "checkpoints is lower.",
            many < few,
            f"{many:.2f} % compared with {few:.2f} %",
        ),
        Check(
            "The more accurate the incremental algorithm is, the higher the benefits of selection: the mean difference "
            "to a random teacher is larger with K = 100.",
            gains[1] > gains[0],
            f"{gains[1]:.2f} points compared with {gains[0]:.2f}",
        ),
    ]


def _mean(errors: dict[int, float]) -> float:
    return float(np.mean(list(errors.values()))) if errors else float("nan")


def _check_near_optimum(chosen: dict[int, dict[int, float]], optimum: float) -> Check:
    last = {steps: list(errors.items())[-1] if errors else (0, float("nan")) for steps, errors in chosen.items()}
    return Check(
        f"Intermediate solutions soon perform almost as well as the optimal one: within {ERROR_TOLERANCE} points (two "
        "standard errors of a test error of 1 %) after the last examples shown here, at most a twentieth of the set.",
        all(error <= optimum + ERROR_TOLERANCE for _, error in last.values()),
        ", ".join(f"K = {steps}: {error:.2f} % after {n:,}" for steps, (n, error) in last.items())
        + f"; optimum {optimum:.2f} %",
    )


def draw(records: Records, figure: Figure) -> None:
    """Draw test errors by the number of examples, one curve per teacher and K."""
    axes = figure.subplots()
    for teacher, style in zip(TEACHERS, ("--", "-"), strict=True):
        for steps, colour in zip(STEPS, (COLOURS[2], COLOURS[3]), strict=True):
            n, errors = curve(records, teacher, steps).curve("n", "error")
            kept = n <= SHOWN[-1]
            axes.plot(n[kept], errors[kept], style, color=colour, label=f"{teacher}, K = {steps}")
    optimum = records.where(method="optimum").mean("error")
    if optimum > 0:
        axes.axhline(optimum, color=BLACK, linewidth=0.8, linestyle=":", label="optimum on all examples")
    axes.set_ylim(0, 5)
    style_axes(axes, "MNIST, 8 against the rest", "training examples", "test error, %")


EXPERIMENT = Experiment(
    title="Test error for two example selection strategies on MNIST",
    claim="Using a good teacher's policy allows to reach good generalisation with less training examples. The more "
    "accurate the incremental algorithm, the higher the benefits: K = 100 is better than K = 10.",
    setting=f"C = 1000, gamma = 0.02 on pixels / 255 (0.005 on [-1, 1]), Algorithm 1; among {POOL} random unseen "
    "examples the active teacher selects the one with the smallest |f|. Means of ten runs, as in the paper.",
    quick="One run.",
    measurement=MEASUREMENT,
    tabulate=tabulate,
    check=check,
    draw=draw,
)
