"""The ids that users give to examples, and the positions of these examples in the stream."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from numbers import Number
from typing import TYPE_CHECKING, TypedDict, TypeGuard, cast

import numpy as np

from hinge.exceptions import DataError
from hinge.incremental._id_ranges import IdRanges

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hinge._model.types import IdList


_PLAIN_KINDS = "biufUS"  # NumPy dtypes whose values equal Python's; others, such as dates, stay as they are


class IdValues(TypedDict):
    """All ids as lists.

    Attributes
    ----------
    own : list of [start, stop]
        Ranges of positions that are their own ids.
    idle : list of [start, stop]
        Ranges of positions of rows of weight 0.
    named : list of [position, id]
        The ids that users gave.
    """

    own: list[list[int]]
    idle: list[list[int]]
    named: list[list[object]]


class Ids:
    """A two-way map between ids and positions in the stream.

    The default id of an example is its position; default ids need no memory. Ids are equal if Python says so: 1, 1.0
    and `numpy.int64(1)` are the same id.

    Rows of weight 0 have ids as well. The native model skips them, but `forget` accepts them like all others.

    Examples
    --------
    >>> ids = Ids()
    >>> ids.add(ids.check_new(None, 3, first=0), range(3))
    >>> ids.add(ids.check_new(["ann", ("bob", 7)], 2, first=3), range(3, 5))
    >>> ids.at([1, 3, 4])
    [1, 'ann', ('bob', 7)]
    >>> ids.find(["ann", 2]).tolist(), ids.find(("bob", 7)).tolist()
    ([3, 2], [4])
    """

    def __init__(self) -> None:
        self._default = IdRanges()  # positions that are their own ids
        self._weightless = IdRanges()  # positions of rows of weight 0
        self._positions: dict[Hashable, int] = {}  # of ids that users gave
        self._custom: dict[int, Hashable] = {}  # the same by position

    def __len__(self) -> int:
        return len(self._default) + len(self._custom)

    @property
    def n_held(self) -> int:
        """Number of ids whose rows have a weight."""
        return len(self) - len(self._weightless)

    def check_new(self, ids: IdList | None, n: int, first: int) -> Sequence[Hashable]:
        """Return the ids of new examples; raise DataError if some are taken or repeated. Nothing changes.

        Parameters
        ----------
        ids : list, array, Series, range, a single id, or None
            One id per example; None stands for their positions in the stream.
        n : int
            Number of examples.
        first : int
            Position of the first example in the stream.

        Returns
        -------
        sequence of length n
            Ids for `add`.
        """
        if ids is None:
            new: Sequence[Hashable] = range(first, first + n)
            if not self._custom:
                return new  # positions never repeat
        else:
            new = as_id_list(ids, ordered=True)
        if len(new) != n:
            raise DataError(
                f"ids must hold one id per row, {n} in all, got {len(new)}; a string or a tuple counts as one id."
            )
        for id_ in new:
            if self._find(id_) is not None:
                advice = "choose another id, or forget the example first"
                if ids is None:
                    advice = "the default id of a row is its position in the stream, so give ids to these rows as well"
                raise DataError(f"Every id must be new, got {id_!r}, which the model holds already; {advice}.")
        _require_distinct(new)
        return new

    def add(self, ids: Sequence[Hashable], positions: Iterable[int]) -> None:
        """Add checked ids of examples at the given positions."""
        if isinstance(ids, range) and ids == positions:
            self._default.add(ids.start, ids.stop)
            return
        for id_, number in zip(ids, positions, strict=True):
            position = int(number)
            if _as_position(id_) == position:
                self._default.add(position, position + 1)
            else:
                self._positions[id_] = position
                self._custom[position] = id_

    def find(self, ids: IdList, *, ordered: bool = False) -> NDArray[np.int64]:
        """Return the positions of ids in the order given; raise DataError if some are unknown or repeated.

        Parameters
        ----------
        ids : list, array, Series, range, set, or a single id
            Ids. A string, a number and a tuple count as one id.
        ordered : bool
            Raise DataError for sets, which have no order.
        """
        wanted = as_id_list(ids, ordered=ordered)
        positions = np.empty(len(wanted), dtype=np.int64)
        for row, id_ in enumerate(wanted):
            position = self._find(id_)
            if position is None:
                raise DataError(f"Every id must be the id of an example in the model, got {id_!r}; ids_ lists them.")
            positions[row] = position
        _require_distinct(wanted)
        return positions

    def at(self, positions: Iterable[int]) -> list[Hashable]:
        """Return the ids of the examples at some positions."""
        return [self._custom.get(int(position), int(position)) for position in positions]

    def contain_positions(self, positions: Iterable[int]) -> bool:
        """Return True if the examples at all these positions have ids."""
        return all(int(position) in self._custom or int(position) in self._default for position in positions)

    def remove(self, positions: Iterable[int]) -> None:
        """Remove the ids of the examples at some positions."""
        for number in positions:
            position = int(number)
            self._weightless.discard(position)
            if position in self._custom:
                del self._positions[self._custom.pop(position)]
            else:
                self._default.discard(position)

    def mark_weightless(self, positions: Iterable[int]) -> None:
        """Note that the rows at some positions have weight 0, so the native model does not hold them."""
        for position in positions:
            self._weightless.add(int(position), int(position) + 1)

    def are_weightless(self, positions: Iterable[int]) -> NDArray[np.bool_]:
        """Return for each position whether its row has weight 0."""
        return np.fromiter((int(position) in self._weightless for position in positions), dtype=np.bool_)

    def retain(self, held: NDArray[np.int64]) -> None:
        """Remove all ids except those of rows of weight 0 and of the examples at the positions `held`."""
        custom = (position for position in list(self._custom) if position not in self._weightless)
        default = self._default.difference(self._weightless).to_array()
        known = np.concatenate([default, np.fromiter(custom, np.int64)])
        self.remove(np.setdiff1d(known, held, assume_unique=True))

    def custom(self) -> list[Hashable]:
        """Return the ids that users gave, without those that equal the position of their example."""
        return list(self._custom.values())

    def is_consistent(self) -> bool:
        """Return True if every example has one id and every id one example; values from a file may be damaged."""
        positions = [_as_position(id_) for id_ in self._positions]
        weightless = self._weightless.difference(self._default)
        return (
            len(self._positions) == len(self._custom)
            and not any(position in self._default for position in self._custom)
            and not any(position in self._default for position in positions if position is not None)
            and len(weightless) <= len(self._custom)
            and all(int(position) in self._custom for position in weightless.to_array())
        )

    def copy(self) -> Ids:
        """Return an independent copy."""
        return Ids.from_values(self.to_values())

    def to_values(self) -> IdValues:
        """Return all ids as lists; JSON can represent them if the ids are strings, numbers or tuples of these."""
        return {
            "own": [list(bounds) for bounds in self._default.ranges()],
            "idle": [list(bounds) for bounds in self._weightless.ranges()],
            "named": [[position, id_] for position, id_ in self._custom.items()],
        }

    @classmethod
    def from_values(cls, values: Mapping[str, object]) -> Ids:
        """Return the ids that `to_values` described."""
        lists = cast("IdValues", values)
        ids = cls()
        ids._default = IdRanges((start, stop) for start, stop in lists["own"])
        ids._weightless = IdRanges((start, stop) for start, stop in lists["idle"])
        ids._custom = {cast("int", position): _with_tuples(id_) for position, id_ in lists["named"]}
        ids._positions = {id_: position for position, id_ in ids._custom.items()}
        return ids

    def _find(self, id_: Hashable) -> int | None:
        """Return the position of an id, or None if it is unknown."""
        position = self._positions.get(id_)
        if position is None:
            number = _as_position(id_)
            position = number if number is not None and number in self._default else None
        return position


def as_id_list(ids: IdList, *, ordered: bool = False) -> list[Hashable]:
    """Return ids as a list of Python values; a single id becomes a list of one.

    Examples
    --------
    >>> import numpy as np
    >>> as_id_list("ann"), as_id_list(("bob", 7)), as_id_list(np.arange(2)), as_id_list(range(2))
    (['ann'], [('bob', 7)], [0, 1], [0, 1])
    """
    if ordered and isinstance(ids, (set, frozenset)):
        raise DataError("ids must be in the order of the rows, got a set, which has no order; give a list.")
    if not _is_collection(ids):
        return [_check_id(ids)]
    if isinstance(ids, np.ndarray):
        ids = np.atleast_1d(ids)
        ids = ids.tolist() if ids.dtype.kind in _PLAIN_KINDS else list(ids)
    return [_check_id(id_) for id_ in ids]


def _is_collection(ids: object) -> TypeGuard[Iterable[object]]:
    """Return True if the value holds ids, False if it is an id. Lists and arrays have no hash, so they are not ids."""
    if isinstance(ids, (set, frozenset, range, Iterator)):
        return True
    return not _is_hashable(ids) and isinstance(ids, Iterable)


def _check_id(value: object) -> Hashable:
    """Return one id as a Python value; raise DataError if it cannot be an id."""
    if isinstance(value, np.generic) and value.dtype.kind in _PLAIN_KINDS:
        value = value.item()
    if not _is_hashable(value):
        kind = type(value).__name__
        raise DataError(f"Every id must be hashable, got a {kind}, {value!r}; use a string, a number or a tuple.")
    if not _equals_itself(value):
        raise DataError(f"Every id must equal itself, got {value!r}; use a string, a number or a tuple of these.")
    return value


def _is_hashable(value: object) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _equals_itself(value: object) -> bool:
    """Return True if a value can be found again, unlike NaN and other markers of missing values."""
    if isinstance(value, tuple):
        return all(_equals_itself(part) for part in value)
    try:
        return bool(value == value)  # noqa: PLR0124
    except (TypeError, ValueError):
        return False


def _as_position(id_: Hashable) -> int | None:
    """Return the integer that an id equals, or None."""
    if type(id_) is int:
        return id_
    if not isinstance(id_, Number):
        return None
    try:
        position = int(id_)  # type: ignore[call-overload]
    except (OverflowError, TypeError, ValueError):
        return None
    return position if position == id_ else None


def _require_distinct(ids: Sequence[Hashable]) -> None:
    if isinstance(ids, range) or len(set(ids)) == len(ids):
        return
    seen: set[Hashable] = set()
    for id_ in ids:
        if id_ in seen:
            raise DataError(f"Every id must occur once, got {id_!r} twice; drop one of the two.")
        seen.add(id_)


def _with_tuples(id_: object) -> Hashable:
    """Return an id as it was before JSON turned its tuples into lists."""
    return tuple(_with_tuples(part) for part in id_) if isinstance(id_, list) else id_
