"""Support vectors and their coefficients."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hinge._model.labels import ClassTable
    from hinge._model.types import Array, Arrays, Rows


@dataclass(frozen=True)
class Support:
    """Support vectors, grouped by class and in the order of the stream within a class."""

    ids: NDArray[np.int64]
    vectors: Rows
    coefficients: NDArray[np.float64]  # one row per binary model
    counts: NDArray[np.int32]  # per class
    shift: Array = field(default_factory=lambda: np.zeros(0))  # subtracted from all rows by the native model

    @classmethod
    def of(cls, table: ClassTable, arrays: Arrays, vectors: Rows) -> Support:
        """Return the support vectors among the examples in the arrays of a native model."""
        coefficients = signed_coefficients(arrays, averaged=True)
        held = np.flatnonzero(coefficients.any(axis=0))
        places = np.argsort(table.numbers)[arrays["labels"][held]]
        held = held[np.lexsort((arrays["ids"][held], places))]
        return cls(
            ids=arrays["ids"][held],
            vectors=vectors[held],
            coefficients=table.arrange(coefficients[:, held].T).T,
            counts=np.bincount(places, minlength=len(table)).astype(np.int32),
            shift=arrays["shift"],
        )


def signed_coefficients(arrays: Arrays, *, averaged: bool = False) -> NDArray[np.float64]:
    """Extract the coefficients from the arrays of a native model: one row per binary model, one column per example.

    With `averaged`, models that predict with averaged coefficients return the averages.

    Examples
    --------
    >>> import numpy as np
    >>> members, alpha = np.array([0, 2, 1]), np.array([1.0, -1.0, 0.5])
    >>> arrays = {"ids": np.arange(3), "members": members, "member_counts": np.array([2, 1]), "alpha": alpha}
    >>> signed_coefficients(arrays).tolist()
    [[1.0, 0.0, -1.0], [0.0, 0.5, 0.0]]
    """
    counts = arrays["member_counts"]
    coefficients = np.zeros((len(counts), len(arrays["ids"])))
    owner, alpha = np.repeat(np.arange(len(counts)), counts), arrays["alpha"]
    if averaged and arrays["terms"].any():
        alpha = alpha - arrays["lag"] / np.maximum(arrays["terms"], 1.0)[owner]
    coefficients[owner, arrays["members"]] = alpha
    return coefficients
