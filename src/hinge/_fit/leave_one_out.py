"""Decision values for training examples as if each had been left out, without training again.

The kink of the hinge loss is rounded to a width h. Let F be the examples whose decision value is within h / 2 of the
margin, where the loss is curved, and M their kernel matrix with h / C_i added to its diagonal, bordered by ones for the
bias. One Newton step from the optimum leaves out example i and gives

    f(x_i) - alpha_i S_i,   S_i = 1 / (M^-1)_ii - h / C_i    for i in F,
                            S_i = K_ii - v' M^-1 v,  v = (K_Fi, 1)   otherwise.

For h = 0 this is the span rule of Chapelle and Vapnik; the rounding makes it reliable where few coefficients are free.
F contains examples just beyond the margin, too: they resist as soon as another one leaves. Without them the values are
too pessimistic, and probabilities too modest. They are looked for among some of the examples with coefficient zero; one
that stands for s counts s C_i. These examples keep their values. Values are cut off at the range of those that the
model gives. Where F has more examples than are affordable, S_i is computed with a random part of them, and half of it;
it goes on to fall with the same power of their number.

Of large sets only some examples are left out. Where one binary model decides, its gradients give the decision values of
its support vectors, which tell most about probabilities and cost least: many of them are used.

Chapelle and Vapnik, "Model selection for support vector machines", NIPS 1999; Beirami, Razaviyayn, Shahrampour and
Tarokh, "On optimal generalizability in parametric learning", NIPS 2017.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.linalg.blas import dtrmm
from scipy.linalg.lapack import dpotrf, dtrtri

from hinge import _core
from hinge._calibration import Decisions
from hinge._fit.sweeps import targets_of
from hinge._model.validation import TakenRows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hinge._fit.data import TrainingData
    from hinge._model.state import State
    from hinge._model.types import Arrays, Rows

MAX_ROWS = 600
_MAX_SUPPORT = 1400  # of more examples, whose decision values are known; together the capacity of the record
_MAX_ASKED = 4000  # examples with coefficient zero that may be near the margin
_MAX_FREE = 1500
_COMPARED = 300  # of those left out, to find how S depends on the number of examples near the margin
_FEWEST_PER_CLASS = 50
_WIDTH = 0.2  # of the rounded kink, in units of the margin
_RIDGE = 1e-8  # of the mean diagonal: duplicates make kernel matrices singular


def record_left_out(state: State, data: TrainingData) -> None:
    """Replace what probabilities are fitted to, if they are wanted and the model has learned anything."""
    if state.decisions is not None and state.is_usable and state.has_learned:
        state.decisions = left_out_decisions(state, data)


def left_out_decisions(state: State, data: TrainingData) -> Decisions:
    """Return decision values for training examples (a sample of large sets) by the models without them."""
    X = data.X.array() if type(data.X) is TakenRows else data.X
    numbers, used = data.class_numbers(state.table), np.flatnonzero(data.used)
    binaries = _binary_models(state, X)
    known = np.full((len(data), len(binaries)), np.nan)
    for m, binary in enumerate(binaries):
        binary.fill(known[:, m])
    is_known = ~np.isnan(known).any(axis=1)
    rows, shares = sample(numbers, used, is_known)
    near, near_shares = _possibly_near(rows, shares, used, is_known, len(binaries))
    asked = np.union1d(rows[~is_known[rows]], near)
    known[asked] = state.make_snapshot().decide(X[asked], state.options.threads)
    state.drop_snapshot()
    targets, costs = targets_of(state, numbers[near]), data.costs[near] * near_shares
    values = np.empty((len(rows), len(binaries)))
    for m, binary in enumerate(binaries):
        binary.resist(near, known[near, m] * targets[:, m], costs)
        values[:, m] = binary.decisions(rows, known[rows, m])
    ages = np.full(len(rows), max(len(data) - 1, 0), dtype=np.int64)
    return Decisions.none(len(binaries)).plus(values, numbers[rows], data.costs[rows] * shares, ages, shares)


def _binary_models(state: State, X: Rows) -> list[_LeftOut]:
    """Return the binary models of a state."""
    arrays, biases = state.native.state(), state.native.bias
    ends = np.cumsum(arrays["member_counts"]).tolist()
    return [
        _LeftOut(state, X, arrays, slice(*part), float(bias))
        for *part, bias in zip([0, *ends[:-1]], ends, biases.tolist(), strict=True)
    ]


def _possibly_near(
    rows: NDArray[np.intp],
    shares: NDArray[np.float64],
    used: NDArray[np.intp],
    is_known: NDArray[np.bool_],
    n_binaries: int,
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Return examples among which to look for those beyond the margin, and how many each stands for.

    Their decision values have to be computed. With several binary models those of the sample must do.
    """
    if n_binaries > 1:
        is_new = ~is_known[rows]
        return rows[is_new], shares[is_new]
    unknown = used[~is_known[used]]
    if len(unknown) <= _MAX_ASKED:
        return unknown, np.ones(len(unknown))
    chosen = np.random.RandomState(0).choice(unknown, _MAX_ASKED, replace=False)
    return chosen, np.full(_MAX_ASKED, len(unknown) / _MAX_ASKED)


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
        self._n_near = len(free)
        if len(free) > _MAX_FREE:
            free = np.sort(np.random.RandomState(0).choice(free, _MAX_FREE, replace=False))
        self._free = free
        self._resisting = np.zeros(0, dtype=np.intp)
        self._resistance = np.zeros(0)

    def resist(self, rows: NDArray[np.intp], agreements: NDArray[np.float64], costs: NDArray[np.float64]) -> None:
        """Take examples just beyond the margin into account, given decision values times labels of some rows."""
        is_near = (agreements >= 1.0) & (agreements < 1.0 + 0.5 * _WIDTH) & ~np.isin(rows, self._support)
        found = np.flatnonzero(is_near)
        most = max(_MAX_FREE - len(self._free), 0)
        if len(found) > most:
            costs = costs * (len(found) / max(most, 1))
            found = np.sort(np.random.RandomState(0).choice(found, most, replace=False))
        self._resisting, self._resistance = rows[found], _WIDTH / costs[found]

    @property
    def _support(self) -> NDArray[np.int64]:
        found: NDArray[np.int64] = self._ids[self._alpha != 0.0]
        return found

    def fill(self, values: NDArray[np.float64]) -> None:
        """Enter the decision values of the support vectors, which gradients tell."""
        values[self._support] = self._values[self._alpha != 0.0]

    def decisions(self, rows: NDArray[np.intp], values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return decision values for some rows without themselves; `values` are those of the model."""
        row_of = dict(zip(rows.tolist(), range(len(rows)), strict=True))
        at = np.array([row_of.get(int(number), -1) for number in self._ids], dtype=np.intp)
        looked_at = np.flatnonzero((at >= 0) & (self._alpha != 0.0))
        if not len(looked_at):
            return values
        spans = self._spans(looked_at)
        spans *= self._shrinkage(looked_at, spans)
        found = values.copy()
        changed = values[at[looked_at]] - self._alpha[looked_at] * spans
        found[at[looked_at]] = np.clip(changed, values.min(), values.max())
        return found

    def _shrinkage(self, members: NDArray[np.intp], spans: NDArray[np.float64]) -> float:
        """Return by what factor S would be smaller with all examples near the margin instead of a part."""
        if self._n_near <= len(self._free):
            return 1.0
        some = slice(None, None, max(len(members) // _COMPARED, 1))
        part, half = spans[some], self._spans(members[some], every=2)
        positive = (part > 0.0) & (half > 0.0)
        if not positive.any():
            return 1.0
        power = max(float(np.log2(np.median(half[positive] / part[positive]))), 0.0)
        return float((len(self._free) / self._n_near) ** power)

    def _spans(self, members: NDArray[np.intp], every: int = 1) -> NDArray[np.float64]:
        """Return S of some members, with all examples near the margin that are used, or every second one."""
        diagonal = self._diagonal(members)
        used = self._free[::every]
        free = np.concatenate([self._ids[used], self._resisting])
        if not len(free):
            return diagonal
        square = self._kernel(free, free)
        softness = np.concatenate([self._softness[used], self._resistance])
        softness += _RIDGE * float(np.mean(np.diag(square)))
        square[np.diag_indices_from(square)] += softness
        factor, failed = dpotrf(square, lower=1, clean=1, overwrite_a=1)
        if failed:  # the kernel is not positive definite
            return diagonal
        inverse, _ = dtrtri(factor, lower=1, overwrite_c=1)  # of the factor: products with it are fast
        borders = inverse.sum(axis=1)
        total = float(borders @ borders)
        place = {int(member): k for k, member in enumerate(used)}
        at = np.array([place.get(int(member), -1) for member in members], dtype=np.intp)
        is_free = at >= 0
        spans = np.empty(len(members))
        if is_free.any():
            own = np.square(inverse).sum(axis=0) - (borders @ inverse) ** 2 / total
            spans[is_free] = (1.0 / np.maximum(own, 1e-300) - softness)[at[is_free]]
        if not is_free.all():
            columns = dtrmm(1.0, inverse, self._kernel(free, self._ids[members[~is_free]]), lower=1)
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
