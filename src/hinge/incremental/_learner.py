"""Learning, forgetting and leave-one-out, shared by the exact classifier and the exact one-class model."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Protocol, cast

import numpy as np

from hinge import _core
from hinge._calibration import Decisions
from hinge._fit.convergence import warn
from hinge._fit.driver import revising, state_of
from hinge._fit.learner import KernelLearner
from hinge._fit.progress import FitTasks, progress_bar
from hinge._model.overflow import check_total, require_finite
from hinge._model.params import bound, choice, number
from hinge._model.threads import one_blas_thread
from hinge.exceptions import ParameterError
from hinge.incremental._ids import Ids
from hinge.incremental._kernel_diagonal import require_constant_diagonal
from hinge.incremental._one_class_start import learn_all_of_one_class
from hinge.incremental._state import ExactState
from hinge.incremental._warm_start import is_worthwhile, learn_all

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hinge._fit.data import TrainingData
    from hinge._fit.estimator import KernelEstimator
    from hinge._model.labels import ClassTable
    from hinge._model.options import CommonOptions, OnlineOptions, SolverOptions
    from hinge._model.state import State
    from hinge._model.types import IdList

CLASSIFIER_EVICTIONS = ("balanced", "relevance", "weight", "age")
ONE_CLASS_EVICTIONS = ("age", "relevance", "weight")


class ExactEstimator(Protocol):
    """The parameters that exact models share."""

    tol: float
    max_examples: int | None
    eviction: str


class ExactLearner(KernelLearner[ExactState]):
    """How exact models learn: every example has an id, and the solution is exact after each example."""

    def with_ids(self, data: TrainingData, state: ExactState | None, ids: IdList | None) -> TrainingData:
        """Return the data with ids; the default ids are the positions in the stream."""
        known, first = (Ids(), 0) if state is None else (state.ids, state.n_seen)
        return replace(data, ids=known.check_new(ids, len(data), first))

    def new_state(
        self, estimator: KernelEstimator, data: TrainingData, options: SolverOptions, table: ClassTable
    ) -> ExactState:
        """Return an empty state; a one-class model keeps its class when its last example is forgotten."""
        state = super().new_state(estimator, data, options, table)
        if state.options.problem != "classifier":
            state.announce(table.classes)
        return state

    def require_unchanged(self, estimator: KernelEstimator, state: ExactState, options: SolverOptions) -> None:
        """Raise ParameterError if the kernel or the one-class problem changed."""
        super().require_unchanged(estimator, state, options)
        now, then = cast("_core.ExactOptions", options), state.options
        if (now.problem, now.nu, now.most_total) != (then.problem, then.nu, then.most_total):
            rule = f"nu={then.nu:g}" if then.most_total is None else "C in use instead of nu"
            raise ParameterError(
                f"shape, nu and the use of C must stay what they were when learning began (shape={then.problem!r}, "
                f"{rule}); set them back, or call fit to start from scratch."
            )

    def require_learnable(self, state: ExactState, data: TrainingData, *, whole: bool) -> None:
        """Raise DataError for numbers that would overflow or underflow, or columns of other rows."""
        super().require_learnable(state, data, whole=whole)
        if state.options.problem != "classifier":
            check_total(state.options.nu, data.costs)
        if state.kernel.name == "precomputed" and state.options.problem == "sphere":
            square = data.X[:, state.n_seen : state.n_seen + len(data)]
            require_constant_diagonal(square, state.precomputed_diagonal())

    def train(self, estimator: KernelEstimator, state: ExactState, data: TrainingData) -> None:
        """Learn a whole training set; one pass is enough."""
        tasks = FitTasks(estimator, state, data, 1)
        with progress_bar(estimator.verbose) as bar, state.monitored(bar) as monitor:
            tasks.step("pass", partial(self._learn_all, state, data, monitor))
        tasks.end()
        warn_if_violated(state, estimator.tol)

    def _learn_all(self, state: ExactState, data: TrainingData, monitor: _core.Monitor | None) -> None:
        with state.adding(data, 0):
            self._learn_again(state, data, 0, monitor)

    def _learn_again(self, state: State, data: TrainingData, seed: int, monitor: _core.Monitor | None) -> None:
        exact = cast("ExactState", state)
        if not is_worthwhile(data, exact):
            super()._learn_again(state, data, seed, monitor)
        elif exact.options.problem == "classifier":
            learn_all(data, exact, monitor)
        else:
            learn_all_of_one_class(data, exact, monitor)

    def learn(self, estimator: KernelEstimator, state: ExactState, data: TrainingData, options: SolverOptions) -> None:
        """Learn the next rows of a stream."""
        super().learn(estimator, state, data, options)
        warn_if_violated(state, estimator.tol)

    def _learn_next(
        self,
        estimator: KernelEstimator,
        state: ExactState,
        data: TrainingData,
        first: int,
        monitor: _core.Monitor | None,
    ) -> None:
        with state.adding(data, first):
            super()._learn_next(estimator, state, data, first, monitor)


def exact_options(
    estimator: ExactEstimator, common: CommonOptions | OnlineOptions, evictions: tuple[str, ...]
) -> _core.ExactOptions:
    """Convert the parameters that exact models share to options."""
    number("tol", estimator.tol, above=0, hint="a usual value is 1e-3")
    return _core.ExactOptions(
        **common,
        max_examples=bound("max_examples", estimator.max_examples, at_least=2),
        eviction=choice("eviction", estimator.eviction, evictions),
    )


def forget(estimator: KernelEstimator, ids: IdList) -> None:
    """Forget examples by their ids."""
    positions = exact_state(estimator).ids.find(ids)
    with revising(estimator, ExactState, n_rows=len(positions)) as (state, monitor), state.syncing_ids():
        weightless = state.ids.are_weightless(positions)
        held = positions[~weightless]
        done = state.native.forget(held, monitor)
        state.ids.remove([*held[:done], *positions[weightless]])
    warn_if_violated(exact_state(estimator), estimator.tol)


def leave_one_out(estimator: KernelEstimator) -> tuple[ClassTable, NDArray[np.float64]]:
    """Compute the decision value of each example held by the model without it, one column per binary model."""
    known = exact_state(estimator)
    state = known.state_to_change()
    known.make_snapshot()  # predictions in other threads use it while examples are removed and added again
    try:
        return state.table, _leave_one_out(estimator, state)
    finally:
        known.drop_snapshot()


def leave_all_out(estimator: KernelEstimator) -> ExactState:
    """Return the state, after recording the decisions about the examples held without themselves if that is missing."""
    state = exact_state(estimator)
    if state.decisions is None and state.native.n_retained:
        _, values = leave_one_out(estimator)
        known = np.full(len(values), state.native.n_retained, dtype=np.int64)
        record = Decisions.none(values.shape[1])
        state.decisions = record.plus(values, state.native.labels(), state.native.costs(), known)
        state.drop_snapshot()
    return state


def _leave_one_out(estimator: KernelEstimator, state: ExactState) -> NDArray[np.float64]:
    with one_blas_thread(), progress_bar(estimator.verbose) as bar, state.monitored(bar) as monitor:
        return require_finite(state.native.leave_one_out(monitor))


def exact_state(estimator: KernelEstimator) -> ExactState:
    """Return the state of an exact model, or raise NotFittedError."""
    return state_of(estimator, ExactState)


def certified(estimator: KernelEstimator) -> _core.ExactModel:
    """Return the native model after computing all gradients from scratch, so that measures rest on nothing else."""
    state = exact_state(estimator)
    with one_blas_thread():
        state.native.certify()
    state.drop_snapshot()  # the bias follows from the gradients, and may have changed in its last digits
    return state.native


def warn_if_violated(state: ExactState, tolerance: float) -> None:
    """Warn if rounding, or a kernel without an optimum, leaves the optimality conditions violated."""
    violation = float(state.native.violation.max(initial=0.0))
    if not violation <= tolerance:  # NaN counts as well
        warn(
            state,
            f"The optimality conditions are violated by {violation:.2g}, more than tol={float(tolerance):g}; scale the "
            "features, lower C, or use a positive semi-definite kernel.",
        )
