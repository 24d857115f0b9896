"""k(x, x), which a sphere must know of every example that it is asked about."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hinge._model.kernels import CheckedFunction
from hinge._model.validation import squared_norms
from hinge.exceptions import DataError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hinge._model.kernels import KernelSpec
    from hinge._model.state import State

_ROWS = 32  # given to a kernel function in one go, which has them all times each other to compute
_SLACK = 1e-9  # of a diagonal, by which rounding may change it


def self_similarity(state: State, X: Any) -> NDArray[np.float64]:
    """Return k(x, x) of every row of checked examples; with a precomputed kernel, the diagonal of those held."""
    kernel = state.kernel
    if kernel.name in ("rbf", "laplacian"):
        return np.ones(X.shape[0])
    if kernel.name == "precomputed":
        return np.full(X.shape[0], _diagonal(state))
    if kernel.function is not None:
        function = CheckedFunction(kernel.function, state.storage.dtype)
        pieces = [block[start : start + _ROWS] for _, block in state.storage.blocks(X) for start in _starts(block)]
        return np.concatenate([function(piece, piece).diagonal() for piece in pieces])
    return _of_squared_norms(kernel, X)


def require_constant(state: State, square: NDArray[np.float64]) -> None:
    """Refuse kernel values, computed beforehand, of new examples against themselves that differ on the diagonal.

    Of an example that a model is asked about, its kernel values against those learned are all that is given. Its value
    against itself is known only when it is the same for all.
    """
    diagonal = square.diagonal()
    known = _diagonal(state) if state.native.n_retained else float(diagonal[0])
    farthest = float(diagonal[np.abs(diagonal - known).argmax()])
    if abs(farthest - known) > _SLACK * abs(known):
        raise DataError(
            "A precomputed kernel must have the same value everywhere on its diagonal when shape is 'sphere', got "
            f"{known:g} and {farthest:g}; divide it by the roots of both its diagonal values, or give the kernel as a "
            "function."
        )


def _of_squared_norms(kernel: KernelSpec, X: Any) -> NDArray[np.float64]:
    squares = squared_norms(X)
    if kernel.name == "linear":
        return squares
    with np.errstate(over="ignore"):  # infinity becomes a decision value, which is refused
        inner = kernel.gamma * squares + kernel.coef0
        return inner**kernel.degree if kernel.name == "poly" else np.tanh(inner)


def _diagonal(state: State) -> float:
    """Return k(x, x) of the examples held, where it is the same for all and kernel values were computed beforehand."""
    _, arrays = state.snapshot()
    return float(arrays["values"][0, arrays["ids"][0]])


def _starts(block: Any) -> range:
    return range(0, block.shape[0], _ROWS)
