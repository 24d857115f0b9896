"""Decision values for training examples as if each had been left out of a linear model, without training again.

With the features z (the constant included), the penalties P, and the derivatives p_i and curvatures l_i of the losses
by the decision values (costs included), one Newton step from the optimum leaves out example i:

    f(x_i) - p_i h_i / (1 - l_i h_i),   h_i = z_i' H^-1 z_i,   H = P + sum_j l_j z_j z_j'.

The kink of the hinge loss is rounded for this. Derivatives at the kink lie between those of its sides and follow from
the optimality of the weights, P w = sum_j p_j z_j. Large training sets are sampled: sums are then those of the sample,
each of whose rows stands for several.

Beirami, Razaviyayn, Shahrampour and Tarokh, "On optimal generalizability in parametric learning", NIPS 2017.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from scipy.special import expit

from hinge._calibration import Decisions
from hinge._fit.leave_one_out import sample
from hinge._model.threads import one_blas_thread
from hinge._model.validation import TakenRows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hinge._fit.data import TrainingData
    from hinge.approximate._state import ApproximateState

_WIDTH = 0.2  # of the rounded kink, in units of the margin
_RIDGE = 1e-10
_SMOOTHING = 1e-3  # relative to the mean diagonal: weights are optimal up to some noise


def left_out_decisions(state: ApproximateState, data: TrainingData) -> Decisions:
    """Return decision values for training examples (a sample of large sets) by the models without them."""
    numbers = data.class_numbers(state.table)
    rows, shares = sample(numbers, np.flatnonzero(data.used))
    X = data.X.array() if type(data.X) is TakenRows else data.X
    features = state.features.native(state.kernel, state.storage)
    with one_blas_thread():
        values = state.make_snapshot().decide(X[rows], state.options.threads)
        state.drop_snapshot()
        Z = np.concatenate([features.features(batch) for _, batch in state.storage.batches(X[rows])])
        Z = Z.astype(np.float64)
        costs = state.options.linear.cost * data.costs[rows]
        for m in range(values.shape[1]):
            targets = np.where(numbers[rows] == (1 if values.shape[1] == 1 else m), 1.0, -1.0)
            values[:, m] = _left_out(state, Z, values[:, m], targets, costs, shares, m)
    known = np.full(len(rows), max(len(data) - 1, 0), dtype=np.int64)
    return Decisions.none(values.shape[1]).plus(values, numbers[rows], data.costs[rows] * shares, known, shares)


def _left_out(  # noqa: PLR0917
    state: ApproximateState,
    Z: NDArray[np.float64],
    values: NDArray[np.float64],
    targets: NDArray[np.float64],
    costs: NDArray[np.float64],
    shares: NDArray[np.float64],
    column: int,
) -> NDArray[np.float64]:
    """Return decision values of one linear model for rows that it was trained without."""
    pulls, curvatures = _derivatives(state.options.linear.loss, targets * values)
    pulls, curvatures = costs * pulls, costs * curvatures
    penalty = state.features.arrays["penalty"]
    if state.options.linear.loss == "hinge":
        biased = float(state.native.state()["average_bias"][column])
        pulls = _pulls_at_kink(Z / np.sqrt(penalty), values - biased, targets, pulls, curvatures > 0.0, costs, shares)
    if state.options.linear.intercept:
        Z, penalty = np.column_stack([Z, np.ones(len(Z))]), np.append(penalty, 0.0)
    H = (Z * (curvatures * shares)[:, None]).T @ Z
    H[np.diag_indices_from(H)] += penalty + _RIDGE * float(np.mean(np.diag(H)) + np.mean(penalty))
    try:
        leverages = (Z * cho_solve(cho_factor(H, check_finite=False), Z.T, check_finite=False).T).sum(axis=1)
    except LinAlgError:  # features differ so much in size that their products have no digits left
        return values
    moved = values - targets * pulls * leverages / np.maximum(1.0 - curvatures * leverages, 1e-6)
    found: NDArray[np.float64] = np.clip(moved, values.min(), values.max())
    return found


def _pulls_at_kink(  # noqa: PLR0917
    Z: NDArray[np.float64],
    sums: NDArray[np.float64],
    targets: NDArray[np.float64],
    pulls: NDArray[np.float64],
    is_at_kink: NDArray[np.bool_],
    costs: NDArray[np.float64],
    shares: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return derivatives of the losses, where those at the kink make the weights optimal as far as possible."""
    kink = np.flatnonzero(is_at_kink)
    if not len(kink):
        return pulls
    others = np.where(is_at_kink, 0.0, shares * targets * pulls)
    wanted = sums[kink] - Z[kink] @ (Z.T @ others)
    square = Z[kink] @ Z[kink].T
    square[np.diag_indices_from(square)] += _SMOOTHING * float(np.mean(np.diag(square))) + 1e-300
    found = targets[kink] * cho_solve(cho_factor(square, check_finite=False), wanted, check_finite=False)
    pulls = pulls.copy()
    pulls[kink] = np.clip(found / shares[kink], 0.0, costs[kink])
    return pulls


def _derivatives(loss: str, margins: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return minus the first, and the second derivatives of losses by the margin."""
    if loss == "log_loss":
        chances = expit(-margins)
        return chances, chances * (1.0 - chances)
    excess = 1.0 - margins
    if loss == "squared_hinge":
        return 2.0 * np.maximum(excess, 0.0), np.where(excess > 0.0, 2.0, 0.0)
    curvatures: NDArray[np.float64] = np.where(np.abs(excess) < 0.5 * _WIDTH, 1.0 / _WIDTH, 0.0)
    return np.clip(excess / _WIDTH + 0.5, 0.0, 1.0), curvatures
