"""Warm start for `fit` of one-class models: pair steps solve the problem up to a tolerance, the exact model the rest.

To the pair steps all rows are positive examples of a classifier, and the sum of the coefficients stays as it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import numpy as np

from hinge._model.labels import ClassTable
from hinge._model.state import State
from hinge._model.time_limit import TimeIsUp
from hinge.incremental._warm_start import approximate_options, solution, until_late

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hinge import _core
    from hinge._fit.data import TrainingData
    from hinge.incremental._state import ExactState


def learn_all_of_one_class(data: TrainingData, state: ExactState, monitor: _core.Monitor | None) -> None:
    """Train an empty one-class model on a whole training set.

    After Ctrl-C, or when its time is over, the model holds the whole training set, with the coefficients found until
    then. If the exact solution for it takes longer than a moment, the next call that learns or forgets computes it.
    """
    rows = np.flatnonzero(data.used)
    ((_, only),) = state.storage.batches(data.X)  # one batch, since the model stores rows as the training set does
    batch = cast("_core.Batch64", only)
    numbers = data.class_numbers(state.table)
    approximate = _begin(data, state, batch, rows)
    try:
        approximate.native.finish(monitor)
    except (KeyboardInterrupt, TimeIsUp):
        state.native.adopt(batch, numbers, data.costs, 0, rows, *solution(approximate, rows), until_late())
        raise
    state.native.adopt(batch, numbers, data.costs, 0, rows, *solution(approximate, rows), monitor)


def _begin(data: TrainingData, state: ExactState, batch: _core.Batch64, rows: NDArray[np.int64]) -> State:
    """Return a model that holds all rows; the first of them begin at their upper bounds, as in LIBSVM."""
    options, costs = state.options, data.costs[rows]
    total = min(options.nu * costs.sum(), np.inf if options.most_total is None else options.most_total)
    alpha = np.clip(total - (np.cumsum(costs) - costs), 0.0, costs)[:, np.newaxis]
    positive = np.ones(len(data), dtype=np.int32)
    two_classes = ClassTable.of(np.arange(2))

    def hold(held: NDArray[np.int64], sums: NDArray[np.float64], coefficients: NDArray[np.float64]) -> State:
        model = State(state.kernel, approximate_options(state, len(rows)), state.storage, two_classes)
        cast("_core.KernelModel64", model.native).hold(batch, positive, data.costs, 0, held, sums, coefficients)
        return model

    first = np.flatnonzero(alpha[:, 0])
    beginning = hold(rows[first], np.zeros((len(first), 1)), alpha[first])
    sums = beginning.native.predictor().decide(batch, options.threads)[rows] - beginning.native.bias
    target = 1.0  # of a positive example, as the pair steps see it
    return hold(rows, sums + target - _targets(data, state, rows, total), alpha)


def _targets(data: TrainingData, state: ExactState, rows: NDArray[np.int64], total: float) -> NDArray[np.float64]:
    """Return the target of each row: 0, or for a sphere half the total times k(x, x), a constant if precomputed."""
    if state.options.problem == "plane" or state.kernel.name == "precomputed":
        return np.zeros((len(rows), 1))
    return (0.5 * total * state.diagonal().of(data.X[rows]))[:, np.newaxis]
