"""The names that users give to examples on one side, places in the stream on the other."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from numbers import Number
from typing import TYPE_CHECKING, Any

import numpy as np

from hinge.exceptions import DataError
from hinge.incremental._places import Places

if TYPE_CHECKING:
    from numpy.typing import NDArray

_PLAIN = "biufUS"  # kinds of NumPy values that are the same as Python's; others, such as dates, are left as they are


class Ids:
    """Which example is known by which name.

    An example without a name of its own is called by its place in the stream; such names take no room. Names are equal
    when Python says so: 1, 1.0 and `numpy.int64(1)` are one name.

    Besides the examples that the machines hold, those of weight 0 are known: the machines have passed over them, but
    they may be forgotten like all others.

    Examples
    --------
    >>> ids = Ids()
    >>> ids.add(ids.checked(None, 3, first=0), range(3))
    >>> ids.add(ids.checked(["ann", ("bob", 7)], 2, first=3), range(3, 5))
    >>> ids.names([1, 3, 4])
    [1, 'ann', ('bob', 7)]
    >>> ids.find(["ann", 2]).tolist(), ids.find(("bob", 7)).tolist()
    ([3, 2], [4])
    """

    def __init__(self) -> None:
        self._own = Places()  # examples called by their place
        self._idle = Places()  # examples of weight 0
        self._numbers: dict[Hashable, int] = {}
        self._names: dict[int, Hashable] = {}

    def __len__(self) -> int:
        return len(self._own) + len(self._names)

    @property
    def n_held(self) -> int:
        """How many examples are known that were not passed over."""
        return len(self) - len(self._idle)

    def checked(self, ids: Any, n: int, first: int) -> Sequence[Hashable]:
        """Return names for new examples, refusing those that are taken; nothing changes.

        Parameters
        ----------
        ids : list, array, Series, range, one id by itself, or None
            The user's names of the examples; None calls them by their places.
        n : int
            How many examples there are.
        first : int
            The place of the first of them in the stream.

        Returns
        -------
        sequence of length n
            Names for `add`.
        """
        if ids is None:
            names: Sequence[Hashable] = range(first, first + n)
            if not self._names:
                return names  # places come once only
        else:
            names = as_names(ids, ordered=True)
        if len(names) != n:
            raise DataError(
                f"ids must hold one id a row, {n} in all, got {len(names)}; a text or a tuple counts as one id."
            )
        for name in names:
            if self._find(name) is not None:
                how = "choose another id, or forget the example first"
                if ids is None:
                    how = "rows without ids are called by their places in the stream, so give ids to these rows as well"
                raise DataError(f"Every id must be new, got {name!r}, which the model holds already; {how}.")
        _require_distinct(names)
        return names

    def add(self, names: Sequence[Hashable], numbers: Iterable[int]) -> None:
        """Take in checked names of examples at some places."""
        if isinstance(names, range) and names == numbers:
            self._own.add(names.start, names.stop)
            return
        for name, number in zip(names, numbers, strict=True):
            place = int(number)
            if _as_place(name) == place:
                self._own.add(place, place + 1)
            else:
                self._numbers[name] = place
                self._names[place] = name

    def find(self, ids: Any, *, ordered: bool = False) -> NDArray[np.int64]:
        """Return the places of examples in the order given, refusing ids that are unknown or repeated.

        Parameters
        ----------
        ids : list, array, Series, range, set, or one id by itself
            Names. A text, a number and a tuple are one id.
        ordered : bool
            Refuse sets, which have no order.
        """
        names = as_names(ids, ordered=ordered)
        numbers = np.empty(len(names), dtype=np.int64)
        for row, name in enumerate(names):
            number = self._find(name)
            if number is None:
                raise DataError(
                    f"Every id must be that of an example which the model holds, got {name!r}; ids_ lists them."
                )
            numbers[row] = number
        _require_distinct(names)
        return numbers

    def names(self, numbers: Iterable[int]) -> list[Hashable]:
        """Return the names of the examples at some places."""
        return [self._names.get(int(number), int(number)) for number in numbers]

    def knows(self, numbers: Iterable[int]) -> bool:
        """Tell whether all examples at some places are known."""
        return all(int(number) in self._names or int(number) in self._own for number in numbers)

    def remove(self, numbers: Iterable[int]) -> None:
        """Let go of the names of the examples at some places."""
        for number in numbers:
            place = int(number)
            self._idle.discard(place)
            if place in self._names:
                del self._numbers[self._names.pop(place)]
            else:
                self._own.discard(place)

    def pass_over(self, numbers: Iterable[int]) -> None:
        """Note that examples are known which the machines do not hold."""
        for number in numbers:
            self._idle.add(int(number), int(number) + 1)

    def is_idle(self, numbers: Iterable[int]) -> NDArray[np.bool_]:
        """Tell which of the examples at some places were passed over."""
        return np.fromiter((int(number) in self._idle for number in numbers), dtype=np.bool_)

    def settle(self, held: NDArray[np.int64]) -> None:
        """Let go of the names of all examples that are neither held, as the machines say, nor were passed over."""
        named = (number for number in list(self._names) if number not in self._idle)
        known = np.concatenate([self._own.without(self._idle).numbers(), np.fromiter(named, np.int64)])
        self.remove(np.setdiff1d(known, held, assume_unique=True))

    def given(self) -> list[Hashable]:
        """Return the names that are not places."""
        return list(self._names.values())

    def is_sound(self) -> bool:
        """Tell whether every example has one name and every name one example; values from a file need not."""
        places = [_as_place(name) for name in self._numbers]
        idle = self._idle.without(self._own)
        return (
            len(self._numbers) == len(self._names)
            and not any(number in self._own for number in self._names)
            and not any(place in self._own for place in places if place is not None)
            and len(idle) <= len(self._names)
            and all(int(number) in self._names for number in idle.numbers())
        )

    def copy(self) -> Ids:
        """Return names that change on their own from here."""
        return Ids.from_values(self.to_values())

    def to_values(self) -> dict[str, Any]:
        """Return everything as lists; JSON can hold them if the names are plain."""
        return {
            "own": [list(run) for run in self._own.runs()],
            "idle": [list(run) for run in self._idle.runs()],
            "named": [[number, name] for number, name in self._names.items()],
        }

    @classmethod
    def from_values(cls, values: dict[str, Any]) -> Ids:
        """Return what `to_values` took apart."""
        ids = cls()
        ids._own = Places((start, stop) for start, stop in values["own"])
        ids._idle = Places((start, stop) for start, stop in values["idle"])
        ids._names = {number: _tuples(name) for number, name in values["named"]}
        ids._numbers = {name: number for number, name in ids._names.items()}
        return ids

    def _find(self, name: Hashable) -> int | None:
        """Return the place of the example of some name, or None when there is none."""
        number = self._numbers.get(name)
        if number is None:
            place = _as_place(name)
            number = place if place is not None and place in self._own else None
        return number


def as_names(ids: Any, *, ordered: bool = False) -> list[Hashable]:
    """Return ids as a list, numbers of NumPy as those of Python; one id by itself is a list of one.

    Examples
    --------
    >>> import numpy as np
    >>> as_names("ann"), as_names(("bob", 7)), as_names(np.arange(2)), as_names(range(2))
    (['ann'], [('bob', 7)], [0, 1], [0, 1])
    """
    if ordered and isinstance(ids, (set, frozenset)):
        raise DataError("ids must come in the order of the rows, got a set, which has none; give a list.")
    if not _is_collection(ids):
        return [_name(ids)]
    if isinstance(ids, np.ndarray):
        ids = np.atleast_1d(ids)
        ids = ids.tolist() if ids.dtype.kind in _PLAIN else list(ids)
    return [_name(name) for name in ids]


def _is_collection(ids: Any) -> bool:
    """Tell whether something holds ids rather than being one: lists and arrays cannot be ids, having no hash."""
    if isinstance(ids, (set, frozenset, range, Iterator)):
        return True
    return not _is_hashable(ids) and isinstance(ids, Iterable)


def _name(value: Any) -> Hashable:
    """Return one id, or refuse it."""
    if isinstance(value, np.generic) and value.dtype.kind in _PLAIN:
        value = value.item()
    if not _is_hashable(value):
        kind = type(value).__name__
        raise DataError(f"Every id must be hashable, got a {kind}, {value!r}; a text, a number or a tuple will do.")
    if not _equals_itself(value):
        raise DataError(f"Every id must be equal to itself, got {value!r}; texts, numbers and tuples of them are.")
    name: Hashable = value
    return name


def _is_hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _equals_itself(value: Any) -> bool:
    """Tell whether a value can be found again: NaN, and what stands for missing values elsewhere, cannot."""
    if isinstance(value, tuple):
        return all(_equals_itself(part) for part in value)
    try:
        return bool(value == value)  # noqa: PLR0124
    except (TypeError, ValueError):
        return False


def _as_place(name: Hashable) -> int | None:
    """Return the whole number that a name is equal to, if there is one."""
    if type(name) is int:
        return name
    if not isinstance(name, Number):
        return None
    try:
        place = int(name)  # type: ignore[call-overload]
    except (OverflowError, TypeError, ValueError):
        return None
    return place if place == name else None


def _require_distinct(names: Sequence[Hashable]) -> None:
    if isinstance(names, range) or len(set(names)) == len(names):
        return
    seen: set[Hashable] = set()
    for name in names:
        if name in seen:
            raise DataError(f"Every id must be given once, got {name!r} twice; drop one of the two.")
        seen.add(name)


def _tuples(name: Any) -> Hashable:
    """Return a name whose tuples became lists on the way through JSON, which knows no tuples."""
    return tuple(_tuples(part) for part in name) if isinstance(name, list) else name
