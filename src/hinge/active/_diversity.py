"""Batches without near-duplicates: two labels of nearly the same row help hardly more than one.

Rows are near-duplicates when their distance is below a share of the typical distance, the root of the mean squared
distance between two random rows. That mean is twice the sum of the variances of the columns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from scipy.sparse import csr_matrix, issparse

from hinge.active._rows import count_rows, take_rows

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from hinge.active._rows import RowsLike

    IsDuplicate = Callable[[int, list[int]], bool]

Points: TypeAlias = "NDArray[np.float64] | csr_matrix"

CANDIDATES_PER_ROW = 20  # rows further down the ranking are worth less than a near-duplicate
_ROWS_FOR_MEAN = 1000


def diverse_batch(X: RowsLike, ranked: NDArray[np.int64], n: int, spread: float) -> NDArray[np.int64]:
    """Return the n best rows without near-duplicates; if there are too few of them, near-duplicates follow.

    Parameters
    ----------
    X : array-like, CSR matrix or DataFrame
        Rows. If they are not all numbers, only equal rows count as duplicates.
    ranked : ndarray
        Row indices, best first.
    n : int
        Number of rows to return.
    spread : float
        Share of the typical distance below which rows are near-duplicates.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0], [0.01], [1.0], [2.0]])
    >>> diverse_batch(X, np.array([1, 0, 3, 2]), n=3, spread=0.1).tolist()
    [1, 3, 2]
    """
    if n == 1 or spread == 0 or len(ranked) <= n:
        return ranked[:n]
    is_duplicate = _duplicate_test(take_rows(X, ranked), X, spread)
    chosen: list[int] = []
    for position in range(len(ranked)):
        if len(chosen) == n:
            break
        if not is_duplicate(position, chosen):
            chosen.append(position)
    others = np.setdiff1d(np.arange(len(ranked)), chosen).tolist()
    positions: list[int] = chosen + others[: n - len(chosen)]
    return np.asarray(ranked[positions])


def _duplicate_test(rows: RowsLike, X: RowsLike, spread: float) -> IsDuplicate:
    """Return a function that tells whether one of `rows` is a near-duplicate of some others of them."""
    try:
        points, limit = _as_points(rows), spread**2 * _mean_squared_distance(X)
    except (TypeError, ValueError):
        return _equality_test(rows)
    if not issparse(points):
        points = points - points.mean(axis=0)  # far from the origin, rounding would swallow the distances
    norms = np.ravel(_squares(points).sum(axis=1))

    def is_duplicate(position: int, chosen: list[int]) -> bool:
        products = points[chosen] @ points[position].T
        products = products.toarray() if issparse(products) else products
        distances = norms[chosen] + norms[position] - 2 * np.ravel(products)
        return bool((distances <= limit + 1e-12 * norms[position]).any())

    return is_duplicate


def _equality_test(rows: RowsLike) -> IsDuplicate:
    """Return a function that tells whether a row of any values equals one of some others."""
    texts = [repr(row) for row in np.asarray(rows, dtype=object).tolist()]
    return lambda position, chosen: any(texts[position] == texts[other] for other in chosen)


def _mean_squared_distance(X: RowsLike) -> float:
    n_rows = count_rows(X)
    step = max(1, n_rows // _ROWS_FOR_MEAN)
    points = _as_points(take_rows(X, np.arange(0, n_rows, step)))
    if not issparse(points):
        return 2 * float(points.var(axis=0).sum())
    return 2 * float(_squares(points).mean(axis=0).sum() - np.square(points.mean(axis=0)).sum())


def _as_points(rows: RowsLike) -> Points:
    if issparse(rows):
        return csr_matrix(rows, dtype=np.float64)
    points = np.asarray(rows, dtype=np.float64)
    if points.ndim != 2:  # a list of strings of digits, for example
        raise ValueError("Rows of numbers must have columns.")
    return points


def _squares(points: Points) -> Points:
    return points**2 if isinstance(points, np.ndarray) else points.multiply(points)
