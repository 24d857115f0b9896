"""Streams: an approximate model learns from the first row on, while its feature map grows with the first examples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from sklearn.utils import check_random_state

from hinge.approximate._landmarks import choose_map, draw_nystroem
from hinge.approximate._state import reservoir_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from hinge import _core
    from hinge._model.first_examples import FirstExamples
    from hinge._model.kernels import KernelSpec
    from hinge._model.types import RandomStateLike, Rows
    from hinge.approximate._rows import EncodedRows
    from hinge.approximate._state import ApproximateState

_PASSES_OVER_RESERVOIR = 3  # passes over the first examples of a stream with each new map


@dataclass(frozen=True)
class Stream:
    """The stream of one model.

    Attributes
    ----------
    state : ApproximateState
        The model.
    resolve_kernel : callable
        Returns the kernel for some rows and weights: each new map computes gamma again if it is not a number.
    random_state : int, RandomState instance or None
        Seed of the landmarks and of the order of visits.
    """

    state: ApproximateState
    resolve_kernel: Callable[[Rows, NDArray[np.float64]], KernelSpec]
    random_state: RandomStateLike

    def begin(self, rows: EncodedRows) -> None:
        """Make the first map of the stream, that of its first example."""
        state, first = self.state, rows.used[:1]
        is_nystroem = state.options.approximation == "nystroem"
        if is_nystroem:
            state.kernel = self.resolve_kernel(rows.X[first], np.ones(1))
        choose_map(state, rows, first, check_random_state(self.random_state))
        if is_nystroem:
            state.replace_map(state.kernel, state.features, state.native, reservoir_of(state.options))

    def learn(self, rows: EncodedRows, monitor: _core.Monitor | None) -> None:
        """Learn the next rows, in the order given."""
        start, n_rows = 0, len(rows)
        while (reservoir := self.state.reservoir) is not None and start < n_rows:
            if reservoir.n_missing > 0:
                start = self._learn_and_store(reservoir, rows, start, monitor)
            if reservoir.n_missing <= 0:  # also if an earlier call was interrupted before it made the map
                self._make_next_map(reservoir, monitor)
        if start < n_rows:
            self._learn_part(rows.part(slice(start, n_rows)), monitor)

    def end(self, monitor: _core.Monitor | None) -> None:
        """Make a map of all rows if the stream ends before its last map; it is final if there are enough rows."""
        reservoir = self.state.reservoir
        if reservoir is None:
            return
        self._make_next_map(reservoir, monitor)
        if len(reservoir) >= self.state.options.n_components:
            self.state.reservoir = None

    def _learn_and_store(
        self, reservoir: FirstExamples, rows: EncodedRows, start: int, monitor: _core.Monitor | None
    ) -> int:
        """Learn and store rows until the next map is due or there are no more; return the index of the next row."""
        used = rows.used[rows.used >= start][: reservoir.n_missing]
        stop = int(used[-1]) + 1 if len(used) == reservoir.n_missing else len(rows)
        self._learn_part(rows.part(slice(start, stop)), monitor)
        if len(used):
            reservoir.add(rows.X[used], targets=rows.targets[used], weights=rows.weights[used], ids=rows.first + used)
        return stop

    def _learn_part(self, rows: EncodedRows, monitor: _core.Monitor | None) -> None:
        outcome = self.state.learn(rows, np.arange(len(rows)), monitor)
        self.state.progressive_score.count(outcome)

    def _make_next_map(self, reservoir: FirstExamples, monitor: _core.Monitor | None) -> None:
        """Draw landmarks from all examples stored, and train new linear models on these examples.

        The state changes only at the end, so that the old map stays in use after an error.
        """
        state, random = self.state, check_random_state(self.random_state)
        X, columns = reservoir.examples()
        targets, weights, ids = columns["targets"], columns["weights"], columns["ids"]
        n_rows = len(ids)
        kernel = self.resolve_kernel(X, weights)
        features = draw_nystroem(state, kernel, X, targets, ids, random, np.arange(n_rows))
        native = state.build_linear_model(kernel, features)
        native.set_options(state.options.linear.replace(total=n_rows, planned=_PASSES_OVER_RESERVOIR * n_rows))
        ((_, batch),) = state.storage.batches(X)
        for _ in range(_PASSES_OVER_RESERVOIR):
            native.learn(batch, targets, weights, 0, random.permutation(n_rows), monitor)
        native.set_options(state.options.linear)
        state.replace_map(kernel, features, native, None if reservoir.next_is_final else reservoir)
