"""Warm start for `fit`: LASVM brings the coefficients near the solution, and the exact model continues from there."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, cast

import numpy as np

from hinge import _core
from hinge._model.state import State
from hinge._model.support import signed_coefficients
from hinge._model.time_limit import TimeIsUp

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from hinge._fit.data import TrainingData
    from hinge.incremental._state import ExactState

_MIN_ROWS = 200  # fewer rows are learned one by one in the same time
_TOLERANCE = 1e-3  # violation that LASVM leaves to the exact model
_MAX_PASSES = 20
_MAX_ROWS_OF_ONE_CLASS = 20_000
_INTERRUPT_S = 0.3  # to complete what was interrupted
_MAX_STEPS_PER_ROW = 30  # of LASVM's finishing


def is_worthwhile(data: TrainingData, state: ExactState) -> bool:
    """Return True if a warm start is faster, and possible: no example has to be evicted on the way.

    That of one-class models begins with the kernel values of a large share of all pairs, which nobody can interrupt.
    """
    n_rows = int(np.count_nonzero(data.used))
    most = sys.maxsize if state.options.problem == "classifier" else _MAX_ROWS_OF_ONE_CLASS
    return state.options.max_examples is None and _MIN_ROWS < n_rows <= most


def learn_all(data: TrainingData, state: ExactState, monitor: _core.Monitor | None) -> None:
    """Train an empty model on a whole training set.

    After Ctrl-C, or when its time is over, the model holds what LASVM has found until then: its support vectors, or the
    whole training set if LASVM was ready. If the exact solution for them takes longer than a moment, the next call that
    learns or forgets computes it.
    """
    ((_, only),) = state.storage.batches(data.X)  # one batch, since the model stores rows as the training set does
    batch = cast("_core.Batch64", only)
    numbers = data.class_numbers(state.table)
    rows = np.flatnonzero(data.used)
    approximate = State(state.kernel, approximate_options(state, len(rows)), state.storage, state.table)
    try:
        _run_lasvm(approximate, batch, numbers, data.costs, rows, monitor)
    except (KeyboardInterrupt, TimeIsUp):
        found = np.sort(approximate.native.state()["ids"])
        state.native.adopt(batch, numbers, data.costs, 0, found, *solution(approximate, found), until_late())
        raise
    state.native.adopt(batch, numbers, data.costs, 0, rows, *solution(approximate, rows), monitor)


def approximate_options(state: ExactState, n_rows: int) -> _core.LasvmOptions:
    """Return the options of the solver that comes first."""
    return _core.LasvmOptions(
        cache_bytes=state.options.cache_bytes,
        threads=state.options.threads,
        multi_class=state.options.multi_class,
        tolerance=_TOLERANCE,
        max_steps=_MAX_STEPS_PER_ROW * n_rows,
    )


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


def solution(approximate: State, rows: NDArray[np.int64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return coefficients and gradients of some rows, one line per binary model.

    A row that a binary model does not hold has coefficient 0. Its gradient is unknown: the bias stands in for it, which
    no optimality condition contradicts.
    """
    native = approximate.native
    arrays = native.state()
    held = signed_coefficients(arrays)
    coefficients = np.zeros((len(held), len(rows)))
    places = np.searchsorted(rows, arrays["ids"])
    coefficients[:, places] = held
    gradients = np.repeat(native.bias[:, np.newaxis], len(rows), axis=1)
    models = np.repeat(np.arange(len(held)), arrays["member_counts"])
    gradients[models, places[arrays["members"]]] = arrays["gradient"]
    return coefficients, gradients


def until_late() -> Callable[[_core.Progress], bool]:
    """Return a monitor that stops a call when the user would find that Ctrl-C takes long."""
    started = time.monotonic()
    return lambda _: time.monotonic() < started + _INTERRUPT_S
