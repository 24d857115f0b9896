"""One pass over deformed digits with random Fourier features: table 3 and figure 2 of Lee and Wright, 2012."""

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from statistics import mean, stdev
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
from hinge.datasets import elastic_digits

SIZES = (1024, 2048, 4096)
N_EXAMPLES, N_TEST, CHUNK, N_FEATURES = 200_000, 10_000, 1_000, 784
N_LAST = 10  # chunks at the end after each of which the error is looked at
VARIANTS: dict[str, dict[str, Any]] = {
    "ours": {},
    "ASSET": {"steps": "asset"},
    "ASSET*": {"steps": "asset", "fit_intercept": False},
}
LINES = {"ours": "-", "ASSET": "--", "ASSET*": ":"}
# Mean errors at the end of ASSET and ASSET*, and hours of training for 1 000 000 examples: table 3.
PAPER = {
    1024: (11.5, 11.8, 0.47),
    2048: (7.2, 8.1, 0.95),
    4096: (4.8, 5.8, 1.90),
    8192: (3.6, 4.3, 3.72),
    16384: (3.0, 3.5, 7.24),
}
COLOURS = dict(zip(PAPER, ("#93c5fd", "#3b82f6", "#1e3a8a", "#d97706", "#b91c1c"), strict=True))
COLUMNS = (
    "features",
    "model",
    "error, %",
    "paper's",
    "rows/s",
    "learning, s",
    "product, s",
    "ratio",
    "making rows, s",
    "resident, MB",
    "1e6 rows, h",
    "paper's",
)


@dataclass
class Run:
    """One pass: seconds of its parts, and what was seen on the way."""

    size: int
    variant: str
    generating: float = 0.0
    learning: float = 0.0
    product: float = 0.0
    seen: list[int] = field(default_factory=list)
    errors: list[float] = field(default_factory=list)
    resident: list[float] = field(default_factory=list)  # after each chunk

    @property
    def hours(self) -> float:
        """Hours of learning for 1 000 000 examples."""
        return self.learning / self.seen[-1] * 1e6 / 3600


def measure(quick: bool, *, full: bool = False) -> Section:
    """Learn 200 000 digits, 0-4 against 5-9; in full, 1 000 000 with up to 16 384 features."""
    data_folder()
    n_examples = 10_000 if quick else 1_000_000 if full else N_EXAMPLES
    sizes = SIZES[:1] if quick else tuple(PAPER) if full else SIZES
    X, y = next(elastic_digits(N_TEST, part="test", chunk_size=N_TEST, random_state=1))
    runs = [_run(size, variant, n_examples, X, y < 5) for size in sizes for variant in VARIANTS]
    rows = [_row(run) for run in runs]
    if sizes[-1] < max(PAPER):
        rows += [_extrapolated(run, max(PAPER)) for run in runs[-len(VARIANTS) :]]
    return Section(
        f"{n_examples:,} deformed digits, 0-4 vs 5-9, one pass, C=100, gamma=0.01 (aim: at most twice the time of one "
        "BLAS product of the same size; memory flat). Error: after each of the last 10 chunks",
        COLUMNS,
        rows,
        partial(_draw, runs),
    )


def _run(size: int, variant: str, n_examples: int, X_test: NDArray[Any], y_test: NDArray[Any]) -> Run:
    """Make one pass; before it, as many chunks are multiplied with a matrix as large as that of the frequencies."""
    options = {"n_components": size, "random_state": 0, **VARIANTS[variant]}
    model = ApproximateSVC(C=100.0, gamma=0.01, approximation="fourier", **options)
    run = Run(size, variant, product=_product(size, n_examples // CHUNK))
    chunks = elastic_digits(n_examples, chunk_size=CHUNK, random_state=0)
    looks = set(_looks(n_examples))
    for n_seen in range(CHUNK, n_examples + 1, CHUNK):
        with threadpool_limits(1, user_api="blas"):
            seconds, (X, y) = timed(next, chunks)
        run.generating += seconds
        run.learning += timed(partial(model.partial_fit, classes=[False, True]), X, y < 5)[0]
        run.resident.append(memory.resident())
        if n_seen in looks:
            run.seen.append(n_seen)
            run.errors.append(100 * float(np.mean(model.predict(X_test) != y_test)))
    return run


def _product(size: int, n_chunks: int) -> float:
    """Return the seconds of the products alone.

    NumPy's threads keep processors busy for a while after a product, so none are made between two calls of ours.
    """
    X = np.random.default_rng(0).random((CHUNK, N_FEATURES), np.float32)
    weights, values = np.ones((N_FEATURES, size), np.float32), np.ones((CHUNK, size), np.float32)
    seconds = sum(timed(partial(np.matmul, out=values), X, weights)[0] for _ in range(n_chunks))
    time.sleep(0.5)
    return seconds


def _looks(n_examples: int) -> Iterator[int]:
    """Go through the numbers of examples after which the error is looked at: powers of two, and often at the end."""
    n_seen = CHUNK
    while n_seen < n_examples:
        yield n_seen
        n_seen *= 2
    yield from range(n_examples - (N_LAST - 1) * CHUNK, n_examples + 1, CHUNK)


def _row(run: Run) -> tuple[str, ...]:
    last = run.errors[-N_LAST:]
    *errors, hours = PAPER[run.size]
    return (
        f"{run.size:,}",
        run.variant,
        f"{mean(last):.2f} ± {stdev(last):.2f}",
        f"{errors[run.variant == 'ASSET*']:g}",
        f"{run.seen[-1] / run.learning:,.0f}",
        f"{run.learning:.1f}",
        f"{run.product:.1f}",
        f"{run.learning / run.product:.2f}",
        f"{run.generating:.1f}",
        f"{run.resident[1]:.0f} to {run.resident[-1]:.0f}",
        f"{run.hours:.3f}",
        f"{hours:.2f}",
    )


def _extrapolated(run: Run, size: int) -> tuple[str, ...]:
    """Return a line for more features: the time grows with their number."""
    hours = f"{run.hours * size / run.size:.3f}"
    return f"{size:,}, from {run.size:,}", run.variant, *[""] * 8, hours, f"{PAPER[size][2]:.2f}"


def _draw(runs: list[Run], file: Path) -> None:
    """Draw the errors over the examples seen, as in figure 2, and the memory."""
    figure = Figure(figsize=(11, 4.5), layout="constrained", dpi=100)
    errors, resident = figure.subplots(1, 2)
    for run in runs:
        style: dict[str, Any] = {"color": COLOURS[run.size], "linestyle": LINES[run.variant]}
        errors.loglog(run.seen, run.errors, label=f"{run.variant}, {run.size:,}", **style)
        resident.plot(np.arange(1, len(run.resident) + 1) * CHUNK / 1000, run.resident, **style)
    errors.set_title("Test error, % (deformed digits, 0-4 vs 5-9)", loc="left", fontweight="bold")
    errors.set_yticks(ticks := [5, 6, 8, 10, 15, 20, 25], labels=[f"{tick}" for tick in ticks])
    errors.yaxis.set_minor_formatter(NullFormatter())
    errors.set_xlabel("examples seen")
    errors.legend(frameon=False, title="model, features", fontsize="small")
    resident.set_title("Resident memory, MB", loc="left", fontweight="bold")
    resident.set_ylim(0, 1.2 * max(max(run.resident) for run in runs))
    resident.set_xlabel("examples seen, thousands")
    for axes in (errors, resident):
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(color="#e6e9ee")
    figure.savefig(file)
