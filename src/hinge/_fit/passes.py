"""How `fit` goes through a training set."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np
from sklearn.utils import check_random_state

from hinge._fit.base import StreamingClassifier, TrainingData, random_seed, unchanged_on_error
from hinge._fit.convergence import CUT_SHORT, warn_not_converged
from hinge._fit.progress import FitTasks, progress_bar
from hinge._model.locking import writes
from hinge._model.threads import one_blas_thread

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hinge import _core
    from hinge._model.state import State

Estimator = TypeVar("Estimator", bound=StreamingClassifier)

_SEEDS = 5  # examples of each class that come first, so that no machine starts with one class only
_MAX_PASSES = 100  # over a training set that does not settle

# What epochs="auto" means by a small set, where the exact solution costs little.
_FEW_EXAMPLES = 2000
_FEW_STEPS = 200_000  # to the tolerance asked for; then the last digits are worth their price
_MANY_STEPS = 50 * _FEW_STEPS  # a badly conditioned problem: what there is must do
_STEPS_AN_EXAMPLE = 200  # where there are many: more than finishing takes
_LAST_DIGITS = {np.dtype(np.float64): 1e-9, np.dtype(np.float32): 1e-5}  # tolerances that rounding still allows


class Training:
    """One training set and the machines that learn it.

    Parameters
    ----------
    state : State
        The machines, empty as yet.
    data : TrainingData
        The training set.
    random_state : int, RandomState instance or None
        Seed of the order of visits.
    tasks : FitTasks
        Whom to tell about each step.
    monitor : callable or None
        Whom the native code tells about its progress.
    """

    def __init__(
        self, state: State, data: TrainingData, random_state: Any, tasks: FitTasks, monitor: _core.Monitor | None
    ) -> None:
        self._state = state
        self._costs = data.costs
        self._numbers = data.numbers(state.table)
        ((_, self._batch),) = state.storage.batches(data.X)  # one, since the model is stored as its training set is
        self._random = check_random_state(random_state)
        self._seed = random_seed(self._random)
        self._rows = np.flatnonzero(data.used)
        self._order = opening(self._random.permutation(self._rows), self._numbers)
        self._tasks = tasks
        self._monitor = monitor

    @staticmethod
    def is_small(data: TrainingData) -> bool:
        """Tell whether a training set has few examples."""
        return int(np.count_nonzero(data.used)) <= _FEW_EXAMPLES

    def visit(self, passes: int, *, finish: bool) -> None:
        """Go over the training set some times, and finish after that if wanted."""
        for _ in range(passes):
            self._pass()
            if self._tasks.stopped:
                break
        if finish and self._finish().stalled:
            warn_not_converged("Finishing stalled")

    def converge(self) -> None:
        """Go over the training set until no example of it violates the optimality conditions."""
        wanted = self._options
        if wanted.selection != "random":  # it passes over examples: one pass, then all of them are looked at
            self._pass()
            if self._tasks.stopped:
                return
            self._state.use(wanted.replace(selection="random"))
        most = max(_MANY_STEPS, _STEPS_AN_EXAMPLE * len(self._rows)) * self._state.native.n_binaries
        settled = self._settle(3 * most)
        self._state.use(wanted)
        self._warn_unless(settled)

    def solve(self) -> None:
        """Converge, and go on to the last digits if that took few steps."""
        wanted = self._options
        settled = self._settle(_MANY_STEPS)
        if settled and self._state.native.n_steps <= _FEW_STEPS:
            finest = min(wanted.tolerance, _LAST_DIGITS[self._state.storage.dtype])
            self._state.use(wanted.replace(tolerance=finest, max_steps=_FEW_STEPS))
            self._settle(10 * _FEW_STEPS)
            self._state.native.polish()
            self._state.use(wanted)
            if self._state.native.gap.max() > wanted.tolerance:  # the way to the last digits was given up half-way
                settled = self._settle(_MANY_STEPS)
        self._warn_unless(settled)

    @property
    def _options(self) -> _core.LasvmOptions:
        return cast("_core.LasvmOptions", self._state.options)

    def _warn_unless(self, settled: bool) -> None:
        """Say so when the solution is not what was asked for."""
        reached = settled and self._state.native.gap.max() <= self._options.tolerance
        if not reached and not self._tasks.stopped:
            warn_not_converged("Passes or steps ran out")

    def _settle(self, most_steps: int) -> bool:
        """Pass and finish in turn; return whether a pass found nothing to learn before the patience was over."""
        for _ in range(_MAX_PASSES):
            inserted = self._pass().inserted
            self._finish()
            if not inserted:
                return True
            if self._tasks.stopped or self._state.native.n_steps > most_steps:
                break
        return False

    def _pass(self) -> _core.Outcome:
        order, self._order = self._order, self._random.permutation(self._rows)
        learn = partial(self._state.native.learn, self._batch, self._numbers, self._costs, 0)
        outcome = self._tasks.step("pass", partial(learn, order, self._seed, self._monitor))
        if outcome.stalled:
            warn_not_converged(CUT_SHORT)
        return outcome

    def _finish(self) -> _core.Outcome:
        return self._tasks.step("finish", partial(self._state.native.finish, self._monitor))


@writes
def finish_now(estimator: Estimator) -> Estimator:
    """Bring the violation among the examples that an estimator holds below its tolerance; return the estimator."""
    options = estimator._check_params(streaming=False)
    with unchanged_on_error(estimator):
        estimator._state = state = estimator._known().expendable()
        native = state.use(options)
        with one_blas_thread(), progress_bar(estimator.verbose) as bar, state.watched(bar) as monitor:
            stalled = native.finish(monitor).stalled
    if stalled:
        warn_not_converged("Finishing stalled")
    return estimator


def make_passes(estimator: StreamingClassifier, data: TrainingData, passes: int) -> None:
    """Show a training set to the machines of an estimator some times, in random order."""
    tasks = FitTasks(estimator, data.X, data.y, data.metadata, passes)
    state = estimator._state
    with progress_bar(estimator.verbose) as bar, state.watched(bar) as monitor:
        Training(state, data, estimator.random_state, tasks, monitor).visit(passes, finish=False)
    tasks.end()


def opening(order: NDArray[np.int64], numbers: NDArray[np.int32]) -> NDArray[np.int64]:
    """Move the first few examples of each class to the front.

    Examples
    --------
    >>> import numpy as np
    >>> numbers = np.array([0, 0, 0, 0, 0, 0, 0, 1])
    >>> opening(np.arange(8), numbers).tolist()
    [0, 1, 2, 3, 4, 7, 5, 6]
    """
    labels = numbers[order]
    first = [np.flatnonzero(labels == number)[:_SEEDS] for number in np.unique(labels)]
    front = np.sort(np.concatenate(first))
    return np.concatenate([order[front], np.delete(order, front)])
