"""The methods by name, and probabilities that agree with `predict`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hinge._calibration._isotonic import IsotonicCalibration
from hinge._calibration._sigmoid import SigmoidCalibration
from hinge._calibration._temperature import TemperatureScaling
from hinge.exceptions import ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hinge._calibration._protocol import Calibration

METHODS: dict[str, type[Calibration]] = {
    "sigmoid": SigmoidCalibration,
    "isotonic": IsotonicCalibration,
    "temperature": TemperatureScaling,
}


def method_of(calibration: object) -> type[Calibration] | None:
    """Return the method that a parameter `calibration` names; raise ParameterError if there is none.

    Examples
    --------
    >>> method_of("sigmoid").__name__
    'SigmoidCalibration'
    """
    if calibration is None:
        return None
    found = METHODS.get(calibration) if isinstance(calibration, str) else None
    if found is None:
        names = ", ".join(repr(name) for name in METHODS)
        raise ParameterError(f"calibration must be None or one of {names}, got {calibration!r}.")
    return found


def agreeing(probabilities: NDArray[np.float64], chosen: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return the nearest probabilities whose largest is that of the class chosen, the first of equals.

    Where another class has a larger one, it is shared equally among the class chosen and those above it.

    Examples
    --------
    >>> agreeing(np.array([[0.2, 0.8], [0.5, 0.5]]), np.array([0, 0])).round(6).tolist()
    [[0.5, 0.5], [0.5, 0.5]]
    """
    rows = np.flatnonzero(probabilities.argmax(axis=1) != chosen)
    if not len(rows):
        return probabilities
    found = probabilities.copy()
    found[rows] = _raised(probabilities[rows], chosen[rows])
    return found


def _raised(chances: NDArray[np.float64], chosen: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return probabilities whose largest is that of the class chosen.

    It becomes the mean of its own and those of the k classes above it, for the k that makes this mean largest.
    """
    is_chosen = np.arange(chances.shape[1]) == chosen[:, None]
    own = chances[is_chosen][:, None]
    others = -np.sort(-np.where(is_chosen, 0.0, chances), axis=1)
    means = (own + np.cumsum(others, axis=1)) / np.arange(2, chances.shape[1] + 2)
    shared = np.maximum(means.max(axis=1, keepdims=True), own)
    found: NDArray[np.float64] = np.minimum(chances, np.nextafter(shared, 0.0))
    found[is_chosen] = np.nextafter(shared, 1.0)[:, 0]
    return found
