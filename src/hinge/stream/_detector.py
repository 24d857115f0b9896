"""Drift detectors: ours, and any with the interface of river."""

from __future__ import annotations

import copy
from collections import deque
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from hinge.exceptions import ParameterError
from hinge.stream._adwin import MIN_PART, Change

if TYPE_CHECKING:
    from collections.abc import Collection

_MAX_MISTAKES = 5000  # values among which the beginning of a change is looked for


class Detector(Protocol):
    """Detects when the share of mistakes has changed."""

    def update(self, value: bool) -> Change | None:
        """Add a value; return the most likely change if there was one."""

    def restart(self) -> None:
        """Forget all values."""


class PluggedDetector:
    """A detector with the interface of river, which tells when the mistakes have changed, but not since when.

    The beginning is taken to be where a cut of the last 5000 values since the change before separates their means most
    clearly: the squared difference of the means in units of its variance is largest there.

    Parameters
    ----------
    detector : object
        Has a method `update(value)` and an attribute `drift_detected`, which is true after a value that revealed a
        change. It resets itself after a change, as those of river do.
    """

    def __init__(self, detector: Any) -> None:
        self.detector = copy.deepcopy(detector)
        self._values: deque[bool] = deque(maxlen=_MAX_MISTAKES)

    def update(self, value: bool) -> Change | None:
        """Add a value; return the most likely change if the detector reports one and there are enough values."""
        self._values.append(value)
        self.detector.update(int(value))
        return clearest_cut(self._values) if self.detector.drift_detected else None

    def restart(self) -> None:
        """Forget the values."""
        self._values.clear()


def clearest_cut(values: Collection[bool]) -> Change | None:
    """Return the cut of some values into two parts, of at least five each, whose means differ most clearly.

    Examples
    --------
    >>> clearest_cut([False] * 90 + [True] * 30)
    Change(n_before=90, n_after=30, mean_before=0.0, mean_after=1.0)
    >>> clearest_cut([True] * 9) is None
    True
    """
    n = len(values)
    if n < 2 * MIN_PART:
        return None
    sums = np.cumsum(np.fromiter(values, dtype=np.int64, count=n))
    n_before = np.arange(MIN_PART, n - MIN_PART + 1)
    n_after, before = n - n_before, sums[n_before - 1]
    means_before, means_after = before / n_before, (sums[-1] - before) / n_after
    best = int(np.argmax((means_before - means_after) ** 2 / (1 / n_before + 1 / n_after)))
    return Change(int(n_before[best]), int(n_after[best]), float(means_before[best]), float(means_after[best]))


def check_detector(detector: Any) -> None:
    """Raise ParameterError unless an object has the interface of a detector of river, or is None."""
    if detector is None or (callable(getattr(detector, "update", None)) and hasattr(detector, "drift_detected")):
        return
    raise ParameterError(
        "detector must have a method update and an attribute drift_detected, as those of river.drift have, got "
        f"{type(detector).__name__}; None uses ADWIN."
    )
