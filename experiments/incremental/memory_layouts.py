"""Two ways to store the kernel values and the inverse of Algorithm 1, which time each operation.

`CopyingLayout` is the direct way of the paper's Matlab program and its Algorithm 4: it copies every part of a matrix
before use, and creates a new matrix whenever one grows. `ContiguousLayout` is the paper's design with Algorithm 3: the
rows of the margin set are contiguous at the top of one table, so that gamma is a sum of whole rows. It selects nothing,
and copies nothing when a matrix grows.
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
    Indices = NDArray[np.int64]
    Kernel = Callable[[Vector, Vector, float], Vector]  # from inner products and the squared norms of both sides


class Clock:
    """CPU seconds by operation."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._last = 0.0

    def start(self) -> None:
        """Start the clock."""
        self._last = time.process_time()

    def lap(self, operation: str) -> None:
        """Add the time since the last call to an operation."""
        now = time.process_time()
        self.seconds[operation] = self.seconds.get(operation, 0.0) + now - self._last
        self._last = now


class Layout(ABC):
    """The examples, and the stored kernel values: the rows of K that belong to support vectors.

    Attributes
    ----------
    margin : array of int
        The margin set, in the order of the inverse.
    """

    margin: Indices

    def __init__(self, X: Vector, y: Vector, kernel: Kernel) -> None:
        self.X, self.y, self.kernel = X, y, kernel
        self.norms = np.einsum("ij,ij->i", X, X)
        self.clock = Clock()

    def _values(self, rows: Vector, indices: Indices | slice, c: int) -> Vector:
        """Compute K between c and some rows, which are given with their indices."""
        values = self.kernel(rows @ self.X[c], self.norms[indices], self.norms[c])
        signed = values * self.y[indices] * self.y[c]
        self.clock.lap("kernel")
        return np.asarray(signed)

    @abstractmethod
    def kernel_with_support(self, c: int) -> tuple[Indices, Vector]:
        """Return the support vectors, and K between them and the new example c."""

    @abstractmethod
    def column(self, c: int, values: Vector) -> Vector:
        """Return K between c and all examples up to c; some values are given."""

    @abstractmethod
    def row(self, k: int, n: int) -> Vector:
        """Return K between k and the first n examples."""

    @abstractmethod
    def beta(self, c: int, column: Vector) -> Vector:
        """Return the rates of the threshold and of the coefficients on the margin."""

    @abstractmethod
    def gamma(self, beta: Vector, column: Vector, membership: Indices) -> Vector:
        """Return the rates of all gradients."""

    @abstractmethod
    def add_row(self, k: int, row: Vector) -> None:
        """Store the row of K of a new support vector, which is not on the margin yet."""

    @abstractmethod
    def remove_row(self, k: int) -> None:
        """Discard the row of an example that is no longer a support vector."""

    @abstractmethod
    def add_to_margin(self, k: int) -> None:
        """Add a support vector to the margin set and the inverse."""

    @abstractmethod
    def remove_from_margin(self, k: int) -> None:
        """Remove a support vector from the margin set and the inverse."""


