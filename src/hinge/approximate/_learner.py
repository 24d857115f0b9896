"""How approximate models learn: passes over a training set, or a stream whose first rows decide the feature map."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state

from hinge._fit.learner import require_columns
from hinge._fit.progress import FitTasks, progress_bar
from hinge._model.kernels import KernelSpec
from hinge._model.overflow import check_overflow
from hinge._model.threads import one_blas_thread
from hinge._model.validation import Storage
from hinge.approximate._early_stopping import EarlyStopping
from hinge.approximate._learning import Part, Training, begin_stream, end_stream, learn_stream
from hinge.approximate._state import ApproximateState
from hinge.exceptions import ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hinge import _core
    from hinge._fit.data import TrainingData
    from hinge._fit.estimator import KernelEstimator
    from hinge._model.labels import ClassTable
    from hinge._model.options import SolverOptions
    from hinge.approximate._estimator import ApproximateEstimator

# Parameters that must not change while a model learns, and the options that hold what they were.
_FIXED = {
    "approximation": "approximation",
    "n_components": "n_components",
    "eigen_threshold": "eigen_threshold",
    "loss": "linear.loss",
    "fit_intercept": "linear.intercept",
    "steps": "linear.adaptive",
}


class ApproximateLearner:
    """How linear models over a feature map learn."""

    state_class: ClassVar[type[ApproximateState]] = ApproximateState

    def name_rows(
        self,
        data: TrainingData,
        state: ApproximateState | None,  # noqa: ARG002
        ids: Iterable[Hashable] | None,  # noqa: ARG002
    ) -> TrainingData:
        """Return the data as they are: these models cannot forget."""
        return data

    def new_state(
        self, estimator: KernelEstimator, data: TrainingData, options: SolverOptions, table: ClassTable
    ) -> ApproximateState:
        """Return a state without a feature map."""
        kernel = resolved_kernel(estimator, data.X, data.weights)
        return ApproximateState(kernel, options, Storage.of(data.X), table)

    def require_unchanged(self, estimator: KernelEstimator, state: ApproximateState, options: SolverOptions) -> None:
        """Raise ParameterError if the kernel, the feature map or the loss changed."""
        state.kernel.require_same(*estimator._kernel_params)
        for name, field in _FIXED.items():
            if attrgetter(field)(options) != attrgetter(field)(state.options):
                raise ParameterError(
                    f"{name} must stay what it was when learning began, got {getattr(estimator, name)!r}; "
                    "set it back, or call fit to start from scratch."
                )

    def require_learnable(self, state: ApproximateState, data: TrainingData, *, whole: bool) -> None:
        """Raise DataError for overflowing kernel values, or columns that are not those of the next rows."""
        # Only the ratios of weights matter, as long as they are finite.
        check_overflow(data.X, state.kernel, data.costs / np.finfo(np.float64).max)
        require_columns(state, data, whole=whole)

    def train(self, estimator: ApproximateEstimator, state: ApproximateState, data: TrainingData) -> None:
        """Go over the training set, with a feature map made of all of it."""
        part = part_of(estimator, state, data, 0)
        epochs = estimator._n_passes(len(part.used))
        training = Training(state, part, check_random_state(estimator.random_state), epochs)
        tasks = FitTasks(estimator, state, data, epochs)
        stopping = _early_stopping(estimator, state, data, training) if estimator.early_stopping else None
        with progress_bar(estimator.verbose) as bar, state.watched(bar) as monitor:
            training.run(tasks, monitor, stopping.is_enough if stopping else lambda: False)
        if stopping:
            stopping.restore_best()
        tasks.end()

    def learn(
        self, estimator: ApproximateEstimator, state: ApproximateState, data: TrainingData, options: SolverOptions
    ) -> None:
        """Learn the next rows of a stream."""
        if not state.is_usable:
            with one_blas_thread():
                begin_stream(
                    state, part_of(estimator, state, data, 0), estimator._resolve_kernel, estimator.random_state
                )
        state.use(options)
        first = state.n_seen
        state.n_seen += len(data)  # first of all: places must stay unique if the call is interrupted
        part = part_of(estimator, state, data, first)
        with one_blas_thread(), progress_bar(estimator.verbose) as bar, state.watched(bar) as monitor:
            for rows, block in state.storage.blocks(part.X):
                piece = Part(block, part.targets[rows], part.weights[rows], first + rows.start)
                learn_stream(state, piece, estimator._resolve_kernel, estimator.random_state, monitor)

    def learn_again(
        self,
        estimator: ApproximateEstimator,
        state: ApproximateState,
        data: TrainingData,
        random: np.random.RandomState,
    ) -> None:
        """Learn rows of a later pass, which are counted already, in random order."""
        options = state.options
        part = part_of(estimator, state, data, 0)
        native = state.use(options.with_linear(total=max(state.native.n_examples, 1)))
        with one_blas_thread(), progress_bar(estimator.verbose) as bar, state.watched(bar) as monitor:
            for rows, batch in state.storage.batches(part.X):
                order = random.permutation(rows.stop - rows.start)
                native.learn(batch, part.targets[rows], part.weights[rows], rows.start, order, monitor)
        state.use(options)

    def end_stream(
        self, estimator: ApproximateEstimator, state: ApproximateState, monitor: _core.Monitor | None
    ) -> None:
        """Draw landmarks from all rows if the stream was too short for its last map."""
        end_stream(state, estimator._resolve_kernel, estimator.random_state, monitor)


def part_of(estimator: KernelEstimator, state: ApproximateState, data: TrainingData, first: int) -> Part:
    """Return training data as the native linear models take them."""
    targets: NDArray[Any] = estimator._task.targets(data, state.table)
    return Part(data.X, targets.astype(np.float64, copy=False), data.costs, first)


def resolved_kernel(estimator: KernelEstimator, X: Any, weights: NDArray[np.float64]) -> KernelSpec:
    """Return the kernel of an estimator; rows and weights decide gamma if it is not a number."""
    return KernelSpec.resolve(*estimator._kernel_params, X=X, weights=weights)


def _early_stopping(
    estimator: ApproximateEstimator, state: ApproximateState, data: TrainingData, training: Training
) -> EarlyStopping:
    held_out = training.hold_out(estimator.validation_fraction)
    X, y, weights = data.X[held_out], data.y[held_out], data.costs[held_out]

    def score() -> float:
        state.retract()
        return estimator._validation_score(state, X, y, weights)

    return EarlyStopping(state, score, tol=estimator.tol, patience=estimator.n_iter_no_change)
