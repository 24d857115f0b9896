"""Algorithm 1 of the paper, written down as it stands: a peer to measure against, and an oracle for the library.

Weights are positive and K carries the labels, K_ij = y_i y_j k(x_i, x_j). An example is on the margin (S), bounded (E)
or other (O), and g = K alpha + mu y - 1. While the weight of a new example c grows by one unit,

    [mu'; alpha_S'] = beta  = -Q [y_c; K_Sc],   Q = [[0, y_S'], [y_S, K_SS]]^-1
    g'              = gamma = K_:c + [y, K_:S] beta

until somebody arrives at a bound or at a zero gradient, and changes sets. How kernel values and Q are kept, which is
what the paper is about, is the business of a layout (`memory_layouts`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from experiments.incremental.memory_layouts import Layout

OTHER, MARGIN, BOUNDED, MOVING = range(4)
TINY = 1e-11  # rates below it are zero


class Event(NamedTuple):
    """Who is reached first, and after how much weight."""

    distance: float
    who: int


class Plain:
    """An exact machine that learns one example after the other.

    Parameters
    ----------
    layout : Layout
        The examples and their labels, -1 and 1, and how kernel values of them are kept.
    C : float
        Largest weight.
    """

    def __init__(self, layout: Layout, C: float) -> None:
        n_rows = len(layout.y)
        self.layout, self.C = layout, C
        self.alpha = np.zeros(n_rows)
        self.gradient = np.zeros(n_rows)
        self.place = np.full(n_rows, OTHER)
        self.threshold = 0.0
        self.n_learned = 0
        self.n_steps = 0

    @property
    def n_support(self) -> int:
        """The number of examples with a weight."""
        return int(np.count_nonzero(self.alpha))

    def learn(self, until: int) -> None:
        """Learn the rows up to a number, one by one."""
        self.layout.clock.start()
        while self.n_learned < until:
            self._add(self.n_learned)

    def _add(self, c: int) -> None:
        support, values = self.layout.against_support(c)
        self.gradient[c] = values @ self.alpha[support] + self.threshold * self.layout.y[c] - 1
        self.n_learned += 1
        if self.gradient[c] >= 0:
            return
        column = self.layout.column(c, values)
        self.place[c] = MOVING
        while self.place[c] == MOVING:
            self.n_steps += 1
            if len(self.layout.margin):
                self._step(c, column)
            else:
                self._shift(c, column)

    def _step(self, c: int, column: NDArray[np.float64]) -> None:
        """Let the weight of c grow up to the next event."""
        layout, n = self.layout, self.n_learned
        margin = layout.margin
        beta = layout.beta(c, column)
        gamma = layout.gamma(beta, column, self.place[:n])
        on_margin, elsewhere = self._first_on_margin(margin, beta[1:]), self._first_elsewhere(gamma)
        own = -self.gradient[c] / gamma[c] if gamma[c] > TINY else np.inf
        full = self.C - self.alpha[c]
        distance = max(min(on_margin.distance, elsewhere.distance, own, full), 0.0)
        self.alpha[margin] += beta[1:] * distance
        self.alpha[c] += distance
        self.threshold += beta[0] * distance
        self.gradient[:n] += gamma * distance
        layout.clock.lap("rest")
        if distance == max(full, 0.0):
            self.alpha[c], self.place[c] = self.C, BOUNDED
            layout.hold(c, column)
        elif distance == max(own, 0.0):
            self._join(c, column)
        elif distance == max(on_margin.distance, 0.0):
            self._leave(on_margin.who, rises=bool(beta[1 + np.flatnonzero(margin == on_margin.who)[0]] > 0))
        else:
            self._join(elsewhere.who, column)

    def _first_on_margin(self, margin: NDArray[np.int64], beta: NDArray[np.float64]) -> Event:
        moving = np.abs(beta) > TINY
        if not moving.any():
            return Event(np.inf, -1)
        weights = self.alpha[margin][moving]
        ways = np.where(beta[moving] > 0, self.C - weights, -weights) / beta[moving]
        return Event(float(ways.min()), int(margin[moving][ways.argmin()]))

    def _first_elsewhere(self, gamma: NDArray[np.float64]) -> Event:
        place = self.place[: self.n_learned]
        candidates = np.flatnonzero(((place == BOUNDED) & (gamma > TINY)) | ((place == OTHER) & (gamma < -TINY)))
        if not len(candidates):
            return Event(np.inf, -1)
        ways = -self.gradient[candidates] / gamma[candidates]
        return Event(float(ways.min()), int(candidates[ways.argmin()]))

    def _shift(self, c: int, column: NDArray[np.float64]) -> None:
        """Move the threshold alone, since nobody is on the margin, until somebody's gradient is zero."""
        y = self.layout.y[: self.n_learned] * self.layout.y[c]
        first = self._first_elsewhere(y)
        distance = max(min(first.distance, -self.gradient[c]), 0.0)
        self.threshold += self.layout.y[c] * distance
        self.gradient[: self.n_learned] += y * distance
        if first.distance < -self.gradient[c] + distance:
            self._join(first.who, column)
        else:
            self.place[c] = OTHER

    def _join(self, k: int, column: NDArray[np.float64]) -> None:
        self.gradient[k] = 0.0
        is_new = self.place[k] != BOUNDED
        self.place[k] = MARGIN
        if is_new:
            is_mover = k == self.n_learned - 1
            self.layout.hold(k, column if is_mover else self.layout.row(k, self.n_learned))
        self.layout.join(k)

    def _leave(self, k: int, *, rises: bool) -> None:
        self.alpha[k], self.place[k] = (self.C, BOUNDED) if rises else (0.0, OTHER)
        self.layout.leave(k)
        if not rises:
            self.layout.drop(k)
