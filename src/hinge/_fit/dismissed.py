"""How many examples a pass has dismissed although the model gets them wrong.

LASVM lets go of an example that the model of that time puts beyond the margin. What is learned later may turn it into a
violator, which finishing does not see. On clean data, or at small C, that is rare: nearly every example that the model
gets wrong is held. With noise at large C it is not, and the exact solution can be ten points better.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hinge._fit.sweeps import targets_of

if TYPE_CHECKING:
    from hinge._fit.data import TrainingData
    from hinge._model.state import State

MOST_DISMISSED = 0.005  # of the weight: no more than this share of training examples changes sides by going on
_LOOKED_AT = 2000  # rows drawn at random


def share_dismissed(state: State, data: TrainingData) -> float:
    """Estimate the share of the training set, by weight, that some binary model gets wrong and does not hold."""
    rows = np.flatnonzero(data.used)
    if len(rows) > _LOOKED_AT:
        rows = np.sort(np.random.RandomState(0).choice(rows, _LOOKED_AT, replace=False))
    native: Any = state.native
    targets = targets_of(state, data.class_numbers(state.table)[rows])
    targets[native.held_rows(len(data))[rows] != 0] = 0.0
    dismissed = targets.any(axis=1)
    if not dismissed.any():
        return 0.0
    decided = state.make_snapshot().decide(data.X[rows[dismissed]], state.options.threads)
    state.drop_snapshot()
    is_wrong = (decided * targets[dismissed] < 0).any(axis=1)
    costs = data.costs[rows]
    return float(costs[dismissed][is_wrong].sum() / costs.sum())
