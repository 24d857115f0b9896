"""Decision values for training examples as if each had been left out, without training again.

The kink of the hinge loss is rounded to a width h. Let F be the examples with a coefficient whose decision value is
within h / 2 of the margin, where the loss is curved, and M their kernel matrix with h / C_i added to its diagonal,
bordered by ones for the bias. One Newton step from the optimum leaves out example i and gives

    f(x_i) - alpha_i S_i,   S_i = 1 / (M^-1)_ii - h / C_i    for i in F,
                            S_i = K_ii - v' M^-1 v,  v = (K_Fi, 1)   otherwise.

For h = 0 this is the span rule of Chapelle and Vapnik; the rounding makes it reliable where few coefficients are free.
Examples with coefficient zero keep their value. Values are cut off at the range of those that the model gives. Where F
has more examples than are affordable, a random part is used, which makes the values more pessimistic.

Of large sets only some examples are left out. Where one binary model decides, its gradients give the decision values of
its support vectors, which tell most about probabilities and cost least: many of them are used.

Chapelle and Vapnik, "Model selection for support vector machines", NIPS 1999; Beirami, Razaviyayn, Shahrampour and
Tarokh, "On optimal generalizability in parametric learning", NIPS 2017.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.linalg.lapack import dpotrf, dtrtri

from hinge import _core
from hinge._calibration import Decisions
from hinge._model.validation import TakenRows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hinge._fit.data import TrainingData
    from hinge._model.state import State
    from hinge._model.types import Arrays, Rows

MAX_ROWS = 600
_MAX_SUPPORT = 1400  # of more examples, whose decision values are known; together the capacity of the record
_MAX_FREE = 1500
_FEWEST_PER_CLASS = 50
_WIDTH = 0.2  # of the rounded kink, in units of the margin
_RIDGE = 1e-8  # of the mean diagonal: duplicates make kernel matrices singular


def left_out_decisions(state: State, data: TrainingData) -> Decisions:
    """Return decision values for training examples (a sample of large sets) by the models without them."""
    X = data.X.array() if type(data.X) is TakenRows else data.X
    arrays, biases = state.native.state(), state.native.bias
    ends = np.cumsum(arrays["member_counts"]).tolist()
    starts = [0, *ends[:-1]]
    binaries = [
        _LeftOut(state, X, arrays, slice(*part), float(bias))
        for *part, bias in zip(starts, ends, biases.tolist(), strict=True)
    ]
    known = np.full((len(data), len(binaries)), np.nan)
    for m, binary in enumerate(binaries):
        binary.fill(known[:, m])
    is_known = ~np.isnan(known).any(axis=1)
    rows, shares = sample(data.class_numbers(state.table), np.flatnonzero(data.used), is_known)
    values, missing = known[rows], ~is_known[rows]
    values[missing] = state.make_snapshot().decide(X[rows[missing]], state.options.threads)
    state.drop_snapshot()
    for m, binary in enumerate(binaries):
        values[:, m] = binary.decisions(rows, values[:, m])
    labels = data.class_numbers(state.table)[rows]
    ages = np.full(len(rows), max(len(data) - 1, 0), dtype=np.int64)
    return Decisions.none(values.shape[1]).plus(values, labels, data.costs[rows] * shares, ages)


def sample(
    numbers: NDArray[np.int32], used: NDArray[np.intp], is_known: NDArray[np.bool_] | None = None
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Return all of a few rows, or some of many in random order, and how many each stands for.

    Rare classes have more than their share, and so have rows whose decision values are known, which cost less.
    """
    if len(used) <= MAX_ROWS:
        return used, np.ones(len(used))
    is_cheap = np.zeros(len(numbers), dtype=np.bool_) if is_known is None else is_known
    random = np.random.RandomState(0)
    rows, shares = [], []
    for part, most in ((used[~is_cheap[used]], MAX_ROWS), (used[is_cheap[used]], _MAX_SUPPORT)):
        for number in np.unique(numbers[part]).tolist():
            own = part[numbers[part] == number]
            wanted = max(_FEWEST_PER_CLASS, round(most * len(own) / len(part)))
            count = min(len(own), wanted if len(part) > most else len(own))
            rows.append(random.choice(own, count, replace=False))
            shares.append(np.full(count, len(own) / count))
    order = random.permutation(sum(map(len, rows)))  # a stream replaces the first ones first, of whatever class
    return np.concatenate(rows)[order], np.concatenate(shares)[order]


