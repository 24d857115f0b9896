"""The database of labels: every method is one transaction, which is safely on the disk when the method returns."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Self

from hinge._model.params import whole
from hinge.exceptions import quoted
from hinge.web._answer import (
    Answer,
    MissingError,
    RefusedError,
    StoreError,
    TakenError,
    check_key,
    check_label,
    check_person,
    check_project,
)
from hinge.web._database import Place, new_id, open_engine, reading, writing
from hinge.web._tables import ClassRow, LabelRow, ProjectRow, SkipRow, sql

__all__ = ["Answer", "MissingError", "RefusedError", "Store", "StoreError", "TakenError"]

MOST_CLASSES = 1000

_FIELDS = ("key", "person", "drawn", "digest", "seconds", "guess", "margin", "labelled_at", "changed_at")
_COLUMNS = (LabelRow.class_id, *(getattr(LabelRow, name) for name in _FIELDS), LabelRow.id)


class Store:
    """Labels of one project, in an SQLite file or in a PostgreSQL database.

    Several threads may use it at the same time, and several programs may use one database.

    Parameters
    ----------
    url : str or path
        The path of an SQLite file, which is made if it is not there, or a URL: sqlite:///FILE or
        postgresql://NAME:PASSWORD@HOST/DATABASE.
    project : str
        The name of what is being labelled: one database can hold several.

    Raises
    ------
    StoreError
        The database cannot be opened, or is of another program or version. All errors of the methods are of this
        kind too; `TakenError`, `MissingError` and `RefusedError` say that the database is well, but not the request.

    Examples
    --------
    >>> with Store("labels.db", "pets") as store:
    ...     _ = store.record(Answer("7", "cat", "ann", "chosen", "0f3a"))
    ...     _ = store.correct("7", "dog", "bob")
    ...     store.counts()
    {'cat': 0, 'dog': 1}
    """

    def __init__(self, url: str | os.PathLike[str], project: str) -> None:
        self.project = check_project(project)
        self._place = Place.of(url)
        self._engine, self._project_id = open_engine(self._place, self.project)
        self._reading, self._writing = reading(self._engine), writing(self._engine)
        self._file = self._place.identity()
        # Threads that wait for a lock go on at once; those that wait for SQLite look every now and then.
        self._turn = threading.Lock()
        self._closed = False

    @property
    def name(self) -> str:
        """Where the labels are: a file, or a database and its host, without the password."""
        return str(self._place.path.absolute()) if self._place.path is not None else self._place.name.lower()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the database; a second time does nothing."""
        self._closed = True
        self._engine.dispose()

    def classes(self) -> list[str]:
        """Return the names of all classes in the order of adding."""
        with self._read() as connection:
            return list(_class_names(connection, self._project_id).values())

    def add_class(self, name: str) -> bool:
        """Add a class; False if there is one of that name already."""
        name = check_label(name)
        with self._write() as connection:
            is_new = _class_id(connection, self._project_id, name) is None
            if is_new:
                _classes_for(connection, self._project_id, [name])
            return is_new

    def remove_class(self, name: str) -> None:
        """Remove a class that has no labels."""
        name = check_label(name)
        with self._write() as connection:
            class_id = _class_id(connection, self._project_id, name)
            if class_id is None:
                raise MissingError(f"There is no class {quoted(name)}; choose another one.")
            used = sql.select(LabelRow.id).where(LabelRow.project_id == self._project_id, LabelRow.class_id == class_id)
            if connection.scalar(used.limit(1)) is not None:
                raise RefusedError(f"The class {quoted(name)} has labels; change or delete these first.")
            connection.execute(sql.delete(ClassRow).where(ClassRow.id == class_id))

    def record(self, answer: Answer) -> Answer:
        """Keep a label; a class that is not known yet is added.

        Returns
        -------
        Answer
            The same with its number.

        Raises
        ------
        TakenError
            The example has a label.
        """
        answer = answer.checked()
        with self._write() as connection:
            if connection.scalar(sql.select(LabelRow.id).where(*self._is(answer.key))) is not None:
                raise TakenError(answer.key)
            class_id = self._class_for(connection, answer.label)
            statement = sql.insert(LabelRow).values(**self._values(answer, class_id))
            return replace(answer, number=new_id(connection.execute(statement)))

    def correct(self, key: str, label: str, person: str) -> Answer:
        """Change a label and return it: the label, who says so, and when. The same label leaves all as it was."""
        label, person = check_label(label), check_person(person)
        with self._write() as connection:
            answer = self._find(connection, key)
            if answer.label == label:
                return answer
            changed = _corrected(answer, label, person)
            self._change(connection, changed, self._class_for(connection, label))
            return changed

    def delete(self, key: str) -> Answer:
        """Take a label out and return what it was."""
        with self._write() as connection:
            answer = self._find(connection, key)
            connection.execute(sql.delete(LabelRow).where(LabelRow.id == answer.number))
            return answer

    def answers(self) -> list[Answer]:
        """Return all labels in the order in which they came."""
        with self._read() as connection:
            return self._select(connection, self._all().order_by(LabelRow.id))

    def find(self, key: str) -> Answer | None:
        """Return the label of an example, None if it has none."""
        with self._read() as connection:
            return next(iter(self._select(connection, sql.select(*_COLUMNS).where(*self._is(key)))), None)

    def history(
        self, offset: int = 0, limit: int = 50, label: str | None = None, person: str | None = None
    ) -> tuple[int, list[Answer]]:
        """Return how many labels there are, of a class or a person if given, and some of them, newest first."""
        offset = whole("offset", offset, at_least=0, hint="0 begins with the newest")
        limit = whole("limit", limit, at_least=0, hint="a usual value is 50")
        wanted = [LabelRow.project_id == self._project_id]
        wanted += [] if person is None else [LabelRow.person == check_person(person)]
        label = None if label is None else check_label(label)
        with self._read() as connection:
            if label is not None:
                wanted.append(LabelRow.class_id == (_class_id(connection, self._project_id, label) or 0))
            total = connection.scalar(sql.select(sql.func.count()).select_from(LabelRow).where(*wanted))
            statement = sql.select(*_COLUMNS).where(*wanted).order_by(LabelRow.id.desc()).offset(offset).limit(limit)
            return total or 0, self._select(connection, statement)

    def counts(self) -> dict[str, int]:
        """Return how many labels each class has, in the order of the classes."""
        mine = LabelRow.project_id == self._project_id
        with self._read() as connection:
            names = _class_names(connection, self._project_id)
            counted = sql.select(LabelRow.class_id, sql.func.count()).where(mine).group_by(LabelRow.class_id)
            counts = {row[0]: row[1] for row in connection.execute(counted)}
            return {name: counts.get(class_id, 0) for class_id, name in names.items()}

    def skip(self, key: str, person: str) -> None:
        """Keep in mind that somebody does not want to be asked about an example."""
        values = {"project_id": self._project_id, "key": check_key(key), "person": check_person(person)}
        with self._write() as connection:
            if connection.scalar(sql.select(SkipRow.id).filter_by(**values)) is None:
                connection.execute(sql.insert(SkipRow).values(**values))

    def unskip(self, key: str, person: str) -> None:
        """Take a skip back; nothing happens if there is none."""
        values = {"project_id": self._project_id, "key": check_key(key), "person": check_person(person)}
        with self._write() as connection:
            connection.execute(sql.delete(SkipRow).filter_by(**values))

    def skips(self) -> list[tuple[str, str]]:
        """Return key and person of all skips, oldest first."""
        statement = sql.select(SkipRow.key, SkipRow.person).where(SkipRow.project_id == self._project_id)
        with self._read() as connection:
            return [(row.key, row.person) for row in connection.execute(statement.order_by(SkipRow.id))]

    def bring(self, answers: Iterable[Answer], replace: bool = False) -> tuple[int, int, int]:
        """Take in labels that were made elsewhere: all of them or, when something is wrong, none.

        Parameters
        ----------
        answers : iterable of Answer
            The labels; no two different ones for the same example.
        replace : bool, default=False
            Correct labels that are different here; else these stay.

        Returns
        -------
        new, changed, same : int
            How many were added, were corrected, and stay as they are.
        """
        given = _one_each(answers)
        with self._write() as connection:
            here = {each.key: each for each in self._select(connection, self._all())}
            new = [answer for key, answer in given.items() if key not in here]
            differ = [answer for key, answer in given.items() if key in here and here[key].label != answer.label]
            different = differ if replace else []
            class_ids = _classes_for(connection, self._project_id, [answer.label for answer in [*new, *different]])
            if new:
                rows = [self._values(answer, class_ids[answer.label]) for answer in new]
                connection.execute(sql.insert(LabelRow), rows)
            for answer in different:
                changed = _corrected(here[answer.key], answer.label, answer.person)
                self._change(connection, changed, class_ids[answer.label])
        return len(new), len(different), len(given) - len(new) - len(different)

    def _all(self) -> sql.Select[Any]:
        return sql.select(*_COLUMNS).where(LabelRow.project_id == self._project_id)

    def _is(self, key: str) -> tuple[Any, Any]:
        return LabelRow.project_id == self._project_id, LabelRow.key == check_key(key)

    def _select(self, connection: sql.Connection, statement: sql.Select[Any]) -> list[Answer]:
        names = _class_names(connection, self._project_id)
        return [_answer(row, names) for row in connection.execute(statement)]

    def _find(self, connection: sql.Connection, key: str) -> Answer:
        for answer in self._select(connection, sql.select(*_COLUMNS).where(*self._is(key))):
            return answer
        raise MissingError(f"{quoted(key)} has no label; somebody may have deleted it.")

    def _class_for(self, connection: sql.Connection, label: str) -> int:
        class_id = _class_id(connection, self._project_id, label)
        return _classes_for(connection, self._project_id, [label])[label] if class_id is None else class_id

    def _values(self, answer: Answer, class_id: int) -> dict[str, Any]:
        values = {name: getattr(answer, name) for name in _FIELDS}
        return {**values, "project_id": self._project_id, "class_id": class_id}

    @staticmethod
    def _change(connection: sql.Connection, answer: Answer, class_id: int) -> None:
        values = {"class_id": class_id, "person": answer.person, "changed_at": answer.changed_at}
        connection.execute(sql.update(LabelRow).where(LabelRow.id == answer.number).values(**values))

    @contextmanager
    def _read(self) -> Iterator[sql.Connection]:
        self._require_open()
        try:
            with self._reading.begin() as connection:
                yield connection
        except sql.exc.SQLAlchemyError as error:
            raise self._place.refusal(error) from None

    @contextmanager
    def _write(self) -> Iterator[sql.Connection]:
        """Begin a transaction; writers of a project follow one another, so that what they find stays true."""
        self._require_open()
        try:
            with self._turn, self._writing.begin() as connection:
                if self._place.identity() != self._file:
                    raise StoreError(f"{self._place.name} has been moved or deleted; put it back or start again.")
                connection.execute(sql.select(ProjectRow.id).where(ProjectRow.id == self._project_id).with_for_update())
                yield connection
        except sql.exc.SQLAlchemyError as error:
            raise self._place.refusal(error) from None

    def _require_open(self) -> None:
        if self._closed:
            raise StoreError(f"{self._place.name} has been closed; open it again.")


