"""Who is active, and which example each person is labelling: no two people get the same one."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from hinge.web._labels import InvalidRequestError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MAX_PEOPLE = 200  # clients choose their names, and every name is sent to every client
_ACTIVE_S = 60.0  # seconds after the last request during which a person counts as active
HOLD_S = 900.0  # seconds after the last request before a person's example is given to others


@dataclass(frozen=True)
class Candidate:
    """An example selected for labelling.

    Attributes
    ----------
    row : int
        The row of the pool.
    drawn : {"first", "chosen", "random", "second"}
        Whether the model chose it, or it was drawn at random: before the model could choose, or as a test example; or
        whether somebody else has labelled it before.
    scores : dict
        The model's score of each class; empty while the model knows fewer than two classes.
    previous_label : str or None
        The label it had before somebody undid it.
    """

    row: int
    drawn: str
    scores: dict[str, float] = field(default_factory=dict)
    previous_label: str | None = None


class Assignments:
    """The example that each person is labelling. Not thread-safe; the session holds its lock.

    Parameters
    ----------
    clock : callable, default=time.monotonic
        Returns the time in seconds.

    Examples
    --------
    >>> assignments = Assignments()
    >>> assignments.assign("ann", Candidate(7, "chosen"))
    >>> assignments.holder(7), assignments.holder(8)
    ('ann', None)
    >>> assignments.release("ann").row
    7
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._held: dict[str, Candidate] = {}
        self._last_seen: dict[str, float] = {}

    def mark_active(self, person: str) -> None:
        """Record a request of a person, and release the examples of people who have left."""
        now = self._clock()
        for other in [name for name, seen in self._last_seen.items() if now - seen > HOLD_S and name != person]:
            del self._last_seen[other]
            self._held.pop(other, None)
        if person not in self._last_seen and len(self._last_seen) >= MAX_PEOPLE:
            raise InvalidRequestError(
                f"At most {MAX_PEOPLE} people can label at the same time, and that many were active in the last "
                f"{HOLD_S / 60:.0f} minutes; come back later."
            )
        self._last_seen[person] = now

    def assign(self, person: str, candidate: Candidate) -> None:
        """Assign an example to a person."""
        self._last_seen.setdefault(person, self._clock())
        self._held[person] = candidate

    def release(self, person: str) -> Candidate | None:
        """Remove and return the example assigned to a person."""
        return self._held.pop(person, None)

    def get(self, person: str) -> Candidate | None:
        """Return the example assigned to a person."""
        return self._held.get(person)

    def holder(self, row: int) -> str | None:
        """Return the person to whom a row is assigned."""
        return next((person for person, candidate in self._held.items() if candidate.row == row), None)

    def rows(self) -> Iterator[int]:
        """Yield the rows that are assigned to somebody."""
        return (candidate.row for candidate in list(self._held.values()))

    def active_people(self) -> set[str]:
        """Return the people who sent a request within the last minute."""
        now = self._clock()
        return {person for person, seen in self._last_seen.items() if now - seen < _ACTIVE_S}
