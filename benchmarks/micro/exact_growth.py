"""Exact learning row by row: total time compared with one fit of SVC, and growth of the time per example."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from scipy.integrate import trapezoid

from benchmarks.micro import Section
from benchmarks.micro.exact_problems import TIGHT, Problem, eights
from benchmarks.worker import timed

BLOCK = 500
REFITTED = (1, 2, 4, 8, 12, 16, 20)  # blocks


def measure(quick: bool) -> Section:
    """Learn mnist, 8 vs rest, in one call and with one call per row; fit SVC on growing subsets."""
    data = eights(2 * BLOCK if quick else 10_000)
    _warm_up(data)
    at_once = timed(data.learner().partial_fit, data.X, data.y)[0]
    calls = _one_call_per_row(data)
    sizes = [size for size in (BLOCK * blocks for blocks in REFITTED) if size <= len(data.y)]
    refits = [timed(part.peer().fit, part.X, part.y)[0] for part in (data.rows(slice(size)) for size in sizes)]
    tight = timed(data.peer(tol=TIGHT).fit, data.X, data.y)[0]
    seconds = {
        "IncrementalSVC, all rows in one call": at_once,
        "IncrementalSVC, one call per row": sum(calls),
        "IncrementalSVC.fit": timed(data.learner().fit, data.X, data.y)[0],
        "SVC, one fit of all rows": refits[-1],
        f"SVC, the same with tol={TIGHT:g}": tight,
        "SVC, fitted again after each row (area under its curve)": float(trapezoid([0, *refits], [0, *sizes])),
    }
    return Section(
        f"{len(data.y):,} examples of {data.title}, row by row (aim: at most 15 times one SVC fit)",
        ("model", "seconds", "ms per example", "of one SVC fit", f"of one with tol={TIGHT:g}"),
        [_row(name, value, len(data.y), refits[-1], tight) for name, value in seconds.items()],
        partial(_draw, calls, sizes, refits),
    )


def _warm_up(data: Problem) -> None:
    few = data.rows(slice(200))
    for model in (few.learner(), few.peer()):
        model.fit(few.X, few.y)


def _one_call_per_row(data: Problem) -> list[float]:
    model = data.learner()
    rows = (data.rows(slice(row, row + 1)) for row in range(len(data.y)))
    return [timed(model.partial_fit, row.X, row.y)[0] for row in rows]


def _row(name: str, seconds: float, n_rows: int, fit: float, tight: float) -> tuple[str, ...]:
    return name, f"{seconds:.2f}", f"{1e3 * seconds / n_rows:.2f}", f"{seconds / fit:.1f}", f"{seconds / tight:.1f}"


def _draw(calls: Sequence[float], sizes: Sequence[int], refits: Sequence[float], file: Path) -> None:
    """Draw the time per additional example over the number of examples, as means of blocks."""
    means = 1e3 * np.reshape(calls, (-1, BLOCK)).mean(axis=1)
    figure = Figure(figsize=(7, 4), layout="constrained", dpi=100)
    axes = figure.subplots()
    axes.semilogy(sizes, 1e3 * np.asarray(refits), "o--", color="#d97706", label="SVC, fitted again")
    axes.semilogy(BLOCK * np.arange(1, len(means) + 1), means, color="#2563eb", label="IncrementalSVC")
    axes.set_title("Time per additional example, ms", loc="left", fontweight="bold")
    axes.set_xlabel("examples learned (mnist, 8 vs rest)")
    axes.set_xlim(left=0)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", color="#e6e9ee")
    axes.legend(frameon=False)
    figure.savefig(file)
