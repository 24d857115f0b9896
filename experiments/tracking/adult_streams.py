"""The gap along Adult: Algorithms 1 and 2 for several K (figures 2 and 4), and two teachers (figure 3).

The gap is that of the answer w(mean of alpha over the K steps), of which the theorems speak, over C t. It jumps up when
a step goes wrong and comes back, so looks are many. D_T, the dual objective in the end, is a little less than the
optimum D_T* of the bounds, which makes them harder to keep. The gains of the first steps of Algorithm 2 are measured at
each look on the next rows of the random stream: given the coefficients of that time, each is as good as the very next.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from experiments.experiment import Cell, Measurement
from experiments.problems import Problem, adult
from experiments.records import Record, Records
from experiments.tracking.theory import mu
from experiments.tracking.training_stream import TEACHERS, Course, Look

if TYPE_CHECKING:
    from collections.abc import Iterator

STEPS = {1: (1, 2, 5, 10, 20, 30, 50, 100), 2: (10, 20, 100)}  # K, by algorithm
TAUGHT = 10  # K of the two teachers
COST = 1.0  # C of Adult in the paper's table 1
QUICK_EVERY = 64  # examples between two looks
EVERY = {1: 256, 2: 64}  # the same in a full run, by algorithm: the gap of the second wavers by as much as itself
QUICK_ROWS = 5_000
SEEDS = {True: 1, False: 2}
AHEAD = 32  # coming rows on which first steps are tried


def gap_cells(quick: bool) -> Iterator[Cell]:
    """Yield the streams in random order, for both algorithms and all K."""
    for seed in range(SEEDS[quick]):
        for algorithm, several in STEPS.items():
            for steps in several:
                yield _cell(quick, algorithm, steps, "random", seed)


def teacher_cells(quick: bool) -> Iterator[Cell]:
    """Yield Algorithm 1 with either teacher; choosing takes long, so there is one run."""
    for teacher in TEACHERS:
        yield _cell(quick, 1, TAUGHT, teacher, 0)


GAPS = Measurement("gaps", gap_cells)
TEACHING = Measurement("teachers", teacher_cells)


def _cell(quick: bool, algorithm: int, steps: int, teacher: str, seed: int) -> Cell:
    key: Record = {"algorithm": algorithm, "K": steps, "teacher": teacher, "seed": seed}
    every = QUICK_EVERY if quick else EVERY[algorithm]
    return Cell(key, lambda: followed(Course(_problem(quick), algorithm, steps, teacher, seed), every))


def _problem(quick: bool) -> Problem:
    problem = replace(adult(), C=COST)
    return problem.head(QUICK_ROWS) if quick else problem


def followed(course: Course, every: int) -> list[Record]:
    """Teach a whole set and return a look at every so many examples."""
    problem, lines = course.problem, list[Record]()
    for n in [*range(every, len(problem.y), every), len(problem.y)]:
        course.go_to(n)
        look, scale = Look.at(course), problem.C * n
        coming = course.coming(AHEAD) if course.algorithm == 2 else np.zeros(0, dtype=np.int64)
        lines.append(
            {
                "n": n,
                "gap": look.answer_gap() / scale,
                "gap_alpha": look.gap() / scale,
                "dual": course.model.dual_objective() / scale,
            }
            | ({"first_gain": look.gain_of_new(coming)} if len(coming) else {})
        )
    return lines


def bound(records: Records) -> float:
    """Return what theorem 2 or 3 allows the mean normalised gap of one algorithm and K to be; nan without records."""
    if not len(records):
        return float("nan")
    (algorithm,), (steps,) = records.unique("algorithm"), records.unique("K")
    ends = records.where(n=max(records.unique("n")))
    gained = records.mean("first_gain") if algorithm == 2 else 0.0
    return float(mu(max(COST * ends.mean("dual") - gained, 0.0) / steps, COST))


def halves(records: Records) -> tuple[Records, Records]:
    """Return the looks at either half of the stream."""
    middle = max(records.unique("n"), default=0) / 2
    early = Records(line for line in records if float(line["n"]) <= middle)
    late = Records(line for line in records if float(line["n"]) > middle)
    return early, late