def _answer(row: Any, names: dict[int, str]) -> Answer:
    class_id, key, *rest = row
    return Answer(key, names[class_id], *rest)


def _corrected(answer: Answer, label: str, person: str) -> Answer:
    return replace(answer, label=label, person=person, changed_at=datetime.now(UTC))


def _one_each(answers: Iterable[Answer]) -> dict[str, Answer]:
    """Return checked answers by key; the first of equal ones."""
    given: dict[str, Answer] = {}
    for answer in map(Answer.checked, answers):
        first = given.setdefault(answer.key, answer)
        if first.label != answer.label:
            raise RefusedError(f"{quoted(answer.key)} must have one label, got {first.label!r} and {answer.label!r}.")
    return given


def _class_names(connection: sql.Connection, project_id: int) -> dict[int, str]:
    statement = sql.select(ClassRow.id, ClassRow.name).where(ClassRow.project_id == project_id).order_by(ClassRow.id)
    return {row.id: row.name for row in connection.execute(statement)}


def _class_id(connection: sql.Connection, project_id: int, name: str) -> int | None:
    return connection.scalar(sql.select(ClassRow.id).where(ClassRow.project_id == project_id, ClassRow.name == name))


def _classes_for(connection: sql.Connection, project_id: int, labels: Iterable[str]) -> dict[str, int]:
    """Return the ids of classes, new ones added."""
    known = {name: class_id for class_id, name in _class_names(connection, project_id).items()}
    unknown = [label for label in dict.fromkeys(labels) if label not in known]
    if len(known) + len(unknown) > MOST_CLASSES:
        count = len(known) + len(unknown)
        raise RefusedError(f"A project must have at most {MOST_CLASSES} classes, got {count}; are these labels?")
    for name in unknown:
        known[name] = new_id(connection.execute(sql.insert(ClassRow).values(project_id=project_id, name=name)))
    return known
