"""Weights of several predictors by how well they did lately."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


class FixedShare:
    """The fixed-share forecaster: multiplicative weights that can switch to another predictor quickly.

    Each mistake multiplies the weight of a predictor by exp(-rate). Then every predictor gives the part `share` of its
    weight to a common fund, which all receive in equal parts, so that no weight vanishes. Herbster and Warmuth show
    that the number of mistakes exceeds that of the best *sequence* of predictors by little if that sequence has few
    switches.

    Parameters
    ----------
    n : int
        Number of predictors.
    rate : float
        Logarithm of the factor per mistake.
    share : float
        Part of the weight that is distributed at each step.

    References
    ----------
    M. Herbster, M. K. Warmuth. Tracking the Best Expert. Machine Learning 32, 1998.

    Examples
    --------
    >>> weights = FixedShare(2, rate=0.5, share=0.01)
    >>> for _ in range(20):
    ...     weights.update([False, True])
    >>> weights.values[0] > 0.98
    True
    >>> for _ in range(20):
    ...     weights.update([True, False])
    >>> weights.values[1] > 0.98
    True
    """

    def __init__(self, n: int, rate: float, share: float) -> None:
        self.values = [1.0 / n] * n
        self._factor = math.exp(-rate)
        self._share = share

    def update(self, mistakes: Sequence[bool]) -> None:
        """Change the weights by who was wrong."""
        factor = self._factor
        weights = [weight * factor if wrong else weight for weight, wrong in zip(self.values, mistakes, strict=True)]
        scale = (1.0 - self._share) / sum(weights)
        fund = self._share / len(weights)
        self.values = [weight * scale + fund for weight in weights]
