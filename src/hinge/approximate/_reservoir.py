"""Examples of a stream from which the landmarks of a Nystroem map are drawn: the first ones, or recent ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hinge._model.first_examples import GROWTH, FirstExamples

if TYPE_CHECKING:
    from hinge._model.options import ApproximateOptions
    from hinge._model.types import Arrays, Values
    from hinge._model.validation import Storage

_HALF_LIVES = 2  # older examples say little about a stream that forgets
_MIN_RECENT = 64  # examples for a map, however short the half-life
_MAP_LIFE = 0.25  # half-lives until a map is replaced, unless the examples for the next one take longer
_MAX_SKIPPED = 1e15


class Reservoir(FirstExamples):
    """Examples stored for the next map of a stream.

    At first these are all examples, until there are `GROWTH` per landmark (`capacity`); then the map is final.

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
    n_to_skip : int or None
        Number of examples that will not be stored before the next one is; None while the map still grows.
    """

    def __init__(self, n_landmarks: int, half_life: float | None = None) -> None:
        self.capacity = GROWTH * n_landmarks
        if half_life is not None:
            self.capacity = int(min(self.capacity, max(_HALF_LIVES * half_life, _MIN_RECENT)))
        super().__init__(self.capacity)
        self.n_to_skip: int | None = None

    @property
    def n_for_next(self) -> int:
        """Number of examples at which the next map is due."""
        return super().n_for_next if self.n_to_skip is None else self.capacity

    @classmethod
    def of_recent(cls, n_landmarks: int, half_life: float) -> Reservoir:
        """Return an empty reservoir for the recent examples of a stream that forgets."""
        reservoir = cls(n_landmarks, half_life)
        reservoir.n_to_skip = max(int(min(_MAP_LIFE * half_life, _MAX_SKIPPED)) - reservoir.capacity, 0)
        reservoir.built_from = reservoir.capacity
        return reservoir

    def to_values(self) -> Values:
        """Return the numbers that are not in the arrays."""
        return {"built_from": self.built_from} | ({} if self.n_to_skip is None else {"n_to_skip": self.n_to_skip})

    @classmethod
    def restore(cls, arrays: Arrays, values: Values, storage: Storage, options: ApproximateOptions) -> Reservoir:
        """Build a reservoir from the results of `to_arrays` and `to_values`."""
        reservoir = cls(options.n_components, options.linear.half_life)
        reservoir.add_arrays(arrays, storage)
        reservoir.built_from = values["built_from"]
        reservoir.n_to_skip = values.get("n_to_skip")
        return reservoir
