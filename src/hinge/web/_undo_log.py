"""What each person did last, so that it can be undone."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Literal, NamedTuple

from hinge.web._labels import NotFoundError

if TYPE_CHECKING:
    from hinge.web._label_cache import LabelCache
    from hinge.web._overlap import Overlap

_MAX_ACTIONS = 100  # per person


class Action(NamedTuple):
    """A label or a skip of a person, or a label of an example that had one."""

    kind: Literal["label", "skip", "second"]
    row: int


class UndoLog:
    """The latest actions of each person. Not thread-safe; the session holds its lock.

    Parameters
    ----------
    cache : LabelCache
        The labels and skips, which show whether an action can still be undone.
    overlap : Overlap
        The second labels.
    """

    def __init__(self, cache: LabelCache, overlap: Overlap) -> None:
        self._cache, self._overlap = cache, overlap
        self._actions: dict[str, deque[Action]] = {}

    def add(self, person: str, action: Action) -> None:
        """Remember an action."""
        self._actions.setdefault(person, deque(maxlen=_MAX_ACTIONS)).append(action)

    def last(self, person: str) -> Action:
        """Return the last action of a person that can be undone. It stays in the log, as undoing it may fail.

        After a restart this is the person's latest label in the database.
        """
        actions = self._actions.setdefault(person, deque(maxlen=_MAX_ACTIONS))
        while actions:
            if self._can_undo(person, actions[-1]):
                return actions[-1]
            actions.pop()
        second = self._overlap.last_row(person)
        if second is not None:
            return Action("second", second)
        row = self._cache.last_row(person)
        if row is None:
            raise NotFoundError("There is nothing to undo: you have not labelled or skipped an example.")
        return Action("label", row)

    def _can_undo(self, person: str, action: Action) -> bool:
        record = self._cache.records.get(action.row)
        if action.kind == "skip":
            return (record is None or self._overlap.shares(action.row)) and person in self._cache.skipped.get(
                action.row, ()
            )
        if action.kind == "second":
            return self._overlap.has(action.row, person)
        return record is not None and record.person == person
