"""What probabilities are calibrated on after `fit` if the training ends somewhere on its way to the optimum.

The decision values are then those of the first visit of each example. Later passes and averages change their size; the
record follows. (Models that are solved: see `leave_one_out`.)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hinge._model.validation import TakenRows

if TYPE_CHECKING:
    from hinge import _core
    from hinge._fit.data import TrainingData
    from hinge._model.state import State


def record_first_visits(state: State, data: TrainingData, outcome: _core.Outcome) -> None:
    """Keep the decision values for the last examples of a first pass."""
    stop = outcome.visited
    known = np.arange(stop - len(outcome.recorded_rows), stop, dtype=np.int64)
    state.take_decisions(outcome, data.class_numbers(state.table), data.costs, known)


def match_sizes(state: State, data: TrainingData, first: _core.Outcome) -> None:
    """Bring the values recorded in the first pass to the size of the decision values of the trained model."""
    if state.decisions is None or not len(state.decisions):
        return
    X = data.X.array() if type(data.X) is TakenRows else data.X
    rows = first.recorded_rows[-len(state.decisions) :]
    table = state.table
    values = state.make_snapshot().decide(X[rows], state.options.threads)
    state.drop_snapshot()
    state.decisions = state.decisions.resized(values, lambda found: table.confidences(table.arrange(found)))
