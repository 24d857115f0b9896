"""Learners: how models of support vectors learn a training set, or the next rows of a stream."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

import numpy as np

from hinge._fit.beginning import Beginning, may_change
from hinge._fit.convergence import CUT_SHORT, warn_not_converged
from hinge._fit.leave_one_out import record_left_out
from hinge._fit.passes import Passes
from hinge._fit.progress import FitTasks, progress_bar
from hinge._model.class_scheme import scheme_of
from hinge._model.first_examples import FirstExamples
from hinge._model.kernels import KernelSpec, check_gram
from hinge._model.overflow import check_overflow
from hinge._model.state import BEGINNING, State
from hinge._model.time_limit import TimeIsUp
from hinge._model.validation import Storage
from hinge.exceptions import DataError, ParameterError

if TYPE_CHECKING:
    from hinge import _core
    from hinge._fit.data import TrainingData
    from hinge._fit.estimator import KernelEstimator
    from hinge._model.labels import ClassTable
    from hinge._model.options import SolverOptions
    from hinge._model.types import IdList

StateT = TypeVar("StateT", bound=State)


class Learner(Protocol[StateT]):
    """How a family of models learns; the driver calls the methods in this order."""

    def with_ids(self, data: TrainingData, state: StateT | None, ids: IdList | None) -> TrainingData:
        """Return the data with one id per row if the model can forget examples."""

    def new_state(
        self, estimator: KernelEstimator, data: TrainingData, options: SolverOptions, table: ClassTable
    ) -> StateT:
        """Return an empty state for a training set."""

    def start_stream(
        self, estimator: KernelEstimator, data: TrainingData, options: SolverOptions, table: ClassTable
    ) -> StateT:
        """Return an empty state for a stream that begins with these rows."""

    def require_unchanged(self, estimator: KernelEstimator, state: StateT, options: SolverOptions) -> None:
        """Raise ParameterError if a parameter changed that must not change while a model learns."""

    def require_learnable(self, state: StateT, data: TrainingData, *, whole: bool) -> None:
        """Raise DataError for kernel values that would overflow, or that are not those of the next rows."""

    def train(self, estimator: KernelEstimator, state: StateT, data: TrainingData) -> None:
        """Learn a whole training set with a new state."""

    def learn(self, estimator: KernelEstimator, state: StateT, data: TrainingData, options: SolverOptions) -> None:
        """Learn the next rows of a stream."""


@dataclass(frozen=True)
class KernelLearner(Generic[StateT]):
    """How models of support vectors learn online.

    Attributes
    ----------
    state_class : type
        The class of the state.
    """

    state_class: type[StateT]

    def with_ids(
        self,
        data: TrainingData,
        state: StateT | None,  # noqa: ARG002
        ids: IdList | None,  # noqa: ARG002
    ) -> TrainingData:
        """Return the data unchanged: these models cannot forget."""
        return data

    def new_state(
        self, estimator: KernelEstimator, data: TrainingData, options: SolverOptions, table: ClassTable
    ) -> StateT:
        """Return an empty state; the data decide gamma and the storage."""
        kernel = KernelSpec.resolve(*estimator._kernel_params, X=data.X, weights=data.weights)
        return self.state_class(kernel, options, Storage.of(data.X), table)

    def start_stream(
        self, estimator: KernelEstimator, data: TrainingData, options: SolverOptions, table: ClassTable
    ) -> StateT:
        """Return an empty state; the first row decides gamma and the storage for now."""
        first = int(np.argmax(data.used))
        state = self.new_state(estimator, data.part(slice(first, first + 1)), options, table)
        if may_change(estimator, state):
            state.beginning = FirstExamples(BEGINNING)
        return state

    def require_unchanged(
        self,
        estimator: KernelEstimator,
        state: StateT,
        options: SolverOptions,
    ) -> None:
        """Raise ParameterError if the kernel or the class scheme changed."""
        state.kernel.require_same(*estimator._kernel_params)
        if scheme_of(options) is not state.table.scheme:
            raise ParameterError(
                f"multi_class must stay {state.table.scheme.name!r}, as it was when learning began, got "
                f"{scheme_of(options).name!r}; set it back, or call fit to start from scratch."
            )

    def require_learnable(self, state: StateT, data: TrainingData, *, whole: bool) -> None:
        """Raise DataError for kernel values that would overflow, or columns that are not those of the next rows."""
        check_overflow(data.X, state.kernel, data.costs)
        require_columns(state, data, whole=whole)

    def train(self, estimator: KernelEstimator, state: StateT, data: TrainingData) -> None:
        """Make the passes that the estimator plans."""
        plan = estimator._pass_plan(data)
        tasks = FitTasks(estimator, state, data, plan.n_steps)
        if state.limit is not None:
            state.limit.finishes = plan.solves
        with progress_bar(estimator.verbose) as bar, state.monitored(bar) as monitor:
            passes, late = Passes(state, data, estimator.random_state, tasks, monitor), None
            try:
                passes.run(plan)
            except TimeIsUp as error:
                late = error
                if plan.solves:
                    with suppress(TimeIsUp):
                        state.native.finish(monitor)
            except KeyboardInterrupt:
                if plan.solves:
                    record_left_out(state, data)
                raise
            if plan.solves:
                record_left_out(state, data)
        tasks.end()
        if late is not None:
            raise late

    def learn(self, estimator: KernelEstimator, state: StateT, data: TrainingData, options: SolverOptions) -> None:
        """Learn the next rows of a stream, in the order given."""
        state.use(options)
        first = state.n_seen
        with state.blas_context(), progress_bar(estimator.verbose) as bar, state.monitored(bar) as monitor:
            self._learn_next(estimator, state, data, first, monitor)

    def _learn_next(
        self, estimator: KernelEstimator, state: StateT, data: TrainingData, first: int, monitor: _core.Monitor | None
    ) -> None:
        seed = estimator._selection_seed()
        if state.beginning is None:
            visit(state, data, first, seed, monitor)
            return

        def visit_rows(state: State, data: TrainingData, first: int) -> None:
            visit(state, data, first, seed, monitor)

        def learn_again(state: State, data: TrainingData) -> None:
            self._learn_again(state, data, seed, monitor)

        Beginning(estimator, state, visit_rows, learn_again).learn(data, first)

    def _learn_again(self, state: State, data: TrainingData, seed: int, monitor: _core.Monitor | None) -> None:
        """Learn the first examples of a stream again with an empty state."""
        visit(state, data, 0, seed, monitor)


def visit(state: State, data: TrainingData, first: int, seed: int, monitor: _core.Monitor | None) -> None:
    """Learn rows once, in the order given; `first` is the position of the first row in the stream."""
    numbers = data.class_numbers(state.table)
    for rows, batch in state.storage.batches(data.X):
        order = np.arange(rows.stop - rows.start, dtype=np.int64)
        costs, position = data.costs[rows], first + rows.start
        with state.counting(position, numbers[rows], costs):
            outcome = state.native.learn(
                batch, numbers[rows], costs, position, order, seed, monitor, recorded=state.n_recorded
            )
        if outcome.stalled and state.warns_when_stalled:
            warn_not_converged(state, CUT_SHORT)


def require_columns(state: State, data: TrainingData, *, whole: bool) -> None:
    """Raise DataError if precomputed kernel values cannot be those of the next rows of the stream."""
    if state.kernel.name != "precomputed":
        return
    first, n, columns = state.n_seen, len(data), state.storage.n_features
    if whole and n != columns:
        raise DataError(f"A precomputed kernel must be a square matrix in fit, got {n} rows and {columns} columns.")
    if first + n > columns:
        raise DataError(
            f"A precomputed kernel must have a column for every example of the stream, got {columns} columns for "
            f"{first + n} examples; pass all columns in every call."
        )
    check_gram(data.X[:, first : first + n])
