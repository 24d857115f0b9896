"""Type aliases: what users pass as parameters and data, and what the checks turn it into."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    from typing import TypeGuard, TypeVar

    from scipy.sparse import csr_matrix

    Method = TypeVar("Method", bound=Callable[..., object])

    def is_sparse(X: object) -> TypeGuard[csr_matrix]:
        """Return True for sparse matrices."""

    def available_if(check: Callable[[Any], bool]) -> Callable[[Method], Method]:
        """Decorate a method that only some estimators have."""
else:
    from scipy.sparse import issparse as is_sparse  # it returns a bool that tells mypy nothing
    from sklearn.utils.metaestimators import available_if  # untyped: methods would lose their types

__all__ = [
    "Array",
    "Arrays",
    "ClassWeight",
    "DType",
    "Gamma",
    "IdList",
    "Kernel",
    "KernelFunction",
    "Labels",
    "MatrixLike",
    "RandomStateLike",
    "Rows",
    "Values",
    "available_if",
    "is_sparse",
]

# Data as users pass them. SciPy ships no types, so mypy accepts any object as a CSR matrix.
MatrixLike: TypeAlias = "ArrayLike | csr_matrix"
IdList: TypeAlias = Hashable | Iterable[Hashable]  # one id, or several

# Data after validation.
Array: TypeAlias = NDArray[Any]  # of any dtype
Arrays: TypeAlias = dict[str, Array]
DType: TypeAlias = np.dtype[Any]
Labels: TypeAlias = Array  # numbers, strings or objects, one per row
Rows: TypeAlias = "Array | csr_matrix"  # or TakenRows, where rows are taken from a pool

# Parameters of estimators.
KernelFunction: TypeAlias = Callable[[Any, Any], Any]  # two sets of rows -> the matrix of their kernel values
Kernel: TypeAlias = str | KernelFunction
Gamma: TypeAlias = str | float
ClassWeight: TypeAlias = Mapping[Any, float] | str | None
RandomStateLike: TypeAlias = int | np.random.RandomState | None

Values: TypeAlias = dict[str, Any]  # named values that JSON can represent
