"""Passes of `fit` over a training set."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from hinge.approximate._finishing import finish
from hinge.approximate._landmarks import choose_map
from hinge.exceptions import DataError

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from hinge import _core
    from hinge._fit.progress import FitTasks
    from hinge.approximate._rows import EncodedRows
    from hinge.approximate._state import ApproximateState


class Passes:
    """Passes over one training set.

    Parameters
    ----------
    state : ApproximateState
        A new state, which has no feature map.
    rows : EncodedRows
        The training set.
    random : RandomState
        Draws the landmarks and the order of visits.
    epochs : int
        Largest number of passes.
    finishes : bool
        Whether Newton steps follow them.
    with_replacement : bool
        Whether rows are drawn independently of each other, instead of each once per pass.
    """

    def __init__(
        self,
        state: ApproximateState,
        rows: EncodedRows,
        random: np.random.RandomState,
        epochs: int,
        *,
        finishes: bool,
        with_replacement: bool = False,
    ) -> None:
        self._state = state
        self._rows = rows
        self._random = random
        self._epochs = epochs
        self._finishes = finishes
        self._with_replacement = with_replacement
        self._may_stop_early = False
        self._used = random.permutation(rows.used)

    def hold_out(self, fraction: float) -> NDArray[np.intp]:
        """Exclude a fraction of the rows from training, and return their indices."""
        count = max(1, round(fraction * len(self._used)))
        candidates = self._held_out_candidates()
        if count > len(candidates):
            raise DataError(
                f"early_stopping must have rows to learn besides those it validates with, got {len(self._used)} rows; "
                "give more rows, or set early_stopping=False."
            )
        held_out = candidates[:count]
        self._used = self._used[~np.isin(self._used, held_out)]
        self._may_stop_early = True
        return held_out

    def _held_out_candidates(self) -> NDArray[np.intp]:
        """Return all rows except one of each class, or except one in a regression."""
        is_regression = self._state.options.is_regression
        classes = np.zeros(len(self._used)) if is_regression else self._rows.targets[self._used]
        _, first = np.unique(classes, return_index=True)
        return np.delete(self._used, first)

    def run(self, tasks: FitTasks, monitor: _core.Monitor | None, should_stop: Callable[[], bool]) -> None:
        """Choose the feature map, and make passes until all are done or `should_stop()` is true; then finish."""
        state, options = self._state, self._state.options
        choose_map(state, self._rows, self._used, self._random)
        # The average over the last steps needs their number; 0 means that it is not known.
        planned = 0 if self._may_stop_early else self._epochs * len(self._used)
        n_rows = len(self._used)
        native = state.use(options.with_linear(total=n_rows, penalty_total=n_rows, planned=planned))
        if self._epochs > 1:
            native.keep(len(self._rows))
        try:
            for _ in range(self._epochs):
                tasks.step("pass", partial(state.learn, self._rows, self._draw_order(), monitor))
                if tasks.stopped or should_stop():
                    break
            else:
                if self._finishes:
                    tasks.step("finish", partial(finish, state, self._rows))
        finally:
            if not native.broken:  # a broken model is discarded
                native.release()
                state.use(options)

    def _draw_order(self) -> NDArray[np.intp]:
        """Return the rows of the next pass in the order of visits."""
        if self._with_replacement:
            return self._used[self._random.randint(len(self._used), size=len(self._used))]
        return self._random.permutation(self._used)
