"""Warm start for `fit`: LASVM brings the coefficients near the solution, and the exact model continues from there."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import numpy as np

from hinge import _core
from hinge._model.state import State, signed_coefficients

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hinge._fit.data import TrainingData
    from hinge.incremental._state import ExactState

_MIN_ROWS = 200  # fewer rows are learned one by one in the same time
_TOLERANCE = 1e-3  # violation that LASVM leaves to the exact model
_MAX_PASSES = 20
_MAX_STEPS_PER_ROW = 30  # of LASVM's finishing


def is_worthwhile(data: TrainingData, state: ExactState) -> bool:
    """Return True if a warm start is faster, and possible: no example has to be evicted on the way."""
    return state.options.max_examples is None and int(np.count_nonzero(data.used)) > _MIN_ROWS


def learn_all(data: TrainingData, state: ExactState, monitor: _core.Monitor | None) -> None:
    """Train an empty model on a whole training set.

    After KeyboardInterrupt the model holds the support vectors that LASVM found until then.
    """
    ((_, only),) = state.storage.batches(data.X)  # one batch, since the model stores rows as the training set does
    batch = cast("_core.Batch64", only)
    numbers = data.class_numbers(state.table)
    rows = np.flatnonzero(data.used)
    options = _core.LasvmOptions(
        cache_bytes=state.options.cache_bytes,
        threads=state.options.threads,
        tolerance=_TOLERANCE,
        max_steps=_MAX_STEPS_PER_ROW * len(rows),
    )
    approximate = State(state.kernel, options, state.storage, state.table)
    try:
        _run_lasvm(approximate, batch, numbers, data.costs, rows, monitor)
    except KeyboardInterrupt:
        found = np.sort(approximate.native.state()["ids"])
        state.native.adopt(batch, numbers, data.costs, 0, found, _coefficients(approximate, found))
        raise
    state.native.adopt(batch, numbers, data.costs, 0, rows, _coefficients(approximate, rows))


def _run_lasvm(  # noqa: PLR0917
    approximate: State,
    batch: _core.Batch64,
    numbers: NDArray[np.int32],
    costs: NDArray[np.float64],
    rows: NDArray[np.int64],
    monitor: _core.Monitor | None,
) -> None:
    """Pass over the rows until no pass adds an example."""
    random = np.random.RandomState(0)
    for _ in range(_MAX_PASSES):
        inserted = approximate.native.learn(batch, numbers, costs, 0, random.permutation(rows), 0, monitor).inserted
        stalled = approximate.native.finish(monitor).stalled
        if not inserted or stalled:
            return


def _coefficients(approximate: State, rows: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the coefficients of some rows, one line per binary model; 0 for rows that LASVM does not hold."""
    arrays = approximate.native.state()
    held = signed_coefficients(arrays)
    coefficients = np.zeros((len(held), len(rows)))
    coefficients[:, np.searchsorted(rows, arrays["ids"])] = held
    return coefficients
