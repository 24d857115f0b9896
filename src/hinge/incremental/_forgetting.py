"""What exact models have in common, whatever they learn: examples have names and can be forgotten."""

from __future__ import annotations

import warnings
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Self

from sklearn.exceptions import ConvergenceWarning

from hinge._fit.base import StreamingEstimator, unchanged_on_error
from hinge._fit.progress import FitTasks, progress_bar
from hinge._model.locking import reads, writes
from hinge._model.overflow import require_finite
from hinge._model.params import bound, choice, number
from hinge._model.threads import one_blas_thread
from hinge.exceptions import DataError
from hinge.incremental._ids import Ids
from hinge.incremental._state import ExactState

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    import numpy as np
    from numpy.typing import NDArray

    from hinge import _core
    from hinge._fit.base import TrainingData
    from hinge._model.labels import ClassTable
    from hinge._model.state import SolverOptions, State


class Forgetting(StreamingEstimator):
    """A model whose machines are exact after every example, and can be asked to forget.

    A class that inherits from it, and names it before the other classes that it inherits from, has the parameters
    below. Its `_check_params` uses `_exact_options`. It calls `_named` between `_lesson` and the learning, learns by
    `_learn` (more of the stream) or `_train` (everything, from nothing), and calls `_warn_if_violated` at the end of a
    call that learns.
    """

    tol: float
    max_examples: int | None
    eviction: str

    _state: ExactState
    _state_class = ExactState

    def _known(self) -> ExactState:
        """Return the state, or raise NotFittedError."""
        super()._known()
        return self._state

    @property
    @reads
    def ids_(self) -> list[Hashable]:
        """The ids of the examples that the model holds, in the order of the stream."""
        state = self._known()
        return state.ids.at(state.native.held())

    @writes
    def forget(self, ids: Any) -> Self:
        """Forget examples: the model is then the one that never saw them.

        Parameters
        ----------
        ids : list, array, set or one id by itself
            The ids that the examples were given with; without ids, their places in the stream. A text, a number and a
            tuple count as one id. Those of rows of weight 0 will do, though there is nothing of them to forget.

        Returns
        -------
        self : object
            The estimator.
        """
        numbers = self._known().ids.find(ids)
        with self._revising() as monitor:
            state = self._state
            idle = state.ids.are_weightless(numbers)
            held = numbers[~idle]
            done = state.native.forget(held, monitor)
            state.ids.remove([*held[:done], *numbers[idle]])
        self._warn_if_violated()
        return self

    def _exact_options(self, options: SolverOptions) -> SolverOptions:
        """Check the parameters that all exact models share; return the options with what they mean."""
        return options.but(
            algorithm="incremental",
            tolerance=number("tol", self.tol, above=0, hint="a usual value is 1e-3"),
            max_examples=bound("max_examples", self.max_examples, at_least=2),
            oldest_first=choice("eviction", self.eviction, ("relevance", "age")) == "age",
        )

    def _named(self, data: TrainingData, state: State | None, ids: Any) -> TrainingData:
        if state is None:
            return replace(data, names=Ids().check_new(ids, len(data.y), 0))
        return replace(data, names=self._known().ids.check_new(ids, len(data.y), state.n_seen))

    def _train(self, data: TrainingData) -> None:
        """Learn a whole training set, starting from an empty `_state`; once is enough."""
        state = self._state
        tasks = FitTasks(self, data.X, data.y, data.metadata, 1)
        with progress_bar(self.verbose) as bar, state.watched(bar) as monitor:
            tasks.step("pass", partial(self._begin, data, monitor))
        tasks.end()

    def _begin(self, data: TrainingData, monitor: _core.Monitor | None) -> None:
        """Let empty machines learn a whole training set."""
        self._show(data, 0, monitor)

    def _show(self, data: TrainingData, first: int, monitor: _core.Monitor | None) -> None:
        with self._state.taking_in(data, first):
            super()._show(data, first, monitor)

    @contextmanager
    def _revising(self) -> Iterator[_core.Monitor | None]:
        """Give a monitor for changes to what `_state` holds, and take back what an error has left half done."""
        options = self._check_params(streaming=False)
        self._require_same(self._known())
        with unchanged_on_error(self):
            self._state = state = self._state.expendable()
            state.use(options)
            with one_blas_thread(), progress_bar(self.verbose) as bar, state.watched(bar) as monitor, state.revised():
                yield monitor

    def _left_out(self) -> tuple[ClassTable, NDArray[np.float64]]:
        """Return decision values, one column a machine, of each example held by the machines without it."""
        state = self._known().expendable()
        with one_blas_thread(), progress_bar(self.verbose) as bar, state.watched(bar) as monitor:
            return state.table, require_finite(state.native.leave_one_out(monitor))

    def _holding(self) -> ExactState:
        """Return the state, which must hold an example."""
        state = self._known()
        if not state.native.n_retained:
            raise DataError(
                "The model must hold examples to decide about others, got a model that forgot all; learn first."
            )
        return state

    def _native_decisions(self, X: Any) -> tuple[ClassTable, NDArray[np.float64]]:
        self._holding()
        return super()._native_decisions(X)

    def _certified(self) -> _core.ExactModel:
        """Return the machines, what they say about their optimality found anew."""
        native = self._known().native
        with one_blas_thread():
            native.certify()
        return native

    def _warn_if_violated(self) -> None:
        """Warn when the solution is not exact: numbers of doubles have an end, and not all kernels have an optimum."""
        violation = float(self._state.native.gap.max(initial=0.0))
        if not violation <= self.tol:  # NaN counts as well
            warnings.warn(
                f"The optimality conditions are violated by {violation:.2g}, more than tol={float(self.tol):g}; scale "
                "the features, lower C, or use a kernel that is positive semi-definite.",
                ConvergenceWarning,
                stacklevel=3,
            )
