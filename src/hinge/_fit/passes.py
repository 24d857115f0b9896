"""Passes of `fit` over a training set, the finishing step, and when to stop."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, cast

import numpy as np
from sklearn.utils import check_random_state

from hinge._fit.calibration import match_sizes, record_first_visits
from hinge._fit.convergence import CUT_SHORT, warn_not_converged
from hinge._fit.dismissed import MOST_DISMISSED, share_dismissed
from hinge._fit.drafts import solve
from hinge._fit.exact_solver import ExactSolver, seeds_first
from hinge._model.labels import distinct
from hinge._model.params import random_seed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hinge import _core
    from hinge._fit.data import TrainingData
    from hinge._fit.progress import FitTasks
    from hinge._model.state import State
    from hinge._model.types import RandomStateLike

# epochs="auto" solves training sets exactly where that costs little more than a pass, or less.
_MAX_EXACT_ROWS = 2000
_MAX_EXACT_TARGETS = 10_000  # rows times binary models
_MAX_COST_RATIO = 4  # of costs for which one pass is enough
_CHEAP_STEPS = 200_000  # refine a solution found in so few steps up to rounding
_CHEAP_CHANGES = 20_000_000  # of single gradients by these steps
_MAX_POLISHED = 500  # support vectors; the linear systems of more take longer than all steps
_MAX_REFINING_SWEEPS = 5  # rounding may make a row seem to violate forever
_FINEST_TOLERANCES = {np.dtype(np.float64): 1e-9, np.dtype(np.float32): 1e-5}  # smaller violations are rounding errors


@dataclass(frozen=True)
class PassPlan:
    """How many passes to make over a training set, and when to stop.

    Attributes
    ----------
    passes : int
        Number of passes over all rows.
    finishing : bool
        Whether to run the finishing step after the last pass.
    until : {"passes", "checked", "converged", "exact"}
        Stop after the passes; after the passes, unless they dismissed many rows that the model gets wrong; when no row
        violates the optimality conditions by more than the tolerance; or when none does so by more than rounding.
    """

    passes: int = 1
    finishing: bool = False
    until: str = "passes"

    @property
    def solves(self) -> bool:
        """Whether the examples held are near their optimum at the end."""
        return self.finishing or self.until != "passes"

    @property
    def n_steps(self) -> int | None:
        """Number of steps to report to callbacks; None if it is not known beforehand."""
        return self.passes + self.finishing if self.until == "passes" else None


def automatic_plan(data: TrainingData, *, finishing: bool, solvable: bool) -> PassPlan:
    """Return the plan of `epochs="auto"`; `solvable` says whether the exact solution is its aim."""
    passes = 2 if _is_uneven(data) else 1
    if not solvable:
        return PassPlan(passes, finishing)
    n_rows = int(np.count_nonzero(data.used))
    if n_rows <= _MAX_EXACT_ROWS:
        return PassPlan(until="exact")
    n_classes = len(distinct(data.used_labels))
    n_binaries = n_classes if n_classes > 2 else 1
    if n_rows * n_binaries <= _MAX_EXACT_TARGETS:
        return PassPlan(until="converged")
    return PassPlan(passes, finishing, until="checked")


def _is_uneven(data: TrainingData) -> bool:
    """Return True if the costs of examples differ so much that one pass dismisses light examples too early.

    A heavy example that comes late moves the boundary far; a second pass finds the light ones that are needed again.
    """
    costs = data.costs[data.used]
    return bool(costs.max() > _MAX_COST_RATIO * costs.min())


class Passes:
    """Passes over one training set.

    Parameters
    ----------
    state : State
        The empty state of a new model.
    data : TrainingData
        The training set.
    random_state : int, RandomState instance or None
        Seed of the order of visits.
    tasks : FitTasks
        Reports each step to callbacks.
    monitor : callable or None
        Called by the native code to report progress.
    """

    def __init__(
        self,
        state: State,
        data: TrainingData,
        random_state: RandomStateLike,
        tasks: FitTasks,
        monitor: _core.Monitor | None,
    ) -> None:
        self._state = state
        self._data = data
        self._costs = data.costs
        self._numbers = data.class_numbers(state.table)
        ((_, self._batch),) = state.storage.batches(data.X)  # one batch: the model stores rows as the training set does
        self._random = check_random_state(random_state)
        self._seed = random_seed(self._random)
        self._rows = np.flatnonzero(data.used)
        self._order: NDArray[np.int64] | None = None  # of the next visits
        self._tasks = tasks
        self._monitor = monitor
        self._n_recorded = 0

    def run(self, plan: PassPlan) -> None:
        """Make the passes of a plan."""
        if plan.until == "exact":
            self._solve_exactly()
        elif plan.until == "converged":
            self._converge()
        else:
            self._visit(plan)

    def _visit(self, plan: PassPlan) -> None:
        self._n_recorded, first = 0 if plan.solves else self._state.n_recorded, None
        for _ in range(plan.passes):
            outcome = self._pass()
            if self._n_recorded:  # only the first visit finds examples that the model does not know
                record_first_visits(self._state, self._data, outcome)
                self._n_recorded, first = 0, outcome
            if self._tasks.stopped:
                break
        if first is not None:
            match_sizes(self._state, self._data, first)
        if plan.finishing and self._finish().stalled:
            warn_not_converged(self._state, "Finishing stalled")
        elif plan.until == "checked" and not self._tasks.stopped:
            self._go_on_if_needed()

    def _go_on_if_needed(self) -> None:
        """Solve the training set if the passes dismissed many rows that the model gets wrong."""
        if share_dismissed(self._state, self._data) > MOST_DISMISSED:
            self._warn_unless(self._solver().complete())

    def _solver(self) -> ExactSolver:
        return ExactSolver(self._state, self._data, self._seed, self._tasks, self._monitor)

    def _converge(self) -> None:
        """Solve the training set until no example violates the optimality conditions."""
        if self._options.selection == "random":
            self._warn_unless(solve(self._state, self._data, self._seed, self._tasks, self._monitor))
            return
        solver = self._solver()
        self._pass()  # selection skips examples: use it in one pass, then look at all
        if not self._tasks.stopped:
            self._warn_unless(solver.complete())

    def _solve_exactly(self) -> None:
        """Solve to the tolerance; refine the solution up to rounding if it was found with little effort."""
        options = self._options
        solver = self._solver()
        converged = solver.solve()
        if converged and self._was_cheap and not self._tasks.stopped:
            finest = min(options.tolerance, _FINEST_TOLERANCES[self._state.storage.dtype])
            solver.use(options.replace(tolerance=finest, max_steps=_CHEAP_STEPS))
            self._refine(solver)
            solver.use(options)
            if self._state.native.violation.max() > options.tolerance:  # refinement ran out of steps
                converged = solver.complete()
        self._warn_unless(converged)

    def _refine(self, solver: ExactSolver) -> None:
        """Bring the rows held near the optimum by Newton steps, and look for others that violate then."""
        if self._state.native.n_retained <= _MAX_POLISHED:
            self._state.native.polish()
        solver.complete(_MAX_REFINING_SWEEPS)

    @property
    def _was_cheap(self) -> bool:
        native = self._state.native
        return native.n_steps <= _CHEAP_STEPS and native.n_steps * native.n_retained <= _CHEAP_CHANGES

    @property
    def _options(self) -> _core.LasvmOptions:
        return cast("_core.LasvmOptions", self._state.options)

    def _warn_unless(self, converged: bool) -> None:
        """Warn if the solution does not reach the tolerance."""
        reached = converged and self._state.native.violation.max() <= self._options.tolerance
        if not reached and not self._tasks.stopped:
            warn_not_converged(self._state, "Passes or steps ran out")

    def _pass(self) -> _core.Outcome:
        if self._order is None:
            self._order = seeds_first(self._random.permutation(self._rows), self._numbers)
        order, self._order = self._order, self._random.permutation(self._rows)
        learn = partial(self._state.native.learn, self._batch, self._numbers, self._costs, 0)
        recorded = self._n_recorded
        visit = partial(learn, order, self._seed, self._monitor, scored=recorded > 0, recorded=recorded)
        outcome = self._tasks.step("pass", visit)
        if outcome.stalled:
            warn_not_converged(self._state, CUT_SHORT)
        return outcome

    def _finish(self) -> _core.Outcome:
        return self._tasks.step("finish", partial(self._state.native.finish, self._monitor))
