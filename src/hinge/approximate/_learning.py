"""How approximate models learn: streams, whose first examples settle the map, and passes over a training set."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils import check_random_state

from hinge._model.kernels import KernelSpec
from hinge.approximate._maps import Sample, fourier, nystroem
from hinge.approximate._reservoir import Reservoir
from hinge.exceptions import DataError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hinge import _core
    from hinge._fit.progress import FitTasks
    from hinge.approximate._state import ApproximateState

ResolveKernel = Callable[[Any, Any], KernelSpec]

_PASSES_OVER_RESERVOIR = 3  # passes over the first examples of a stream when their map has changed


@dataclass(frozen=True)
class Part:
    """Some rows of a stream, or a training set.

    Attributes
    ----------
    X : ndarray or CSR matrix
        Checked rows, stored as the model stores them.
    targets, weights : ndarray of shape (n,)
        Class numbers or values; rows of weight 0 are passed over.
    first : int
        Place of the first row in the stream.
    """

    X: Any
    targets: NDArray[np.float64]
    weights: NDArray[np.float64]
    first: int

    def rows(self, start: int, stop: int) -> Part:
        """Return some of the rows."""
        chosen = slice(start, stop)
        return Part(self.X[chosen], self.targets[chosen], self.weights[chosen], self.first + start)

    @property
    def used(self) -> NDArray[np.intp]:
        """The rows that count."""
        return np.flatnonzero(self.weights > 0)


def resolve_map(state: ApproximateState, part: Part, rows: NDArray[np.intp], random: np.random.RandomState) -> None:
    """Give a state the map that suits some rows of a training set."""
    if state.options.approximation == "fourier":
        state.adopt(fourier(part.X[rows[:1]], state.kernel, state.options, random))
        return
    chosen = _drawn(state, rows, random)
    sample = _sample(state, part.X[chosen], part.targets[chosen], part.first + chosen)
    state.adopt(nystroem(sample, state.kernel, state.options))


def _drawn(state: ApproximateState, rows: NDArray[np.intp], random: np.random.RandomState) -> NDArray[np.intp]:
    """Return the rows that become landmarks: drawn without replacement, in their order."""
    return rows[np.sort(random.permutation(len(rows))[: state.options.n_components])]


def _sample(state: ApproximateState, X: Any, targets: NDArray[np.float64], ids: NDArray[np.int64]) -> Sample:
    labels = np.zeros(len(ids)) if state.options.regression else targets
    return Sample(X, ids, labels.astype(np.int32))


def learn_stream(
    state: ApproximateState, part: Part, resolve: ResolveKernel, random_state: Any, monitor: _core.Monitor | None
) -> None:
    """Learn the next rows of a stream, in the order given; `settle` says how wide the kernel is for some rows."""
    start = 0
    while (reservoir := state.reservoir) is not None and start < len(part.targets):
        if reservoir.room > 0:
            start = _gather(state, reservoir, part, start, monitor)
        if reservoir.room <= 0:  # also where an earlier call was stopped before the map was made
            _renew(state, reservoir, resolve, random_state, monitor)
    if start < len(part.targets):
        rest = part.rows(start, len(part.targets))
        state.progressive_score.count(_learn(state, rest, np.arange(len(rest.targets)), monitor))


def begin_stream(state: ApproximateState, part: Part, resolve: ResolveKernel, random_state: Any) -> None:
    """Make the first map of a stream: that of its first example."""
    if state.options.approximation == "nystroem":
        state.kernel = resolve(part.X[part.used[:1]], np.ones(1))
    resolve_map(state, part, part.used[:1], check_random_state(random_state))
    if state.options.approximation == "nystroem":
        reservoir = Reservoir(state.options.n_components)
        state.replace(state.kernel, state.features, state.native, reservoir)


def _gather(
    state: ApproximateState, reservoir: Reservoir, part: Part, start: int, monitor: _core.Monitor | None
) -> int:
    """Learn and keep rows until the next map is due or there are no more; return where to go on."""
    used = part.used[part.used >= start][: reservoir.room]
    stop = int(used[-1]) + 1 if len(used) == reservoir.room else len(part.targets)
    rows = part.rows(start, stop)
    state.progressive_score.count(_learn(state, rows, np.arange(stop - start), monitor))
    if len(used):
        reservoir.add(part.X[used], part.targets[used], part.weights[used], part.first + used)
    return stop


def end_stream(
    state: ApproximateState, resolve: ResolveKernel, random_state: Any, monitor: _core.Monitor | None
) -> None:
    """Draw landmarks from what has come where a stream ends before its last map; they are final if there are enough."""
    reservoir = state.reservoir
    if reservoir is None:
        return
    _renew(state, reservoir, resolve, random_state, monitor)
    if len(reservoir) >= state.options.n_components:
        state.reservoir = None


def _renew(
    state: ApproximateState,
    reservoir: Reservoir,
    resolve: ResolveKernel,
    random_state: Any,
    monitor: _core.Monitor | None,
) -> None:
    """Draw new landmarks from all examples so far, and learn these over the new map; the old one serves till then."""
    random = check_random_state(random_state)
    X, targets, weights, ids = reservoir.examples()
    kernel = resolve(X, weights)
    chosen = _drawn(state, np.arange(len(ids)), random)
    features = nystroem(_sample(state, X[chosen], targets[chosen], ids[chosen]), kernel, state.options)
    native = state.machines_over(kernel, features)
    native.set_options(
        replace(state.options, total=len(reservoir), planned=_PASSES_OVER_RESERVOIR * len(reservoir)).native()
    )
    ((_, batch),) = state.storage.batches(X)
    for _ in range(_PASSES_OVER_RESERVOIR):
        native.learn(batch, targets, weights, 0, random.permutation(len(ids)), monitor)
    native.set_options(state.options.native())
    state.replace(kernel, features, native, None if reservoir.suffices else reservoir)


def _learn(
    state: ApproximateState, part: Part, order: NDArray[np.int64], monitor: _core.Monitor | None
) -> _core.Outcome:
    ((_, batch),) = state.storage.batches(part.X)
    outcome: _core.Outcome = state.native.learn(batch, part.targets, part.weights, part.first, order, monitor)
    return outcome


class Training:
    """Passes over one training set.

    Parameters
    ----------
    state : ApproximateState
        Without a map as yet.
    part : Part
        The training set.
    random : RandomState
        For the sample and the order of visits.
    epochs : int
        The most passes.
    """

    def __init__(self, state: ApproximateState, part: Part, random: np.random.RandomState, epochs: int) -> None:
        self._state = state
        self._part = part
        self._random = random
        self._epochs = epochs
        self._may_stop = False
        self._rows = random.permutation(part.used)

    def hold_out(self, share: float) -> NDArray[np.intp]:
        """Leave a share of the rows out of the training, and return them."""
        count = max(1, round(share * len(self._rows)))
        spare = self._spare()
        if count > len(spare):
            raise DataError(
                f"early_stopping must have rows to learn besides those it validates with, got {len(self._rows)} rows; "
                "give more rows, or set early_stopping=False."
            )
        held = spare[:count]
        self._rows = self._rows[~np.isin(self._rows, held)]
        self._may_stop = True
        return held

    def _spare(self) -> NDArray[np.intp]:
        """Return the rows but for one of each class, or but for one."""
        numbers = np.zeros(len(self._rows)) if self._state.options.regression else self._part.targets[self._rows]
        _, first = np.unique(numbers, return_index=True)
        return np.delete(self._rows, first)

    def run(self, tasks: FitTasks, monitor: _core.Monitor | None, is_enough: Callable[[], bool]) -> None:
        """Settle the map and go over the rows, until the passes are over or it is enough."""
        state, wanted = self._state, self._state.options
        resolve_map(state, self._part, self._rows, self._random)
        planned = 0 if self._may_stop else self._epochs * len(self._rows)  # where the end is open, averages are recent
        native = state.use(replace(wanted, total=len(self._rows), planned=planned))
        if self._epochs > 1:
            native.keep(len(self._part.targets))
        try:
            for _ in range(self._epochs):
                order = self._random.permutation(self._rows)
                tasks.step("pass", partial(_learn, state, self._part, order, monitor))
                if tasks.stopped or is_enough():
                    break
        finally:
            if not native.broken:  # else this state is given up
                native.release()
                state.use(wanted)
