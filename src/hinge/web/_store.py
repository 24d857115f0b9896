"""The label database: every method is one transaction, which is durable on disk when the method returns."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from hinge._model.params import whole
from hinge.exceptions import quoted
from hinge.web._connections import Connections
from hinge.web._database import inserted_id
from hinge.web._labels import (
    AlreadyLabelledError,
    InvalidRequestError,
    LabelRecord,
    NotFoundError,
    check_key,
    check_label,
    check_new_label,
    check_person,
    check_project,
)
from hinge.web._tables import ClassRow, LabelRow, SkipRow, sql

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Sequence

MAX_CLASSES = 1000

_FIELDS = ("key", "person", "drawn", "digest", "seconds", "guess", "margin", "labelled_at", "changed_at")
_COLUMNS = (LabelRow.class_id, *(getattr(LabelRow, name) for name in _FIELDS), LabelRow.id)


class ImportCounts(NamedTuple):
    """How many imported labels are new, changed an existing label, and were already there."""

    new: int
    changed: int
    same: int


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
            return list(_class_names(connection, self._project_id).values())

    def add_class(self, name: str) -> bool:
        """Add a class; return False if it already exists."""
        name = check_label(name)
        with self._write() as connection:
            is_new = _class_id(connection, self._project_id, name) is None
            if is_new:
                _add_classes(connection, self._project_id, [name])
            return is_new

    def remove_class(self, name: str) -> None:
        """Remove a class without labels."""
        name = check_label(name)
        with self._write() as connection:
            class_id = _class_id(connection, self._project_id, name)
            if class_id is None:
                raise NotFoundError(f"There is no class {quoted(name)}; choose an existing one.")
            used = sql.select(LabelRow.id).where(LabelRow.project_id == self._project_id, LabelRow.class_id == class_id)
            if connection.scalar(used.limit(1)) is not None:
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
            if connection.scalar(sql.select(LabelRow.id).where(*self._has_key(record.key))) is not None:
                raise AlreadyLabelledError(record.key)
            class_id = self._ensure_class(connection, record.label)
            statement = sql.insert(LabelRow).values(**self._values(record, class_id))
            return replace(record, number=inserted_id(connection.execute(statement)))

    def change(self, key: str, label: str, person: str) -> LabelRecord:
        """Change the label, person and time of a record and return it; the same label changes nothing."""
        label, person = check_label(label), check_person(person)
        with self._write() as connection:
            record = self._find(connection, key)
            if record.label == label:
                return record
            updated = _updated(record, label, person)
            self._update(connection, updated, self._ensure_class(connection, label))
            return updated

    def set_drawn(self, key: str, drawn: str) -> LabelRecord:
        """Change how the example of a label was selected; return its record."""
        with self._write() as connection:
            record = replace(self._find(connection, key), drawn=drawn).checked()
            connection.execute(sql.update(LabelRow).where(LabelRow.id == record.number).values(drawn=drawn))
            return record

    def delete(self, key: str) -> LabelRecord:
        """Delete a label and return its record."""
        with self._write() as connection:
            record = self._find(connection, key)
            connection.execute(sql.delete(LabelRow).where(LabelRow.id == record.number))
            return record

    def records(self) -> list[LabelRecord]:
        """Return all records in the order of labelling."""
        with self._read() as connection:
            return self._select(connection, self._all().order_by(LabelRow.id))

    def find(self, key: str) -> LabelRecord | None:
        """Return the record of an example; None if it has no label."""
        with self._read() as connection:
            return next(iter(self._select(connection, sql.select(*_COLUMNS).where(*self._has_key(key)))), None)

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
                conditions.append(LabelRow.class_id == (_class_id(connection, self._project_id, label) or 0))
            total = connection.scalar(sql.select(sql.func.count()).select_from(LabelRow).where(*conditions))
            statement = (
                sql.select(*_COLUMNS).where(*conditions).order_by(LabelRow.id.desc()).offset(offset).limit(limit)
            )
            return total or 0, self._select(connection, statement)

    def counts(self) -> dict[str, int]:
        """Return the number of labels per class, in the order of the classes."""
        with self._read() as connection:
            names = _class_names(connection, self._project_id)
            statement = sql.select(LabelRow.class_id, sql.func.count()).where(LabelRow.project_id == self._project_id)
            counts = {row[0]: row[1] for row in connection.execute(statement.group_by(LabelRow.class_id))}
            return {name: counts.get(class_id, 0) for class_id, name in names.items()}

    def skip(self, key: str, person: str) -> None:
        """Record that a person skipped an example."""
        values = {"project_id": self._project_id, "key": check_key(key), "person": check_person(person)}
        with self._write() as connection:
            if connection.scalar(sql.select(SkipRow.id).filter_by(**values)) is None:
                connection.execute(sql.insert(SkipRow).values(**values))

    def unskip(self, key: str, person: str) -> None:
        """Delete a skip, if there is one."""
        values = {"project_id": self._project_id, "key": check_key(key), "person": check_person(person)}
        with self._write() as connection:
            connection.execute(sql.delete(SkipRow).filter_by(**values))

    def skips(self) -> list[tuple[str, str]]:
        """Return the key and person of all skips, oldest first."""
        statement = sql.select(SkipRow.key, SkipRow.person).where(SkipRow.project_id == self._project_id)
        with self._read() as connection:
            return [(row.key, row.person) for row in connection.execute(statement.order_by(SkipRow.id))]

    def import_records(self, records: Iterable[LabelRecord], replace: bool = False) -> ImportCounts:
        """Import labels: all of them or, if one is invalid, none.

        Parameters
        ----------
        records : iterable of LabelRecord
            The labels; an example must not have two different ones.
        replace : bool, default=False
            Whether imported labels replace different existing ones.

        Returns
        -------
        ImportCounts
            How many labels were added, changed an existing one, and changed nothing.
        """
        imported = _by_key(records)
        with self._write() as connection:
            existing = {each.key: each for each in self._select(connection, self._all())}
            new = [record for key, record in imported.items() if key not in existing]
            changed = [
                record
                for key, record in imported.items()
                if replace and key in existing and existing[key].label != record.label
            ]
            class_ids = _add_classes(connection, self._project_id, [record.label for record in [*new, *changed]])
            if new:
                rows = [self._values(record, class_ids[record.label]) for record in new]
                connection.execute(sql.insert(LabelRow), rows)
            for record in changed:
                updated = _updated(existing[record.key], record.label, record.person)
                self._update(connection, updated, class_ids[record.label])
        return ImportCounts(len(new), len(changed), len(imported) - len(new) - len(changed))

    def _all(self) -> sql.Select[Any]:
        return sql.select(*_COLUMNS).where(LabelRow.project_id == self._project_id)

    def _has_key(self, key: str) -> tuple[sql.ColumnElement[bool], sql.ColumnElement[bool]]:
        return LabelRow.project_id == self._project_id, LabelRow.key == check_key(key)

    def _select(self, connection: sql.Connection, statement: sql.Select[Any]) -> list[LabelRecord]:
        names = _class_names(connection, self._project_id)
        return [_record(row, names) for row in connection.execute(statement)]

    def _find(self, connection: sql.Connection, key: str) -> LabelRecord:
        for record in self._select(connection, sql.select(*_COLUMNS).where(*self._has_key(key))):
            return record
        raise NotFoundError(f"{quoted(key)} has no label; somebody may have deleted it.")

    def _ensure_class(self, connection: sql.Connection, label: str) -> int:
        class_id = _class_id(connection, self._project_id, label)
        return _add_classes(connection, self._project_id, [label])[label] if class_id is None else class_id

    def _values(self, record: LabelRecord, class_id: int) -> dict[str, object]:
        values: dict[str, object] = {name: getattr(record, name) for name in _FIELDS}
        return {**values, "project_id": self._project_id, "class_id": class_id}

    @staticmethod
    def _update(connection: sql.Connection, record: LabelRecord, class_id: int) -> None:
        values = {"class_id": class_id, "person": record.person, "changed_at": record.changed_at}
        connection.execute(sql.update(LabelRow).where(LabelRow.id == record.number).values(**values))


def _record(row: Sequence[Any], names: dict[int, str]) -> LabelRecord:
    class_id, key, *rest = row
    return LabelRecord(key, names[class_id], *rest)


def _updated(record: LabelRecord, label: str, person: str) -> LabelRecord:
    return replace(record, label=label, person=person, changed_at=datetime.now(UTC))


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


def _class_names(connection: sql.Connection, project_id: int) -> dict[int, str]:
    statement = sql.select(ClassRow.id, ClassRow.name).where(ClassRow.project_id == project_id).order_by(ClassRow.id)
    return {row.id: row.name for row in connection.execute(statement)}


def _class_id(connection: sql.Connection, project_id: int, name: str) -> int | None:
    return connection.scalar(sql.select(ClassRow.id).where(ClassRow.project_id == project_id, ClassRow.name == name))


def _add_classes(connection: sql.Connection, project_id: int, labels: Iterable[str]) -> dict[str, int]:
    """Return the ids of all classes; add those that are new."""
    known = {name: class_id for class_id, name in _class_names(connection, project_id).items()}
    unknown = [label for label in dict.fromkeys(labels) if label not in known]
    if len(known) + len(unknown) > MAX_CLASSES:
        count = len(known) + len(unknown)
        raise InvalidRequestError(
            f"A project must have at most {MAX_CLASSES} classes, got {count}; check that these are labels."
        )
    for name in map(check_new_label, unknown):
        known[name] = inserted_id(connection.execute(sql.insert(ClassRow).values(project_id=project_id, name=name)))
    return known
