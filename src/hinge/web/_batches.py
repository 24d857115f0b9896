"""Changes of many labels at once: imports, renamed and merged classes, bulk changes, and undoing them.

Each is one transaction, and one batch of the history.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from hinge.exceptions import quoted
from hinge.web._events import Change, previous_records
from hinge.web._label_rows import LabelRows, updated_record
from hinge.web._labels import (
    InvalidRequestError,
    LabelRecord,
    NotFoundError,
    check_label,
    check_new_label,
    check_person,
)
from hinge.web._tables import ClassRow, LabelRow, SecondLabelRow, sql

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from hinge.web._connections import Connections


class ImportCounts(NamedTuple):
    """How many imported labels are new, changed an existing label, and were already there; the batch to undo it."""

    new: int
    changed: int
    same: int


class ImportPreview(NamedTuple):
    """What an import would do: add labels, change existing ones, and leave some as they are."""

    new: list[Change]
    changed: list[Change]
    same: int


class Batches:
    """Changes many labels of a project at once.

    Parameters
    ----------
    connections : Connections
        The database.
    """

    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self._rows = LabelRows(connections.project_id)

    def import_records(
        self, records: Iterable[LabelRecord], replace: bool = False, person: str | None = None
    ) -> tuple[ImportCounts, str | None]:
        """Import labels: all of them or, if one is invalid, none.

        Parameters
        ----------
        records : iterable of LabelRecord
            The labels; an example must not have two different ones.
        replace : bool, default=False
            Whether imported labels replace different existing ones.
        person : str, default=None
            Who imports them, for the history. None: the people of the labels.

        Returns
        -------
        tuple of ImportCounts and str
            How many labels were added, changed an existing one, and changed nothing, and the batch to undo it.
        """
        imported = _by_key(records)
        with self._connections.write() as connection:
            preview = self._compare(connection, imported)
            changes = [*preview.new, *(preview.changed if replace else ())]
            batch = self._rows.apply(connection, changes, person or first_person(changes), "import")
        n_changed = len(changes) - len(preview.new)
        return ImportCounts(len(preview.new), n_changed, len(imported) - len(changes)), batch

    def preview_import(self, records: Iterable[LabelRecord]) -> ImportPreview:
        """Return what an import that replaces labels would do."""
        imported = _by_key(records)
        with self._connections.read() as connection:
            return self._compare(connection, imported)

    def set_many(self, labels: Mapping[str, str | None], person: str, action: str) -> str | None:
        """Change the labels of several examples, or delete those that are None: all or none of them.

        Return the batch with which `revert` undoes it; None if nothing changed.
        """
        labels = {key: None if label is None else check_label(label) for key, label in labels.items()}
        with self._connections.write() as connection:
            found = self._rows.by_key(connection)
            if missing := [key for key in labels if key not in found]:
                raise NotFoundError(f"{quoted(missing[0])} has no label; somebody may have deleted it.")
            changes = [
                Change(found[key], None if label is None else updated_record(found[key], label, person))
                for key, label in labels.items()
                if label != found[key].label
            ]
            return self._rows.apply(connection, changes, check_person(person), action)

    def revert(self, batch: str, person: str) -> tuple[int, int]:
        """Undo a change of many labels; return how many were restored, and how many were changed since and stay."""
        with self._connections.write() as connection:
            previous = previous_records(connection, self._connections.project_id, batch)
            if not previous:
                raise NotFoundError("There is no such change to undo.")
            found = self._rows.by_key(connection)
            changes = [
                Change(found.get(key), before)
                for key, (before, after) in previous.items()
                if (found[key].label if key in found else None) == after and (key in found or before is not None)
            ]
            self._rows.apply(connection, changes, check_person(person), "revert")
        return len(changes), len(previous) - len(changes)

    def _compare(self, connection: sql.Connection, imported: dict[str, LabelRecord]) -> ImportPreview:
        existing = self._rows.by_key(connection)
        new = [Change(None, record) for key, record in imported.items() if key not in existing]
        changed = [
            Change(existing[key], updated_record(existing[key], record.label, record.person))
            for key, record in imported.items()
            if key in existing and existing[key].label != record.label
        ]
        return ImportPreview(new, changed, len(imported) - len(new) - len(changed))

    def rename_class(self, name: str, new_name: str, person: str, *, merge: bool = False) -> None:
        """Rename a class; with `merge`, move its labels to an existing class and remove it."""
        name, new_name = check_label(name), check_new_label(new_name)
        with self._connections.write() as connection:
            class_id = self._rows.class_id(connection, name)
            other = self._rows.class_id(connection, new_name)
            if class_id is None:
                raise NotFoundError(f"There is no class {quoted(name)}; choose an existing one.")
            if other == class_id:
                return
            if (other is not None) != merge:
                raise InvalidRequestError(
                    f"There is already a class {quoted(new_name)}; merge the two, or choose another name."
                    if other is not None
                    else f"There is no class {quoted(new_name)} to merge {quoted(name)} with."
                )
            self._rows.log_class(connection, person, (name, new_name), "merge" if merge else "rename")
            if other is None:
                connection.execute(sql.update(ClassRow).where(ClassRow.id == class_id).values(name=new_name))
                return
            self._move_labels(connection, class_id, other, person)
            connection.execute(sql.delete(ClassRow).where(ClassRow.id == class_id))

    def _move_labels(self, connection: sql.Connection, class_id: int, other: int, person: str) -> None:
        """Move all labels of a class to another one."""
        name = self._rows.class_names(connection)[other]
        before = self._rows.select(connection, self._rows.all().where(LabelRow.class_id == class_id))
        changes = [Change(each, replace(each, label=name)) for each in before]
        self._rows.log(connection, changes, person, "merge")
        for table in (LabelRow, SecondLabelRow):
            connection.execute(sql.update(table).where(table.class_id == class_id).values(class_id=other))


def _by_key(records: Iterable[LabelRecord]) -> dict[str, LabelRecord]:
    """Validate records and index them by key; of equal ones the first is used."""
    by_key: dict[str, LabelRecord] = {}
    for record in map(LabelRecord.checked, records):
        first = by_key.setdefault(record.key, record)
        if first.label != record.label:
            raise InvalidRequestError(
                f"{quoted(record.key)} must have one label, got {first.label!r} and {record.label!r}; remove one."
            )
    return by_key


def first_person(changes: list[Change]) -> str:
    """Return the person of the first label after changes."""
    return next((each.after.person for each in changes if each.after), "nobody")
