"""The label database: every method is one transaction, which is durable on disk when the method returns."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Self

from hinge._model.params import whole
from hinge.exceptions import quoted
from hinge.web._batches import Batches, ImportCounts
from hinge.web._connections import Connections
from hinge.web._database import inserted_id
from hinge.web._events import Change
from hinge.web._label_rows import LabelRows, update_row, updated_record
from hinge.web._labels import (
    AlreadyLabelledError,
    InvalidRequestError,
    LabelRecord,
    NotFoundError,
    check_key,
    check_label,
    check_person,
    check_project,
)
from hinge.web._tables import ClassRow, LabelRow, SecondLabelRow, SkipRow, sql

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable


class Store:
    """The labels of one project, in an SQLite file or a PostgreSQL database.

    A store is thread-safe, and several programs can use one database at the same time.

    Parameters
    ----------
    url : str or path
        The path of an SQLite file, which is created if it does not exist, or a URL: sqlite:///FILE or
        postgresql://NAME:PASSWORD@HOST/DATABASE.
    project : str
        The name of the project; a database can hold several.

    Raises
    ------
    StoreError
        The database cannot be opened, or belongs to another program or version. All methods raise this error, too.
        Its subclasses `AlreadyLabelledError`, `NotFoundError` and `InvalidRequestError` mean that the request is
        wrong, not the database.

    Examples
    --------
    >>> with Store("labels.db", "pets") as store:
    ...     _ = store.add(LabelRecord("7", "cat", "ann", "chosen", "0f3a"))
    ...     _ = store.change("7", "dog", "bob")
    ...     store.counts()
    {'cat': 0, 'dog': 1}
    """

    def __init__(self, url: str | os.PathLike[str], project: str) -> None:
        self.project = check_project(project)
        self.connections = Connections(url, self.project)
        self._project_id = self.connections.project_id
        self._read, self._write = self.connections.read, self.connections.write
        self._rows = LabelRows(self._project_id)
        self.batches = Batches(self.connections)

    @property
    def name(self) -> str:
        """The location of the labels: a file, or a database and its host, without the password."""
        location = self.connections.location
        return location.name.lower() if location.path is None else str(location.path.absolute())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the database; closing it again has no effect."""
        self.connections.close()

    def classes(self) -> list[str]:
        """Return the names of all classes in the order in which they were added."""
        with self._read() as connection:
            return list(self._rows.class_names(connection).values())

    def add_class(self, name: str) -> bool:
        """Add a class; return False if it already exists."""
        name = check_label(name)
        with self._write() as connection:
            is_new = self._rows.class_id(connection, name) is None
            if is_new:
                self._rows.add_classes(connection, [name])
            return is_new

    def remove_class(self, name: str) -> None:
        """Remove a class without labels."""
        name = check_label(name)
        with self._write() as connection:
            class_id = self._rows.class_id(connection, name)
            if class_id is None:
                raise NotFoundError(f"There is no class {quoted(name)}; choose an existing one.")
            used = sql.select(LabelRow.id).where(LabelRow.project_id == self._project_id, LabelRow.class_id == class_id)
            second = sql.select(SecondLabelRow.id).where(SecondLabelRow.class_id == class_id).limit(1)
            if connection.scalar(used.limit(1)) is not None or connection.scalar(second) is not None:
                raise InvalidRequestError(f"The class {quoted(name)} has labels; change or delete them first.")
            connection.execute(sql.delete(ClassRow).where(ClassRow.id == class_id))

    def add(self, record: LabelRecord) -> LabelRecord:
        """Add a label, and its class if that is new.

        Returns
        -------
        LabelRecord
            The record with its number.

        Raises
        ------
        AlreadyLabelledError
            The example already has a label.
        """
        record = record.checked()
        with self._write() as connection:
            if connection.scalar(sql.select(LabelRow.id).where(*self._rows.has_key(record.key))) is not None:
                raise AlreadyLabelledError(record.key)
            class_id = self._rows.ensure_class(connection, record.label)
            statement = sql.insert(LabelRow).values(**self._rows.values(record, class_id))
            record = replace(record, number=inserted_id(connection.execute(statement)))
            self._rows.log(connection, [Change(None, record)], record.person, "label")
            return record

    def change(self, key: str, label: str, person: str) -> LabelRecord:
        """Change the label, person and time of a record and return it; the same label changes nothing."""
        label, person = check_label(label), check_person(person)
        with self._write() as connection:
            record = self._rows.find(connection, key)
            if record.label == label:
                return record
            updated = updated_record(record, label, person)
            update_row(connection, updated, self._rows.ensure_class(connection, label))
            self._rows.log(connection, [Change(record, updated)], person, "change")
            return updated

    def confirm(self, key: str, person: str) -> LabelRecord:
        """Record in the history that a person looked at a label again and found it right."""
        with self._write() as connection:
            record = self._rows.find(connection, key)
            self._rows.log(connection, [Change(record, record)], check_person(person), "confirm")
            return record

    def set_drawn(self, key: str, drawn: str) -> LabelRecord:
        """Change how the example of a label was selected; return its record."""
        with self._write() as connection:
            record = replace(self._rows.find(connection, key), drawn=drawn).checked()
            connection.execute(sql.update(LabelRow).where(LabelRow.id == record.number).values(drawn=drawn))
            return record

    def delete(self, key: str, person: str = "nobody", action: str = "delete", batch: str | None = None) -> LabelRecord:
        """Delete a label and return its record; the history says who did it, and how."""
        with self._write() as connection:
            record = self._rows.find(connection, key)
            connection.execute(sql.delete(LabelRow).where(LabelRow.id == record.number))
            self._rows.log(connection, [Change(record, None)], check_person(person), action, batch)
            return record

    def records(self) -> list[LabelRecord]:
        """Return all records in the order of labelling."""
        with self._read() as connection:
            return self._rows.select(connection, self._rows.all().order_by(LabelRow.id))

    def find(self, key: str) -> LabelRecord | None:
        """Return the record of an example; None if it has no label."""
        with self._read() as connection:
            return next(
                iter(self._rows.select(connection, self._rows.all().where(LabelRow.key == check_key(key)))), None
            )

    def history(
        self, offset: int = 0, limit: int = 50, label: str | None = None, person: str | None = None
    ) -> tuple[int, list[LabelRecord]]:
        """Return the number of labels, optionally of one class or person, and one page of them, newest first."""
        offset = whole("offset", offset, at_least=0, hint="0 starts with the newest")
        limit = whole("limit", limit, at_least=0, hint="a usual value is 50")
        conditions = [LabelRow.project_id == self._project_id]
        conditions += [] if person is None else [LabelRow.person == check_person(person)]
        label = None if label is None else check_label(label)
        with self._read() as connection:
            if label is not None:
                conditions.append(LabelRow.class_id == (self._rows.class_id(connection, label) or 0))
            total = connection.scalar(sql.select(sql.func.count()).select_from(LabelRow).where(*conditions))
            statement = self._rows.all().where(*conditions).order_by(LabelRow.id.desc()).offset(offset).limit(limit)
            return total or 0, self._rows.select(connection, statement)

    def counts(self) -> dict[str, int]:
        """Return the number of labels per class, in the order of the classes."""
        with self._read() as connection:
            names = self._rows.class_names(connection)
            statement = sql.select(LabelRow.class_id, sql.func.count()).where(LabelRow.project_id == self._project_id)
            counts = {row[0]: row[1] for row in connection.execute(statement.group_by(LabelRow.class_id))}
            return {name: counts.get(class_id, 0) for class_id, name in names.items()}

    def skip(self, key: str, person: str) -> None:
        """Record that a person skipped an example."""
        values = {"project_id": self._project_id, "key": check_key(key), "person": check_person(person)}
        with self._write() as connection:
            if connection.scalar(sql.select(SkipRow.id).filter_by(**values)) is None:
                connection.execute(sql.insert(SkipRow).values(**values))

    def unskip(self, key: str, person: str, request: str | None = None) -> None:
        """Delete a skip, if there is one; with a request, write it to the history."""
        person = check_person(person)
        values = {"project_id": self._project_id, "key": check_key(key), "person": person}
        with self._write() as connection:
            connection.execute(sql.delete(SkipRow).filter_by(**values))
            if request is not None:
                self._rows.log_key(connection, key, (person, "unskip", request))

    def skips(self) -> list[tuple[str, str]]:
        """Return the key and person of all skips, oldest first."""
        statement = sql.select(SkipRow.key, SkipRow.person).where(SkipRow.project_id == self._project_id)
        with self._read() as connection:
            return [(row.key, row.person) for row in connection.execute(statement.order_by(SkipRow.id))]

    def import_records(self, records: Iterable[LabelRecord], replace: bool = False) -> ImportCounts:
        """Import labels; see `Batches.import_records`."""
        return self.batches.import_records(records, replace=replace)[0]
