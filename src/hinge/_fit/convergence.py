"""What is said when learning ends before its tolerance is reached."""

from __future__ import annotations

import sys
import warnings

from sklearn.exceptions import ConvergenceWarning

CUT_SHORT = "Learning an example was cut short after 10000 steps"


def warn_not_converged(what: str) -> None:
    """Say that the tolerance was not reached, and what may help."""
    warnings.warn(
        f"{what} before the tolerance was reached; scale the features, lower C or raise tol.",
        ConvergenceWarning,
        stacklevel=_depth(),
    )


def _depth() -> int:
    """Return how far up the caller of the library is: the line that the warning should name."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and f"{frame.f_globals.get('__name__')}.".startswith(("hinge.", "sklearn.")):
        level, frame = level + 1, frame.f_back
    return level
