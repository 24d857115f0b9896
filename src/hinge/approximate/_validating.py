"""When passes over a training set have been enough: a share of the rows is not learned but asked about."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from hinge._model.state import Arrays
    from hinge.approximate._state import ApproximateState


class Validation:
    """Remembers the best of the models after each pass.

    Parameters
    ----------
    state : ApproximateState
        What is being learned.
    score : callable
        Returns how good the present model is.
    tol : float
        What counts as an improvement.
    patience : int
        Passes without one that are enough.
    """

    def __init__(self, state: ApproximateState, score: Callable[[], float], *, tol: float, patience: int) -> None:
        self._state = state
        self._score = score
        self._tol = tol
        self._patience = patience
        self._idle = 0
        self._hurdle = self._best = float("-inf")
        self._arrays: Arrays | None = None

    def is_enough(self) -> bool:
        """Look at the present model; return whether the last ones were no better than those before."""
        score = self._score()
        if score > self._best:
            self._best, self._arrays = score, self._state.native.state()
        if score > self._hurdle + self._tol:
            self._hurdle, self._idle = score, 0
        else:
            self._idle += 1
        return self._idle >= self._patience

    def bring_back_best(self) -> None:
        """Make the best model the present one."""
        if self._arrays is not None:
            self._state.native.recall(self._arrays)
