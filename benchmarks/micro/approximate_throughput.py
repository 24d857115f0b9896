"""One pass over deformed digits with Fourier features: time compared with matrix products, and memory."""

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from benchmarks import memory
from benchmarks.data import data_folder
from benchmarks.micro import Section
from benchmarks.worker import timed
from hinge import ApproximateSVC
from hinge.datasets import load

SIZES, MORE_SIZES = (1024, 2048, 4096), (8192, 16384)
N_EXAMPLES, N_TEST, CHUNK, N_FEATURES = 200_000, 10_000, 1_000, 784
COLOURS = dict(zip(SIZES + MORE_SIZES, ("#93c5fd", "#3b82f6", "#1e3a8a", "#d97706", "#b91c1c"), strict=True))
COLUMNS = (
    "features",
    "error, %",
    "rows/s",
    "learning, s",
    "product, s",
    "ratio",
    "generating rows, s",
    "resident, MB",
    "1e6 rows, s",
)


@dataclass
class Run:
    """One pass: the seconds of its parts, and errors and memory during the pass."""

    size: int
    generating: float = 0.0
    learning: float = 0.0
    product: float = 0.0
    seen: list[int] = field(default_factory=list)
    errors: list[float] = field(default_factory=list)
    resident: list[float] = field(default_factory=list)  # after each chunk

    @property
    def million(self) -> float:
        """Seconds of learning for 1 000 000 examples."""
        return self.learning / self.seen[-1] * 1e6


def measure(quick: bool, *, full: bool = False) -> Section:
    """Learn 200 000 digits, 0-4 vs 5-9; with `full`, 1 000 000 and up to 16 384 features."""
    data_folder()
    n_examples = 10_000 if quick else 1_000_000 if full else N_EXAMPLES
    sizes = SIZES[:1] if quick else SIZES + MORE_SIZES if full else SIZES
    digits = load("mnist-e")
    X, y = digits.take(np.arange(digits.n_examples - N_TEST, digits.n_examples))
    runs = [_run(size, n_examples, X, y < 5) for size in sizes]
    rows = [_row(run) for run in runs]
    if not full:
        rows.append(_extrapolated(runs[-1], MORE_SIZES[-1]))
    return Section(
        f"{n_examples:,} deformed digits, 0-4 vs 5-9, one pass, C=100, gamma=0.01 (aim: at most twice the time of one "
        "BLAS product of the same size; memory flat)",
        COLUMNS,
        rows,
        partial(_draw, runs),
    )


def _run(size: int, n_examples: int, X_test: NDArray[Any], y_test: NDArray[Any]) -> Run:
    """Make one pass; first multiply as many chunks by a matrix of the size of the frequencies."""
    model = ApproximateSVC(C=100.0, gamma=0.01, approximation="fourier", n_components=size, random_state=0)
    run = Run(size, product=_product(size, n_examples // CHUNK))
    chunks = load("mnist-e").chunks(stop=n_examples, chunk_size=CHUNK)
    checkpoints = set(_checkpoints(n_examples))
    for n_seen in range(CHUNK, n_examples + 1, CHUNK):
        with threadpool_limits(1, user_api="blas"):
            seconds, (X, y) = timed(next, chunks)
        run.generating += seconds
        run.learning += timed(partial(model.partial_fit, classes=[False, True]), X, y < 5)[0]
        run.resident.append(memory.resident())
        if n_seen in checkpoints:
            run.seen.append(n_seen)
            run.errors.append(100 * float(np.mean(model.predict(X_test) != y_test)))
    return run


def _product(size: int, n_chunks: int) -> float:
    """Return the seconds of the products alone.

    NumPy's threads keep processors busy for a while after a product, so products and our calls do not alternate.
    """
    X = np.random.default_rng(0).random((CHUNK, N_FEATURES), np.float32)
    weights, values = np.ones((N_FEATURES, size), np.float32), np.ones((CHUNK, size), np.float32)
    seconds = sum(timed(partial(np.matmul, out=values), X, weights)[0] for _ in range(n_chunks))
    time.sleep(0.5)
    return seconds


def _checkpoints(n_examples: int) -> Iterator[int]:
    """Yield the numbers of examples after which the error is measured: powers of two, and the end."""
    n_seen = CHUNK
    while n_seen < n_examples:
        yield n_seen
        n_seen *= 2
    yield n_examples


def _row(run: Run) -> tuple[str, ...]:
    return (
        f"{run.size:,}",
        f"{run.errors[-1]:.2f}",
        f"{run.seen[-1] / run.learning:,.0f}",
        f"{run.learning:.1f}",
        f"{run.product:.1f}",
        f"{run.learning / run.product:.2f}",
        f"{run.generating:.1f}",
        f"{run.resident[1]:.0f} to {run.resident[-1]:.0f}",
        f"{run.million:.0f}",
    )


def _extrapolated(run: Run, size: int) -> tuple[str, ...]:
    """Return a row extrapolated to more features: the time is proportional to their number."""
    return f"{size:,}, from {run.size:,}", *[""] * 7, f"{run.million * size / run.size:.0f}"


def _draw(runs: list[Run], file: Path) -> None:
    """Draw the errors and the memory over the number of examples."""
    figure = Figure(figsize=(11, 4.5), layout="constrained", dpi=100)
    errors, resident = figure.subplots(1, 2)
    for run in runs:
        colour = COLOURS[run.size]
        errors.loglog(run.seen, run.errors, label=f"{run.size:,}", color=colour)
        resident.plot(np.arange(1, len(run.resident) + 1) * CHUNK / 1000, run.resident, color=colour)
    errors.set_title("Test error, % (deformed digits, 0-4 vs 5-9)", loc="left", fontweight="bold")
    errors.set_yticks(ticks := [5, 6, 8, 10, 15, 20, 25, 30], labels=[f"{tick}" for tick in ticks])
    errors.yaxis.set_minor_formatter(NullFormatter())
    errors.set_xlabel("examples seen")
    errors.legend(frameon=False, title="features", fontsize="small")
    resident.set_title("Resident memory, MB", loc="left", fontweight="bold")
    resident.set_ylim(0, 1.2 * max(max(run.resident) for run in runs))
    resident.set_xlabel("examples seen, thousands")
    for axes in (errors, resident):
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(color="#e6e9ee")
    figure.savefig(file)
