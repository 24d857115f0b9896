"""Temperature scaling: softmax(scores / T), for two classes the logistic function of score / T.

One number is fitted, by maximum likelihood. The order of the classes stays what the scores say.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import expit, log_softmax, softmax

if TYPE_CHECKING:
    from numpy.typing import NDArray

_USUAL = 0.5  # of decision values with a margin of 1
_PRIOR = 2.0  # examples; the prior decides while there are none, and keeps T finite while no example is wrong
_BOUNDS = (np.log(1e-4), np.log(1e4))


@dataclass(frozen=True)
class TemperatureScaling:
    """Probabilities by one temperature.

    Examples
    --------
    >>> import numpy as np
    >>> scores, places = np.array([[1.0], [1.0], [1.0], [-1.0]]), np.array([1, 1, 0, 0])
    >>> TemperatureScaling.fit(scores, places, np.ones(4)).probabilities(np.array([[1.0], [0.0]])).round(2).tolist()
    [[0.17, 0.83], [0.5, 0.5]]
    """

    temperature: float
    n_columns: int = 1

    @classmethod
    def fit(cls, scores: NDArray[np.float64], places: NDArray[np.intp], weights: NDArray[np.float64]) -> Self:
        """Fit the temperature."""
        rows = _as_columns(scores)
        rows = rows - rows[np.arange(len(rows)), places][:, None]  # of the true class: 0
        spread = float(np.average(np.ptp(rows, axis=1), weights=weights)) if len(rows) else 1.0
        usual = np.log(_USUAL * max(spread, 1e-12) / 2.0)

        def loss(log_temperature: float) -> float:
            logs = log_softmax(rows / np.exp(log_temperature), axis=1)
            likelihood = weights @ logs[np.arange(len(rows)), places]
            return float(_PRIOR / 2 * (log_temperature - usual) ** 2 / 4.0 - likelihood)

        found = minimize_scalar(loss, bounds=(usual + _BOUNDS[0], usual + _BOUNDS[1]), method="bounded")
        return cls(float(np.exp(found.x)), scores.shape[1])

    def probabilities(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return one column per class."""
        if scores.shape[1] == 1:
            logits = scores[:, 0] / self.temperature
            return np.column_stack([expit(-logits), expit(logits)])
        found: NDArray[np.float64] = softmax(scores / self.temperature, axis=1)
        return found


def _as_columns(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return one column per class."""
    return scores if scores.shape[1] > 1 else np.column_stack([np.zeros(len(scores)), scores[:, 0]])
