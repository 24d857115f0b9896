"""The learner of adaptive models: it learns a stream row by row."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np

from hinge._model.interrupts import deferred_interrupts
from hinge._model.kernels import KernelSpec
from hinge._model.overflow import check_coefficients
from hinge._model.types import is_sparse
from hinge._model.validation import Storage, TakenRows
from hinge.exceptions import DataError, ParameterError
from hinge.stream._state import AdaptiveState

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hinge._fit.data import TrainingData
    from hinge._fit.estimator import KernelEstimator
    from hinge._model.labels import ClassTable
    from hinge._model.options import AdaptiveOptions, SolverOptions
    from hinge._model.types import IdList, Rows


class StreamLearner:
    """How adaptive models learn. The driver hands over the times of the rows as their ids."""

    state_class: ClassVar[type[AdaptiveState]] = AdaptiveState

    def with_ids(self, data: TrainingData, state: AdaptiveState | None, ids: IdList | None) -> TrainingData:  # noqa: ARG002
        """Return the data with the time of each row."""
        if ids is None:
            return data
        times = list(cast("Sequence[Any]", ids))
        if len(times) != len(data):
            raise DataError(f"times must have one entry per row, {len(data)} in all, got {len(times)}.")
        return replace(data, ids=times)

    def new_state(
        self, estimator: KernelEstimator, data: TrainingData, options: SolverOptions, table: ClassTable
    ) -> AdaptiveState:
        """Return an empty state; gamma="scale" begins with 1 / n_features, as for rows that are standardised."""
        n_features = int(data.X.shape[1])
        name, degree, gamma, coef0 = estimator._kernel_params
        width = 1.0 / n_features if isinstance(gamma, str) else float(gamma)
        kernel = KernelSpec(cast("str", name), width, float(coef0), int(degree))
        state = AdaptiveState(kernel, options, Storage(np.dtype(np.float64), False, n_features), table)
        detector: Any = cast("Any", estimator).detector
        if detector is not None:
            state.plug(detector)
        return state

    start_stream = new_state

    def require_unchanged(self, estimator: KernelEstimator, state: AdaptiveState, options: SolverOptions) -> None:  # noqa: ARG002
        """Raise ParameterError if a parameter changed."""
        if options is not state.options and cast("AdaptiveOptions", options).parameters != state.options.parameters:
            raise ParameterError(
                "Parameters must stay what they were when learning began; set them back, or call fit to start from "
                "scratch."
            )

    def require_learnable(self, state: AdaptiveState, data: TrainingData, *, whole: bool) -> None:  # noqa: ARG002
        """Raise DataError for values or weights that are too large for single precision."""
        require_small(state, data.X)
        if data.metadata:  # weights
            largest = max(cost for _, _, cost, _ in state.options.windows)
            check_coefficients(
                float(data.costs.max()) * largest * sum(size for _, size, _, _ in state.options.windows), 1.0
            )

    def train(self, estimator: KernelEstimator, state: AdaptiveState, data: TrainingData) -> None:
        """Learn a training set as a stream."""
        self.learn(estimator, state, data, state.options)

    def learn(
        self,
        estimator: KernelEstimator,  # noqa: ARG002
        state: AdaptiveState,
        data: TrainingData,
        options: SolverOptions,  # noqa: ARG002
    ) -> None:
        """Learn the next rows, in the order given; Ctrl-C stops between two rows."""
        numbers, weights = data.class_numbers(state.table).tolist(), data.costs.tolist()
        times = data.ids or None
        X = data.X.array() if type(data.X) is TakenRows else data.X
        # A call of one row is over before Ctrl-C can matter much, and delaying it would take a tenth of the time.
        with deferred_interrupts(None) if len(data) > 1 else nullcontext() as check:
            try:
                for part, block in state.storage.blocks(X):
                    for place, row in enumerate(block, part.start):
                        if check is not None:
                            check(cast("Any", None))
                        state.learn(row, numbers[place], weights[place], None if times is None else times[place])
            finally:
                state.sync()


def require_small(state: AdaptiveState, rows: Rows) -> None:
    """Raise DataError for values that are not standardised and whose squares single precision cannot hold."""
    if state.options.limit > 0:
        return
    largest = Storage(np.dtype(np.float32), False, int(rows.shape[1])).largest
    rows = rows.array() if type(rows) is TakenRows else rows
    if np.abs(rows.data if is_sparse(rows) else rows).max(initial=0.0) > largest:
        raise DataError(f"X must hold values of at most {largest:.3g} in size without standardize; scale the features.")
