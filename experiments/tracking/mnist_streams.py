"""MNIST, 8 against the rest: Algorithm 1 with both teachers and the batch algorithm, measured at checkpoints.

Kernel values are counted as follows. `TrackingSVC` stores the gradients of all examples so far (section 5.1 of the
paper), so that a new example needs its kernel values with all of them; it counts what it computes with a cache of 512
MB. The active teacher needs 50 kernel values per support vector for every selection. The batch algorithm, which also
stores gradients, needs a row of kernel values with the whole training set for each coefficient that ever changes, if
its cache holds all of them; this is in its favour. Its count without stored gradients, one kernel value per support
vector and step, is recorded as well.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from experiments.experiment import Cell, Measurement
from experiments.measure import test_error
from experiments.problems import Problem, mnist_digit
from experiments.tracking.theory import rbf_kernel
from experiments.tracking.training_stream import CACHE, TEACHERS, TrainingStream, to_signs
from hinge import OnlineSVC

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from experiments.records import Record, Records

STEPS = (10, 100)  # K
CHECKPOINTS = (125, 250, 500, 750, 1_000, 1_500, 2_000, 3_000, 4_000, 6_000, 8_000, 12_000, 16_000, 24_000, 32_000)
LAST_CHECKPOINTS = {
    True: {"active": 3_000, "random": 16_000, "batch": 16_000},
    False: {"active": 3_000, "random": 16_000, "batch": 32_000},
}
SEEDS = {True: 1, False: 10}
BLOCK = 125  # steps of the batch algorithm per matrix product; divides all checkpoints


def cells(quick: bool) -> Iterator[Cell]:
    """Yield the cells of the optimum, the batch algorithm and Algorithm 1; K of the first two is 0."""
    yield Cell({"method": "optimum", "K": 0, "seed": 0}, measure_optimum)
    for seed in range(SEEDS[quick]):
        yield Cell(
            {"method": "batch", "K": 0, "seed": seed}, partial(measure_batch, LAST_CHECKPOINTS[quick]["batch"], seed)
        )
        for teacher in TEACHERS:
            for steps in STEPS:
                key: Record = {"method": teacher, "K": steps, "seed": seed}
                yield Cell(key, partial(measure_algorithm_1, teacher, steps, seed, LAST_CHECKPOINTS[quick][teacher]))


MEASUREMENT = Measurement("digits", cells)


def measure_optimum() -> Record:
    """Measure a nearly optimal solution on all rows: one pass of LASVM with finishing."""
    problem = mnist_digit(8)
    model = OnlineSVC(max_gap=None, C=problem.C, gamma=problem.gamma, cache_size=CACHE, random_state=0, n_jobs=1)
    model.fit(problem.X, problem.y)
    return {"n": len(problem.y), "error": test_error(model, problem), "support": len(model.support_)}


def measure_algorithm_1(teacher: str, steps: int, seed: int, last: int) -> list[Record]:
    """Measure Algorithm 1 at checkpoints."""
    problem = mnist_digit(8)
    stream = TrainingStream(problem, 1, steps, teacher, seed)
    records: list[Record] = []
    for n in CHECKPOINTS:
        if n > last:
            break
        stream.train_until(n)
        model = stream.model
        records.append(
            {
                "n": n,
                "error": test_error(model, problem),
                "support": len(model.support_),
                "kernel_evals": stream.kernel_evals,
            }
        )
    return records


def measure_batch(last: int, seed: int) -> list[Record]:
    """Measure coordinate ascent on random examples of the whole training set, by the number of steps."""
    ascent = CoordinateAscent(mnist_digit(8), seed)
    records: list[Record] = []
    while ascent.steps < last:
        ascent.run_block()
        if ascent.steps in CHECKPOINTS:
            records.append(
                {
                    "n": ascent.steps,
                    "error": ascent.error(),
                    "support": int(np.count_nonzero(ascent.alpha)),
                    "kernel_evals": int(ascent.moved.sum()) * len(ascent.alpha),
                    "kernel_evals_on_demand": ascent.on_demand_evals,
                }
            )
    return records


class CoordinateAscent:
    """The batch counterpart of Algorithm 1: the same steps on random examples of the whole training set."""

    def __init__(self, problem: Problem, seed: int) -> None:
        self.problem = problem
        self.labels = to_signs(problem.y)
        self.alpha = np.zeros(len(problem.y))  # signed
        self.moved = np.zeros(len(problem.y), dtype=bool)
        self.steps = self.on_demand_evals = 0
        self._random = np.random.default_rng(seed)

    def run_block(self) -> None:
        """Make a block of steps; decision values are computed for the block and updated after each step."""
        rows = self._random.integers(len(self.alpha), size=BLOCK)
        decisions = self._decisions(self.problem.X[rows])
        kernel = rbf_kernel(self.problem.X[rows], self.problem.X[rows], self.problem.gamma)
        support = np.count_nonzero(self.alpha)
        for number, row in enumerate(rows):
            self.on_demand_evals += int(support)
            before, end = self.alpha[row], self.problem.C * self.labels[row]
            after = np.clip(before + self.labels[row] - decisions[number], min(0.0, end), max(0.0, end))
            if after != before:
                self.alpha[row], self.moved[row] = after, True
                decisions += (after - before) * kernel[:, number]
                support += int(before == 0) - int(after == 0)
        self.steps += BLOCK

    def error(self) -> float:
        """Return the test error in per cent."""
        parts = np.array_split(np.arange(len(self.problem.y_test)), 5)  # bounds memory
        decisions = np.concatenate([self._decisions(self.problem.X_test[part]) for part in parts])
        return 100 * float(np.mean((decisions > 0) != self.problem.y_test))

    def _decisions(self, X: NDArray[np.float32]) -> NDArray[np.float64]:
        support = np.flatnonzero(self.alpha)
        return rbf_kernel(X, self.problem.X[support], self.problem.gamma) @ self.alpha[support]


def value_at_error(records: Records, level: float, column: str) -> float:
    """Return the value of a column where the mean error reaches a level, interpolated in logarithms; nan if never."""
    checkpoints = [records.where(n=n) for n in sorted(records.unique("n"))]
    before: tuple[float, float] | None = None
    for checkpoint in checkpoints:
        error, value = checkpoint.mean("error"), checkpoint.mean(column)
        if error <= level:
            if before is None:
                return value
            share = np.log(before[0] / level) / np.log(before[0] / max(error, 1e-9))
            return float(np.exp(np.log(before[1]) + share * np.log(value / before[1])))
        before = error, value
    return float("nan")
