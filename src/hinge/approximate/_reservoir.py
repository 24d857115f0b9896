"""Examples of a stream from which the landmarks of a Nystroem map are drawn: the first ones, or recent ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np
from scipy.sparse import vstack

from hinge._model.types import is_sparse
from hinge.approximate._maps import rows_as_arrays, rows_from_arrays

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from hinge._model.options import ApproximateOptions
    from hinge._model.types import Array, Arrays, Rows, Values
    from hinge._model.validation import Storage

GROWTH = 4  # the next map is due when there are so many times the examples of the present one
_HALF_LIVES = 2  # older examples say little about a stream that forgets
_MIN_RECENT = 64  # examples for a map, however short the half-life
_MAP_LIFE = 0.25  # half-lives until a map is replaced, unless the examples for the next one take longer
_MAX_SKIPPED = 1e15


class Reservoir:
    """Examples stored for the next map of a stream.

    At first these are all examples, until there are `GROWTH` per landmark (`capacity`).

    A model predicts from the first row on, so the first map has one landmark. When the number of examples has grown by
    the factor `GROWTH` since the last map, the next map is drawn from all of them, and the model learns them again with
    the new map. When there are `capacity` examples, the map is final, and later examples are not stored.

    If the stream forgets, no map is final, since the examples may move away from its landmarks. A model with a short
    half-life stores fewer examples. Once it has `capacity` of them, it makes a new map after each quarter of a
    half-life, or after `capacity` examples if these are more; only the last `capacity` examples before the new map are
    stored.

    Parameters
    ----------
    n_landmarks : int
        Largest number of landmarks of a map.
    half_life : float or None
        Number of examples after which one counts half; None if the stream does not forget.

    Attributes
    ----------
    capacity : int
        Largest number of examples.
    n_at_last_map : int
        Number of examples when the present map was made; 0 if there is no map.
    n_to_skip : int or None
        Number of examples that will not be stored before the next one is; None while the map still grows.
    """

    PREFIX: ClassVar[str] = "held_"

    def __init__(self, n_landmarks: int, half_life: float | None = None) -> None:
        self.capacity = GROWTH * n_landmarks
        if half_life is not None:
            self.capacity = int(min(self.capacity, max(_HALF_LIVES * half_life, _MIN_RECENT)))
        self.n_at_last_map = 0
        self.n_to_skip: int | None = None
        self._parts: list[tuple[Rows, Array, Array, Array]] = []
        self._count = 0

    def __len__(self) -> int:
        return self._count

    @property
    def n_for_next_map(self) -> int:
        """Number of examples at which the next map is due."""
        if self.n_to_skip is not None:
            return self.capacity
        return min(GROWTH * self.n_at_last_map, self.capacity) if self.n_at_last_map else 1

    @property
    def n_missing(self) -> int:
        """Number of further examples until the next map is due."""
        return self.n_for_next_map - self._count

    @property
    def map_is_final(self) -> bool:
        """True if the present map is the last."""
        return self.n_at_last_map >= self.capacity

    @property
    def next_map_is_final(self) -> bool:
        """True if there are enough examples for the last map."""
        return self._count >= self.capacity

    @classmethod
    def of_recent(cls, n_landmarks: int, half_life: float) -> Reservoir:
        """Return an empty reservoir for the recent examples of a stream that forgets."""
        reservoir = cls(n_landmarks, half_life)
        reservoir.n_to_skip = max(int(min(_MAP_LIFE * half_life, _MAX_SKIPPED)) - reservoir.capacity, 0)
        reservoir.n_at_last_map = reservoir.capacity
        return reservoir

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

    def to_values(self) -> Values:
        """Return the numbers that are not in the arrays."""
        return {"built_from": self.n_at_last_map} | ({} if self.n_to_skip is None else {"n_to_skip": self.n_to_skip})

    @classmethod
    def from_arrays(cls, arrays: Arrays, values: Values, storage: Storage, options: ApproximateOptions) -> Reservoir:
        """Build a reservoir from the results of `to_arrays` and `to_values`."""
        reservoir = cls(options.n_components, options.linear.half_life)
        reservoir.n_at_last_map = values["built_from"]
        reservoir.n_to_skip = values.get("n_to_skip")
        if arrays:
            named = {name.removeprefix(cls.PREFIX): array for name, array in arrays.items()}
            reservoir.add(rows_from_arrays(named, storage), named["targets"], named["weights"], named["ids"])
        return reservoir


def _stack(blocks: Sequence[Rows]) -> Rows:
    if len(blocks) == 1:
        return blocks[0]
    return vstack(blocks, format="csr") if is_sparse(blocks[0]) else np.concatenate(blocks)
