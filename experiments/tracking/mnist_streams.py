"""Digit 8 against the others: Algorithm 1 with both teachers and the batch algorithm, looked at on the way.

Kernel values are counted as follows. `TrackingSVC` keeps the gradients of all examples given (section 5.1 of the
paper), so that a new example needs its kernel values with all of them, and it counts what it really computes with
512 MB of cache. The active teacher needs 50 kernel values for each support vector every time it chooses. The batch
algorithm, kept in the same way, needs a row of kernel values with the whole set for each coefficient that ever moves,
if its cache holds all of them; that is in its favour. What it would need without gradients, one kernel value for each
support vector at every step, is recorded as well.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from experiments.experiment import Cell, Measurement
from experiments.measure import test_error
from experiments.problems import Problem, mnist_digit
from experiments.tracking.theory import radial
from experiments.tracking.training_stream import CACHE, TEACHERS, Course, signs
from hinge import OnlineSVC

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from experiments.records import Record, Records

STEPS = (10, 100)  # K
CHECKPOINTS = (125, 250, 500, 750, 1_000, 1_500, 2_000, 3_000, 4_000, 6_000, 8_000, 12_000, 16_000, 24_000, 32_000)
LAST = {
    True: {"active": 3_000, "random": 16_000, "batch": 16_000},
    False: {"active": 3_000, "random": 16_000, "batch": 32_000},
}
SEEDS = {True: 1, False: 3}
BLOCK = 125  # steps of the batch algorithm whose kernel values are one matrix product; divides all looks


def cells(quick: bool) -> Iterator[Cell]:
    """Yield the optimum, the batch algorithm and all courses; K of the first two is 0."""
    yield Cell({"method": "optimum", "K": 0, "seed": 0}, optimum)
    for seed in range(SEEDS[quick]):
        yield Cell({"method": "batch", "K": 0, "seed": seed}, partial(batch, LAST[quick]["batch"], seed))
        for teacher in TEACHERS:
            for steps in STEPS:
                key: Record = {"method": teacher, "K": steps, "seed": seed}
                yield Cell(key, partial(taught, teacher, steps, seed, LAST[quick][teacher]))


DIGITS = Measurement("digits", cells)


def optimum() -> Record:
    """Return the test error of (nearly) the optimal solution on all rows: one pass of LASVM, finished."""
    problem = mnist_digit(8)
    model = OnlineSVC(C=problem.C, gamma=problem.gamma, cache_size=CACHE, random_state=0, n_jobs=1)
    model.fit(problem.X, problem.y)
    return {"n": len(problem.y), "error": test_error(model, problem), "support": len(model.support_)}


def taught(teacher: str, steps: int, seed: int, last: int) -> list[Record]:
    """Return looks at Algorithm 1 on its way."""
    problem = mnist_digit(8)
    course = Course(problem, 1, steps, teacher, seed)
    lines: list[Record] = []
    for n in CHECKPOINTS:
        if n > last:
            break
        course.go_to(n)
        model = course.model
        lines.append(
            {
                "n": n,
                "error": test_error(model, problem),
                "support": len(model.support_),
                "kernel_evals": course.kernel_values,
            }
        )
    return lines


def batch(last: int, seed: int) -> list[Record]:
    """Return looks at coordinate ascent on random examples of the whole set, by the number of steps."""
    ascent = Ascent(mnist_digit(8), seed)
    lines: list[Record] = []
    while ascent.steps < last:
        ascent.climb()
        if ascent.steps in CHECKPOINTS:
            lines.append(
                {
                    "n": ascent.steps,
                    "error": ascent.error(),
                    "support": int(np.count_nonzero(ascent.alpha)),
                    "kernel_evals": int(ascent.moved.sum()) * len(ascent.alpha),
                    "kernel_evals_on_demand": ascent.asked,
                }
            )
    return lines


class Ascent:
    """The batch counterpart of Algorithm 1: the same steps, on examples picked among all that there are."""

    def __init__(self, problem: Problem, seed: int) -> None:
        self.problem = problem
        self.labels = signs(problem.y)
        self.alpha = np.zeros(len(problem.y))  # signed
        self.moved = np.zeros(len(problem.y), dtype=bool)
        self.steps = self.asked = 0
        self._random = np.random.default_rng(seed)

    def climb(self) -> None:
        """Make a block of steps: their decision values come at once, and follow each step from there."""
        rows = self._random.integers(len(self.alpha), size=BLOCK)
        decisions = self._decisions(self.problem.X[rows])
        kernel = radial(self.problem.X[rows], self.problem.X[rows], self.problem.gamma)
        support = np.count_nonzero(self.alpha)
        for place, row in enumerate(rows):
            self.asked += int(support)
            before, end = self.alpha[row], self.problem.C * self.labels[row]
            after = np.clip(before + self.labels[row] - decisions[place], min(0.0, end), max(0.0, end))
            if after != before:
                self.alpha[row], self.moved[row] = after, True
                decisions += (after - before) * kernel[:, place]
                support += int(before == 0) - int(after == 0)
        self.steps += BLOCK

    def error(self) -> float:
        """Return the per cent of test rows that the solution gets wrong."""
        parts = np.array_split(np.arange(len(self.problem.y_test)), 5)  # bounds memory
        decisions = np.concatenate([self._decisions(self.problem.X_test[part]) for part in parts])
        return 100 * float(np.mean((decisions > 0) != self.problem.y_test))

    def _decisions(self, X: NDArray[np.float32]) -> NDArray[np.float64]:
        support = np.flatnonzero(self.alpha)
        return radial(X, self.problem.X[support], self.problem.gamma) @ self.alpha[support]


def reached(records: Records, level: float, column: str) -> float:
    """Return where the mean curve of some runs gets down to an error, between looks by logarithms; nan if never."""
    checkpoints = [records.where(n=n) for n in sorted(records.unique("n"))]
    before: tuple[float, float] | None = None
    for look in checkpoints:
        error, place = look.mean("error"), look.mean(column)
        if error <= level:
            if before is None:
                return place
            share = np.log(before[0] / level) / np.log(before[0] / max(error, 1e-9))
            return float(np.exp(np.log(before[1]) + share * np.log(place / before[1])))
        before = error, place
    return float("nan")
