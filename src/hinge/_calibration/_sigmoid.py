"""Platt's method: the logistic function of slope times score plus offset, one pair of numbers per column.

They are fitted by maximum likelihood to targets that are slightly less than certain, (n + 1) / (n + 2) for the n
examples of a class, so that they stay finite. Columns of more than two classes are normalised to sum to one.

Platt, "Probabilistic outputs for support vector machines", 1999; Lin, Lin and Weng, Machine Learning 68, 2007.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np
from scipy.special import expit

if TYPE_CHECKING:
    from numpy.typing import NDArray

_MAX_STEPS = 100
_RIDGE = 1e-10  # keeps the Newton steps defined
_SMALLEST_STEP = 1e-10
_ENOUGH = 1e-9  # smaller gains end the iteration


@dataclass(frozen=True)
class SigmoidCalibration:
    """Probabilities by a slope and an offset per column.

    Examples
    --------
    >>> import numpy as np
    >>> scores, places = np.array([[2.0], [1.0], [-1.0], [-2.0]]), np.array([1, 1, 0, 0])
    >>> SigmoidCalibration.fit(scores, places, np.ones(4)).probabilities(np.array([[1.0]])).round(2).tolist()
    [[0.34, 0.66]]
    """

    slopes: NDArray[np.float64]
    offsets: NDArray[np.float64]

    @classmethod
    def fit(cls, scores: NDArray[np.float64], places: NDArray[np.intp], weights: NDArray[np.float64]) -> Self:
        """Fit slopes and offsets."""
        n_columns = scores.shape[1]
        own = np.arange(n_columns) if n_columns > 1 else np.ones(1, dtype=np.intp)
        found = [_fit_column(scores[:, m], places == own[m], weights) for m in range(n_columns)]
        slopes, offsets = np.array(found).reshape(n_columns, 2).T
        return cls(slopes, offsets)

    def probabilities(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return one column per class."""
        logits = scores * self.slopes + self.offsets
        if scores.shape[1] == 1:
            return np.column_stack([expit(-logits), expit(logits)])
        chances = np.maximum(expit(logits), np.finfo(np.float64).tiny)
        found: NDArray[np.float64] = chances / chances.sum(axis=1, keepdims=True)
        return found


def _fit_column(
    scores: NDArray[np.float64], is_own: NDArray[np.bool_], weights: NDArray[np.float64]
) -> tuple[float, float]:
    """Return slope and offset of one column, by Newton steps that halve until the loss falls."""
    above, below = float(weights[is_own].sum()), float(weights[~is_own].sum())
    targets = np.where(is_own, (above + 1.0) / (above + 2.0), 1.0 / (below + 2.0))
    unit = float(np.sqrt(np.average(scores**2, weights=weights))) if len(scores) else 0.0
    unit = unit if unit > 0 else 1.0
    inputs = scores / unit
    slope, offset = 0.0, float(np.log((above + 1.0) / (below + 1.0)))
    present = _loss(inputs, targets, weights, slope, offset)
    for _ in range(_MAX_STEPS):
        towards = _newton_step(inputs, targets, weights, slope, offset)
        length = 1.0
        while length > _SMALLEST_STEP:
            tried = slope + length * towards[0], offset + length * towards[1]
            value = _loss(inputs, targets, weights, *tried)
            if value < present:
                break
            length /= 2.0
        else:
            break
        (slope, offset), gain, present = tried, present - value, value
        if gain < _ENOUGH * (1.0 + abs(present)):
            break
    return (slope / unit, offset) if slope > 0 else (0.0, float(np.log((above + 1.0) / (below + 1.0))))


def _loss(
    inputs: NDArray[np.float64], targets: NDArray[np.float64], weights: NDArray[np.float64], slope: float, offset: float
) -> float:
    logits = slope * inputs + offset
    return float(weights @ (np.logaddexp(0.0, logits) - targets * logits))


def _newton_step(
    inputs: NDArray[np.float64], targets: NDArray[np.float64], weights: NDArray[np.float64], slope: float, offset: float
) -> tuple[float, float]:
    chances = expit(slope * inputs + offset)
    errors, curvature = weights * (chances - targets), weights * chances * (1.0 - chances)
    by_slope, by_offset = float(errors @ inputs), float(errors.sum())
    a, c = float(curvature @ inputs**2) + _RIDGE, float(curvature.sum()) + _RIDGE
    b = float(curvature @ inputs)
    determinant = a * c - b * b
    if not determinant > 0:
        return -by_slope / a, -by_offset / c
    return -(c * by_slope - b * by_offset) / determinant, -(a * by_offset - b * by_slope) / determinant
