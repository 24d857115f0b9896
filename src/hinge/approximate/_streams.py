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
from hinge.approximate._maps import fourier
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
        Seed of the landmarks or frequencies, and of the order of visits.
    gamma_varies : bool
        Whether the rows decide gamma.
    """

    state: ApproximateState
    resolve_kernel: Callable[[Rows, NDArray[np.float64]], KernelSpec]
    random_state: RandomStateLike
    gamma_varies: bool

    def begin(self, rows: EncodedRows) -> None:
        """Make the first map of the stream, that of its first example."""
        state, first = self.state, rows.used[:1] if len(rows.used) else np.zeros(1, dtype=np.intp)
        state.kernel = self.resolve_kernel(rows.X[first], np.ones(1))
        choose_map(state, rows, first, check_random_state(self.random_state))
        if state.options.approximation == "nystroem" or self.gamma_varies:
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
                start = self._learn_equal(reservoir, rows, start, monitor)
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
        try:
            self._learn_part(rows.part(slice(start, stop)), monitor)
        finally:
            reservoir.n_to_skip = n_to_skip - len(self._learned(rows, used))
        return stop

    def _learn_and_store(
        self, reservoir: Reservoir, rows: EncodedRows, start: int, monitor: _core.Monitor | None
    ) -> int:
        """Learn and store rows until the next map is due or there are no more; return the index of the next row."""
        used = rows.used[rows.used >= start][: reservoir.n_missing]
        stop = int(used[-1]) + 1 if len(used) == reservoir.n_missing else len(rows)
        try:
            if start < stop:
                self._learn_part(rows.part(slice(start, stop)), monitor)
        finally:
            used = self._learned(rows, used)
            if len(used):
                columns = {"targets": rows.targets[used], "weights": rows.weights[used], "ids": rows.first + used}
                reservoir.add(rows.X[used], **columns)
        return stop

    def _learn_equal(self, reservoir: Reservoir, rows: EncodedRows, start: int, monitor: _core.Monitor | None) -> int:
        """Learn rows that equal all rows so far, and teach the next map nothing; return the index of the next row."""
        used = rows.used[rows.used >= start]
        n_equal = reservoir.count_equal(rows.X[used]) if reservoir.may_be_equal else 0
        if not n_equal:
            return start
        stop = int(used[n_equal]) if n_equal < len(used) else len(rows)
        self._learn_part(rows.part(slice(start, stop)), monitor)
        return stop

    def _learn_part(self, rows: EncodedRows, monitor: _core.Monitor | None) -> None:
        with self.state.counting(rows.first, rows.targets, rows.weights):
            self.state.learn(rows, np.arange(len(rows)), monitor)

    def _learned(self, rows: EncodedRows, used: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return those of some rows that have been learned: not all if Ctrl-C stopped the native call."""
        return used[rows.first + used < self.state.n_seen]

    def _make_next_map(self, reservoir: Reservoir, monitor: _core.Monitor | None) -> None:
        """Make a map from all examples stored, and train or project linear models on the new features.

        Fourier features change only if gamma does. The state changes only at the end, so that the old map stays in use
        after an error.
        """
        state, random = self.state, check_random_state(self.random_state)
        X, columns = reservoir.examples()
        kernel, following = self.resolve_kernel(X, columns["weights"]), self._next_reservoir(reservoir)
        if state.options.approximation == "fourier":
            if not kernel.differs(state.kernel):
                state.replace_map(state.kernel, state.features, state.native, following)
                return
            features = fourier(X[:1], kernel, state.options, random)
        else:
            ids = columns["ids"]
            features = draw_nystroem(state, kernel, X, columns["targets"], ids, random, np.arange(len(ids)))
        if reservoir.n_to_skip is None:
            native = state.build_linear_model(kernel, features)
            self._learn_stored(native, reservoir, random, monitor)
        else:
            native = state.build_linear_model(kernel, features, _projected(state, kernel, features, X))
        state.replace_map(kernel, features, native, following)

    def _next_reservoir(self, reservoir: Reservoir) -> Reservoir | None:
        """Return the reservoir for the map after the next; None if the next is final."""
        if not reservoir.next_is_final:
            return reservoir
        options = self.state.options
        half_life = options.linear.half_life if options.approximation == "nystroem" else None
        return None if half_life is None else Reservoir.of_recent(options.n_components, half_life)

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
