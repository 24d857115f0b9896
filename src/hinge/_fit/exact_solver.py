"""Solve a training set exactly: until no row violates the optimality conditions by more than the tolerance.

Small problems are solved as they are: all rows are held, and second-order pairs move, with shrinking. Larger ones begin
with one pass of LASVM, which leaves few violators. These are found by one product with all rows and held as well; then
the rows held are solved again, from the coefficients and gradients at hand. That repeats until a product finds none.
The criterion is that of LIBSVM, over all rows.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from hinge._fit.passes import seeds_first

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hinge import _core
    from hinge._fit.data import TrainingData
    from hinge._fit.progress import FitTasks
    from hinge._model.state import State

_MAX_DIRECT_ROWS = 10_000  # of the two largest classes: problems up to this size are solved as they are
_MAX_SWEEPS = 100


class ExactSolver:
    """Solves one training set with an empty state, whose options have the tolerance and the largest number of steps.

    Parameters
    ----------
    state : State
        The empty state.
    data : TrainingData
        The training set.
    seed : int
        Seed of the order of a pass.
    tasks : FitTasks
        Reports each step to callbacks.
    monitor : callable or None
        Called by the native code to report progress.
    """

    def __init__(
        self, state: State, data: TrainingData, seed: int, tasks: FitTasks, monitor: _core.Monitor | None
    ) -> None:
        self._state = state
        self._native: Any = state.native
        self._options: Any = state.options
        self._seed = seed
        self._tasks = tasks
        self._monitor = monitor
        self._rows = np.flatnonzero(data.used)
        self._costs = data.costs
        self._numbers = data.class_numbers(state.table)
        ((_, self._batch),) = state.storage.batches(data.X)

    def solve(self) -> bool:
        """Solve the problem; return whether that succeeded."""
        if self._is_small or self._options.max_steps is not None:
            self._hold(self._rows, np.zeros((len(self._rows), self._native.n_binaries)))
            return self._finish()
        self._pass()
        return self._finish() and not self._tasks.stopped and self._add_violators()

    def solve_with_sum(self, nu: float) -> bool:
        """Solve for positive coefficients whose sum is `nu` times that of the costs; the first rows begin at these."""
        costs = self._costs[self._rows]
        before = np.cumsum(costs) - costs
        alpha = np.clip(nu * costs.sum() - before, 0.0, costs)[:, None]
        used = np.flatnonzero(alpha[:, 0])
        self._hold(self._rows, self._sums_of(self._rows[used], alpha[used])[self._rows], alpha)
        return self._finish()

    @property
    def _is_small(self) -> bool:
        largest = np.sort(np.bincount(self._numbers[self._rows]))[-2:]
        return int(largest.sum()) <= _MAX_DIRECT_ROWS

    def _hold(
        self, rows: NDArray[np.int64], sums: NDArray[np.float64], alpha: NDArray[np.float64] | None = None
    ) -> None:
        self._native.hold(self._batch, self._numbers, self._costs, 0, rows, sums, alpha)

    def _pass(self) -> None:
        order = np.random.RandomState(self._seed).permutation(self._rows)
        order = seeds_first(order, self._numbers)
        learn = partial(self._native.learn, self._batch, self._numbers, self._costs, 0)
        self._tasks.step("pass", partial(learn, order, self._seed, self._monitor, scored=False))

    def _finish(self) -> bool:
        outcome: _core.Outcome = self._tasks.step("finish", partial(self._native.finish, self._monitor))
        return not outcome.stalled

    def _sums(self, native: Any) -> NDArray[np.float64]:
        """Return the sums of coefficients times kernel values, for all rows."""
        sums: NDArray[np.float64] = native.predictor().decide(self._batch, self._options.threads)
        sums -= native.bias
        return sums

    def _sums_of(self, rows: NDArray[np.int64], alpha: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the sums for some coefficients."""
        other: Any = self._state.copy().native
        other.hold(self._batch, self._numbers, self._costs, 0, rows, np.zeros(alpha.shape), alpha)
        return self._sums(other)

    def _add_violators(self) -> bool:
        """Hold the rows that violate, and solve again, until there are none."""
        targets = self._targets()
        for _ in range(_MAX_SWEEPS):
            sums = self._sums(self._native)[self._rows]
            violators = self._violators(targets, targets - sums)
            if violators is None:
                return True
            found = violators.any(axis=1)
            self._hold(self._rows[found], np.where(violators, sums, np.nan)[found])
            if not self._finish() or self._tasks.stopped:
                return False
        return False

    def _targets(self) -> NDArray[np.float64]:
        table, numbers = self._state.table, self._numbers[self._rows]
        if len(table) == 2:
            return np.where(numbers[:, None] == 1, 1.0, -1.0)
        return table.scheme.targets(len(table))[numbers]

    def _violators(self, targets: NDArray[np.float64], gradient: NDArray[np.float64]) -> NDArray[np.bool_] | None:
        """Return which rows, beyond those held, violate in which binary models; None if no binary model has any."""
        tolerance = self._options.tolerance
        low, high = self._native.extremes.T
        is_new = self._native.held_rows(len(self._numbers))[self._rows] == 0
        up, down = is_new & (targets > 0), is_new & (targets < 0)
        highest = np.maximum(high, np.max(gradient, axis=0, initial=-np.inf, where=up))
        lowest = np.minimum(low, np.min(gradient, axis=0, initial=np.inf, where=down))
        is_solved = highest - lowest <= tolerance
        if is_solved.all():
            return None
        violators: NDArray[np.bool_] = (up & (gradient > lowest + tolerance)) | (
            down & (gradient < highest - tolerance)
        )
        violators &= ~is_solved
        return violators if violators.any() else None
