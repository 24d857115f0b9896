"""A limit of the time that a call may take."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hinge import _core

_SHARE = 0.8  # of the time, for learning, if a finishing step follows


class TimeIsUp(BaseException):
    """The time of a call is over; as after Ctrl-C, the model keeps what it has learned.

    No error, which would discard that, and no KeyboardInterrupt, since nobody has pressed Ctrl-C.
    """


class TimeLimit:
    """Ends a call after some time, at a point where its model is consistent.

    Parameters
    ----------
    seconds : float
        How much time there is.

    Attributes
    ----------
    finishes : bool
        Whether learning must leave time for a finishing step.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.finishes = False
        self._start = time.monotonic()
        self._reached = ""

    def watch(self, monitor: _core.Monitor | None) -> _core.Monitor:
        """Return a monitor that raises TimeIsUp when the time is over, and asks another one before."""

        def check(progress: _core.Progress) -> bool:
            share = _SHARE if self.finishes and progress.phase == "learn" else 1.0
            if time.monotonic() - self._start > share * self.seconds:
                self._reached = self._reached or _describe(progress)
                raise TimeIsUp
            return monitor is None or monitor(progress)

        return check

    def __str__(self) -> str:
        return f"max_time={self.seconds:g} ended fit {self._reached}"


def _describe(progress: _core.Progress) -> str:
    """Return how far a call has come."""
    if progress.phase in ("learn", "exact", "steps") and progress.total:
        return f"after {progress.seen:,} of {progress.total:,} examples"
    return "in its finishing step"
