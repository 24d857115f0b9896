"""Two ways to keep the kernel values and the inverse of Algorithm 1, with a clock on every operation.

`Gathered` is the direct way, that of the paper's Matlab programme and its Algorithm 4: whatever part of a matrix is
needed is copied together first, and a matrix that grows is a new one. `Contiguous` is the paper's design, with
Algorithm 3: rows of the margin set stand side by side at the top of one table, so that gamma is a sum of whole rows;
nothing is selected, and nothing is copied when something grows.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

import numpy as np

from experiments.incremental.numpy_solver import MARGIN

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Vector = NDArray[np.float64]
    Places = NDArray[np.int64]
    Kernel = Callable[[Vector, Vector, float], Vector]  # of inner products and the squared norms of both sides


class Clock:
    """CPU seconds by operation: each lap goes to the operation that it ends."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._last = 0.0

    def start(self) -> None:
        """Begin a lap."""
        self._last = time.process_time()

    def lap(self, operation: str) -> None:
        """End a lap, and begin the next."""
        now = time.process_time()
        self.seconds[operation] = self.seconds.get(operation, 0.0) + now - self._last
        self._last = now


class Layout(ABC):
    """The examples, and what is kept of their kernel values: the rows of K that belong to support vectors.

    Attributes
    ----------
    margin : array of int
        The margin set, in the order of the inverse.
    """

    margin: Places

    def __init__(self, X: Vector, y: Vector, kernel: Kernel) -> None:
        self.X, self.y, self.kernel = X, y, kernel
        self.norms = np.einsum("ij,ij->i", X, X)
        self.clock = Clock()

    def _values(self, rows: Vector, whose: Places | slice, c: int) -> Vector:
        """Return K of some rows, which are given, against c."""
        values = self.kernel(rows @ self.X[c], self.norms[whose], self.norms[c])
        signed = values * self.y[whose] * self.y[c]
        self.clock.lap("kernel")
        return np.asarray(signed)

    @abstractmethod
    def against_support(self, c: int) -> tuple[Places, Vector]:
        """Return the support vectors, and K of them against c, which is new."""

    @abstractmethod
    def column(self, c: int, values: Vector) -> Vector:
        """Return K of all examples up to c against c, some of which are known."""

    @abstractmethod
    def row(self, k: int, n: int) -> Vector:
        """Return K of the first n examples against k."""

    @abstractmethod
    def beta(self, c: int, column: Vector) -> Vector:
        """Return the rates of the threshold and of the margin weights."""

    @abstractmethod
    def gamma(self, beta: Vector, column: Vector, place: Places) -> Vector:
        """Return the rates of all gradients."""

    @abstractmethod
    def hold(self, k: int, row: Vector) -> None:
        """Keep the row of K of a new support vector, which is not on the margin yet."""

    @abstractmethod
    def drop(self, k: int) -> None:
        """Let the row go of one that is no support vector any more."""

    @abstractmethod
    def join(self, k: int) -> None:
        """Take a support vector into the margin set and the inverse."""

    @abstractmethod
    def leave(self, k: int) -> None:
        """Take it out of them."""


