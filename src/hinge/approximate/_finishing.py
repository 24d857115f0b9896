"""The last stage of `fit` on small training sets: Newton steps to the optimum of a loss with a kink.

Stochastic steps are slow to find the optimum of max(0, r), where r = 1 - y f or |y - f| - epsilon, if the weights of
the rows differ much or C is large: heavy rows need short steps, with which light rows need many passes. Newton steps do
not mind. They need a curvature, so the kink is rounded:

    loss_h(r) = 0 if r <= 0,  r^2 / (2 h) if r <= h,  r - h / 2 otherwise.

Each width h is solved by Newton steps, whose matrix contains only rows with 0 < r < h, and h decreases until rounding
makes no difference. As loss_h <= loss, the optimum for a width is a lower bound of the optimum: the difference between
the objective with and without rounding bounds what is left to gain.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from hinge._model.threads import one_blas_thread

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hinge._model.options import ApproximateOptions
    from hinge.approximate._rows import EncodedRows
    from hinge.approximate._state import ApproximateState

MAX_ROWS = 20_000  # with more rows the steps take longer than the passes that they replace
_TOLERANCE = 0.005  # relative to the objective
_NARROWING = 0.4  # ratio of two successive widths
_MIN_WIDTH = 1e-8
_MAX_STEPS = 200
_NO_DECREASE = 1e-14  # relative to the objective: rounding decides the length of such a step
_HALVINGS = 16  # of the interval that contains the best length of a step
_LARGEST_COST = 1e100  # beyond it, objectives may overflow


@dataclass(frozen=True)
class Point:
    """A linear model, and its decision values on the training set."""

    weights: NDArray[np.float64]
    bias: float
    decisions: NDArray[np.float64]

    def minus(self, length: float, other: Point) -> Point:
        """Return this point minus `length` times a direction."""
        bias = self.bias - length * other.bias
        return Point(self.weights - length * other.weights, bias, self.decisions - length * other.decisions)


@dataclass(frozen=True)
class Features:
    """Features of rows; those of a Nystroem map are computed from kernel values when they are needed.

    Attributes
    ----------
    values : ndarray of shape (n, s)
        Features or, if there is a projection, kernel values.
    projection : ndarray of shape (d, s) or None
        From kernel values to features.
    """

    values: NDArray[np.float64]
    projection: NDArray[np.float64] | None

    def rows(self, chosen: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return the features of some rows."""
        values = self.values[chosen]
        return values if self.projection is None else values @ self.projection.T

    def times(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the product with a vector of weights."""
        return self.values @ (weights if self.projection is None else weights @ self.projection)

    def transposed_times(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the product of the transpose with one value per row."""
        chosen = np.flatnonzero(values)
        has_few = 2 * len(chosen) < len(values)  # often few rows have a loss
        total = values[chosen] @ self.values[chosen] if has_few else values @ self.values
        return total if self.projection is None else self.projection @ total


@dataclass(frozen=True)
class Objective:
    """Half the sum of penalty * weight^2, plus the sum of cost * loss.

    Attributes
    ----------
    features : Features
        Features of the rows.
    penalty : ndarray of shape (d,)
        Penalties of the squared weights.
    costs : ndarray of shape (n,)
        C times the weights of the rows.
    targets : ndarray of shape (n,)
        -1 and 1, or the values of a regression.
    epsilon : float or None
        Half the width of the tube of a regression; None for classes.
    intercept : bool
        Whether there is an intercept.
    """

    features: Features
    penalty: NDArray[np.float64]
    costs: NDArray[np.float64]
    targets: NDArray[np.float64]
    epsilon: float | None
    intercept: bool

    def point(self, weights: NDArray[np.float64], bias: float) -> Point:
        """Return the point with the given weights."""
        return Point(weights, bias, self.features.times(weights) + bias)

    def excess(self, decisions: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return r of each row, and the direction in which its decision value must move to reduce it."""
        if self.epsilon is None:
            return 1.0 - self.targets * decisions, self.targets
        residuals = self.targets - decisions
        return np.abs(residuals) - self.epsilon, np.sign(residuals)

    def value(self, point: Point, width: float = 0.0) -> float:
        """Compute the objective, with a kink rounded by a width."""
        excess = np.maximum(self.excess(point.decisions)[0], 0.0)
        inside = np.minimum(excess, width)
        losses = excess - inside + (inside * inside / (2.0 * width) if width else 0.0)
        return float(0.5 * point.weights @ (self.penalty * point.weights) + self.costs @ losses)

    def pulls(self, decisions: NDArray[np.float64], width: float) -> NDArray[np.float64]:
        """Return minus the derivative of the rounded losses by the decision values."""
        excess, sense = self.excess(decisions)
        return self.costs * np.clip(excess / width, 0.0, 1.0) * sense

    def slope(self, point: Point, direction: Point, length: float, width: float) -> float:
        """Compute the derivative of the rounded objective by the length of a step."""
        pulls = self.pulls(point.decisions - length * direction.decisions, width)
        weights = point.weights - length * direction.weights
        return float(pulls @ direction.decisions - direction.weights @ (self.penalty * weights))

    def direction(self, point: Point, width: float) -> tuple[Point, float]:
        """Return the Newton step, which is to be subtracted, and the decrease that a quadratic objective would have."""
        excess, pulls = self.excess(point.decisions)[0], self.pulls(point.decisions, width)
        gradient = self.penalty * point.weights - self.features.transposed_times(pulls)
        bias_gradient = -float(pulls.sum()) if self.intercept else 0.0
        curved = np.flatnonzero((excess > 0.0) & (excess < width))
        rows, curvatures = self.features.rows(curved), self.costs[curved] / width
        matrix = (rows * curvatures[:, None]).T @ rows
        matrix[np.diag_indices_from(matrix)] += self.penalty
        factor = cho_factor(matrix, overwrite_a=True, check_finite=False)
        weights, bias = cho_solve(factor, gradient, check_finite=False), 0.0
        if self.intercept:
            border = rows.T @ curvatures
            solved = cho_solve(factor, border, check_finite=False)
            total = float(curvatures.sum())
            remainder = total - float(border @ solved)
            if remainder <= 1e-10 * total:  # the intercept is free to move: make a step that is surely not too long
                bias = bias_gradient * width / float(self.costs.sum())
            else:
                bias = (bias_gradient - float(border @ weights)) / remainder
            weights -= bias * solved
        return self.point(weights, bias), float(gradient @ weights) + bias_gradient * bias


def minimise(objective: Objective, start: Point, width: float) -> Point:
    """Return a point whose objective is nearly the lowest, or `start` if none is better."""
    point, smallest, n_steps = _balanced(objective, start, width), _MIN_WIDTH * width, 0
    while n_steps < _MAX_STEPS:
        try:
            direction, decrease = objective.direction(point, width)
        except LinAlgError:  # features differ so much in size that their products have no digits left
            break
        length = _best_length(objective, point, direction, width)
        point, n_steps = point.minus(length, direction), n_steps + 1
        value = objective.value(point)
        is_reliable = length > 0.5 or decrease < _NO_DECREASE * value
        if is_reliable and length * decrease < _TOLERANCE * value:
            if value - objective.value(point, width) < 0.7 * _TOLERANCE * value or width < smallest:
                break
            width *= _NARROWING
            point = _balanced(objective, point, width)
    return point if objective.value(point) < objective.value(start) else start


def _balanced(objective: Objective, point: Point, width: float) -> Point:
    """Return a point with the best intercept for its weights; otherwise all rows may be far from the kink."""
    if not objective.intercept:
        return point
    reach = float(np.abs(objective.excess(point.decisions)[0]).max()) + width + (objective.epsilon or 0.0)
    low, high = -reach, reach
    for _ in range(2 * _HALVINGS):
        middle = 0.5 * (low + high)
        if objective.pulls(point.decisions + middle, width).sum() > 0.0:
            low = middle
        else:
            high = middle
    return Point(point.weights, point.bias + low, point.decisions + low)


def _best_length(objective: Objective, point: Point, direction: Point, width: float) -> float:
    """Return the length, from 0 to 1, of the step to the lowest objective."""
    if objective.slope(point, direction, 1.0, width) <= 0.0:
        return 1.0
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        if objective.slope(point, direction, middle, width) > 0.0:
            high = middle
        else:
            low = middle
    return 0.5 * (low + high)


def can_finish(options: ApproximateOptions, n_rows: int) -> bool:
    """Return whether a training set is finished: its loss has a kink, and its features fit into the cache."""
    linear = options.linear
    n_bytes = 8 * n_rows * options.n_components
    has_kink = linear.loss in {"hinge", "epsilon_insensitive"}
    return options.is_adaptive and has_kink and n_rows <= MAX_ROWS and n_bytes <= linear.cache_bytes


def finish(state: ApproximateState, rows: EncodedRows) -> None:
    """Move the linear models of a state, which keeps features of the rows, to the optimum for these rows.

    Models for which that fails stay what they are.
    """
    used, options, arrays = rows.used, state.options.linear, state.native.state()
    costs, targets = options.cost * rows.weights[used], rows.targets[used]
    if not 1.0 / _LARGEST_COST < costs.min() <= costs.max() < _LARGEST_COST:
        return
    with one_blas_thread():
        features = _kept_features(state, len(rows), used)
        if features is None:
            return
        penalty = state.features.arrays["penalty"]
        epsilon = options.epsilon if state.options.is_regression else None
        width = max(float(np.std(targets)), _MIN_WIDTH) if state.options.is_regression else 1.0
        average = arrays["average"].reshape(-1, len(penalty))
        for number, bias in enumerate(arrays["average_bias"]):
            wanted = _targets(state, targets, number)
            objective = Objective(features, penalty, costs, wanted, epsilon, options.intercept)
            found = minimise(objective, objective.point(average[number], float(bias)), width)
            average[number], arrays["average_bias"][number] = found.weights, found.bias
    arrays["average"] = arrays["weights"] = average.ravel()
    arrays["bias"] = arrays["average_bias"]
    state.native.recall(arrays)


def _kept_features(state: ApproximateState, n_rows: int, used: NDArray[np.intp]) -> Features | None:
    """Return the features that the native model keeps; None if there are none, or some are not finite."""
    kept = state.native.kept()
    if not len(kept):
        return None
    values = kept.reshape(n_rows, -1)
    values = np.asarray(values if len(used) == n_rows else values[used], dtype=np.float64)
    projection = state.features.arrays.get("projection")
    known = Features(values, None if projection is None else projection.astype(np.float64))
    return known if np.isfinite(values).all() else None


def _targets(state: ApproximateState, targets: NDArray[np.float64], number: int) -> NDArray[np.float64]:
    """Return the targets of one binary model, as the native code defines them."""
    if state.options.is_regression:
        return targets
    positive = 1 if state.native.n_binaries == 1 else number
    return np.where(targets == positive, 1.0, -1.0)