class _LeftOut:
    """One binary model: its members, and the decision values for them without themselves."""

    def __init__(self, state: State, X: Rows, arrays: Arrays, members: slice, bias: float) -> None:
        self._state = state
        self._X = X
        costs = arrays["member_costs"][members]
        self._alpha = arrays["alpha"][members]
        self._ids = arrays["ids"][arrays["members"][members]]
        residuals = arrays["gradient"][members] - bias  # label minus decision value
        self._values = np.sign(self._alpha) - residuals
        near = (np.abs(residuals) < 0.5 * _WIDTH) & (self._alpha != 0.0)
        free = np.flatnonzero(near)
        self._softness = _WIDTH / costs
        if len(free) > _MAX_FREE:
            free = np.sort(np.random.RandomState(0).choice(free, _MAX_FREE, replace=False))
        self._free = free

    def fill(self, values: NDArray[np.float64]) -> None:
        """Enter the decision values of the support vectors, which gradients tell."""
        is_support = self._alpha != 0.0
        values[self._ids[is_support]] = self._values[is_support]

    def decisions(self, rows: NDArray[np.intp], values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return decision values for some rows without themselves; `values` are those of the model."""
        row_of = dict(zip(rows.tolist(), range(len(rows)), strict=True))
        at = np.array([row_of.get(int(number), -1) for number in self._ids], dtype=np.intp)
        looked_at = np.flatnonzero((at >= 0) & (self._alpha != 0.0))
        if not len(looked_at):
            return values
        spans = self._spans(looked_at)
        found = values.copy()
        changed = values[at[looked_at]] - self._alpha[looked_at] * spans
        found[at[looked_at]] = np.clip(changed, values.min(), values.max())
        return found

    def _spans(self, members: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return S of some members."""
        diagonal = self._diagonal(members)
        if not len(self._free):
            return diagonal
        free = self._ids[self._free]
        square = self._kernel(free, free)
        softness = self._softness[self._free] + _RIDGE * float(np.mean(np.diag(square)))
        square[np.diag_indices_from(square)] += softness
        factor, failed = dpotrf(square, lower=1, clean=1, overwrite_a=1)
        if failed:  # the kernel is not positive definite
            return diagonal
        inverse, _ = dtrtri(factor, lower=1, overwrite_c=1)  # of the factor: products with it are fast
        borders = inverse.sum(axis=1)
        total = float(borders @ borders)
        place = {int(member): k for k, member in enumerate(self._free)}
        at = np.array([place.get(int(member), -1) for member in members], dtype=np.intp)
        is_free = at >= 0
        spans = np.empty(len(members))
        if is_free.any():
            own = np.square(inverse).sum(axis=0) - (borders @ inverse) ** 2 / total
            spans[is_free] = (1.0 / np.maximum(own, 1e-300) - softness)[at[is_free]]
        if not is_free.all():
            columns = inverse @ self._kernel(free, self._ids[members[~is_free]])
            explained = np.square(columns).sum(axis=0) - (borders @ columns - 1.0) ** 2 / total
            spans[~is_free] = diagonal[~is_free] - explained
        return np.clip(spans, 0.0, np.maximum(diagonal, 0.0))

    def _kernel(self, one: NDArray[np.int64], other: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return kernel values of training examples, in double precision."""
        if self._state.kernel.name == "precomputed":
            return np.asarray(self._X[np.ix_(one, other)], dtype=np.float64)
        return kernel_matrix(self._state, self._X[one], self._X[other])

    def _diagonal(self, members: NDArray[np.intp]) -> NDArray[np.float64]:
        ids = self._ids[members]
        if self._state.kernel.name in ("rbf", "laplacian"):
            return np.ones(len(ids))
        return np.array([self._kernel(ids[i : i + 1], ids[i : i + 1])[0, 0] for i in range(len(ids))])


def kernel_matrix(state: State, X: Rows, Z: Rows) -> NDArray[np.float64]:
    """Return the kernel values of all pairs of rows in double precision."""
    storage = replace(state.storage, dtype=np.dtype(np.float64))
    landmarks: Any
    ((_, landmarks),) = storage.batches(storage.convert(Z))
    count = Z.shape[0]
    unused = np.zeros((1, count))
    maps: Any = _core.Map64.nystroem(
        state.kernel.native(np.dtype(np.float64)), landmarks, np.arange(count), np.zeros(0), unused
    )
    parts = [maps.features(batch, raw=True) for _, batch in storage.batches(storage.convert(X))]
    return np.concatenate(parts)
