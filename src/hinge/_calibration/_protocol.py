"""What a method of calibration does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, Self

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Calibration(Protocol):
    """A fitted map from scores to probabilities.

    Scores have one column for two classes, positive for the second, or one column per class.
    """

    @classmethod
    def fit(cls, scores: NDArray[np.float64], places: NDArray[np.intp], weights: NDArray[np.float64]) -> Self:
        """Fit the map to scores with known classes (`places` among the sorted classes).

        Weights add up to the number of examples.
        """

    def probabilities(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return one column per class; each row sums to one."""
