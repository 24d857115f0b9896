"""Early stopping: passes end when the score on held-out rows no longer improves."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from hinge._model.types import Arrays
    from hinge.approximate._state import ApproximateState


class EarlyStopping:
    """Scores the model after each pass, and stores the best one.

    Parameters
    ----------
    state : ApproximateState
        The model in training.
    score : callable
        Returns the score of the model on the held-out rows.
    tol : float
        Smaller improvements do not count.
    patience : int
        Number of passes without improvement before training stops.
    """

    def __init__(self, state: ApproximateState, score: Callable[[], float], *, tol: float, patience: int) -> None:
        self._state = state
        self._score = score
        self._tol = tol
        self._patience = patience
        self._n_passes_without_improvement = 0
        self._score_to_beat = self._best = float("-inf")
        self._best_arrays: Arrays | None = None

    def should_stop(self) -> bool:
        """Score the model; return True if training should stop."""
        score = self._score()
        if score > self._best:
            self._best, self._best_arrays = score, self._state.native.state()
        if score > self._score_to_beat + self._tol:
            self._score_to_beat, self._n_passes_without_improvement = score, 0
        else:
            self._n_passes_without_improvement += 1
        return self._n_passes_without_improvement >= self._patience

    def restore_best(self) -> None:
        """Restore the best model."""
        if self._best_arrays is not None:
            self._state.native.recall(self._best_arrays)
