"""Sparse matrices in the form that LIBSVM expects."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_matrix

if TYPE_CHECKING:
    from numpy.typing import NDArray


def explicit_rows(rows: NDArray[np.float64]) -> csr_matrix:
    """Return rows of coefficients as a sparse matrix that stores zeros too, as LIBSVM expects.

    Examples
    --------
    >>> import numpy as np
    >>> explicit_rows(np.array([[0.0, 2.0]])).nnz
    2
    """
    n_rows, n_columns = rows.shape
    columns = np.tile(np.arange(n_columns, dtype=np.int32), n_rows)
    return csr_matrix((rows.ravel(), columns, np.arange(n_rows + 1) * n_columns), shape=rows.shape)
