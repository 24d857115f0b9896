"""Rows of anything that estimators take: arrays, CSR matrices, DataFrames, lists."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import issparse

from hinge._model.labels import require_unmasked
from hinge._model.validation import as_csr

if TYPE_CHECKING:
    from numpy.typing import NDArray


def count_rows(X: Any) -> int:
    """Return the number of rows.

    Examples
    --------
    >>> count_rows([[1.0], [2.0]])
    2
    """
    return int(X.shape[0]) if getattr(X, "shape", ()) else len(X)


def take_rows(X: Any, rows: NDArray[Any]) -> Any:
    """Return some rows, in the order asked for; DataFrames stay DataFrames and sparse matrices sparse.

    Examples
    --------
    >>> import numpy as np
    >>> take_rows([[1.0], [2.0], [3.0]], np.array([2, 0])).tolist()
    [[3.0], [1.0]]
    """
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    require_unmasked(X, "X")
    if len(rows) == 1:  # a slice takes half the time
        rows = slice(rows[0], rows[0] + 1)  # type: ignore[assignment]
    return (as_csr(X) if issparse(X) else np.asarray(X))[rows]
