"""The numbers A and B of LIBSVM's probabilities, P(first of two classes) = 1 / (1 + exp(A d + B)) of decision value d.

They are fitted to the recorded decision values, one pair of numbers per pair of classes. As in LIBSVM, the decision
value is positive for the first class, also where `decision_function` has the other sign: with two classes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hinge._calibration import SigmoidCalibration
from hinge._model.class_scheme import pairs

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hinge._calibration import Decisions
    from hinge._model.labels import ClassTable


def platt_numbers(record: Decisions, table: ClassTable) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return A and B of each pair of classes."""
    columns = table.arrange(record.values)
    columns = -columns if len(table) == 2 else columns
    places = np.argsort(table.numbers)[record.labels]
    fitted = [
        _of_pair(columns[:, column], places == first, (places == first) | (places == second), record)
        for column, (first, second) in enumerate(zip(*pairs(len(table)), strict=True))
    ]
    slopes, offsets = np.array(fitted).reshape(-1, 2).T
    return -slopes, -offsets


def _of_pair(
    decisions: NDArray[np.float64], is_first: NDArray[np.bool_], is_either: NDArray[np.bool_], record: Decisions
) -> tuple[float, float]:
    """Return the slope and the offset of the probability of the first class."""
    weights = record.weights[is_either]
    weights = weights * (record.shares[is_either].sum() / weights.sum())
    found = SigmoidCalibration.fit(decisions[is_either, None], is_first[is_either].astype(np.intp), weights)
    return float(found.slopes[0]), float(found.offsets[0])