class Gathered(Layout):
    """Copies everything together."""

    def __init__(self, X: Vector, y: Vector, kernel: Kernel) -> None:
        super().__init__(X, y, kernel)
        self.margin = np.empty(0, dtype=np.int64)
        self._held = np.empty(0, dtype=np.int64)
        self._rows = np.empty((0, len(y)))
        self._n_used = 0  # columns
        self._inverse = np.zeros((1, 1))

    def _where(self, wanted: Places) -> Places:
        order = np.argsort(self._held)
        return np.asarray(order[np.searchsorted(self._held, wanted, sorter=order)])

    def against_support(self, c: int) -> tuple[Places, Vector]:
        """Copy the support vectors, then multiply."""
        self.clock.lap("rest")
        rows = self.X[self._held]
        self.clock.lap("selection")
        values = self._values(rows, self._held, c)
        self._rows[:, c], self._n_used = values, c + 1
        self.clock.lap("augmentation")
        return self._held, values

    def column(self, c: int, values: Vector) -> Vector:
        """Copy all others, then multiply."""
        result = np.empty(c + 1)
        others = np.setdiff1d(np.arange(c + 1), self._held)
        rows = self.X[others]
        self.clock.lap("selection")
        result[others] = self._values(rows, others, c)
        result[self._held] = values
        return result

    def row(self, k: int, n: int) -> Vector:
        """Nothing of it is known any more."""
        self.clock.lap("rest")
        return self._values(self.X[:n], slice(n), k)

    def beta(self, c: int, column: Vector) -> Vector:
        """One product."""
        self.clock.lap("rest")
        beta = -(self._inverse @ np.concatenate([[self.y[c]], column[self.margin]]))
        self.clock.lap("beta")
        return np.asarray(beta)

    def gamma(self, beta: Vector, column: Vector, place: Places) -> Vector:
        """Create K_SR, then multiply (Algorithm 4)."""
        rest = np.flatnonzero(place != MARGIN)
        part = self._rows[np.ix_(self._where(self.margin), rest)]
        self.clock.lap("gamma: matrix")
        gamma = np.zeros(len(place))
        gamma[rest] = beta[0] * self.y[rest] + beta[1:] @ part + column[rest]
        self.clock.lap("gamma: product")
        return gamma

    def hold(self, k: int, row: Vector) -> None:
        """Make a matrix with one row more."""
        self.clock.lap("rest")
        n_held, n = len(self._held), len(row)
        larger = np.empty((n_held + 1, self._rows.shape[1]))
        larger[:n_held, :n], larger[n_held, :n] = self._rows[:, :n], row  # columns that are not in use cost nothing
        self._rows, self._held = larger, np.append(self._held, k)
        self.clock.lap("augmentation")

    def drop(self, k: int) -> None:
        """Make a matrix with one row less."""
        self.clock.lap("rest")
        kept = np.flatnonzero(self._held != k)
        smaller = np.empty((len(kept), self._rows.shape[1]))
        smaller[:, : self._n_used] = self._rows[kept, : self._n_used]
        self._rows, self._held = smaller, self._held[kept]
        self.clock.lap("augmentation")

    def join(self, k: int) -> None:
        """Make a larger inverse, and add a matrix of rank one."""
        self.clock.lap("rest")
        row = self._rows[self._where(np.array([k]))[0]]
        eta = np.concatenate([[self.y[k]], row[self.margin]])
        beta = -(self._inverse @ eta)
        kappa = row[k] + eta @ beta
        self.clock.lap("kappa")
        size = len(self._inverse)
        inverse = np.zeros((size + 1, size + 1))
        if size > 1:
            inverse[:size, :size] = self._inverse
            whole = np.append(beta, 1.0)
            self._inverse = inverse + np.outer(whole, whole) / kappa
        else:  # of [[0, y], [y, K]], y being 1 or -1
            self._inverse = np.array([[-row[k], self.y[k]], [self.y[k], 0.0]])
        self.margin = np.append(self.margin, k)
        self.clock.lap("inverse")

    def leave(self, k: int) -> None:
        """Make a smaller inverse."""
        self.clock.lap("rest")
        place = int(np.flatnonzero(self.margin == k)[0])
        self.margin = np.delete(self.margin, place)
        side = np.delete(self._inverse[:, place + 1], place + 1)
        corner = self._inverse[place + 1, place + 1]
        smaller = np.delete(np.delete(self._inverse, place + 1, axis=0), place + 1, axis=1)
        self._inverse = smaller - np.outer(side, side) / corner if len(self.margin) else np.zeros((1, 1))
        self.clock.lap("inverse")


