"""The duality gap on Adult: Algorithms 1 and 2 for several K (figures 2 and 4), and two teachers (figure 3).

The gap is that of w(mean of alpha over the K steps), which the theorems are about, divided by C t. It jumps up when a
step goes wrong and comes back, so that many checkpoints are needed. D_T, the dual objective at the end, is slightly
less than the optimum D_T* of the bounds, which makes them harder to satisfy. The gains of the first steps of Algorithm
2 are measured at each checkpoint on the next rows of the random stream: given the current coefficients, each of them is
as likely as the very next row.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from experiments.experiment import Cell, Measurement
from experiments.problems import Problem, adult
from experiments.records import Record, Records
from experiments.tracking.theory import mu
from experiments.tracking.training_stream import TEACHERS, Snapshot, TrainingStream

if TYPE_CHECKING:
    from collections.abc import Iterator

STEPS = {1: (1, 2, 5, 10, 20, 30, 50, 100), 2: (10, 20, 100)}  # K, by algorithm
TEACHER_STEPS = 10  # K in the comparison of teachers
ADULT_C = 1.0  # C of Adult in the paper's table 1
QUICK_INTERVAL = 64  # examples between checkpoints of a quick run
INTERVALS = {1: 256, 2: 64}  # of a full run, by algorithm: the gap of Algorithm 2 fluctuates by its own size
QUICK_ROWS = 5_000
SEEDS = {True: 1, False: 2}
N_NEXT = 32  # coming rows on which gains of first steps are measured


def gap_cells(quick: bool) -> Iterator[Cell]:
    """Yield the cells with random order, for both algorithms and all K."""
    for seed in range(SEEDS[quick]):
        for algorithm, several in STEPS.items():
            for steps in several:
                yield _cell(quick, algorithm, steps, "random", seed)


def teacher_cells(quick: bool) -> Iterator[Cell]:
    """Yield the cells of Algorithm 1 with both teachers; there is one run, since selection takes long."""
    for teacher in TEACHERS:
        yield _cell(quick, 1, TEACHER_STEPS, teacher, 0)


GAPS_MEASUREMENT = Measurement("gaps", gap_cells)
TEACHERS_MEASUREMENT = Measurement("teachers", teacher_cells)


def _cell(quick: bool, algorithm: int, steps: int, teacher: str, seed: int) -> Cell:
    key: Record = {"algorithm": algorithm, "K": steps, "teacher": teacher, "seed": seed}
    interval = QUICK_INTERVAL if quick else INTERVALS[algorithm]
    return Cell(key, lambda: measure_gaps(TrainingStream(_problem(quick), algorithm, steps, teacher, seed), interval))


def _problem(quick: bool) -> Problem:
    problem = replace(adult(), C=ADULT_C)
    return problem.head(QUICK_ROWS) if quick else problem


def measure_gaps(stream: TrainingStream, interval: int) -> list[Record]:
    """Train on a whole problem and return the gap at checkpoints."""
    problem, records = stream.problem, list[Record]()
    for n in [*range(interval, len(problem.y), interval), len(problem.y)]:
        stream.train_until(n)
        snapshot, scale = Snapshot.of(stream), problem.C * n
        coming = stream.next_rows(N_NEXT) if stream.algorithm == 2 else np.zeros(0, dtype=np.int64)
        records.append(
            {
                "n": n,
                "gap": snapshot.averaged_gap() / scale,
                "gap_alpha": snapshot.gap() / scale,
                "dual": stream.model.dual_objective() / scale,
            }
            | ({"first_gain": snapshot.first_step_gain(coming)} if len(coming) else {})
        )
    return records


def bound(records: Records) -> float:
    """Return the bound of theorem 2 or 3 on the mean normalised gap of one algorithm and K; nan without records."""
    if not len(records):
        return float("nan")
    (algorithm,), (steps,) = records.unique("algorithm"), records.unique("K")
    ends = records.where(n=max(records.unique("n")))
    gained = records.mean("first_gain") if algorithm == 2 else 0.0
    return float(mu(max(ADULT_C * ends.mean("dual") - gained, 0.0) / steps, ADULT_C))


def halves(records: Records) -> tuple[Records, Records]:
    """Return the records of both halves of the stream."""
    middle = max(records.unique("n"), default=0) / 2
    early = Records(line for line in records if float(line["n"]) <= middle)
    late = Records(line for line in records if float(line["n"]) > middle)
    return early, late
