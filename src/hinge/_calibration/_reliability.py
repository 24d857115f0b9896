"""How often predictions of a given probability are right."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

GROUPS = 15


class Reliability(NamedTuple):
    """Predictions in groups of similar probability, the least probable first."""

    probability: NDArray[np.float64]  # of the class predicted, on average
    accuracy: NDArray[np.float64]
    counts: NDArray[np.intp]

    @property
    def error(self) -> float:
        """Mean difference between the probability of the class predicted and how often it is right."""
        return float(np.average(np.abs(self.probability - self.accuracy), weights=self.counts))


def reliability(largest: ArrayLike, is_right: ArrayLike, n_groups: int = GROUPS) -> Reliability:
    """Group predictions by the probability of the class predicted, as many in each group.

    Examples
    --------
    >>> reliability([0.6, 0.8, 1.0, 1.0], [False, True, True, True], n_groups=2).accuracy.tolist()
    [0.5, 1.0]
    """
    chances, right = np.asarray(largest, dtype=float), np.asarray(is_right, dtype=float)
    groups = [rows for rows in np.array_split(np.argsort(chances, kind="stable"), n_groups) if len(rows)]
    probability, accuracy = (np.array([each[rows].mean() for rows in groups]) for each in (chances, right))
    return Reliability(probability, accuracy, np.array([len(rows) for rows in groups]))
