"""Solve a training set exactly: until no row violates the optimality conditions by more than the tolerance.

Small problems are solved as they are: all rows are held, and second-order pairs move, with shrinking. Larger ones begin
with one pass of LASVM, which leaves few violators. These are found by a sweep over all rows and held as well; then the
rows held are solved again, from the coefficients and gradients at hand. That repeats until a sweep finds none.
The criterion is that of LIBSVM, over all rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from hinge._fit.sweeps import Sweeps, middle_of
from hinge._model.support import signed_coefficients

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hinge import _core
    from hinge._fit.data import TrainingData
    from hinge._fit.progress import FitTasks
    from hinge._model.state import State

_MAX_DIRECT_ROWS = 10_000  # of the two largest classes: problems up to this size are solved as they are
_MAX_POLISHED = 1000  # rows of problems that Newton steps may solve
_PATIENCE = 100_000  # pair steps before these are tried; badly scaled problems need millions
_MAX_SWEEPS = 100
_SAFETY = 4.0  # times the largest error of the sums that were computed again, for those that were not
_SEEDS_PER_CLASS = 5  # examples of each class at the start, so that every binary model sees both of its classes early


@dataclass(frozen=True)
class Guess:
    """A solution that may be inexact: arrays of shape (n_used, n_binaries).

    Attributes
    ----------
    alpha : ndarray
        Coefficients of the rows that are used.
    sums, drift : ndarray
        Sums of these rows, and how far each may be from that of these coefficients but for the precision.
    middle : ndarray of shape (n_binaries,)
        Minus the bias.
    """

    alpha: NDArray[np.float64]
    sums: NDArray[np.float64]
    drift: NDArray[np.float64]
    middle: NDArray[np.float64]


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
    keeps_idle : bool
        Whether rows that were held stay so without a coefficient.
    """

    def __init__(  # noqa: PLR0917
        self,
        state: State,
        data: TrainingData,
        seed: int,
        tasks: FitTasks,
        monitor: _core.Monitor | None,
        keeps_idle: bool = False,
    ) -> None:
        self._state = state
        self._keeps_idle = keeps_idle
        self._native: Any = state.native
        self._options: Any = state.options
        self._seed = seed
        self._tasks = tasks
        self._monitor = monitor
        self._rows = np.flatnonzero(data.used)
        self._costs = data.costs
        self._numbers = data.class_numbers(state.table)
        ((_, self._batch),) = state.storage.batches(data.X)
        self._sweeps = Sweeps(state, data.X, self._batch, self._rows, self._numbers)

    def use(self, options: _core.LasvmOptions) -> None:
        """Go on with another tolerance or another number of steps."""
        self._state.use(options)
        self._options = options
        self._sweeps.aim(options.tolerance)

    def solve(self) -> bool:
        """Solve the problem; return whether that succeeded."""
        if self._is_small or self._options.max_steps is not None:
            self._hold(self._rows, np.zeros((len(self._rows), self._native.n_binaries)))
            return self._finish_patiently()
        self._pass()
        return not self._tasks.stopped and self.complete()

    def complete(self, max_sweeps: int = _MAX_SWEEPS) -> bool:
        """Solve the problem from where the state is; return whether that succeeded."""
        return self._finish() and not self._tasks.stopped and self._add_violators(max_sweeps)

    def solve_with_sum(self, nu: float) -> bool:
        """Solve for positive coefficients whose sum is `nu` times that of the costs; the first rows begin at these."""
        costs = self._costs[self._rows]
        before = np.cumsum(costs) - costs
        alpha = np.clip(nu * costs.sum() - before, 0.0, costs)[:, None]
        used = np.flatnonzero(alpha[:, 0])
        self._hold(self._rows, self._sums_of(self._rows[used], alpha[used], self._rows), alpha)
        return self._finish()

    def solve_from(self, rows: NDArray[np.int64], alpha: NDArray[np.float64]) -> bool:
        """Solve the problem from coefficients of some rows, one column per binary model, that need not add up to 0."""
        alpha = _balanced(alpha)
        sums = self._sums_of(rows, alpha, rows)
        self._hold(rows, np.where(alpha == 0.0, np.nan, sums), alpha)
        return self.complete()

    def guess(self) -> Guess:
        """Return the solution at hand, as something for another solver to begin with."""
        arrays = self._native.state()
        alpha = np.zeros((len(self._numbers), self._native.n_binaries))
        alpha[arrays["ids"]] = signed_coefficients(arrays).T
        sums, drift = self._sweeps.known()
        return Guess(alpha[self._rows], sums, drift, middle_of(self._native))

    def begin_with(self, guess: Guess) -> None:
        """Hold the rows that a guess needs; `complete` then solves the problem."""
        held = (guess.alpha != 0.0) | self._sweeps.near(guess.sums, guess.middle)
        places = np.flatnonzero(held.any(axis=1))
        rows, held, alpha = self._rows[places], held[places], guess.alpha[places]
        sums = self._sums_of(rows, alpha, rows)
        errors = np.max(np.abs(sums - guess.sums[places]), axis=0, where=held, initial=0.0)
        self._sweeps.assume(guess.sums, guess.drift + _SAFETY * errors)
        self._hold(rows, np.where(held, sums, np.nan), alpha)
        self._sweeps.known()

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
        finish = partial(self._native.finish, self._monitor, keep_idle=self._keeps_idle)
        outcome: _core.Outcome = self._tasks.step("finish", finish)
        return not outcome.stalled

    def _finish_patiently(self) -> bool:
        """Finish, with Newton steps in between where pairs of coefficients get on slowly."""
        if self._options.max_steps is None and len(self._rows) <= _MAX_POLISHED:
            options = self._options
            self._state.use(options.replace(max_steps=_PATIENCE))
            converged = self._finish()
            if not converged and not self._tasks.stopped:
                self._native.polish()
            self._state.use(options)
            if converged:
                return True
        return self._finish()

    def _sums_of(
        self, rows: NDArray[np.int64], alpha: NDArray[np.float64], asked: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """Return the sums of some coefficients of these rows times kernel values, for the rows that are asked."""
        other: Any = self._state.copy().native
        other.hold(self._batch, self._numbers, self._costs, 0, rows, np.zeros(alpha.shape), alpha)
        sums: NDArray[np.float64] = other.predictor().decide(self._batch.pick(asked), self._options.threads)
        sums -= other.bias
        return sums

    def _add_violators(self, max_sweeps: int) -> bool:
        """Hold the rows that violate, and solve again, until there are none."""
        for _ in range(max_sweeps):
            rows, sums = self._sweeps.violators()
            if not len(rows):
                return True
            self._hold(rows, sums)
            if not self._finish() or self._tasks.stopped:
                return False
        return False


def _balanced(alpha: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return coefficients whose columns add up to 0: those of the sign with the larger sum shrink.

    Examples
    --------
    >>> _balanced(np.array([[3.0], [1.0], [-2.0]])).ravel().tolist()
    [1.5, 0.5, -2.0]
    """
    above, below = np.maximum(alpha, 0.0), np.minimum(alpha, 0.0)
    sums = np.stack([above.sum(axis=0), -below.sum(axis=0)])
    factors = np.divide(sums.min(axis=0), sums, out=np.zeros_like(sums), where=sums > 0)
    balanced: NDArray[np.float64] = factors[0] * above + factors[1] * below
    return balanced


def seeds_first(order: NDArray[np.int64], numbers: NDArray[np.int32]) -> NDArray[np.int64]:
    """Move the first few examples of each class to the front.

    Examples
    --------
    >>> import numpy as np
    >>> numbers = np.array([0, 0, 0, 0, 0, 0, 0, 1])
    >>> seeds_first(np.arange(8), numbers).tolist()
    [0, 1, 2, 3, 4, 7, 5, 6]
    """
    labels = numbers[order]
    first = [np.flatnonzero(labels == number)[:_SEEDS_PER_CLASS] for number in np.unique(labels)]
    front = np.sort(np.concatenate(first))
    return np.concatenate([order[front], np.delete(order, front)])
