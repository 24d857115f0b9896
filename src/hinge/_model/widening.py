"""Adding features to a fitted model.

Kernels depend on inner products or differences of examples only. A new feature that is 0 in every example so far
changes neither, so a model stays the same function when columns of zeros are appended to the rows it stores.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_matrix

from hinge._model.first_examples import rows_as_arrays

if TYPE_CHECKING:
    from hinge._model.types import Array, Arrays


def widen_arrays(arrays: Arrays, n_features: int, *, to_sparse: bool) -> Arrays:
    """Append columns of zeros to the rows among the arrays of a state.

    Parameters
    ----------
    arrays : dict
        Arrays of a state. Dense rows are the arrays whose name ends with "values"; sparse rows need no change.
    n_features : int
        Number of columns of the result.
    to_sparse : bool
        Whether to convert dense rows to CSR arrays.

    Examples
    --------
    >>> import numpy as np
    >>> arrays = {"values": np.array([[1.0, 2.0]]), "shift": np.zeros(0), "alpha": np.ones(1)}
    >>> widen_arrays(arrays, 3, to_sparse=False)["values"].tolist()
    [[1.0, 2.0, 0.0]]
    >>> sorted(widen_arrays(arrays, 3, to_sparse=True))
    ['alpha', 'data', 'indices', 'indptr', 'shift']
    """
    shift, wide = arrays["shift"], dict(arrays)
    for name in [name for name in arrays if name.endswith("values")]:
        rows = wide.pop(name)
        if (
            to_sparse
        ):  # sparse rows have no shift; kernel expansions store dense rows minus it, but first examples whole
            is_shifted = shift.size > 0 and name == "values" and "shift_chosen" in arrays
            rows = csr_matrix(rows + shift if is_shifted else rows)
        else:
            rows = _padded(rows, n_features)
        prefix = name.removesuffix("values")
        wide.update({prefix + part: array for part, array in rows_as_arrays(rows).items()})
    if shift.size:
        wide["shift"] = shift[:0] if to_sparse else _padded(shift[None, :], n_features).ravel()
    return wide


def _padded(rows: Array, n_features: int) -> Array:
    wide = np.zeros((rows.shape[0], n_features), dtype=rows.dtype)
    wide[:, : rows.shape[1]] = rows
    return wide
