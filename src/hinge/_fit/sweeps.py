"""Find the rows of a training set that violate the optimality conditions of a model that holds some of them.

Sums s(x) = sum_i alpha_i k(x_i, x) of the rows held follow from their gradients; those of the others take a product
with all support vectors. That is needed once. When the model has moved from w to w', sums have changed by at most
|w' - w| |phi(x)|, and only rows that this may turn into violators are asked again:

    |w' - w|^2 = |w'|^2 + |w|^2 - 2 <w', w>,    <w', w> = sum_i alpha'_i s(x_i).

Every x_i of the last sum was held before, or found by the sweep before, so that s(x_i) is known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hinge._model.validation import squared_norms

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hinge._model.state import State
    from hinge._model.types import Rows

_RESERVE = 0.1  # rows so near to violating are held as well, since many of them soon would
_ROUNDING = {"float32": 1e-6, "float64": 1e-12}  # of squared norms, relative


class Sweeps:
    """Sweeps over the rows of one training set.

    Parameters
    ----------
    state : State
        The model.
    X : ndarray or CSR matrix
        All rows.
    batch : Batch
        The same rows as a native batch.
    rows : ndarray of int
        The rows that are used.
    numbers : ndarray of int
        Native class numbers of all rows.
    """

    def __init__(self, state: State, X: Rows, batch: Any, rows: NDArray[np.int64], numbers: NDArray[np.int32]) -> None:
        self._state = state
        self._native: Any = state.native
        options: Any = state.options
        self._threads = options.threads
        self._batch = batch
        self._rows = rows
        self._targets = targets_of(state, numbers[rows])
        self._place = np.full(len(numbers), -1, dtype=np.int64)  # of each row in `rows`
        self._place[rows] = np.arange(len(rows))
        self._lengths = _lengths(state, X)[rows, None]
        self._sums = np.full(self._targets.shape, np.nan)
        self._drift = np.full(self._targets.shape, np.inf)  # how far a sum may have moved since it was known
        self._expected = np.full(self._targets.shape, np.inf)  # how far sums of rows held have moved meanwhile
        self._norms: NDArray[np.float64] | None = None
        self._rounding = _ROUNDING[state.storage.dtype.name]
        self.aim(options.tolerance)

    def aim(self, tolerance: float) -> None:
        """Find rows that violate by more than this from now on."""
        self._most = 0.5 * tolerance

    def violators(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the rows that violate and those that nearly do, with their sums; NaN for other binary models.

        Gradients of rows held are at most half the tolerance beyond the middle, on the side where they cannot move
        further. If those of all other rows are too, no pair of rows violates by more than the tolerance.

        Rows that move about as much as those held are asked first, and all others only if none of these violates.
        """
        targets = np.where(self._update(), 0.0, self._targets)
        middle = middle_of(self._native)
        for bound in (np.minimum(self._expected, self._drift), self._drift):
            asked = self._may_violate(targets, middle, bound)
            if len(asked):
                rows, sums = self._violating(asked, targets[asked], middle)
                if len(rows):
                    return rows, sums
        return asked[:0], np.zeros((0, targets.shape[1]))

    def known(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the sums of all rows as far as they are known, and how far each may be from the truth."""
        self._update()
        return self._sums, self._drift

    def assume(self, sums: NDArray[np.float64], drift: NDArray[np.float64]) -> None:
        """Take over approximate sums, and how far each may be from the truth."""
        self._sums, self._drift, self._expected = sums, drift.copy(), drift

    def near(self, sums: NDArray[np.float64], middle: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return which rows violate without a coefficient, or nearly do, given their sums."""
        beyond = self._targets * (self._targets - sums - middle)
        near: NDArray[np.bool_] = (self._targets != 0.0) & (beyond > self._most - _RESERVE)
        return near

    def _may_violate(
        self, targets: NDArray[np.float64], middle: NDArray[np.float64], bound: NDArray[np.float64]
    ) -> NDArray[np.int64]:
        """Return the places of rows that violate if their sums have moved as far as the bound says."""
        with np.errstate(invalid="ignore"):  # sums that are not known yet
            beyond = targets * (targets - self._sums - middle) + bound
        return np.flatnonzero(((targets != 0) & ~(beyond <= self._most)).any(axis=1))

    def _violating(
        self, asked: NDArray[np.int64], targets: NDArray[np.float64], middle: NDArray[np.float64]
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the rows that violate and those that nearly do, if there is one that violates."""
        sums = self._ask(asked)
        beyond = np.where(targets == 0, -np.inf, targets * (targets - sums - middle))
        is_unsolved = (beyond > self._most).any(axis=0)
        near = (beyond > self._most - _RESERVE) & is_unsolved
        found = near.any(axis=1)
        return self._rows[asked[found]], np.where(near, sums, np.nan)[found]

    def _ask(self, places: NDArray[np.int64]) -> NDArray[np.float64]:
        sums: NDArray[np.float64] = self._native.predictor().decide(self._batch.pick(self._rows[places]), self._threads)
        sums -= self._native.bias
        self._sums[places] = sums
        self._drift[places] = self._expected[places] = 0.0
        return sums

    def _update(self) -> NDArray[np.bool_]:
        """Take over the sums of rows held, and return which binary model holds which row."""
        arrays = self._native.state()
        owner = np.repeat(np.arange(self._targets.shape[1]), arrays["member_counts"])
        places = self._place[arrays["ids"][arrays["members"]]]
        before, norms = self._sums[places, owner], self._native.squared_norm
        sums = self._targets[places, owner] - arrays["gradient"]
        if self._norms is not None:
            inner = np.bincount(owner, arrays["alpha"] * before, minlength=len(norms))
            total = norms + self._norms
            moved = np.sqrt(np.maximum(total - 2.0 * inner + self._rounding * np.abs(total), 0.0))
            with np.errstate(invalid="ignore"):  # 0 times infinity: where lengths are unknown, all rows are asked
                self._drift += moved * self._lengths
            changes = np.zeros(len(norms))
            np.maximum.at(changes, owner, np.abs(sums - before))
            self._expected += changes
        self._norms = norms
        self._sums[places, owner] = sums
        self._drift[places, owner] = self._expected[places, owner] = 0.0
        is_held = np.zeros(self._targets.shape, dtype=np.bool_)
        is_held[places, owner] = True
        return is_held


def middle_of(native: Any) -> NDArray[np.float64]:
    """Return the middle of the bracket of each binary model; 0 of those that hold nothing."""
    with np.errstate(invalid="ignore"):
        middle: NDArray[np.float64] = np.nan_to_num(native.extremes.mean(axis=1), posinf=0.0, neginf=0.0)
    return middle


def targets_of(state: State, numbers: NDArray[np.int32]) -> NDArray[np.float64]:
    """Return what each binary model wants of each row: +1, -1 or nothing (0)."""
    if len(state.table) == 2:
        return np.where(numbers[:, None] == 1, 1.0, -1.0)
    return state.table.scheme.targets(len(state.table))[numbers]


def _lengths(state: State, X: Rows) -> NDArray[np.float64]:
    """Return |phi(x)| of each row; infinity where it is unknown, or where kernels need not be positive definite."""
    kernel = state.kernel
    if kernel.name in ("rbf", "laplacian"):
        return np.ones(X.shape[0])
    if kernel.name == "linear":
        return np.sqrt(squared_norms(X))
    if kernel.name == "poly" and kernel.coef0 >= 0:
        return np.sqrt((kernel.gamma * squared_norms(X) + kernel.coef0) ** kernel.degree)
    return np.full(X.shape[0], np.inf)
