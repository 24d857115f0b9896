"""Early stopping: a share of the rows is held out, and passes end when the score on them no longer improves."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from hinge._model.state import Arrays
    from hinge.approximate._state import ApproximateState


class EarlyStopping:
    """Remembers the best of the models after each pass.

    Parameters
    ----------
    state : ApproximateState
        The model that is being trained.
    score : callable
        Returns the score of the present model on the held-out rows.
    tol : float
        Improvements up to this do not count.
    patience : int
        Passes without an improvement after which training stops.
    """

    def __init__(self, state: ApproximateState, score: Callable[[], float], *, tol: float, patience: int) -> None:
        self._state = state
        self._score = score
        self._tol = tol
        self._patience = patience
        self._n_passes_without_improvement = 0
        self._score_to_beat = self._best = float("-inf")
        self._best_arrays: Arrays | None = None

    def is_enough(self) -> bool:
        """Score the present model; return whether training should stop."""
        score = self._score()
        if score > self._best:
            self._best, self._best_arrays = score, self._state.native.state()
        if score > self._score_to_beat + self._tol:
            self._score_to_beat, self._n_passes_without_improvement = score, 0
        else:
            self._n_passes_without_improvement += 1
        return self._n_passes_without_improvement >= self._patience

    def restore_best(self) -> None:
        """Make the best model the present one."""
        if self._best_arrays is not None:
            self._state.native.recall(self._best_arrays)
