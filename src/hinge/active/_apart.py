"""Batches without near-duplicates: two answers about the same thing teach hardly more than one.

Rows are near-duplicates when their distance is below a share of the typical one, the root of the mean squared distance
between two rows at random. That mean is twice the sum of the variances of the columns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import csr_matrix, issparse

from hinge.active._rows import count_rows, take_rows

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Near = Callable[[int, list[int]], bool]

LOOKED_AT = 20  # rows considered for each one wanted: those further down are worth less than a near-duplicate
_ENOUGH_FOR_A_MEAN = 1000


def apart(X: Any, ranked: NDArray[np.int64], n: int, spread: float) -> NDArray[np.int64]:
    """Return n rows, the best first of which no two are near-duplicates; where there are too few, duplicates follow.

    Parameters
    ----------
    X : array-like, CSR matrix or DataFrame
        Rows. Where they are not all numbers, equal rows count as duplicates.
    ranked : ndarray
        Rows in the order of their merit.
    n : int
        Rows wanted.
    spread : float
        Share of the typical distance below which rows are near-duplicates.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0], [0.01], [1.0], [2.0]])
    >>> apart(X, np.array([1, 0, 3, 2]), n=3, spread=0.1).tolist()
    [1, 3, 2]
    """
    if n == 1 or spread == 0 or len(ranked) <= n:
        return ranked[:n]
    near = _nearness(take_rows(X, ranked), X, spread)
    chosen: list[int] = []
    for place in range(len(ranked)):
        if len(chosen) == n:
            break
        if not near(place, chosen):
            chosen.append(place)
    others = np.setdiff1d(np.arange(len(ranked)), chosen).tolist()
    places: list[int] = chosen + others[: n - len(chosen)]
    return np.asarray(ranked[places])


def _nearness(rows: Any, X: Any, spread: float) -> Near:
    """Return whether one of some rows is a near-duplicate of some others."""
    try:
        points, limit = _points(rows), spread**2 * _mean_square_distance(X)
    except (TypeError, ValueError):
        return _equality(rows)
    if not issparse(points):
        points = points - points.mean(axis=0)  # far from the origin, distances would be lost in rounding
    norms = np.ravel(_squares(points).sum(axis=1))

    def near(place: int, chosen: list[int]) -> bool:
        products = points[chosen] @ points[place].T
        products = products.toarray() if issparse(products) else products
        distances = norms[chosen] + norms[place] - 2 * np.ravel(products)
        return bool((distances <= limit + 1e-12 * norms[place]).any())

    return near


def _equality(rows: Any) -> Near:
    """Return whether a row of anything equals one of some others."""
    texts = [repr(row) for row in np.asarray(rows, dtype=object).tolist()]
    return lambda place, chosen: any(texts[place] == texts[other] for other in chosen)


def _mean_square_distance(X: Any) -> float:
    n_rows = count_rows(X)
    step = max(1, n_rows // _ENOUGH_FOR_A_MEAN)
    sample = take_rows(X, np.arange(0, n_rows, step))
    points = _points(sample)
    if not issparse(points):
        return 2 * float(points.var(axis=0).sum())
    return 2 * float(_squares(points).mean(axis=0).sum() - np.square(points.mean(axis=0)).sum())


def _points(rows: Any) -> Any:
    if issparse(rows):
        return csr_matrix(rows, dtype=np.float64)
    points = np.asarray(rows, dtype=np.float64)
    if points.ndim != 2:
        raise ValueError("Rows of numbers have columns.")  # a list of texts, all of digits, has none
    return points


def _squares(points: Any) -> Any:
    return points.multiply(points) if issparse(points) else points**2
