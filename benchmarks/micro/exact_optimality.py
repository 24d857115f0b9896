"""How exact the exact models are on the way: conditions of optimality and dual objective, up and down again.

A look at the conditions finds all gradients anew, and so takes away what rounding has left: to look seldom lets it add
up, to look at every step misses no step.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.micro import Section
from benchmarks.micro.exact_problems import TIGHT, TrainingData, adults, banana, dual_objective, zeros

PROBLEMS: tuple[tuple[Callable[[int], TrainingData], int], ...] = ((banana, 1_000), (zeros, 2_000), (adults, 2_000))
EVERY = 50


def measure(quick: bool, *, full: bool = False) -> Section:
    """Learn row by row, then forget in another order; look at every step with `full`, else at every 50th."""
    every = 1 if full else EVERY
    lessons = [make(300 if quick else n_rows) for make, n_rows in PROBLEMS]
    columns = ("data", "", "rows", "looks", "largest KKT violation", "largest relative difference of dual objectives")
    return Section(
        f"Exactness on the way, looked at after every {every} steps, objective beside SVC with tol={TIGHT:g} "
        "(aim: violation at most 1e-6, difference at most 1e-8)",
        columns,
        [row for data in lessons for row in _rows(data, every)],
    )


def _rows(data: TrainingData, every: int) -> Iterator[tuple[str, ...]]:
    model = data.learner()
    n_rows = len(data.y)
    learned = [_learned(model, data, start, every) for start in range(0, n_rows, every)]
    yield _row(data, "learning", learned)
    order = np.random.default_rng(0).permutation(n_rows)
    forgotten = [_forgotten(model, data, order, start, every) for start in range(0, n_rows - every, every)]
    yield _row(data, "forgetting", forgotten)


def _learned(model: Any, data: TrainingData, start: int, every: int) -> tuple[float, float]:
    for row in range(start, start + every):
        model.partial_fit(data.X[[row]], data.y[[row]], ids=[row])
    return _look(model, data.rows(slice(start + every)))


def _forgotten(model: Any, data: TrainingData, order: NDArray[np.intp], start: int, every: int) -> tuple[float, float]:
    for row in order[start : start + every].tolist():
        model.forget([row])
    return _look(model, data.rows(order[start + every :]))


def _look(model: Any, held: TrainingData) -> tuple[float, float]:
    """Return the violation, and the difference of the objectives (none while there is one class only)."""
    if len(np.unique(held.y)) == 1:
        return model.kkt_violation(), 0.0
    theirs = dual_objective(held.peer(tol=TIGHT).fit(held.X, held.y))
    return model.kkt_violation(), abs(model.dual_objective() / theirs - 1)


def _row(data: TrainingData, phase: str, looks: list[tuple[float, float]]) -> tuple[str, ...]:
    violation, difference = np.max(looks, axis=0)
    return data.title, phase, f"{len(data.y):,}", f"{len(looks)}", f"{violation:.1e}", f"{difference:.1e}"
