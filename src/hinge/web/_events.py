"""The history of all changes: who changed which label, when, from what to what. Entries are only added.

Store methods write their entries within their own transaction, so that there is no change without an entry. An entry
holds the whole record before the change, so that a change of many labels can be undone exactly.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from hinge.web._labels import LabelRecord
from hinge.web._tables import EventRow, sql

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from hinge.web._connections import Connections

COLUMNS = ("at", "person", "action", "key", "before", "after", "batch")
_TIMES = ("labelled_at", "changed_at")


class Event(NamedTuple):
    """One change: of the label of an example or, without a key, of the name of a class."""

    at: datetime
    person: str
    action: str
    key: str | None
    before: str | None
    after: str | None
    batch: str | None


@dataclass(frozen=True, slots=True)
class Change:
    """The records of an example before and after a change; None if it had, or has, no label."""

    before: LabelRecord | None
    after: LabelRecord | None

    @property
    def key(self) -> str:
        """The key of the example."""
        record = self.before or self.after
        if record is None:
            raise ValueError("A change needs a record before or after it.")
        return record.key


def write_changes(
    connection: sql.Connection, project_id: int, changes: Sequence[Change], source: tuple[str, str, str | None]
) -> None:
    """Add the entries of changes, within the transaction of the caller; `source` is person, action and batch."""
    person, action, batch = source
    now = datetime.now(UTC)
    rows = [
        {
            "project_id": project_id,
            "at": now,
            "person": person,
            "action": action,
            "key": each.key,
            "before": each.before and each.before.label,
            "after": each.after and each.after.label,
            "batch": batch,
            "previous": each.before and _to_json(each.before),
        }
        for each in changes
    ]
    if rows:
        connection.execute(sql.insert(EventRow), rows)


def write_class_event(
    connection: sql.Connection, project_id: int, source: tuple[str, str], names: tuple[str, str]
) -> None:
    """Add an entry about a class; `source` is person and action, `names` the name before and after."""
    person, action = source
    before, after = names
    values = {"person": person, "action": action, "before": before, "after": after, "at": datetime.now(UTC)}
    connection.execute(sql.insert(EventRow).values(project_id=project_id, **values))


def write_note(
    connection: sql.Connection,
    project_id: int,
    source: tuple[str, str, str],
    key: str,
    names: tuple[str | None, str | None] = (None, None),
) -> None:
    """Add an entry about an example whose label does not change; `source` is person, action and batch."""
    person, action, batch = source
    values = {"person": person, "action": action, "batch": batch or None, "key": key, "at": datetime.now(UTC)}
    before, after = names
    values |= {"before": before, "after": after}
    connection.execute(sql.insert(EventRow).values(project_id=project_id, **values))


def previous_records(connection: sql.Connection, project_id: int, batch: str) -> dict[str, tuple[Any, str | None]]:
    """Return, for each example of a batch, its record before it (None if it had no label) and its label after it."""
    statement = sql.select(EventRow.key, EventRow.previous, EventRow.after).where(
        EventRow.project_id == project_id, EventRow.batch == batch
    )
    return {row.key: (row.previous and _of_json(row.previous), row.after) for row in connection.execute(statement)}


class Undone(NamedTuple):
    """An example whose label or skip was undone, and its record before."""

    key: str
    before: LabelRecord | None


class EventLog:
    """Reads the history of a project.

    Parameters
    ----------
    connections : Connections
        The database.
    """

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def page(self, offset: int, limit: int, key: str | None = None) -> tuple[int, list[Event]]:
        """Return the number of entries, optionally of one example, and some of them, newest first."""
        mine = [EventRow.project_id == self._connections.project_id]
        mine += [] if key is None else [EventRow.key == key]
        statement = self._select().where(*mine).order_by(EventRow.id.desc()).offset(offset).limit(limit)
        with self._connections.read() as connection:
            total = connection.scalar(sql.select(sql.func.count()).select_from(EventRow).where(*mine)) or 0
            return total, [Event(*row) for row in connection.execute(statement)]

    def all(self) -> list[Event]:
        """Return all entries, oldest first."""
        statement = self._select().where(EventRow.project_id == self._connections.project_id).order_by(EventRow.id)
        with self._connections.read() as connection:
            return [Event(*row) for row in connection.execute(statement)]

    def confirmed(self) -> dict[str, str]:
        """Return the label that somebody confirmed last, by key."""
        statement = sql.select(EventRow.key, EventRow.after).where(
            EventRow.project_id == self._connections.project_id, EventRow.action == "confirm"
        )
        with self._connections.read() as connection:
            return {row.key: row.after for row in connection.execute(statement.order_by(EventRow.id))}

    def undone(self, request: str) -> Undone | None:
        """Return what a request has undone; None if it has undone nothing."""
        with self._connections.read() as connection:
            found = previous_records(connection, self._connections.project_id, request)
        return next((Undone(key, before) for key, (before, _) in found.items()), None)

    @staticmethod
    def _select() -> sql.Select[Any]:
        return sql.select(*(getattr(EventRow, name) for name in COLUMNS))


def _to_json(record: LabelRecord) -> str:
    values = asdict(record)
    return json.dumps(values | {name: values[name] and values[name].isoformat() for name in _TIMES})


def _of_json(text: str) -> LabelRecord:
    values = json.loads(text)
    times = {name: values[name] and datetime.fromisoformat(values[name]) for name in _TIMES}
    return LabelRecord(**{**values, **times})


def event_rows(events: Iterable[Event]) -> list[list[str]]:
    """Return entries as rows of text, with a header."""
    rows = [["" if value is None else str(value) for value in (each.at.isoformat(), *each[1:])] for each in events]
    return [list(COLUMNS), *rows]
