"""The first examples of a stream, from which the landmarks of a Nystroem map are drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from scipy.sparse import issparse, vstack

from hinge.approximate._maps import rows_as_arrays, rows_from_arrays

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from hinge._model.state import Arrays
    from hinge._model.validation import Storage

GROWTH = 4  # a map serves until so many times the examples have come that it was built from


class Reservoir:
    """Examples of the beginning of a stream, all of them, until there are four for each landmark.

    A model answers from the first row on, so there is a first map of one landmark; when four times as many examples
    have come as a map was built from, the next one is drawn from all of them, and these are learned anew over it. With
    `GROWTH` examples for each landmark that there may be the sample is final, and the rest of the stream passes by.

    Parameters
    ----------
    n_landmarks : int
        The most landmarks that a map may have.

    Attributes
    ----------
    built_from : int
        How many examples the present map was built from; 0 when there is none.
    """

    PREFIX: ClassVar[str] = "held_"
    BUILT_FROM: ClassVar[str] = "held_built_from"

    def __init__(self, n_landmarks: int) -> None:
        self.built_from = 0
        self._n_landmarks = n_landmarks
        self._parts: list[tuple[Any, NDArray[Any], NDArray[Any], NDArray[Any]]] = []
        self._count = 0

    def __len__(self) -> int:
        return self._count

    @property
    def milestone(self) -> int:
        """How many examples there must be for the next map."""
        return min(GROWTH * self.built_from, GROWTH * self._n_landmarks) if self.built_from else 1

    @property
    def room(self) -> int:
        """How many more examples until then."""
        return self.milestone - self._count

    @property
    def is_complete(self) -> bool:
        """The present map is the final one."""
        return self.built_from >= GROWTH * self._n_landmarks

    @property
    def suffices(self) -> bool:
        """The next map is the final one."""
        return self._count >= GROWTH * self._n_landmarks

    def add(self, X: Any, targets: NDArray[np.float64], weights: NDArray[np.float64], ids: NDArray[np.int64]) -> None:
        """Take in examples, as copies."""
        self._parts.append((X.copy(), targets, weights, ids))
        self._count += len(ids)

    def examples(self) -> tuple[Any, NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
        """Return all examples: rows, targets, weights and places in the stream."""
        blocks, targets, weights, ids = zip(*self._parts, strict=True)
        return _stacked(blocks), np.concatenate(targets), np.concatenate(weights), np.concatenate(ids)

    def to_arrays(self) -> Arrays:
        """Return everything as plain arrays."""
        built_from = {self.BUILT_FROM: np.array([self.built_from])}
        if not self._parts:
            return built_from
        X, targets, weights, ids = self.examples()
        parts = rows_as_arrays(X) | {"targets": targets, "weights": weights, "ids": ids}
        return {self.PREFIX + name: array for name, array in parts.items()} | built_from

    @classmethod
    def from_arrays(cls, arrays: Arrays, built_from: int, storage: Storage, n_landmarks: int) -> Reservoir:
        """Return the reservoir that `to_arrays` took apart."""
        parts: dict[str, Any] = {name.removeprefix(cls.PREFIX): array for name, array in arrays.items()}
        reservoir = cls(n_landmarks)
        reservoir.built_from = built_from
        if not parts:
            return reservoir
        reservoir.add(rows_from_arrays(parts, storage), parts["targets"], parts["weights"], parts["ids"])
        return reservoir


def _stacked(blocks: Sequence[Any]) -> Any:
    if len(blocks) == 1:
        return blocks[0]
    return vstack(blocks, format="csr") if issparse(blocks[0]) else np.concatenate(blocks)
