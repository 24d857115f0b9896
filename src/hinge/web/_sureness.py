r"""How sure a model is of its guess, from how often such guesses were right.

Scores s of the classes become shares by softmax(s / T). Between the two best classes that is sigmoid(m / T), with m the
difference of their scores: the chance that the guess is right, for the T that makes the answers so far most likely.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import softmax

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hinge.web._answer import Answer

_TEMPERATURES = np.geomspace(0.05, 5.0, 41)
_USUAL = 0.5
_WEIGHED_EVERY, _REMEMBERED = 5, 500  # answers
_DOUBT = 10.0  # answers that it takes to move far from the usual temperature


def temperature(margins: Sequence[float], right: Sequence[bool]) -> float:
    """Return the temperature that fits answers to guesses.

    Parameters
    ----------
    margins : sequence of float
        Differences between the scores of the two best classes.
    right : sequence of bool
        Whether the best was right.

    Examples
    --------
    >>> temperature([], [])
    0.5
    >>> temperature([1.0] * 100, [True, False] * 50) > 2  # no better than chance, whatever the margin
    True
    """
    if not len(margins):
        return _USUAL
    signed = np.where(right, 1.0, -1.0) * np.asarray(margins, dtype=np.float64)
    losses = np.logaddexp(0.0, -signed / _TEMPERATURES[:, None]).sum(axis=1)
    losses += _DOUBT / 20 * np.log(_TEMPERATURES / _USUAL) ** 2
    return float(_TEMPERATURES[losses.argmin()])


class Thermometer:
    """The temperature of the last answers, weighed anew every few of them."""

    def __init__(self) -> None:
        self._last: tuple[int, float] | None = None  # the number of answers, and the temperature that they gave

    def read(self, answers: dict[int, Answer]) -> float:
        """Return the temperature."""
        n = len(answers)
        if self._last is None or abs(n - self._last[0]) >= _WEIGHED_EVERY:
            last = islice(reversed(answers.values()), _REMEMBERED)
            judged = [(each.margin, each.guess == each.label) for each in last if each.margin is not None]
            self._last = n, temperature([margin for margin, _ in judged], [right for _, right in judged])
        return self._last[1]


def shares(scores: dict[str, float], heat: float) -> list[tuple[str, float]]:
    """Return the classes with their shares, best first.

    Examples
    --------
    >>> [(label, round(share, 2)) for label, share in shares({"cat": 1.0, "dog": 0.0}, 0.5)]
    [('cat', 0.88), ('dog', 0.12)]
    """
    if not scores:
        return []
    parts = softmax(np.array(list(scores.values())) / heat)
    return sorted(zip(scores, parts.tolist(), strict=True), key=lambda pair: -pair[1])


def margin(scores: dict[str, float]) -> float | None:
    """Return the difference between the two best scores.

    Examples
    --------
    >>> margin({"cat": 1.0, "dog": 0.25, "cow": -2.0})
    0.75
    """
    if len(scores) < 2:
        return None
    best, second = sorted(scores.values(), reverse=True)[:2]
    return best - second
