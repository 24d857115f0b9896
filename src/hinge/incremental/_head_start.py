"""A head start for `fit`: the exact machines take over coefficients that LASVM has brought near the solution."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hinge import _core
from hinge._model.state import State, signed_coefficients

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hinge._fit.data import TrainingData
    from hinge.incremental._state import ExactState

_FEW = 200  # examples that are learned one by one as fast
_NEAR = 1e-3  # the violation that is left to the exact machines
_MAX_PASSES = 20
_STEPS = 30  # an example, after which finishing is left to the exact machines


def is_worth_it(data: TrainingData, state: ExactState) -> bool:
    """Tell whether a training set is large, and none of it has to leave on the way."""
    return state.options.max_examples is None and int(np.count_nonzero(data.used)) > _FEW


def learn_all(data: TrainingData, state: ExactState, monitor: _core.Monitor | None) -> None:
    """Let empty machines learn a whole training set; after Ctrl-C they hold the support vectors found until then."""
    batch: Any
    ((_, batch),) = state.storage.batches(data.X)  # one, since the model is stored as its training set is
    numbers = data.class_numbers(state.table)
    rows = np.flatnonzero(data.used)
    options = _core.LasvmOptions(
        cache_bytes=state.options.cache_bytes,
        threads=state.options.threads,
        tolerance=_NEAR,
        max_steps=_STEPS * len(rows),
    )
    near = State(state.kernel, options, state.storage, state.table)
    try:
        _approach(near, batch, numbers, data.costs, rows, monitor)
    except KeyboardInterrupt:
        found = np.sort(near.native.state()["ids"])
        state.native.adopt(batch, numbers, data.costs, 0, found, _coefficients(near, found))
        raise
    state.native.adopt(batch, numbers, data.costs, 0, rows, _coefficients(near, rows))


def _approach(  # noqa: PLR0917
    near: State,
    batch: Any,
    numbers: NDArray[np.int32],
    costs: NDArray[np.float64],
    rows: NDArray[np.int64],
    monitor: _core.Monitor | None,
) -> None:
    """Go over the rows until none of them violates the conditions by much."""
    random = np.random.RandomState(0)
    for _ in range(_MAX_PASSES):
        inserted = near.native.learn(batch, numbers, costs, 0, random.permutation(rows), 0, monitor).inserted
        stalled = near.native.finish(monitor).stalled
        if not inserted or stalled:
            return


def _coefficients(near: State, rows: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the coefficients of some rows, one line a machine."""
    arrays = near.native.state()
    held = signed_coefficients(arrays)
    coefficients = np.zeros((len(held), len(rows)))
    places = np.searchsorted(rows, arrays["ids"])
    coefficients[:, places] = held
    return coefficients
