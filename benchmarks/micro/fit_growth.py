"""How the time of `OnlineSVC.fit` grows with the rows: covtype in [0, 1], C=32, gamma=32, one thread.

`ROWS=12500,25000,50000` chooses other numbers of rows, up to 464810, the whole training set of this task. Processor
time is what the exponent is fitted to: it hardly depends on what else the machine does.
"""

import os
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from benchmarks.data import read
from benchmarks.micro import Section
from benchmarks.tasks import Split
from hinge import OnlineSVC

TRAINING_ROWS = 464_810
ROWS = "12500,25000,50000,100000"
QUICK_ROWS = "1000,2000,4000"
TEST_ROWS = 50_000


def measure(quick: bool) -> Section:
    """Fit growing parts of one training set."""
    split = _covtype()
    sizes = [int(rows) for rows in os.environ.get("ROWS", QUICK_ROWS if quick else ROWS).split(",")]
    seconds: list[float] = []
    rows = []
    for size in sizes:
        model = OnlineSVC(C=32, gamma=32, random_state=0, n_jobs=1)
        before = time.process_time()
        model.fit(split.X[:size], split.y[:size])
        seconds.append(time.process_time() - before)
        error = 100.0 * float(np.mean(model.predict(split.X_test) != split.y_test))
        rows.append(
            (f"{size:,}", f"{seconds[-1]:.1f}", f"{error:.2f} %", f"{len(model.support_):,}", _local(sizes, seconds))
        )
        print(*rows[-1], sep=" | ", flush=True)
    return Section(
        f"fit of covtype in [0, 1]: processor time ~ rows^{exponent(sizes, seconds):.2f} (aim: at most 1.7)",
        ("rows", "processor s, one thread", "test error", "support vectors", "exponent since the row above"),
        rows,
        partial(_draw, sizes, seconds),
    )


def exponent(sizes: Sequence[int], seconds: Sequence[float]) -> float:
    """Return the slope of the line through the points in logarithmic axes."""
    slope: float = np.polyfit(np.log(sizes[: len(seconds)]), np.log(seconds), 1)[0]
    return slope


def _local(sizes: Sequence[int], seconds: Sequence[float]) -> str:
    last = len(seconds)
    return f"{exponent(sizes[last - 2 : last], seconds[-2:]):.2f}" if last > 1 else "-"


def _covtype() -> Split:
    X, y = read("covtype", dense=True)
    lowest, highest = X.min(axis=0), X.max(axis=0)
    X = (X - lowest) / np.where(highest > lowest, highest - lowest, 1)
    order = np.random.RandomState(0).permutation(len(y))
    train, test = order[:TRAINING_ROWS], order[TRAINING_ROWS : TRAINING_ROWS + TEST_ROWS]
    return Split(X[train], y[train] == 2, X[test], y[test] == 2)


def _draw(sizes: Sequence[int], seconds: Sequence[float], file: Path) -> None:
    """Draw time over rows in logarithmic axes, with the line that was fitted."""
    slope, offset = np.polyfit(np.log(sizes), np.log(seconds), 1)
    figure = Figure(figsize=(7, 4), layout="constrained", dpi=100)
    axes = figure.subplots()
    axes.loglog(
        sizes,
        np.exp(offset) * np.asarray(sizes, dtype=float) ** slope,
        "--",
        color="#d97706",
        label=f"rows^{slope:.2f}",
    )
    axes.loglog(sizes, seconds, "o", color="#2563eb", label="OnlineSVC.fit")
    axes.set_title("Processor time of fit, s", loc="left", fontweight="bold")
    axes.set_xlabel("training rows (covtype in [0, 1], C=32, gamma=32)")
    axes.set_xticks(sizes, [f"{size:,}" for size in sizes])
    axes.set_yticks(seconds, [f"{value:.1f}" for value in seconds])
    axes.minorticks_off()
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", color="#e6e9ee")
    axes.legend(frameon=False)
    figure.savefig(file)
