"""Kernel values k(x, x), which the distance from the centre of a sphere depends on."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from hinge._model.kernels import CheckedFunction
from hinge._model.validation import squared_norms
from hinge.exceptions import DataError

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.sparse import csr_matrix

    from hinge._model.kernels import KernelSpec
    from hinge._model.state import State

    Rows: TypeAlias = NDArray[np.floating] | csr_matrix

_ROWS_PER_CALL = 32  # of a kernel function, which computes the values of all pairs of the rows it is given
_DIAGONAL_TOLERANCE = 1e-9  # relative rounding error of a constant diagonal


def kernel_diagonal(state: State, X: Rows) -> NDArray[np.float64]:
    """Return k(x, x) for every row of checked examples.

    Rows of a precomputed kernel do not contain this value. There it is the diagonal value of the examples held, which
    is the same for all of them.
    """
    kernel = state.kernel
    if kernel.name in ("rbf", "laplacian"):
        return np.ones(X.shape[0])
    if kernel.name == "precomputed":
        return np.full(X.shape[0], _precomputed_diagonal(state))
    if kernel.function is not None:
        function = CheckedFunction(kernel.function, state.storage.dtype)
        parts = [
            block[start : start + _ROWS_PER_CALL]
            for _, block in state.storage.blocks(X)
            for start in range(0, block.shape[0], _ROWS_PER_CALL)
        ]
        return np.concatenate([function(part, part).diagonal() for part in parts])
    return _diagonal_from_norms(kernel, X)


def require_constant_diagonal(state: State, square: NDArray[np.float64]) -> None:
    """Raise DataError if the diagonal of a precomputed kernel is not constant.

    At prediction time only the kernel values against the training examples are known. The value k(x, x) is known only
    if it is the same for all examples.

    Parameters
    ----------
    state : State
        The model that is about to learn.
    square : array of shape (n_new, n_new)
        Kernel values of the new examples against each other.
    """
    diagonal = square.diagonal()
    known = _precomputed_diagonal(state) if state.native.n_retained else float(diagonal[0])
    farthest = float(diagonal[np.abs(diagonal - known).argmax()])
    if abs(farthest - known) > _DIAGONAL_TOLERANCE * abs(known):
        raise DataError(
            "A precomputed kernel must have a constant diagonal when shape is 'sphere', got "
            f"{known:g} and {farthest:g}; divide each value by the square roots of its two diagonal values, or give "
            "the kernel as a function."
        )


def _diagonal_from_norms(kernel: KernelSpec, X: Rows) -> NDArray[np.float64]:
    squares = squared_norms(X)
    if kernel.name == "linear":
        return squares
    with np.errstate(over="ignore"):  # an infinite decision value raises an error later
        inner = kernel.gamma * squares + kernel.coef0
        return inner**kernel.degree if kernel.name == "poly" else np.tanh(inner)


def _precomputed_diagonal(state: State) -> float:
    """Return k(x, x) of the examples held, for a precomputed kernel with a constant diagonal."""
    _, arrays = state.snapshot()
    return float(arrays["values"][0, arrays["ids"][0]])
