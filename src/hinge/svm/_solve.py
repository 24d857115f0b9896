"""Solve the problem of an SVC, one-vs-one, until no row of the training set violates the optimality conditions.

Small problems are solved as they are: all rows are held, and second-order pairs move, with shrinking. Larger ones begin
with one pass of LASVM, which leaves few violators. These are found by one product with all rows and held as well; then
the rows held are solved again, from the coefficients and gradients at hand. That repeats until a product finds none.
The criterion is that of LIBSVM, over all rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hinge._fit.passes import seeds_first
from hinge._model.labels import ClassTable
from hinge._model.state import State
from hinge._model.validation import Storage

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hinge import _core
    from hinge._model.kernels import KernelSpec
    from hinge._model.types import Labels, Rows

_MAX_DIRECT_ROWS = 10_000  # of the two largest classes: problems up to this size are solved as they are
_MAX_SWEEPS = 100
NO_BOUND = 1e300  # the cost of an example without a bound: C is infinite


@dataclass(frozen=True)
class Problem:
    """The training set of an SVC.

    Attributes
    ----------
    X : ndarray or CSR matrix of shape (n, n_features)
        Rows in double precision, or kernel values.
    y : ndarray of shape (n,)
        Labels.
    costs : ndarray of shape (n,)
        Upper bounds of the coefficients; rows of cost 0 or less are left out.
    kernel : KernelSpec
        The kernel.
    options : LasvmOptions
        Options of the solver; `max_steps` bounds the steps of each binary model.
    seed : int
        Seed of the order of the pass.
    """

    X: Rows
    y: Labels
    costs: NDArray[np.float64]
    kernel: KernelSpec
    options: _core.LasvmOptions
    seed: int


class Solver:
    """Solves one problem.

    Attributes
    ----------
    state : State
        The solution, after `solve`.
    converged : bool
        Whether no row violates the optimality conditions by more than the tolerance.
    """

    def __init__(self, problem: Problem, monitor: _core.Monitor | None, n_classes: int | None = None) -> None:
        self._problem = problem
        self._monitor = monitor
        self._rows = np.flatnonzero(problem.costs > 0)
        self._costs = np.clip(problem.costs, 0.0, NO_BOUND)
        table = ClassTable.of(problem.y[self._rows] if n_classes is None else np.arange(n_classes))
        self.state = State(problem.kernel, problem.options, Storage.of(problem.X), table)
        self.state.n_seen = len(problem.y)
        self.converged = True
        self._numbers = np.zeros(len(problem.y), dtype=np.int32)
        self._numbers[self._rows] = table.encode(problem.y[self._rows])
        ((_, self._batch),) = self.state.storage.batches(problem.X)
        self._native: Any = self.state.native

    def solve(self) -> State:
        """Solve the problem, and return the solution."""
        with self.state.blas_context():
            if self._is_small or self._problem.options.max_steps is not None:
                self._hold(self._rows, np.zeros((len(self._rows), self._native.n_binaries)))
                self._finish()
            else:
                self._pass()
                self._finish()
                self._add_violators()
        return self.state

    def start(self, nu: float) -> None:
        """Solve for the sum of coefficients that is `nu` times that of the costs."""
        costs = self._costs[self._rows]
        before = np.cumsum(costs) - costs
        alpha = np.clip(nu * costs.sum() - before, 0.0, costs)[:, None]
        used = np.flatnonzero(alpha[:, 0])
        with self.state.blas_context():
            empty = self.state.copy()
            self._hold(self._rows[used], np.zeros((len(used), 1)), alpha[used])
            sums = self._native.predictor().decide(self._batch, self._problem.options.threads)[self._rows]
            sums -= self._native.bias
            self.state = empty
            self._native = self.state.native
            self._hold(self._rows, sums, alpha)
            self._finish()

    @property
    def _is_small(self) -> bool:
        largest = np.sort(np.bincount(self._numbers[self._rows]))[-2:]
        return int(largest.sum()) <= _MAX_DIRECT_ROWS

    def _hold(
        self, rows: NDArray[np.int64], sums: NDArray[np.float64], alpha: NDArray[np.float64] | None = None
    ) -> None:
        self._native.hold(self._batch, self._numbers, self._costs, 0, rows, sums, alpha)

    def _pass(self) -> None:
        order = np.random.RandomState(self._problem.seed).permutation(self._rows)
        order = seeds_first(order, self._numbers)
        self._native.learn(self._batch, self._numbers, self._costs, 0, order, 0, self._monitor, scored=False)

    def _finish(self) -> None:
        outcome = self._native.finish(self._monitor)
        self.converged = not outcome.stalled

    def _add_violators(self) -> None:
        """Hold the rows that violate, and solve again, until there are none."""
        targets = self._targets()
        for _ in range(_MAX_SWEEPS):
            sums = self._native.predictor().decide(self._batch, self._problem.options.threads)[self._rows]
            sums -= self._native.bias
            violators = self._violators(targets, targets - sums)
            if violators is None:
                return
            found = violators.any(axis=1)
            self._hold(self._rows[found], np.where(violators, sums, np.nan)[found])
            self._finish()
        self.converged = False

    def _targets(self) -> NDArray[np.float64]:
        table, numbers = self.state.table, self._numbers[self._rows]
        if len(table) == 2:
            return np.where(numbers[:, None] == 1, 1.0, -1.0)
        return table.scheme.targets(len(table))[numbers]

    def _violators(self, targets: NDArray[np.float64], gradient: NDArray[np.float64]) -> NDArray[np.bool_] | None:
        """Return which rows, beyond those held, violate in which binary models; None if no binary model has any."""
        tolerance = self._problem.options.tolerance
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


def solve_one_class(  # noqa: PLR0917
    X: Rows,
    costs: NDArray[np.float64],
    nu: float,
    kernel: KernelSpec,
    options: _core.LasvmOptions,
    monitor: _core.Monitor | None,
) -> Solver:
    """Solve a one-class problem: coefficients between 0 and the costs, with nu times the sum of these as their sum.

    All rows are positive examples of a classifier, and pairs keep the sum of coefficients. As in LIBSVM, the first rows
    begin at their bounds. Decision values of the classifier are those of the one-class problem plus 1.
    """
    solver = Solver(Problem(X, np.ones(len(costs), dtype=np.intp), costs, kernel, options, 0), monitor, n_classes=2)
    solver.start(nu)
    return solver