class CopyingLayout(Layout):
    """Copies the parts of matrices before use."""

    def __init__(self, X: Vector, y: Vector, kernel: Kernel) -> None:
        super().__init__(X, y, kernel)
        self.margin = np.empty(0, dtype=np.int64)
        self._support = np.empty(0, dtype=np.int64)
        self._rows = np.empty((0, len(y)))
        self._n_used = 0  # columns
        self._inverse = np.zeros((1, 1))

    def _positions(self, wanted: Indices) -> Indices:
        order = np.argsort(self._support)
        return np.asarray(order[np.searchsorted(self._support, wanted, sorter=order)])

    def kernel_with_support(self, c: int) -> tuple[Indices, Vector]:
        """Copy the support vectors, then multiply."""
        self.clock.lap("rest")
        rows = self.X[self._support]
        self.clock.lap("selection")
        values = self._values(rows, self._support, c)
        self._rows[:, c], self._n_used = values, c + 1
        self.clock.lap("augmentation")
        return self._support, values

    def column(self, c: int, values: Vector) -> Vector:
        """Copy all other examples, then multiply."""
        result = np.empty(c + 1)
        others = np.setdiff1d(np.arange(c + 1), self._support)
        rows = self.X[others]
        self.clock.lap("selection")
        result[others] = self._values(rows, others, c)
        result[self._support] = values
        return result

    def row(self, k: int, n: int) -> Vector:
        """Compute the row; none of its values is stored."""
        self.clock.lap("rest")
        return self._values(self.X[:n], slice(n), k)

    def beta(self, c: int, column: Vector) -> Vector:
        """Multiply with the inverse."""
        self.clock.lap("rest")
        beta = -(self._inverse @ np.concatenate([[self.y[c]], column[self.margin]]))
        self.clock.lap("beta")
        return np.asarray(beta)

    def gamma(self, beta: Vector, column: Vector, membership: Indices) -> Vector:
        """Create K_SR, then multiply (Algorithm 4)."""
        rest = np.flatnonzero(membership != MARGIN)
        part = self._rows[np.ix_(self._positions(self.margin), rest)]
        self.clock.lap("gamma: matrix")
        gamma = np.zeros(len(membership))
        gamma[rest] = beta[0] * self.y[rest] + beta[1:] @ part + column[rest]
        self.clock.lap("gamma: product")
        return gamma

    def add_row(self, k: int, row: Vector) -> None:
        """Create a matrix with one more row."""
        self.clock.lap("rest")
        n_support, n = len(self._support), len(row)
        larger = np.empty((n_support + 1, self._rows.shape[1]))
        larger[:n_support, :n], larger[n_support, :n] = self._rows[:, :n], row  # unused columns are not copied
        self._rows, self._support = larger, np.append(self._support, k)
        self.clock.lap("augmentation")

    def remove_row(self, k: int) -> None:
        """Create a matrix with one row less."""
        self.clock.lap("rest")
        kept = np.flatnonzero(self._support != k)
        smaller = np.empty((len(kept), self._rows.shape[1]))
        smaller[:, : self._n_used] = self._rows[kept, : self._n_used]
        self._rows, self._support = smaller, self._support[kept]
        self.clock.lap("augmentation")

    def add_to_margin(self, k: int) -> None:
        """Create a larger inverse, and add a matrix of rank one."""
        self.clock.lap("rest")
        row = self._rows[self._positions(np.array([k]))[0]]
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
        else:  # the inverse of [[0, y], [y, K]], where y is 1 or -1
            self._inverse = np.array([[-row[k], self.y[k]], [self.y[k], 0.0]])
        self.margin = np.append(self.margin, k)
        self.clock.lap("inverse")

    def remove_from_margin(self, k: int) -> None:
        """Create a smaller inverse."""
        self.clock.lap("rest")
        position = int(np.flatnonzero(self.margin == k)[0])
        self.margin = np.delete(self.margin, position)
        side = np.delete(self._inverse[:, position + 1], position + 1)
        corner = self._inverse[position + 1, position + 1]
        smaller = np.delete(np.delete(self._inverse, position + 1, axis=0), position + 1, axis=1)
        self._inverse = smaller - np.outer(side, side) / corner if len(self.margin) else np.zeros((1, 1))
        self.clock.lap("inverse")


