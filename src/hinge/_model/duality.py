"""Duality gap and violation of the optimality conditions, on examples of the user's choice."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

import numpy as np

from hinge._model.state import signed_coefficients
from hinge.exceptions import ParameterError

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from numpy.typing import NDArray

    from hinge._model.state import Arrays, State


def gap_on(state: State, X: Any, labels: NDArray[np.int32], costs: NDArray[np.float64]) -> float:
    """Return primal minus dual objective, summed over the binary models, for the problem posed by given examples.

    The primal is that of the model as it stands, intercept included. Examples that the model does not hold have
    coefficient zero, so they add nothing to the dual.
    """
    margins = _targets(state, labels) * state.decide(X, state.options.threads)
    losses = costs[:, None] * np.maximum(0.0, 1.0 - margins)
    primal = 0.5 * state.native.squared_norm + losses.sum(axis=0)
    return float((primal - state.native.dual_objective).sum())


def violation_on(state: State, X: Any, labels: NDArray[np.int32], costs: NDArray[np.float64]) -> float:
    """Return the largest violation of the optimality conditions over the binary models, for given and held examples.

    With g the gradient of the dual it is max g (coefficients that may rise) - min g (those that may fall).
    """
    native = state.native
    targets = _targets(state, labels)
    coefficients, bounds = _coefficients(state, X, labels, costs)
    gradient = targets - (state.decide(X, state.options.threads) - native.bias)
    end = targets * bounds[:, None]
    may_rise = (bounds[:, None] > 0) & (coefficients < np.maximum(end, 0.0))
    may_fall = (bounds[:, None] > 0) & (coefficients > np.minimum(end, 0.0))
    lowest, highest = native.extremes.T
    highest = np.maximum(highest, np.where(may_rise, gradient, -np.inf).max(axis=0))
    lowest = np.minimum(lowest, np.where(may_fall, gradient, np.inf).min(axis=0))
    violation = highest - lowest if state.options.biased else np.maximum(np.maximum(highest, -lowest), 0.0)
    return float(np.max(violation, where=np.isfinite(violation), initial=0.0))


def _targets(state: State, labels: NDArray[np.int32]) -> NDArray[np.float64]:
    """Return +1 or -1 per example and native binary model."""
    n_binaries = state.native.n_binaries
    positive = np.arange(n_binaries) if n_binaries > 1 else np.ones(1)  # of two classes, number 1 is positive
    return np.where(labels[:, None] == positive, 1.0, -1.0)


def _coefficients(
    state: State, X: Any, labels: NDArray[np.int32], costs: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return coefficients and bounds of the given examples: of an equal one that is held, else zero and the cost."""
    arrays = state.native.state()
    held = signed_coefficients(arrays)
    waiting: dict[Hashable, list[int]] = defaultdict(list)
    for slot, key in enumerate(_held_keys(state, arrays)):
        waiting[key, int(arrays["labels"][slot])].append(slot)
    coefficients, bounds = np.zeros((len(labels), len(held))), costs.copy()
    for row, key in enumerate(_keys(state, arrays, X)):
        slots = waiting.get((key, int(labels[row])))
        if slots and costs[row] > 0:
            slot = slots.pop()
            coefficients[row], bounds[row] = held[:, slot], arrays["costs"][slot]
    return coefficients, bounds


def _held_keys(state: State, arrays: Arrays) -> Iterator[Hashable]:
    """Yield what identifies each example that is held."""
    if state.kernel.name == "precomputed":
        yield from arrays["ids"].tolist()
    elif state.storage.sparse:
        yield from _sparse_keys(state.vectors(arrays))
    else:
        yield from (row.tobytes() for row in arrays["values"])


def _keys(state: State, arrays: Arrays, X: Any) -> Iterator[Hashable]:
    """Yield what identifies each of the given examples; a row of kernel values is known by its place only."""
    if state.kernel.name == "precomputed":
        yield from range(len(X)) if len(X) == state.storage.n_features else [None] * len(X)
        return
    for _, block in state.storage.blocks(X):
        if state.storage.sparse:
            yield from _sparse_keys(block)
        else:
            shift = arrays["shift"]  # held examples are stored relative to it
            yield from ((row - shift if shift.size else row).tobytes() for row in block)


def _sparse_keys(rows: Any) -> Iterator[Hashable]:
    for start, stop in zip(rows.indptr[:-1], rows.indptr[1:], strict=True):
        yield rows.indices[start:stop].astype(np.int32).tobytes(), rows.data[start:stop].tobytes()


def _has_outliers(state: State) -> bool:
    """Tell whether some example is held whose loss is flat, as the ramp loss leaves behind."""
    arrays = state.native.state()
    counts = arrays["member_counts"]
    positive = np.arange(len(counts)) if len(counts) > 1 else np.ones(1)
    own = arrays["labels"][arrays["members"]] == np.repeat(positive, counts)
    return bool(((arrays["member_lows"] == 0) != own).any())


def require_convex(state: State) -> None:
    """Refuse to measure a model where the examples given are not the problem that its coefficients solve."""
    options = state.options
    if options.algorithm == "robust" and (options.loss == "ramp" or _has_outliers(state)):
        raise ParameterError(
            "The ramp loss must have its outliers named before its problem is convex, and examples given say none; "
            "call this without examples, which looks at those the model holds."
        )
    if options.average:
        raise ParameterError(
            "Averaged coefficients must not be measured against the dual of others; "
            "call this without examples, or learn with average=False."
        )
