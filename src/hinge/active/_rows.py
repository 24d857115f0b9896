"""Rows of everything that estimators accept as X: arrays, CSR matrices, DataFrames and lists."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np
from scipy.sparse import issparse

from hinge._model.labels import require_unmasked
from hinge._model.validation import as_csr

if TYPE_CHECKING:
    from collections.abc import Sized

    from numpy.typing import ArrayLike, NDArray
    from scipy.sparse import csr_matrix

RowsLike: TypeAlias = "ArrayLike | csr_matrix"  # DataFrames are array-like
Label: TypeAlias = str | int | float | bool
Labels: TypeAlias = "NDArray[Any]"


def count_rows(X: RowsLike) -> int:
    """Return the number of rows.

    Examples
    --------
    >>> count_rows([[1.0], [2.0]])
    2
    """
    shape: tuple[int, ...] = getattr(X, "shape", ())
    return int(shape[0]) if shape else len(cast("Sized", X))


def take_rows(X: RowsLike, rows: NDArray[np.integer]) -> RowsLike:
    """Return rows by their indices, in the order given; DataFrames stay DataFrames and sparse matrices stay sparse.

    Examples
    --------
    >>> import numpy as np
    >>> take_rows([[1.0], [2.0], [3.0]], np.array([2, 0])).tolist()
    [[3.0], [1.0]]
    """
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    require_unmasked(X, "X")
    # Slicing one row takes half the time of indexing it by an array.
    index = slice(rows[0], rows[0] + 1) if len(rows) == 1 else rows
    return (as_csr(X) if issparse(X) else np.asarray(X))[index]