class Contiguous(Layout):
    """Keeps the margin set first, the other support vectors behind it; rows trade places instead of being copied."""

    def __init__(self, X: Vector, y: Vector, kernel: Kernel) -> None:
        super().__init__(X, y, kernel)
        room = 64
        self._order = np.empty(room, dtype=np.int64)
        self._n_margin = self._n_held = 0
        self._points = np.empty((room, X.shape[1]))
        self._rows = np.empty((room, len(y)))
        self._table = np.zeros((room + 1, room + 1))  # the inverse, in its upper left corner

    @property
    def margin(self) -> Places:  # type: ignore[override]
        """The margin set, in the order of the inverse."""
        return self._order[: self._n_margin]

    def against_support(self, c: int) -> tuple[Places, Vector]:
        """Multiply: the support vectors stand side by side."""
        self.clock.lap("rest")
        held = self._order[: self._n_held]
        values = self._values(self._points[: self._n_held], held, c)
        self._rows[: self._n_held, c] = values
        self.clock.lap("augmentation")
        return held, values

    def column(self, c: int, values: Vector) -> Vector:  # noqa: ARG002  (known ones are found again: nothing to select)
        """Multiply with all."""
        return self._values(self.X[: c + 1], slice(c + 1), c)

    def row(self, k: int, n: int) -> Vector:
        """Multiply with all."""
        self.clock.lap("rest")
        return self._values(self.X[:n], slice(n), k)

    def beta(self, c: int, column: Vector) -> Vector:
        """One product."""
        self.clock.lap("rest")
        size = self._n_margin + 1
        beta = -(self._table[:size, :size] @ np.concatenate([[self.y[c]], column[self.margin]]))
        self.clock.lap("beta")
        return np.asarray(beta)

    def gamma(self, beta: Vector, column: Vector, place: Places) -> Vector:
        """Add up whole rows (Algorithm 3)."""
        n = len(place)
        gamma = beta[1:] @ self._rows[: self._n_margin, :n]
        gamma += beta[0] * self.y[:n]
        gamma += column
        gamma[self.margin] = 0.0
        self.clock.lap("gamma: product")
        return np.asarray(gamma)

    def hold(self, k: int, row: Vector) -> None:
        """Append a row; there is room."""
        self.clock.lap("rest")
        if self._n_held == len(self._order):
            self._make_room(2 * self._n_held)
        place = self._n_held
        self._order[place], self._points[place] = k, self.X[k]
        self._rows[place, : len(row)] = row
        self._n_held += 1
        self.clock.lap("augmentation")

    def _make_room(self, room: int) -> None:
        size = len(self._order)
        for name in ("_order", "_points", "_rows"):
            before = getattr(self, name)
            after = np.empty((room, *before.shape[1:]), dtype=before.dtype)
            after[:size] = before
            setattr(self, name, after)
        table = np.zeros((room + 1, room + 1))
        table[: size + 1, : size + 1] = self._table
        self._table = table

    def drop(self, k: int) -> None:
        """Put the last in its place."""
        self.clock.lap("rest")
        self._n_held -= 1
        self._trade(self._place(k), self._n_held)
        self.clock.lap("augmentation")

    def join(self, k: int) -> None:
        """Enlarge the inverse where it stands."""
        self.clock.lap("rest")
        self._trade(self._place(k), self._n_margin)
        self.clock.lap("augmentation")
        size = self._n_margin + 1
        table, row = self._table, self._rows[self._n_margin]
        eta = np.concatenate([[self.y[k]], row[self.margin]])
        beta = -(table[:size, :size] @ eta)
        kappa = row[k] + eta @ beta
        self.clock.lap("kappa")
        if size > 1:
            whole = np.append(beta, 1.0)
            table[size, : size + 1] = table[: size + 1, size] = 0.0
            table[: size + 1, : size + 1] += np.outer(whole / kappa, whole)
        else:
            table[:2, :2] = [[-row[k], self.y[k]], [self.y[k], 0.0]]
        self._n_margin += 1
        self.clock.lap("inverse")

    def leave(self, k: int) -> None:
        """Make it the last, and take that away."""
        self.clock.lap("rest")
        place, last, table = self._place(k), self._n_margin - 1, self._table
        self._trade(place, last)
        self.clock.lap("augmentation")
        size = self._n_margin
        table[[place + 1, last + 1], : size + 1] = table[[last + 1, place + 1], : size + 1]
        table[: size + 1, [place + 1, last + 1]] = table[: size + 1, [last + 1, place + 1]]
        self._n_margin -= 1
        if self._n_margin:
            side = table[:size, size].copy()
            table[:size, :size] -= np.outer(side / table[size, size], side)
        else:
            table[0, 0] = 0.0
        self.clock.lap("inverse")

    def _place(self, k: int) -> int:
        return int(np.flatnonzero(self._order[: self._n_held + 1] == k)[0])

    def _trade(self, one: int, other: int) -> None:
        if one != other:
            for table in (self._order, self._points, self._rows):
                table[[one, other]] = table[[other, one]]
