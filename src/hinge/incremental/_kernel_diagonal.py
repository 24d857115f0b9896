"""Kernel values k(x, x), which the distance from the centre of a sphere depends on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hinge._model.kernels import CheckedFunction
from hinge._model.validation import squared_norms
from hinge.exceptions import DataError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hinge._model.kernels import KernelSpec
    from hinge._model.types import Rows
    from hinge._model.validation import Storage

_ROWS_PER_CALL = 32  # of a kernel function, which computes the values of all pairs of the rows it is given
_DIAGONAL_TOLERANCE = 1e-9  # relative rounding error of a constant diagonal


@dataclass(frozen=True)
class KernelDiagonal:
    """Computes k(x, x).

    Attributes
    ----------
    kernel : KernelSpec
        The kernel.
    storage : Storage
        How the model stores rows.
    constant : float or None
        The value itself for a precomputed kernel, whose rows do not contain it; it must be the same for all examples.
    """

    kernel: KernelSpec
    storage: Storage
    constant: float | None = None

    def of(self, X: Rows) -> NDArray[np.float64]:
        """Return k(x, x) for every row of checked examples."""
        kernel = self.kernel
        if kernel.name in ("rbf", "laplacian"):
            return np.ones(X.shape[0])
        if self.constant is not None:
            return np.full(X.shape[0], self.constant)
        if kernel.function is not None:
            function = CheckedFunction(kernel.function, self.storage.dtype)
            parts = [
                block[start : start + _ROWS_PER_CALL]
                for _, block in self.storage.blocks(X)
                for start in range(0, block.shape[0], _ROWS_PER_CALL)
            ]
            return np.concatenate([function(part, part).diagonal() for part in parts])
        return _diagonal_from_norms(kernel, X)


def require_constant_diagonal(square: NDArray[np.float64], known: float | None) -> None:
    """Raise DataError if the diagonal of a precomputed kernel is not constant.

    At prediction time only the kernel values against the training examples are known. The value k(x, x) is known only
    if it is the same for all examples.

    Parameters
    ----------
    square : array of shape (n_new, n_new)
        Kernel values of the new examples against each other.
    known : float or None
        The diagonal value of the examples held, if there are any.
    """
    diagonal = square.diagonal()
    known = float(diagonal[0]) if known is None else known
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
        if kernel.name == "poly":
            return inner**kernel.degree
        if kernel.name == "sigmoid":
            return np.tanh(inner)
    raise NotImplementedError(f"k(x, x) of the kernel {kernel.name!r}")
