"""The first examples of a stream, from which the landmarks of a Nystroem map are drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np
from scipy.sparse import vstack

from hinge._model.types import is_sparse
from hinge._model.widening import rows_as_arrays
from hinge.approximate._maps import rows_from_arrays

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from hinge._model.types import Array, Arrays, Rows
    from hinge._model.validation import Storage

GROWTH = 4  # the next map is due when there are so many times the examples of the present one


class Reservoir:
    """The first examples of a stream, all of them until there are `GROWTH` per landmark.

    A model predicts from the first row on, so the first map has one landmark. When the number of examples has grown by
    the factor `GROWTH` since the last map, the next map is drawn from all of them, and the model learns them again with
    the new map. The map is final when there are `GROWTH` examples for each of the `n_landmarks` landmarks; later
    examples of the stream are not stored.

    Parameters
    ----------
    n_landmarks : int
        Largest number of landmarks of a map.

    Attributes
    ----------
    n_at_last_map : int
        Number of examples when the present map was made; 0 if there is no map.
    """

    PREFIX: ClassVar[str] = "held_"

    def __init__(self, n_landmarks: int) -> None:
        self.n_at_last_map = 0
        self._n_landmarks = n_landmarks
        self._parts: list[tuple[Rows, Array, Array, Array]] = []
        self._count = 0

    def __len__(self) -> int:
        return self._count

    @property
    def n_for_next_map(self) -> int:
        """Number of examples at which the next map is due."""
        return min(GROWTH * self.n_at_last_map, GROWTH * self._n_landmarks) if self.n_at_last_map else 1

    @property
    def n_missing(self) -> int:
        """Number of further examples until the next map is due."""
        return self.n_for_next_map - self._count

    @property
    def map_is_final(self) -> bool:
        """True if the present map is the last."""
        return self.n_at_last_map >= GROWTH * self._n_landmarks

    @property
    def next_map_is_final(self) -> bool:
        """True if there are enough examples for the last map."""
        return self._count >= GROWTH * self._n_landmarks

    def add(self, X: Rows, targets: NDArray[np.float64], weights: NDArray[np.float64], ids: NDArray[np.int64]) -> None:
        """Add copies of examples."""
        self._parts.append((X.copy(), targets, weights, ids))
        self._count += len(ids)

    def examples(self) -> tuple[Rows, NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
        """Return all examples: rows, targets, weights and positions in the stream."""
        blocks, targets, weights, ids = zip(*self._parts, strict=True)
        return _stack(blocks), np.concatenate(targets), np.concatenate(weights), np.concatenate(ids)

    def to_arrays(self) -> Arrays:
        """Return the examples as plain arrays; none if there are no examples."""
        if not self._parts:
            return {}
        X, targets, weights, ids = self.examples()
        arrays = rows_as_arrays(X) | {"targets": targets, "weights": weights, "ids": ids}
        return {self.PREFIX + name: array for name, array in arrays.items()}

    @classmethod
    def from_arrays(cls, arrays: Arrays, n_at_last_map: int, storage: Storage, n_landmarks: int) -> Reservoir:
        """Build a reservoir from the result of `to_arrays`."""
        reservoir = cls(n_landmarks)
        reservoir.n_at_last_map = n_at_last_map
        if arrays:
            named = {name.removeprefix(cls.PREFIX): array for name, array in arrays.items()}
            reservoir.add(rows_from_arrays(named, storage), named["targets"], named["weights"], named["ids"])
        return reservoir


def _stack(blocks: Sequence[Rows]) -> Rows:
    if len(blocks) == 1:
        return blocks[0]
    return vstack(blocks, format="csr") if is_sparse(blocks[0]) else np.concatenate(blocks)
