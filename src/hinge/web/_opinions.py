"""What several people independently said about the same example; the label of the example is only one of these.

The opinion of the person who labelled the example first is stored when the second one arrives, so that agreement can be
measured even if the label is changed later.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from hinge.web._events import write_note
from hinge.web._label_rows import LabelRows
from hinge.web._labels import check_key, check_person
from hinge.web._tables import EventRow, SecondLabelRow, sql

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hinge.web._connections import Connections
    from hinge.web._labels import LabelRecord

DECIDE = "decide"


@dataclass(frozen=True)
class Opinion:
    """What a person said about an example."""

    key: str
    label: str
    person: str
    digest: str
    seconds: float | None = None
    labelled_at: datetime = field(default_factory=lambda: datetime.now(UTC))

    @classmethod
    def of(cls, record: LabelRecord) -> Opinion:
        """Return the opinion that a label is."""
        return cls(record.key, record.label, record.person, record.digest, record.seconds, record.labelled_at)


class Opinions:
    """The opinions of a project in the database. Every change is one transaction, and an entry of the history.

    Parameters
    ----------
    connections : Connections
        The database.
    """

    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self._rows = LabelRows(connections.project_id)

    def all(self) -> list[Opinion]:
        """Return all opinions, oldest first."""
        columns = (
            SecondLabelRow.key,
            SecondLabelRow.class_id,
            SecondLabelRow.person,
            SecondLabelRow.digest,
            SecondLabelRow.seconds,
            SecondLabelRow.labelled_at,
        )
        statement = sql.select(*columns).where(SecondLabelRow.project_id == self._connections.project_id)
        with self._connections.read() as connection:
            names = self._rows.class_names(connection)
            rows = connection.execute(statement.order_by(SecondLabelRow.id))
            return [Opinion(row.key, names[row.class_id], *row[2:]) for row in rows]

    def add(self, opinion: Opinion) -> None:
        """Add the opinion of another person about an example that has a label."""
        with self._connections.write() as connection:
            first = Opinion.of(self._rows.find(connection, opinion.key))
            for each in (first, opinion):
                self._insert(connection, each)
            source = opinion.person, "second label", ""
            write_note(connection, self._connections.project_id, source, opinion.key, (None, opinion.label))

    def delete(self, key: str, person: str, request: str | None = None) -> None:
        """Delete what a person said about an example."""
        with self._connections.write() as connection:
            connection.execute(sql.delete(SecondLabelRow).where(*self._of(key, person)))
            source = person, "undo second", request or ""
            write_note(connection, self._connections.project_id, source, key)

    def decide(self, key: str, person: str, label: str) -> None:
        """Record that a person decided about an example on which others disagree."""
        with self._connections.write() as connection:
            source = check_person(person), DECIDE, ""
            write_note(connection, self._connections.project_id, source, check_key(key), (None, label))

    def decided(self) -> dict[str, datetime]:
        """Return when somebody decided about an example last, by key."""
        mine = EventRow.project_id == self._connections.project_id, EventRow.action == DECIDE
        statement = sql.select(EventRow.key, EventRow.at).where(*mine).order_by(EventRow.id)
        with self._connections.read() as connection:
            return {row.key: row.at for row in connection.execute(statement)}

    def _insert(self, connection: sql.Connection, opinion: Opinion) -> None:
        if connection.scalar(sql.select(SecondLabelRow.id).where(*self._of(opinion.key, opinion.person))) is not None:
            return
        values = {
            "project_id": self._connections.project_id,
            "key": check_key(opinion.key),
            "class_id": self._rows.ensure_class(connection, opinion.label),
            "person": check_person(opinion.person),
            "digest": opinion.digest,
            "seconds": opinion.seconds,
            "labelled_at": opinion.labelled_at,
        }
        connection.execute(sql.insert(SecondLabelRow).values(**values))

    def _of(self, key: str, person: str) -> tuple[sql.ColumnElement[bool], ...]:
        mine = SecondLabelRow.project_id == self._connections.project_id
        return mine, SecondLabelRow.key == key, SecondLabelRow.person == person


def opinion_rows(opinions: Iterable[Opinion]) -> list[list[str]]:
    """Return opinions as rows of text, with a header."""
    names = ("key", "person", "label", "seconds", "labelled_at")
    rows = [
        [
            each.key,
            each.person,
            each.label,
            "" if each.seconds is None else str(each.seconds),
            each.labelled_at.isoformat(),
        ]
        for each in opinions
    ]
    return [list(names), *rows]
