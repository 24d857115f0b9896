"""What is known about a change in a stream."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Drift:
    """A change that made predictions worse.

    Attributes
    ----------
    position : int
        Number of the example at which the change was detected; the first example of the stream is 0.
    start : int
        Estimated number of the first example after the change.
    error_before, error_after : float
        Progressive error before and after `start`: the share of examples that were mispredicted just before they were
        learned.
    time, start_time : object or None
        The times of the examples at `position` and `start`, if `partial_fit` was given times. The last 5000 times are
        remembered; if `start` lies further back, `start_time` is None.
    """

    position: int
    start: int
    error_before: float
    error_after: float
    time: Any = None
    start_time: Any = None
