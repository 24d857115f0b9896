"""Statistics of columns, collected chunk by chunk.

Mean and variance of two sets of rows are merged by Chan's formula: with counts n and m, means a and b, and sums of
squared deviations A and B, the union has the mean (n a + m b) / (n + m) and the sum A + B + (a - b)^2 n m / (n + m).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_matrix, issparse
from sklearn.utils.sparsefuncs import mean_variance_axis, min_max_axis

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hinge.tables._preparation import Matrix


class Statistics:
    """Statistics of the columns of chunks of rows; a column that is missing in earlier chunks held zeros there.

    Attributes
    ----------
    n_rows, n_stored : int
        Numbers of rows, and of entries that are not zero.
    mean, low, high : ndarray of shape (n_columns,)
        Mean, smallest and largest entry of each column.
    binary : ndarray of bool of shape (n_columns,)
        Columns that hold only 0 and 1.

    Examples
    --------
    >>> import numpy as np
    >>> statistics = Statistics()
    >>> statistics.add(np.array([[0.0], [1.0]]))
    >>> statistics.add(np.array([[2.0, 3.0]]))
    >>> statistics.mean.tolist(), statistics.high.tolist(), statistics.binary.tolist()
    ([1.0, 1.0], [2.0, 3.0], [False, False])
    """

    def __init__(self) -> None:
        self.n_rows = 0
        self.n_stored = 0
        self.mean = self.low = self.high = self._squares = np.zeros(0)
        self.binary = np.zeros(0, dtype=bool)

    @property
    def n_columns(self) -> int:
        """The number of columns so far."""
        return len(self.mean)

    @property
    def deviation(self) -> NDArray[np.float64]:
        """The standard deviation of each column."""
        deviation: NDArray[np.float64] = np.sqrt(self._squares / max(self.n_rows, 1))
        return deviation

    @property
    def density(self) -> float:
        """The fraction of entries that are not zero."""
        return self.n_stored / max(self.n_rows * self.n_columns, 1)

    @property
    def size(self) -> NDArray[np.float64]:
        """The largest absolute entry of each column."""
        return np.maximum(np.abs(self.low), np.abs(self.high))

    def add(self, X: Matrix) -> None:
        """Add rows of finite numbers, dense or CSR."""
        m = X.shape[0]
        if not m:
            return
        n_columns = max(self.n_columns, X.shape[1])
        self._widen(n_columns)
        if X.shape[1] < n_columns:
            X = _widened(X, n_columns)
        with np.errstate(over="ignore", invalid="ignore"):  # where squares overflow, they are not used
            self._merge(X, *_moments(X))
        self.binary &= _binary(X)
        self.n_stored += int(X.nnz if issparse(X) else np.count_nonzero(X))
        self.n_rows += m

    def _merge(self, X: Matrix, mean: NDArray[np.float64], squares: NDArray[np.float64]) -> None:
        """Merge the moments of rows, and the smallest and largest entries of their columns."""
        m = X.shape[0]
        low, high = min_max_axis(X, axis=0) if issparse(X) else (X.min(axis=0), X.max(axis=0))
        n, total = self.n_rows, self.n_rows + m
        self._squares = self._squares + squares + (mean - self.mean) ** 2 * (n * m / total)
        self.mean = self.mean + (mean - self.mean) * (m / total)
        self.low = np.minimum(self.low, low) if n else np.asarray(low, dtype=np.float64)
        self.high = np.maximum(self.high, high) if n else np.asarray(high, dtype=np.float64)

    @classmethod
    def of_one_hot(cls, n_rows: int, n_columns: int) -> Statistics:
        """Return statistics of one-hot columns, as far as scaling needs them."""
        indicators = cls()
        if n_columns:
            indicators.add(np.eye(max(n_columns, 2), n_columns))
        indicators.n_rows, indicators.n_stored = n_rows, n_rows if n_columns else 0
        return indicators

    @classmethod
    def joined(cls, parts: list[Statistics]) -> Statistics:
        """Return the statistics of columns side by side."""
        whole = cls()
        whole.n_rows = max((part.n_rows for part in parts), default=0)
        whole.n_stored = sum(part.n_stored for part in parts)
        for name in ("mean", "low", "high", "_squares", "binary"):
            setattr(whole, name, np.concatenate([getattr(whole, name), *(getattr(part, name) for part in parts)]))
        whole.binary = whole.binary.astype(bool)
        return whole

    def of_columns(self, columns: slice | list[int]) -> Statistics:
        """Return the statistics of some columns; entries are still those of all."""
        rest = Statistics()
        rest.n_rows, rest.n_stored = self.n_rows, self.n_stored
        for name in ("mean", "low", "high", "_squares", "binary"):
            setattr(rest, name, getattr(self, name)[columns])
        return rest

    def _widen(self, n_columns: int) -> None:
        missing = n_columns - self.n_columns
        if missing:
            self.mean, self.low, self.high, self._squares = (
                np.concatenate([values, np.zeros(missing)])
                for values in (self.mean, self.low, self.high, self._squares)
            )
            self.binary = np.concatenate([self.binary, np.ones(missing, dtype=bool)])


def _widened(X: Matrix, n_columns: int) -> Matrix:
    if issparse(X):
        return csr_matrix((X.data, X.indices, X.indptr), shape=(X.shape[0], n_columns))
    return np.pad(X, ((0, 0), (0, n_columns - X.shape[1])))


def _moments(X: Matrix) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the mean of each column and the sum of its squared deviations."""
    if issparse(X):
        mean, variance = mean_variance_axis(X, axis=0)
    else:
        mean = X.mean(axis=0, dtype=np.float64)
        variance = np.square(X - mean).mean(axis=0)
    return np.asarray(mean, dtype=np.float64), np.asarray(variance, dtype=np.float64) * X.shape[0]


def _binary(X: Matrix) -> NDArray[np.bool_]:
    if not issparse(X):
        binary: NDArray[np.bool_] = ((X == 0) | (X == 1)).all(axis=0)
        return binary
    binary = np.ones(X.shape[1], dtype=bool)
    binary[X.indices[(X.data != 1) & (X.data != 0)]] = False
    return binary
