"""Algorithm 1 of the paper in NumPy, step by step: a program to measure, and a reference for the library.

Coefficients are positive and K includes the labels, K_ij = y_i y_j k(x_i, x_j). An example is on the margin (S), at the
upper bound (E) or another one (O), and g = K alpha + mu y - 1. While the coefficient of a new example c grows by one
unit,

    [mu'; alpha_S'] = beta  = -Q [y_c; K_Sc],   Q = [[0, y_S'], [y_S, K_SS]]^-1
    g'              = gamma = K_:c + [y, K_:S] beta

until an example reaches a bound or a zero gradient, and changes its set. A layout (`memory_layouts`) stores kernel
values and Q; how it does so is the subject of the paper.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from experiments.incremental.memory_layouts import Layout

OTHER, MARGIN, BOUNDED, MOVING = range(4)
TINY = 1e-11  # smaller rates count as zero


class Event(NamedTuple):
    """The example that changes its set first, and the step after which it does."""

    distance: float
    example: int


class NumpySolver:
    """An exact SVM that learns one example after the other.

    Parameters
    ----------
    layout : Layout
        The examples, their labels -1 and 1, and the storage of kernel values.
    C : float
        Upper bound of the coefficients.
    """

    def __init__(self, layout: Layout, C: float) -> None:
        n_rows = len(layout.y)
        self.layout, self.C = layout, C
        self.alpha = np.zeros(n_rows)
        self.gradient = np.zeros(n_rows)
        self.membership = np.full(n_rows, OTHER)
        self.threshold = 0.0
        self.n_learned = 0
        self.n_steps = 0

    @property
    def n_support(self) -> int:
        """The number of support vectors."""
        return int(np.count_nonzero(self.alpha))

    def learn(self, until: int) -> None:
        """Learn the rows before `until`, one by one."""
        self.layout.clock.start()
        while self.n_learned < until:
            self._add(self.n_learned)

    def _add(self, c: int) -> None:
        support, values = self.layout.kernel_with_support(c)
        self.gradient[c] = values @ self.alpha[support] + self.threshold * self.layout.y[c] - 1
        self.n_learned += 1
        if self.gradient[c] >= 0:
            return
        column = self.layout.column(c, values)
        self.membership[c] = MOVING
        while self.membership[c] == MOVING:
            self.n_steps += 1
            if len(self.layout.margin):
                self._step(c, column)
            else:
                self._shift(c, column)

    def _step(self, c: int, column: NDArray[np.float64]) -> None:
        """Increase the coefficient of c until the next event."""
        layout, n = self.layout, self.n_learned
        margin = layout.margin
        beta = layout.beta(c, column)
        gamma = layout.gamma(beta, column, self.membership[:n])
        on_margin, elsewhere = self._first_on_margin(margin, beta[1:]), self._first_elsewhere(gamma)
        to_margin = -self.gradient[c] / gamma[c] if gamma[c] > TINY else np.inf
        to_bound = self.C - self.alpha[c]
        distance = max(min(on_margin.distance, elsewhere.distance, to_margin, to_bound), 0.0)
        self.alpha[margin] += beta[1:] * distance
        self.alpha[c] += distance
        self.threshold += beta[0] * distance
        self.gradient[:n] += gamma * distance
        layout.clock.lap("rest")
        if distance == max(to_bound, 0.0):
            self.alpha[c], self.membership[c] = self.C, BOUNDED
            layout.add_row(c, column)
        elif distance == max(to_margin, 0.0):
            self._join_margin(c, column)
        elif distance == max(on_margin.distance, 0.0):
            self._leave_margin(
                on_margin.example, rises=bool(beta[1 + np.flatnonzero(margin == on_margin.example)[0]] > 0)
            )
        else:
            self._join_margin(elsewhere.example, column)

    def _first_on_margin(self, margin: NDArray[np.int64], beta: NDArray[np.float64]) -> Event:
        moving = np.abs(beta) > TINY
        if not moving.any():
            return Event(np.inf, -1)
        coefficients = self.alpha[margin][moving]
        distances = np.where(beta[moving] > 0, self.C - coefficients, -coefficients) / beta[moving]
        return Event(float(distances.min()), int(margin[moving][distances.argmin()]))

    def _first_elsewhere(self, gamma: NDArray[np.float64]) -> Event:
        membership = self.membership[: self.n_learned]
        candidates = np.flatnonzero(
            ((membership == BOUNDED) & (gamma > TINY)) | ((membership == OTHER) & (gamma < -TINY))
        )
        if not len(candidates):
            return Event(np.inf, -1)
        distances = -self.gradient[candidates] / gamma[candidates]
        return Event(float(distances.min()), int(candidates[distances.argmin()]))

    def _shift(self, c: int, column: NDArray[np.float64]) -> None:
        """Move the threshold alone, since the margin is empty, until a gradient is zero."""
        y = self.layout.y[: self.n_learned] * self.layout.y[c]
        first = self._first_elsewhere(y)
        distance = max(min(first.distance, -self.gradient[c]), 0.0)
        self.threshold += self.layout.y[c] * distance
        self.gradient[: self.n_learned] += y * distance
        if first.distance < -self.gradient[c] + distance:
            self._join_margin(first.example, column)
        else:
            self.membership[c] = OTHER

    def _join_margin(self, k: int, column: NDArray[np.float64]) -> None:
        self.gradient[k] = 0.0
        is_new = self.membership[k] != BOUNDED
        self.membership[k] = MARGIN
        if is_new:
            is_moving = k == self.n_learned - 1
            self.layout.add_row(k, column if is_moving else self.layout.row(k, self.n_learned))
        self.layout.add_to_margin(k)

    def _leave_margin(self, k: int, *, rises: bool) -> None:
        self.alpha[k], self.membership[k] = (self.C, BOUNDED) if rises else (0.0, OTHER)
        self.layout.remove_from_margin(k)
        if not rises:
            self.layout.remove_row(k)
