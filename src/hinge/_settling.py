"""What is said when learning ends before its tolerance is reached."""

from __future__ import annotations

import warnings

from sklearn.exceptions import ConvergenceWarning

CUT_SHORT = "Learning an example was cut short after 10000 steps"


def warn_unsettled(what: str) -> None:
    """Say that the tolerance was not reached, and what may help."""
    warnings.warn(
        f"{what} before the tolerance was reached; scale the features, lower C or raise tol.",
        ConvergenceWarning,
        stacklevel=3,
    )
