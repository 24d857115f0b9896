"""Streams: an approximate model learns from the first row on, while its feature map grows with the first examples.

A stream that forgets replaces its Nystroem map now and then by one of recent examples. The old decision function is
projected on the new features: the new weights are those of a ridge regression on the old decision values of the recent
examples.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.linalg import solve
from sklearn.utils import check_random_state

from hinge.approximate._landmarks import choose_map, draw_nystroem
from hinge.approximate._reservoir import Reservoir

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from hinge import _core
    from hinge._model.kernels import KernelSpec
    from hinge._model.types import Arrays, RandomStateLike, Rows
    from hinge.approximate._maps import Features
    from hinge.approximate._rows import EncodedRows
    from hinge.approximate._state import ApproximateState

_RIDGE = 1e-4  # relative to the variance of a whitened feature
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
            reservoir = Reservoir(state.options.n_components, state.options.linear.half_life)
            state.replace_map(state.kernel, state.features, state.native, reservoir)

    def learn(self, rows: EncodedRows, monitor: _core.Monitor | None) -> None:
        """Learn the next rows, in the order given."""
        start, n_rows = 0, len(rows)
        self._follow_half_life()
        while (reservoir := self.state.reservoir) is not None and start < n_rows:
            if reservoir.n_to_skip:
                start = self._learn_and_skip(reservoir, rows, start, monitor)
            elif reservoir.n_missing > 0:
                start = self._learn_and_store(reservoir, rows, start, monitor)
            if reservoir.n_missing <= 0:  # also if an earlier call was interrupted before it made the map
                self._make_next_map(reservoir, monitor)
        if start < n_rows:
            self._learn_part(rows.part(slice(start, n_rows)), monitor)

    def end(self, monitor: _core.Monitor | None) -> None:
        """Make a map of all rows if the stream ends before its last map; it is final if there are enough rows."""
        reservoir = self.state.reservoir
        if reservoir is None or reservoir.n_to_skip is not None:
            return
        self._make_next_map(reservoir, monitor)
        if len(reservoir) >= self.state.options.n_components:
            self.state.reservoir = None

    def _follow_half_life(self) -> None:
        """Start to store recent examples if a model with a final map now forgets, or stop if it no longer does."""
        state, reservoir = self.state, self.state.reservoir
        half_life = state.options.linear.half_life
        if half_life is None:
            if reservoir is not None and reservoir.n_to_skip is not None:
                state.reservoir = None
        elif reservoir is None and state.options.approximation == "nystroem":
            state.reservoir = Reservoir.of_recent(state.options.n_components, half_life)

    def _learn_and_skip(
        self, reservoir: Reservoir, rows: EncodedRows, start: int, monitor: _core.Monitor | None
    ) -> int:
        """Learn rows that the next map will not be drawn from; return the index of the next row."""
        n_to_skip = reservoir.n_to_skip or 0
        used = rows.used[rows.used >= start][:n_to_skip]
        stop = int(used[-1]) + 1 if len(used) == n_to_skip else len(rows)
        self._learn_part(rows.part(slice(start, stop)), monitor)
        reservoir.n_to_skip = n_to_skip - len(used)
        return stop

    def _learn_and_store(
        self, reservoir: Reservoir, rows: EncodedRows, start: int, monitor: _core.Monitor | None
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

    def _make_next_map(self, reservoir: Reservoir, monitor: _core.Monitor | None) -> None:
        """Draw landmarks from all examples stored, and train or project linear models on the new features.

        The state changes only at the end, so that the old map stays in use after an error.
        """
        state, random = self.state, check_random_state(self.random_state)
        X, columns = reservoir.examples()
        targets, weights, ids = columns["targets"], columns["weights"], columns["ids"]
        kernel, half_life = self.resolve_kernel(X, weights), state.options.linear.half_life
        features = draw_nystroem(state, kernel, X, targets, ids, random, np.arange(len(ids)))
        if reservoir.n_to_skip is None:
            native = state.build_linear_model(kernel, features)
            self._learn_stored(native, reservoir, random, monitor)
        else:
            native = state.build_linear_model(kernel, features, _projected(state, kernel, features, X))
        following: Reservoir | None = reservoir
        if reservoir.next_is_final:
            following = None if half_life is None else Reservoir.of_recent(state.options.n_components, half_life)
        state.replace_map(kernel, features, native, following)

    def _learn_stored(
        self, native: Any, reservoir: Reservoir, random: np.random.RandomState, monitor: _core.Monitor | None
    ) -> None:
        """Train new linear models on the examples stored, which count as they do in the stream."""
        linear = self.state.options.linear
        X, columns = reservoir.examples()
        targets, weights, ids = columns["targets"], columns["weights"], columns["ids"]
        n_rows = total = len(ids)
        if linear.half_life is not None:
            shares = np.exp2(-np.arange(n_rows)[::-1] / linear.half_life)
            total = shares.sum()
            weights = weights * shares * (n_rows / total)
        native.set_options(linear.replace(total=total, planned=_PASSES_OVER_RESERVOIR * n_rows))
        ((_, batch),) = self.state.storage.batches(X)
        for _ in range(_PASSES_OVER_RESERVOIR):
            native.learn(batch, targets, weights, 0, random.permutation(n_rows), monitor)
        native.set_options(linear)


def _projected(state: ApproximateState, kernel: KernelSpec, features: Features, X: Rows) -> Arrays:
    """Return the arrays of linear models over new features whose decisions on some rows are nearly the present ones."""
    arrays = dict(state.native.state())
    old, new = (
        np.asarray(used.native(spec, state.storage).features(batch), dtype=np.float64)
        for used, spec in ((state.features, state.kernel), (features, kernel))
        for _, batch in state.storage.batches(X)
    )
    matrix = new.T @ new
    matrix[np.diag_indices_from(matrix)] += _RIDGE * len(new)
    for name in ("weights", "average"):
        decisions = old @ arrays[name].reshape(-1, state.features.dimension).T
        arrays[name] = solve(matrix, new.T @ decisions, assume_a="pos").T.ravel()
    return arrays
