"""Optimality of exact models while they learn and forget row by row: KKT violation and dual objective.

A check recomputes all gradients, which removes rounding errors: rare checks let errors accumulate, checks at every step
miss no step.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.micro import Section
from benchmarks.micro.exact_problems import TIGHT, Problem, adults, banana, dual_objective, zeros

PROBLEMS: tuple[tuple[Callable[[int], Problem], int], ...] = ((banana, 1_000), (zeros, 2_000), (adults, 2_000))
EVERY = 50


def measure(quick: bool, *, full: bool = False) -> Section:
    """Learn row by row, then forget in another order; check every step with `full`, otherwise every 50th."""
    every = 1 if full else EVERY
    problems = [make(300 if quick else n_rows) for make, n_rows in PROBLEMS]
    columns = ("data", "", "rows", "checks", "largest KKT violation", "largest relative difference of dual objectives")
    return Section(
        f"Optimality after every {every} steps; dual objective compared with SVC, tol={TIGHT:g} "
        "(aim: violation at most 1e-6, difference at most 1e-8)",
        columns,
        [row for data in problems for row in _rows(data, every)],
    )


def _rows(data: Problem, every: int) -> Iterator[tuple[str, ...]]:
    model = data.learner()
    n_rows = len(data.y)
    learned = [_learn(model, data, start, every) for start in range(0, n_rows, every)]
    yield _row(data, "learning", learned)
    order = np.random.default_rng(0).permutation(n_rows)
    forgotten = [_forget(model, data, order, start, every) for start in range(0, n_rows - every, every)]
    yield _row(data, "forgetting", forgotten)


def _learn(model: Any, data: Problem, start: int, every: int) -> tuple[float, float]:
    for row in range(start, start + every):
        model.partial_fit(data.X[[row]], data.y[[row]], ids=[row])
    return _check(model, data.rows(slice(start + every)))


def _forget(model: Any, data: Problem, order: NDArray[np.intp], start: int, every: int) -> tuple[float, float]:
    for row in order[start : start + every].tolist():
        model.forget([row])
    return _check(model, data.rows(order[start + every :]))


def _check(model: Any, held: Problem) -> tuple[float, float]:
    """Return the violation, and the difference of the objectives (0 while there is only one class)."""
    if len(np.unique(held.y)) == 1:
        return model.kkt_violation(), 0.0
    theirs = dual_objective(held.peer(tol=TIGHT).fit(held.X, held.y))
    return model.kkt_violation(), abs(model.dual_objective() / theirs - 1)


def _row(data: Problem, phase: str, checks: list[tuple[float, float]]) -> tuple[str, ...]:
    violation, difference = np.max(checks, axis=0)
    return data.title, phase, f"{len(data.y):,}", f"{len(checks)}", f"{violation:.1e}", f"{difference:.1e}"
