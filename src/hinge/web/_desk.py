"""Who is here, and which example lies in front of whom: no two people get the same one."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from hinge.web._answer import RefusedError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_HERE = 60.0  # seconds without a sign after which somebody has left
_KEPT = 900.0  # and after which the example that they held is given to others
MOST_PEOPLE = 200  # at a time; names are given by whoever asks, and all of them are told to everybody


@dataclass(frozen=True)
class Question:
    """An example as it was put to somebody.

    Attributes
    ----------
    row : int
        The row of the pool.
    drawn : {"chosen", "random"}
        Whether the model chose it.
    scores : dict
        What the model thought of each class; empty while it knows too little.
    before : str or None
        The label that it had before somebody took it back.
    """

    row: int
    drawn: str
    scores: dict[str, float] = field(default_factory=dict)
    before: str | None = None


class Desk:
    """The examples on the table.

    Parameters
    ----------
    clock : callable, default=time.monotonic
        The time, in seconds.

    Examples
    --------
    >>> desk = Desk()
    >>> desk.give("ann", Question(7, "chosen"))
    >>> desk.holder(7), desk.holder(8)
    ('ann', None)
    >>> desk.take("ann").row
    7
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._held: dict[str, Question] = {}
        self._seen: dict[str, float] = {}

    def greet(self, person: str) -> None:
        """Note that somebody has given a sign, and clear the places of those who have left."""
        now = self._clock()
        for other in [name for name, seen in self._seen.items() if now - seen > _KEPT and name != person]:
            del self._seen[other]
            self._held.pop(other, None)
        if person not in self._seen and len(self._seen) >= MOST_PEOPLE:
            raise RefusedError(
                f"At most {MOST_PEOPLE} people may label at a time, and so many have been here in the last "
                f"{_KEPT / 60:.0f} minutes; come back later."
            )
        self._seen[person] = now

    def give(self, person: str, question: Question) -> None:
        """Put an example in front of somebody, who must have been greeted at some time."""
        self._seen.setdefault(person, self._clock())
        self._held[person] = question

    def take(self, person: str) -> Question | None:
        """Take away what lies in front of somebody."""
        return self._held.pop(person, None)

    def of(self, person: str) -> Question | None:
        """Return what lies in front of somebody."""
        return self._held.get(person)

    def holder(self, row: int) -> str | None:
        """Return who holds a row."""
        return next((person for person, question in self._held.items() if question.row == row), None)

    def rows(self) -> Iterator[int]:
        """Yield the rows that lie in front of somebody."""
        return (question.row for question in list(self._held.values()))

    def here(self) -> set[str]:
        """Return who has given a sign of late."""
        now = self._clock()
        return {person for person, seen in self._seen.items() if now - seen < _HERE}
