"""The beginning of a stream: what the first rows decide is decided again as more of them arrive.

`gamma="scale"`, the precision and the shift of data far from zero depend on the rows, and the first row says little
about the others. They are therefore chosen again after 4, 16, 64, 256 and 1024 rows of positive weight, always by all
of these rows, and each time the model learns them again, in their order. It then is the model that had these values
from the first row on. Calls are cut at these numbers of rows, so that chunks of any size give the same model.

- A change of gamma by less than 5 % is not worth learning again: the present value stays.
- float64 rows turn a float32 model into a float64 model; the rows so far lose nothing by that. After the beginning,
  rows are converted to the precision of the model.
- What the user gives as a number never changes. Where nothing can change, no rows are stored.
- If the stream begins with more than 16 equal rows, the others of them do not count: no choice is final before rows
  differ. Up to 1024 of them are learned again as well.

Models that can forget learn only those examples again that they still hold, with their present labels.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

import numpy as np

from hinge._fit.data import TrainingData
from hinge._model.kernels import KernelSpec
from hinge._model.overflow import check_overflow
from hinge._model.validation import PooledRows, TakenRows
from hinge.exceptions import DataError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from hinge._fit.estimator import KernelEstimator
    from hinge._model.first_examples import FirstExamples
    from hinge._model.state import State
    from hinge._model.types import Array, Arrays, Rows
    from hinge._model.validation import Storage


class Store(Protocol):
    """Stores copies of examples: rows, and other columns."""

    def __call__(self, X: Rows, **columns: Array) -> None: ...


def may_change(estimator: KernelEstimator, state: State) -> bool:
    """Return whether more rows may change the kernel, the precision or the shift of a new model."""
    if state.kernel.name in ("precomputed", "callable"):
        return False
    is_scaled = state.kernel.has_gamma and estimator.gamma == "scale"
    return is_scaled or state.shifts or state.storage.dtype == np.float32


@dataclass(frozen=True)
class Beginning:
    """Learns the next rows of a stream, and its first rows again whenever a choice is due.

    Attributes
    ----------
    estimator : KernelEstimator
        Its parameters say how to choose the kernel.
    state : State
        The state to change.
    visit : callable
        Learns rows once; the last argument is the position of the first in the stream.
    learn_again : callable
        Teaches an empty state all the examples that the model has kept; row t is at position t of the stream.
    """

    estimator: KernelEstimator
    state: State
    visit: Callable[[State, TrainingData, int], None]
    learn_again: Callable[[State, TrainingData], None]

    def learn(self, data: TrainingData, first: int) -> None:
        """Learn the next rows of the stream; `first` is the position of the first of them."""
        start, n_rows, state = 0, len(data), self.state
        if state.beginning is not None and data.X.dtype != state.storage.dtype:
            self._replace(state.kernel, replace(state.storage, dtype=np.dtype(np.float64)))
        while (stored := state.beginning) is not None and start < n_rows:
            if stored.n_missing > 0:
                start = self._learn_equal(stored, data, start, first)
                start = self._store_and_learn(stored, data, start, first)
            if stored.n_missing <= 0:  # also if an earlier call was interrupted before the choice
                self._choose_again(stored)
        if start < n_rows:
            self.visit(state, data.part(slice(start, n_rows)), first + start)

    def _store_and_learn(self, stored: FirstExamples, data: TrainingData, start: int, first: int) -> int:
        """Store and learn rows until the next choice is due or there are no more; return the index of the next row."""
        used = start + np.flatnonzero(data.used[start:])[: stored.n_missing]
        stop = int(used[-1]) + 1 if len(used) == stored.n_missing else len(data)
        if start < stop:
            with self._storing(stored.add, data, used, first):
                self.visit(self.state, data.part(slice(start, stop)), first + start)
        return stop

    def _learn_equal(self, stored: FirstExamples, data: TrainingData, start: int, first: int) -> int:
        """Learn rows that equal all rows so far and do not count; return the index of the next row."""
        used = start + np.flatnonzero(data.used[start:])
        n_equal = stored.count_equal(self.state.storage.convert(data.X[used])) if stored.may_be_equal else 0
        if not n_equal:
            return start
        stop = int(used[n_equal]) if n_equal < len(used) else len(data)
        kept = used[: n_equal if self.state.holds_all else min(n_equal, stored.n_free)]
        with self._storing(stored.add_equal, data, kept, first):
            self.visit(self.state, data.part(slice(start, stop)), first + start)
        return stop

    @contextmanager
    def _storing(self, store: Store, data: TrainingData, rows: NDArray[np.intp], first: int) -> Iterator[None]:
        """Store those of some rows that the block learns: not the others, if Ctrl-C stops it."""
        try:
            yield
        finally:
            learned = rows[first + rows < self.state.n_seen]
            if len(learned):
                X = data.X if len(learned) == len(data) else data.X[learned]
                X = X if type(X) is TakenRows else self.state.storage.convert(X)
                store(X, **self._columns(data, learned, first))

    def _columns(self, data: TrainingData, rows: NDArray[np.intp], first: int) -> Arrays:
        """Return what is stored of examples besides their rows."""
        labels = self.state.table.encode(data.y[rows])
        return {"labels": labels, "costs": data.costs[rows], "weights": data.weights[rows], "ids": first + rows}

    def _choose_again(self, stored: FirstExamples) -> None:
        """Choose the kernel and the shift by all examples stored, and learn these again if one of them changes."""
        self.state.sync_beginning()
        if stored:
            X, columns = stored.examples()
            kernel = self._next_kernel(stored, X, columns["costs"])
            if kernel != self.state.kernel or self.state.wants_shift(X):
                self._replace(kernel, self.state.storage)
        stored.built_from = stored.n_given
        if stored.next_is_final:
            self.state.beginning = None

    def _next_kernel(self, stored: FirstExamples, X: Rows, costs: NDArray[np.float64]) -> KernelSpec:
        """Return the kernel for some rows; the present one if gamma hardly changes or would be too large or small."""
        present = self.state.kernel
        try:
            counted, weights = stored.counted_examples()
            kernel = KernelSpec.resolve(*self.estimator._kernel_params, X=counted, weights=weights)
            check_overflow(X, kernel, costs)
        except DataError:
            return present
        return kernel if kernel.differs(present) else present

    def _replace(self, kernel: KernelSpec, storage: Storage) -> None:
        """Learn the examples stored again; the state changes only at the end, so that an error leaves it usable."""
        state = self.state
        fresh = state.emptied(kernel, storage)
        if state.beginning:
            X, columns = state.beginning.examples()
            self.learn_again(fresh, _in_place(state, X.astype(storage.dtype, copy=False), columns))
        state.replace_by(fresh)


def _in_place(state: State, X: Rows, columns: Arrays) -> TrainingData:
    """Return examples at their positions in the stream; positions between them get cost 0, which skips them."""
    ids = columns["ids"]
    row_at, labels = np.zeros(ids[-1] + 1, dtype=np.int64), np.zeros(ids[-1] + 1, dtype=np.int32)
    weights, costs = np.zeros(len(row_at)), np.zeros(len(row_at))
    row_at[ids], labels[ids] = np.arange(len(ids)), columns["labels"]
    weights[ids], costs[ids] = columns["weights"], columns["costs"]
    by_number = state.table.classes[np.argsort(state.table.numbers)]
    return TrainingData(PooledRows(X).take(row_at), by_number[labels], weights, costs, {})
