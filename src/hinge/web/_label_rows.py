"""Statements about labels and classes, within the transactions of `Store` and `Batches`."""

from __future__ import annotations

import secrets
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from hinge.exceptions import quoted
from hinge.web._database import inserted_id
from hinge.web._events import Change, write_changes, write_class_event, write_note
from hinge.web._labels import InvalidRequestError, LabelRecord, NotFoundError, check_key, check_new_label
from hinge.web._tables import ClassRow, LabelRow, sql

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

MAX_CLASSES = 1000
_MAX_VARIABLES = 500  # of one statement

_FIELDS = ("key", "person", "drawn", "digest", "seconds", "guess", "margin", "labelled_at", "changed_at")
_COLUMNS = (LabelRow.class_id, *(getattr(LabelRow, name) for name in _FIELDS), LabelRow.id)


class LabelRows:
    """The labels and classes of a project in a transaction of the caller.

    Parameters
    ----------
    project_id : int
        The id of the project.
    """

    def __init__(self, project_id: int) -> None:
        self._project_id = project_id

    def all(self) -> sql.Select[Any]:
        """Return the statement that selects all labels."""
        return sql.select(*_COLUMNS).where(LabelRow.project_id == self._project_id)

    def has_key(self, key: str) -> tuple[sql.ColumnElement[bool], sql.ColumnElement[bool]]:
        """Return the conditions for the label of an example."""
        return LabelRow.project_id == self._project_id, LabelRow.key == check_key(key)

    def select(self, connection: sql.Connection, statement: sql.Select[Any]) -> list[LabelRecord]:
        """Return the records that a statement selects."""
        names = self.class_names(connection)
        return [_record(row, names) for row in connection.execute(statement)]

    def by_key(self, connection: sql.Connection) -> dict[str, LabelRecord]:
        """Return all records by key."""
        return {each.key: each for each in self.select(connection, self.all())}

    def find(self, connection: sql.Connection, key: str) -> LabelRecord:
        """Return the record of an example; raise `NotFoundError` if it has no label."""
        for record in self.select(connection, self.all().where(LabelRow.key == check_key(key))):
            return record
        raise NotFoundError(f"{quoted(key)} has no label; somebody may have deleted it.")

    def class_names(self, connection: sql.Connection) -> dict[int, str]:
        """Return the names of all classes by id, in the order in which they were added."""
        statement = sql.select(ClassRow.id, ClassRow.name).where(ClassRow.project_id == self._project_id)
        return {row.id: row.name for row in connection.execute(statement.order_by(ClassRow.id))}

    def class_id(self, connection: sql.Connection, name: str) -> int | None:
        """Return the id of a class; None if there is none."""
        chosen = ClassRow.project_id == self._project_id, ClassRow.name == name
        return connection.scalar(sql.select(ClassRow.id).where(*chosen))

    def ensure_class(self, connection: sql.Connection, label: str) -> int:
        """Return the id of a class; add it if it is new."""
        class_id = self.class_id(connection, label)
        return self.add_classes(connection, [label])[label] if class_id is None else class_id

    def add_classes(self, connection: sql.Connection, labels: Iterable[str]) -> dict[str, int]:
        """Return the ids of all classes; add those that are new."""
        known = {name: class_id for class_id, name in self.class_names(connection).items()}
        unknown = [label for label in dict.fromkeys(labels) if label not in known]
        if len(known) + len(unknown) > MAX_CLASSES:
            count = len(known) + len(unknown)
            raise InvalidRequestError(
                f"A project must have at most {MAX_CLASSES} classes, got {count}; check that these are labels."
            )
        for name in map(check_new_label, unknown):
            values = {"project_id": self._project_id, "name": name}
            known[name] = inserted_id(connection.execute(sql.insert(ClassRow).values(**values)))
        return known

    def values(self, record: LabelRecord, class_id: int) -> dict[str, object]:
        """Return the columns of a record."""
        values: dict[str, object] = {name: getattr(record, name) for name in _FIELDS}
        return {**values, "project_id": self._project_id, "class_id": class_id}

    def log(
        self,
        connection: sql.Connection,
        changes: Sequence[Change],
        person: str,
        action: str,
        batch: str | None = None,
    ) -> None:
        """Add changes to the history."""
        write_changes(connection, self._project_id, changes, (person, action, batch))

    def log_key(self, connection: sql.Connection, key: str, source: tuple[str, str, str]) -> None:
        """Add something else about an example to the history; `source` is person, action and batch."""
        write_note(connection, self._project_id, source, key)

    def log_class(self, connection: sql.Connection, person: str, names: tuple[str, str], action: str) -> None:
        """Add a change of the name of a class to the history."""
        write_class_event(connection, self._project_id, (person, action), names)

    def apply(self, connection: sql.Connection, changes: Sequence[Change], person: str, action: str) -> str | None:
        """Make changes, and write them to the history as one batch; return the batch, None without changes."""
        if not changes:
            return None
        class_ids = self.add_classes(connection, [each.after.label for each in changes if each.after])
        rows = [self.values(each.after, class_ids[each.after.label]) for each in changes if each.after is not None]
        if gone := [each.before.number for each in changes if each.before and each.after is None]:
            for start in range(0, len(gone), _MAX_VARIABLES):
                numbers = gone[start : start + _MAX_VARIABLES]
                connection.execute(sql.delete(LabelRow).where(LabelRow.id.in_(numbers)))
        numbers_by_key = {each.key: each.before.number for each in changes if each.before}
        if new := [row for row in rows if row["key"] not in numbers_by_key]:
            connection.execute(sql.insert(LabelRow), new)
        for row in rows:
            if (number := numbers_by_key.get(str(row["key"]))) is not None:
                connection.execute(sql.update(LabelRow).where(LabelRow.id == number).values(**row))
        batch = secrets.token_hex(8)
        write_changes(connection, self._project_id, changes, (person, action, batch))
        return batch


def update_row(connection: sql.Connection, record: LabelRecord, class_id: int) -> None:
    """Write the class, person and time of a changed record."""
    values = {"class_id": class_id, "person": record.person, "changed_at": record.changed_at}
    connection.execute(sql.update(LabelRow).where(LabelRow.id == record.number).values(**values))


def updated_record(record: LabelRecord, label: str, person: str) -> LabelRecord:
    """Return a record with another label, given now by a person."""
    return replace(record, label=label, person=person, changed_at=datetime.now(UTC))


def _record(row: Sequence[Any], names: dict[int, str]) -> LabelRecord:
    class_id, key, *rest = row
    return LabelRecord(key, names[class_id], *rest)
