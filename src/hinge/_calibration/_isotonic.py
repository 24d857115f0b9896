"""Isotonic regression: the increasing step function of the score that fits the classes best, one per column.

Values between two scores are interpolated. One example against the trend is assumed beyond either end, so that no
probability is 0 or 1. Columns of more than two classes are normalised to sum to one. This needs a thousand examples or
more; with fewer, a method with few numbers is better.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np
from scipy.optimize import isotonic_regression

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class IsotonicCalibration:
    """Probabilities by an increasing function per column.

    Examples
    --------
    >>> import numpy as np
    >>> scores, places = np.array([[2.0], [1.0], [-1.0], [-2.0]]), np.array([1, 1, 0, 0])
    >>> fitted = IsotonicCalibration.fit(scores, places, np.ones(4))
    >>> fitted.probabilities(np.array([[5.0], [0.0]])).round(2).tolist()
    [[0.33, 0.67], [0.5, 0.5]]
    """

    knots: tuple[NDArray[np.float64], ...]
    chances: tuple[NDArray[np.float64], ...]

    @classmethod
    def fit(cls, scores: NDArray[np.float64], places: NDArray[np.intp], weights: NDArray[np.float64]) -> Self:
        """Fit the functions."""
        n_columns = scores.shape[1]
        own = np.arange(n_columns) if n_columns > 1 else np.ones(1, dtype=np.intp)
        found = [_fit_column(scores[:, m], places == own[m], weights) for m in range(n_columns)]
        return cls(tuple(knots for knots, _ in found), tuple(chances for _, chances in found))

    def probabilities(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return one column per class."""
        columns: list[NDArray[np.float64]] = [
            np.interp(column, knots, chances)
            for column, knots, chances in zip(scores.T, self.knots, self.chances, strict=True)
        ]
        if len(columns) == 1:
            columns = [1.0 - columns[0], columns[0]]
        found: NDArray[np.float64] = np.column_stack(columns)
        found /= found.sum(axis=1, keepdims=True)
        return found


def _fit_column(
    scores: NDArray[np.float64], is_own: NDArray[np.bool_], weights: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the distinct scores at which the function bends, and its values there."""
    if not len(scores):
        return np.zeros(1), np.full(1, 0.5)
    knots, at = np.unique(scores, return_inverse=True)
    mass = np.bincount(at, weights)
    share = np.bincount(at, weights * is_own) / mass
    share, mass = np.concatenate([[1.0], share, [0.0]]), np.concatenate([[1.0], mass, [1.0]])
    chances = isotonic_regression(share, weights=mass).x[1:-1]
    bends = np.ones(len(knots), dtype=np.bool_)
    bends[1:-1] = (chances[1:-1] != chances[:-2]) | (chances[1:-1] != chances[2:])
    return knots[bends], chances[bends]
