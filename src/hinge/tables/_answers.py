"""From what a model computes to what it answers: values in the unit of the label, classes beyond a threshold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hinge.exceptions import DataError
from hinge.tables._numbers import PLAIN, NumberFormat

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from hinge.tables._labels import Labels


@dataclass(frozen=True)
class Answers:
    """How the outputs of a model become answers.

    Attributes
    ----------
    style : NumberFormat
        How the values to predict are written.
    mean, scale : float
        A regressor learns `(value - mean) / scale`.
    threshold : float
        The decision value from which a classifier predicts the second of two classes.

    Examples
    --------
    >>> import numpy as np
    >>> answers = Answers(mean=100.0, scale=20.0)
    >>> answers.to_targets([120.0, 90.0]).tolist(), answers.to_values(np.array([1.0, -0.5])).tolist()
    ([1.0, -0.5], [120.0, 90.0])
    """

    style: NumberFormat = PLAIN
    mean: float = 0.0
    scale: float = 1.0
    threshold: float = 0.0

    @classmethod
    def of_values(cls, values: ArrayLike, style: NumberFormat = PLAIN) -> Answers:
        """Return answers that standardise values to predict."""
        y = np.asarray(values, dtype=np.float64)
        if y.ndim != 1 or not np.isfinite(y).all():
            raise DataError("Values to predict must be finite numbers, one per row.")
        return cls.of_moments(float(y.mean()), float(y.std()), style) if len(y) else cls(style)

    @classmethod
    def of_moments(cls, mean: float, deviation: float, style: NumberFormat = PLAIN) -> Answers:
        """Return answers that standardise values of this mean and deviation."""
        is_constant = not np.isfinite(deviation) or deviation <= 1e-12 * max(abs(mean), np.finfo(float).tiny)
        return cls(style, mean, 1.0 if is_constant else deviation)

    def to_targets(self, values: ArrayLike) -> NDArray[np.float64]:
        """Return what a regressor learns for values."""
        targets: NDArray[np.float64] = (np.asarray(values, dtype=np.float64) - self.mean) / self.scale
        return targets

    def to_values(self, targets: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the values that a regressor means."""
        values: NDArray[np.float64] = self.mean + self.scale * targets
        return values

    def choose(self, classes: Labels, decisions: NDArray[np.float64]) -> Labels:
        """Return the classes of decision values of two classes."""
        chosen: Labels = classes[(decisions >= self.threshold).astype(np.intp)]
        return chosen
