r"""Calibrated class probabilities by temperature scaling.

The scores s of the classes become probabilities softmax(s / T). For the two best classes this is sigmoid(m / T), where
m is the difference of their scores. T maximizes the likelihood of the labels given so far.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import softmax

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hinge.web._labels import LabelRecord

_TEMPERATURES = np.geomspace(0.05, 5.0, 41)
_DEFAULT_TEMPERATURE = 0.5
_REFIT_EVERY = 5  # labels
_MAX_LABELS = 500  # the most recent ones are used
_PRIOR_LABELS = 10.0  # weight of the prior around the default temperature, in labels


def fit_temperature(margins: Sequence[float], correct: Sequence[bool]) -> float:
    """Fit the temperature to predictions and their outcomes.

    Parameters
    ----------
    margins : sequence of float
        Differences between the scores of the two best classes.
    correct : sequence of bool
        Whether the best class was correct.

    Examples
    --------
    >>> fit_temperature([], [])
    0.5
    >>> fit_temperature([1.0] * 100, [True, False] * 50) > 2  # no better than chance, whatever the margin
    True
    """
    if not len(margins):
        return _DEFAULT_TEMPERATURE
    signed = np.where(correct, 1.0, -1.0) * np.asarray(margins, dtype=np.float64)
    losses = np.logaddexp(0.0, -signed / _TEMPERATURES[:, None]).sum(axis=1)
    losses += _PRIOR_LABELS / 20 * np.log(_TEMPERATURES / _DEFAULT_TEMPERATURE) ** 2
    return float(_TEMPERATURES[losses.argmin()])


class TemperatureScaling:
    """The temperature fitted to the most recent labels, and fitted again every few labels."""

    def __init__(self) -> None:
        self._fitted: tuple[int, float] | None = None  # number of labels at the last fit, and the temperature

    def temperature(self, records: dict[int, LabelRecord]) -> float:
        """Return the current temperature for these labels, which are in the order of labelling."""
        n = len(records)
        if self._fitted is None or abs(n - self._fitted[0]) >= _REFIT_EVERY:
            recent = islice(reversed(records.values()), _MAX_LABELS)
            predicted = [(each.margin, each.guess == each.label) for each in recent if each.margin is not None]
            self._fitted = n, fit_temperature([margin for margin, _ in predicted], [right for _, right in predicted])
        return self._fitted[1]


def probabilities(scores: dict[str, float], temperature: float) -> list[tuple[str, float]]:
    """Convert scores into pairs of class and probability, best first.

    Examples
    --------
    >>> [(label, round(value, 2)) for label, value in probabilities({"cat": 1.0, "dog": 0.0}, 0.5)]
    [('cat', 0.88), ('dog', 0.12)]
    """
    if not scores:
        return []
    values = softmax(np.array(list(scores.values())) / temperature)
    return sorted(zip(scores, values.tolist(), strict=True), key=lambda pair: -pair[1])


def margin(scores: dict[str, float]) -> float | None:
    """Return the difference between the two highest scores; None with fewer than two classes.

    Examples
    --------
    >>> margin({"cat": 1.0, "dog": 0.25, "cow": -2.0})
    0.75
    """
    if len(scores) < 2:
        return None
    best, second = sorted(scores.values(), reverse=True)[:2]
    return best - second