class ContiguousLayout(Layout):
    """Stores the margin set first and the other support vectors after it; rows are swapped in place."""

    def __init__(self, X: Vector, y: Vector, kernel: Kernel) -> None:
        super().__init__(X, y, kernel)
        capacity = 64
        self._order = np.empty(capacity, dtype=np.int64)
        self._n_margin = self._n_support = 0
        self._points = np.empty((capacity, X.shape[1]))
        self._rows = np.empty((capacity, len(y)))
        self._table = np.zeros((capacity + 1, capacity + 1))  # the inverse, in its upper left corner

    @property
    def margin(self) -> Indices:  # type: ignore[override]
        """The margin set, in the order of the inverse."""
        return self._order[: self._n_margin]

    def kernel_with_support(self, c: int) -> tuple[Indices, Vector]:
        """Multiply; the support vectors are contiguous."""
        self.clock.lap("rest")
        held = self._order[: self._n_support]
        values = self._values(self._points[: self._n_support], held, c)
        self._rows[: self._n_support, c] = values
        self.clock.lap("augmentation")
        return held, values

    def column(self, c: int, values: Vector) -> Vector:  # noqa: ARG002  computing all values avoids a selection
        """Multiply with all examples."""
        return self._values(self.X[: c + 1], slice(c + 1), c)

    def row(self, k: int, n: int) -> Vector:
        """Multiply with all examples."""
        self.clock.lap("rest")
        return self._values(self.X[:n], slice(n), k)

    def beta(self, c: int, column: Vector) -> Vector:
        """Multiply with the inverse."""
        self.clock.lap("rest")
        size = self._n_margin + 1
        beta = -(self._table[:size, :size] @ np.concatenate([[self.y[c]], column[self.margin]]))
        self.clock.lap("beta")
        return np.asarray(beta)

    def gamma(self, beta: Vector, column: Vector, membership: Indices) -> Vector:
        """Add up whole rows (Algorithm 3)."""
        n = len(membership)
        gamma = beta[1:] @ self._rows[: self._n_margin, :n]
        gamma += beta[0] * self.y[:n]
        gamma += column
        gamma[self.margin] = 0.0
        self.clock.lap("gamma: product")
        return np.asarray(gamma)

    def add_row(self, k: int, row: Vector) -> None:
        """Append a row in place."""
        self.clock.lap("rest")
        if self._n_support == len(self._order):
            self._grow(2 * self._n_support)
        position = self._n_support
        self._order[position], self._points[position] = k, self.X[k]
        self._rows[position, : len(row)] = row
        self._n_support += 1
        self.clock.lap("augmentation")

    def _grow(self, capacity: int) -> None:
        size = len(self._order)
        for name in ("_order", "_points", "_rows"):
            before = getattr(self, name)
            after = np.empty((capacity, *before.shape[1:]), dtype=before.dtype)
            after[:size] = before
            setattr(self, name, after)
        table = np.zeros((capacity + 1, capacity + 1))
        table[: size + 1, : size + 1] = self._table
        self._table = table

    def remove_row(self, k: int) -> None:
        """Replace the row by the last one."""
        self.clock.lap("rest")
        self._n_support -= 1
        self._swap(self._position(k), self._n_support)
        self.clock.lap("augmentation")

    def add_to_margin(self, k: int) -> None:
        """Enlarge the inverse in place."""
        self.clock.lap("rest")
        self._swap(self._position(k), self._n_margin)
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

    def remove_from_margin(self, k: int) -> None:
        """Swap the example to the end, then shrink the inverse."""
        self.clock.lap("rest")
        position, last, table = self._position(k), self._n_margin - 1, self._table
        self._swap(position, last)
        self.clock.lap("augmentation")
        size = self._n_margin
        table[[position + 1, last + 1], : size + 1] = table[[last + 1, position + 1], : size + 1]
        table[: size + 1, [position + 1, last + 1]] = table[: size + 1, [last + 1, position + 1]]
        self._n_margin -= 1
        if self._n_margin:
            side = table[:size, size].copy()
            table[:size, :size] -= np.outer(side / table[size, size], side)
        else:
            table[0, 0] = 0.0
        self.clock.lap("inverse")

    def _position(self, k: int) -> int:
        return int(np.flatnonzero(self._order[: self._n_support + 1] == k)[0])

    def _swap(self, one: int, other: int) -> None:
        if one != other:
            for table in (self._order, self._points, self._rows):
                table[[one, other]] = table[[other, one]]
