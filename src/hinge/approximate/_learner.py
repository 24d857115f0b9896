"""The learner of approximate models: it connects the driver with passes over a training set and with streams."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from sklearn.utils import check_random_state

from hinge._fit.learner import require_columns
from hinge._fit.progress import FitTasks, progress_bar
from hinge._model.kernels import KernelSpec
from hinge._model.overflow import check_overflow
from hinge._model.threads import one_blas_thread
from hinge._model.validation import Storage
from hinge.approximate._early_stopping import EarlyStopping
from hinge.approximate._leave_one_out import left_out_decisions
from hinge.approximate._passes import Passes
from hinge.approximate._rows import EncodedRows
from hinge.approximate._state import ApproximateState
from hinge.approximate._streams import Stream
from hinge.exceptions import ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hinge import _core
    from hinge._fit.data import TrainingData
    from hinge._fit.estimator import KernelEstimator
    from hinge._model.labels import ClassTable
    from hinge._model.options import SolverOptions
    from hinge._model.types import IdList, Rows
    from hinge.approximate._estimator import ApproximateEstimator

# Parameters that must not change while a model learns, and the options with their values.
_FIXED_PARAMETERS = {
    "approximation": "approximation",
    "n_components": "n_components",
    "eigen_threshold": "eigen_threshold",
    "relative_threshold": "relative_threshold",
    "rank": "rank",
    "loss": "linear.loss",
    "fit_intercept": "linear.intercept",
    "steps": "linear.steps",
}


class ApproximateLearner:
    """How linear models over approximate features learn."""

    state_class: ClassVar[type[ApproximateState]] = ApproximateState

    def with_ids(
        self,
        data: TrainingData,
        state: ApproximateState | None,  # noqa: ARG002
        ids: IdList | None,  # noqa: ARG002
    ) -> TrainingData:
        """Return the data unchanged: these models cannot forget."""
        return data

    def new_state(
        self, estimator: KernelEstimator, data: TrainingData, options: SolverOptions, table: ClassTable
    ) -> ApproximateState:
        """Return a state without a feature map."""
        kernel = resolve_kernel(estimator, data.X, data.weights)
        return ApproximateState(kernel, options, Storage.of(data.X), table)

    start_stream = new_state

    def require_unchanged(self, estimator: KernelEstimator, state: ApproximateState, options: SolverOptions) -> None:
        """Raise ParameterError if the kernel, the feature map or the loss changed."""
        state.kernel.require_same(*estimator._kernel_params)
        for name, field in _FIXED_PARAMETERS.items():
            if attrgetter(field)(options) != attrgetter(field)(state.options):
                raise ParameterError(
                    f"{name} must stay what it was when learning began, got {getattr(estimator, name)!r}; "
                    "set it back, or call fit to start from scratch."
                )

    def require_learnable(self, state: ApproximateState, data: TrainingData, *, whole: bool) -> None:
        """Raise DataError for kernel values that would overflow, or columns that are not those of the next rows."""
        # Only the ratios of weights matter, as long as they are finite.
        check_overflow(data.X, state.kernel, data.costs / np.finfo(np.float64).max)
        require_columns(state, data, whole=whole)

    def train(self, estimator: ApproximateEstimator, state: ApproximateState, data: TrainingData) -> None:
        """Make passes over the training set, with a feature map chosen from all of it."""
        rows = EncodedRows.encode(estimator._task, data, state.table)
        epochs = estimator._n_passes(state, len(rows.used))
        finishes = estimator._finishes(state, len(rows.used))
        passes = Passes(
            state,
            rows,
            check_random_state(estimator.random_state),
            epochs,
            finishes=finishes,
            with_replacement=estimator.with_replacement,
        )
        tasks = FitTasks(estimator, state, data, epochs + finishes)
        stopping = _early_stopping(estimator, state, data, passes) if estimator.early_stopping else None
        with progress_bar(estimator.verbose) as bar, state.monitored(bar) as monitor:
            passes.run(tasks, monitor, stopping.should_stop if stopping else lambda: False)
        if stopping:
            stopping.restore_best()
        if state.decisions is not None:
            state.decisions = left_out_decisions(state, data)
        tasks.end()

    def learn(
        self, estimator: ApproximateEstimator, state: ApproximateState, data: TrainingData, options: SolverOptions
    ) -> None:
        """Learn the next rows of a stream."""
        stream = _stream(estimator, state)
        if not state.is_usable:
            with one_blas_thread():
                stream.begin(EncodedRows.encode(estimator._task, data, state.table))
        state.use(options)
        rows = EncodedRows.encode(estimator._task, data, state.table, state.n_seen)
        with one_blas_thread(), progress_bar(estimator.verbose) as bar, state.monitored(bar) as monitor:
            for block, X in state.storage.blocks(rows.X):
                stream.learn(rows.part(block, X), monitor)

    def learn_again(
        self,
        estimator: ApproximateEstimator,
        state: ApproximateState,
        data: TrainingData,
        random: np.random.RandomState,
    ) -> None:
        """Learn rows of a later pass in random order, without counting them again."""
        options = state.options
        rows = EncodedRows.encode(estimator._task, data, state.table)
        total = max(state.native.n_examples, 1)
        native = state.use(options.with_linear(total=total, penalty_total=options.linear.penalty_total or total))
        with one_blas_thread(), progress_bar(estimator.verbose) as bar, state.monitored(bar) as monitor:
            for block, batch in state.storage.batches(rows.X):
                order = random.permutation(block.stop - block.start)
                native.learn(batch, rows.targets[block], rows.weights[block], block.start, order, monitor)
        state.use(options)

    def end_stream(
        self, estimator: ApproximateEstimator, state: ApproximateState, monitor: _core.Monitor | None
    ) -> None:
        """Make a map of all rows if the stream was too short for its last map."""
        _stream(estimator, state).end(monitor)


def resolve_kernel(estimator: KernelEstimator, X: Rows, weights: NDArray[np.float64]) -> KernelSpec:
    """Return the kernel of an estimator; rows and weights decide gamma if it is not a number."""
    return KernelSpec.resolve(*estimator._kernel_params, X=X, weights=weights)


def _stream(estimator: ApproximateEstimator, state: ApproximateState) -> Stream:
    gamma_varies = state.kernel.has_gamma and estimator.gamma == "scale"
    return Stream(state, estimator._resolve_kernel, estimator.random_state, gamma_varies)


def _early_stopping(
    estimator: ApproximateEstimator, state: ApproximateState, data: TrainingData, passes: Passes
) -> EarlyStopping:
    held_out = passes.hold_out(estimator.validation_fraction)
    X, y, weights = data.X[held_out], data.y[held_out], data.costs[held_out]

    def score() -> float:
        state.drop_snapshot()
        return estimator._validation_score(state, X, y, weights)

    return EarlyStopping(state, score, tol=estimator.tol, patience=estimator.n_iter_no_change)
