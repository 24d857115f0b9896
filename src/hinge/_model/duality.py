"""Duality gap and violation of the optimality conditions on given examples."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, cast

import numpy as np

from hinge import _core
from hinge._model.support import signed_coefficients
from hinge.exceptions import ParameterError

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from numpy.typing import NDArray
    from scipy.sparse import csr_matrix

    from hinge._model.options import NativeOptions
    from hinge._model.state import State
    from hinge._model.types import Arrays, Rows


class Measured(Protocol):
    """How good coefficients are, one value per binary model; native models have these properties."""

    @property
    def duality_gap(self) -> NDArray[np.float64]: ...
    @property
    def dual_objective(self) -> NDArray[np.float64]: ...
    @property
    def squared_norm(self) -> NDArray[np.float64]: ...
    @property
    def extremes(self) -> NDArray[np.float64]: ...
    @property
    def violation(self) -> NDArray[np.float64]: ...


@dataclass(frozen=True)
class AverageMeasures:
    """The measures of averaged coefficients.

    Attributes
    ----------
    duality_gap, dual_objective, squared_norm : ndarray of shape (n_binaries,)
        Duality gap and dual objective of the examples held, and ||w||^2.
    extremes : ndarray of shape (n_binaries, 2)
        Lowest gradient of a coefficient that may decrease, and highest of one that may increase.
    violation : ndarray of shape (n_binaries,)
        Largest violation of the optimality conditions.
    """

    duality_gap: NDArray[np.float64]
    dual_objective: NDArray[np.float64]
    squared_norm: NDArray[np.float64]
    extremes: NDArray[np.float64]
    violation: NDArray[np.float64]


def measures_of(state: State) -> Measured:
    """Measure the coefficients that predictions use.

    Averages of coefficients that satisfy their bounds do so too. Without an intercept there is no other constraint, so
    the dual objective of averages is a lower bound of the optimum like any other.
    """
    if not (isinstance(state.options, _core.TrackingOptions) and state.options.average):
        return state.native
    native = cast("_core.KernelModel64", state.native)  # or KernelModel32
    gap, dual, norm, lowest, highest = native.measure_answers().T
    violation = np.maximum(np.maximum(highest, -lowest), 0.0)
    return AverageMeasures(gap, dual, norm, np.column_stack([lowest, highest]), violation)


def gap_on(state: State, X: Rows, labels: NDArray[np.int32], costs: NDArray[np.float64]) -> float:
    """Compute primal minus dual objective of the problem of the given examples, summed over the binary models.

    The primal objective includes the intercept. Examples that the model does not hold have coefficient zero, so they
    add nothing to the dual.
    """
    targets = _targets(state, labels)
    margins = targets * state.decide(X, state.options.threads)
    losses = costs[:, None] * np.maximum(0.0, np.abs(targets) - margins)
    measures = measures_of(state)
    primal = 0.5 * measures.squared_norm + losses.sum(axis=0)
    return float((primal - measures.dual_objective).sum())


def violation_on(state: State, X: Rows, labels: NDArray[np.int32], costs: NDArray[np.float64]) -> float:
    """Compute the largest violation of the optimality conditions by given and held examples, over all binary models.

    With g the gradient of the dual, it is max g over coefficients that may increase minus min g over those that may
    decrease.
    """
    native = state.native
    targets = _targets(state, labels)
    coefficients, bounds = _coefficients(state, X, labels, costs)
    gradient = targets - (state.decide(X, state.options.threads) - native.bias)
    end = targets * bounds[:, None]
    is_seen = (bounds[:, None] > 0) & (targets != 0)
    can_increase = is_seen & (coefficients < np.maximum(end, 0.0))
    can_decrease = is_seen & (coefficients > np.minimum(end, 0.0))
    lowest, highest = measures_of(state).extremes.T
    options = cast("NativeOptions", state.options)
    highest = np.maximum(highest, np.where(can_increase, gradient, -np.inf).max(axis=0))
    lowest = np.minimum(lowest, np.where(can_decrease, gradient, np.inf).min(axis=0))
    violation = highest - lowest if options.biased else np.maximum(np.maximum(highest, -lowest), 0.0)
    return float(np.max(violation, where=np.isfinite(violation), initial=0.0))


def _targets(state: State, labels: NDArray[np.int32]) -> NDArray[np.float64]:
    """Return +1, -1 or, for classes that it does not see, 0 per example and native binary model."""
    n_classes = len(state.table)
    if n_classes <= 2:  # number 1 is positive
        return np.where(labels[:, None] == 1, 1.0, -1.0)
    return state.table.scheme.targets(n_classes)[labels]


def _coefficients(
    state: State, X: Rows, labels: NDArray[np.int32], costs: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return coefficients and bounds of examples: those of an equal example held, otherwise zero and the cost."""
    arrays = state.native.state()
    held = signed_coefficients(arrays, averaged=True)
    bounds_held = np.zeros(len(arrays["ids"]))  # those of a model that forgets shrink
    bounds_held[arrays["members"]] = arrays["member_costs"]
    slots_of: dict[Hashable, list[int]] = defaultdict(list)
    for slot, key in enumerate(_held_keys(state, arrays)):
        slots_of[key, int(arrays["labels"][slot])].append(slot)
    coefficients, bounds = np.zeros((len(labels), len(held))), costs.copy()
    for row, key in enumerate(_keys(state, arrays, X)):
        slots = slots_of.get((key, int(labels[row])))
        if slots and costs[row] > 0:
            slot = slots.pop()
            coefficients[row], bounds[row] = held[:, slot], bounds_held[slot]
    return coefficients, bounds


def _held_keys(state: State, arrays: Arrays) -> Iterator[Hashable]:
    """Yield a key for each example held; equal examples have equal keys."""
    if state.kernel.name == "precomputed":
        yield from arrays["ids"].tolist()
    elif state.storage.sparse:
        yield from _sparse_keys(state.vectors(arrays))
    else:
        yield from (row.tobytes() for row in arrays["values"])


def _keys(state: State, arrays: Arrays, X: Rows) -> Iterator[Hashable]:
    """Yield a key for each of the given examples; that of a row of kernel values is its position."""
    if state.kernel.name == "precomputed":
        yield from range(len(X)) if len(X) == state.storage.n_features else [None] * len(X)
        return
    for _, block in state.storage.blocks(X):
        if state.storage.sparse:
            yield from _sparse_keys(block)
        else:
            shift = arrays["shift"]  # held examples are stored relative to it
            yield from ((row - shift if shift.size else row).tobytes() for row in block)


def _sparse_keys(rows: csr_matrix) -> Iterator[Hashable]:
    for start, stop in zip(rows.indptr[:-1], rows.indptr[1:], strict=True):
        yield rows.indices[start:stop].astype(np.int32).tobytes(), rows.data[start:stop].tobytes()


def _has_outliers(state: State) -> bool:
    """Return True if the ramp loss treats an example held as an outlier."""
    arrays = state.native.state()
    counts = arrays["member_counts"]
    owner, members = np.repeat(np.arange(len(counts)), counts), arrays["members"]
    own = _targets(state, arrays["labels"][members])[np.arange(len(members)), owner] > 0
    return bool(((arrays["member_lows"] == 0) != own).any())


def require_convex(state: State) -> None:
    """Raise ParameterError for models whose coefficients do not solve the convex problem of the given examples."""
    options = state.options
    if isinstance(options, _core.RobustOptions) and (options.loss == "ramp" or _has_outliers(state)):
        raise ParameterError(
            "X must be None for the ramp loss, whose problem is convex only for a known set of outliers; omit X to "
            "measure the examples that the model holds."
        )
