"""Kernel values of rows with the examples that a model holds, and their derivatives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hinge import _core
from hinge._model.types import is_sparse
from hinge.exceptions import ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hinge._model.kernels import KernelSpec
    from hinge._model.state import State
    from hinge._model.support import Support
    from hinge._model.types import Array, Rows


def kernel_values(state: State, vectors: Rows, ids: NDArray[np.int64], shift: Array, X: Rows) -> NDArray[np.float64]:
    """Return the kernel values of rows against examples that a model holds."""
    if state.kernel.name == "precomputed":
        return np.asarray(X[:, ids], dtype=np.float64)
    kind: Any = _core.Map32 if state.storage.dtype == np.float32 else _core.Map64
    ((_, held),) = state.storage.batches(vectors)
    unused = np.zeros((1, len(ids)), dtype=state.storage.dtype)
    native = kind.nystroem(state.kernel.native(state.storage.dtype), held, ids, shift, unused)
    parts = [native.features(batch, raw=True) for _, batch in state.storage.batches(X)]
    return np.concatenate(parts).astype(np.float64)


def decision_gradients(state: State, support: Support, X: Rows) -> NDArray[np.float64]:
    """Return the derivatives of decision values by the features, shape (rows, binary models, features).

    Except for the Laplacian, the derivative of k(x, z) by x is a(x, z) z + b(x, z) x with two numbers a and b.
    """
    rows, vectors = _as_array(X), _as_array(support.vectors)
    if state.kernel.name == "laplacian":
        return np.stack([_laplacian_gradient(state.kernel, support.coefficients, vectors, row) for row in rows])
    by_vector, by_row = _derivatives(state.kernel, rows, vectors)
    gradients = np.empty((len(rows), len(support.coefficients), rows.shape[1]))
    for binary, coefficients in enumerate(support.coefficients):
        gradients[:, binary] = (by_vector * coefficients) @ vectors + (by_row @ coefficients)[:, None] * rows
    return gradients


def _derivatives(
    kernel: KernelSpec, rows: NDArray[np.float64], vectors: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the factors a and b of all pairs of rows and support vectors."""
    products = rows @ vectors.T
    none = np.zeros_like(products)
    if kernel.name == "linear":
        return np.ones_like(products), none
    if kernel.name == "poly":
        return kernel.degree * kernel.gamma * (kernel.gamma * products + kernel.coef0) ** (kernel.degree - 1), none
    if kernel.name == "sigmoid":
        return kernel.gamma * (1.0 - np.tanh(kernel.gamma * products + kernel.coef0) ** 2), none
    if kernel.name == "rbf":
        squares = (rows**2).sum(axis=1)[:, None] + (vectors**2).sum(axis=1) - 2.0 * products
        values = 2.0 * kernel.gamma * np.exp(-kernel.gamma * np.maximum(squares, 0.0))
        return values, -values
    raise ParameterError(
        f"sensitivity needs a kernel with known derivatives, got kernel={kernel.name!r}; use explain instead."
    )


def _laplacian_gradient(
    kernel: KernelSpec, coefficients: NDArray[np.float64], vectors: NDArray[np.float64], row: NDArray[np.float64]
) -> NDArray[np.float64]:
    differences = row - vectors
    values = np.exp(-kernel.gamma * np.abs(differences).sum(axis=1))
    gradient: NDArray[np.float64] = -kernel.gamma * (coefficients * values) @ np.sign(differences)
    return gradient


def _as_array(X: Rows) -> NDArray[np.float64]:
    return np.asarray(X.toarray() if is_sparse(X) else X, dtype=np.float64)
