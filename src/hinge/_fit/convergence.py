"""Warnings about solutions that do not reach the tolerance."""

from __future__ import annotations

import sys
import warnings
from typing import TYPE_CHECKING

from sklearn.exceptions import ConvergenceWarning

if TYPE_CHECKING:
    from hinge._model.state import State

CUT_SHORT = "Learning an example was cut short after 10000 steps"
_ADVICE = "scale the features, lower C or raise tol"


def warn_not_converged(state: State, what: str) -> None:
    """Warn that a solution does not reach the tolerance, with advice."""
    warn(state, f"{what} before the tolerance was reached; {_ADVICE}.")


def warn(state: State, message: str) -> None:
    """Issue a ConvergenceWarning at the line of the caller of this package, and record it in the state."""
    state.converged = False
    warnings.warn(message, ConvergenceWarning, stacklevel=caller_depth())


def caller_depth() -> int:
    """Return the stack level of the caller of this package."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and f"{frame.f_globals.get('__name__')}.".startswith(("hinge.", "sklearn.")):
        level, frame = level + 1, frame.f_back
    return level
