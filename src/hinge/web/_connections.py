"""The transactions of one project: `Connections` opens a database and begins them."""

from __future__ import annotations

import threading
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from hinge.web._database import Location, open_engine, reader, writer
from hinge.web._labels import StoreError, check_project
from hinge.web._tables import ProjectRow, sql

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator


_CHECKPOINT_S = 2.0  # after a change


class Connections:
    """A database, opened for one project.

    Parameters
    ----------
    url : str or path
        See `Store`.
    project : str
        The name of the project.

    Attributes
    ----------
    location : Location
        Where the database is.
    engine : sqlalchemy.Engine
        Its connections.
    project_id : int
        The id of the project.
    """

    def __init__(self, url: str | os.PathLike[str], project: str) -> None:
        self.location = Location.of(url)
        self.engine, self.project_id = open_engine(self.location, check_project(project))
        self._reader, self._writer = reader(self.engine), writer(self.engine)
        self._file_id = self.location.file_id()
        # Threads that wait for a lock continue at once; those that wait for SQLite poll.
        self._write_lock = threading.Lock()
        self._closed = False
        self._timer = threading.Timer(0, lambda: None)

    def close(self) -> None:
        """Close the database; closing it again has no effect."""
        self._closed = True
        self._timer.cancel()
        self.engine.dispose()

    @contextmanager
    def read(self) -> Iterator[sql.Connection]:
        """Begin a transaction that reads."""
        self._check_open()
        try:
            with self._reader.begin() as connection:
                yield connection
        except sql.exc.SQLAlchemyError as error:
            raise self.location.error(error) from None

    @contextmanager
    def write(self) -> Iterator[sql.Connection]:
        """Begin a transaction; writers of a project are serialized, so that what they read stays valid."""
        self._check_open()
        try:
            self._schedule_checkpoint()
            with self._write_lock, self._writer.begin() as connection:
                if self.location.file_id() != self._file_id:
                    raise StoreError(f"{self.location.name} has been moved or deleted; put it back or restart.")
                connection.execute(sql.select(ProjectRow.id).where(ProjectRow.id == self.project_id).with_for_update())
                yield connection
        except sql.exc.SQLAlchemyError as error:
            raise self.location.error(error) from None

    def _schedule_checkpoint(self) -> None:
        """Soon copy the log of SQLite into its file, so that a copy of the file alone is complete."""
        if self.location.path is not None and not self._timer.is_alive():
            self._timer = threading.Timer(_CHECKPOINT_S, self._checkpoint)
            self._timer.daemon = True
            self._timer.start()

    def _checkpoint(self) -> None:
        if self._closed:
            return
        with suppress(sql.exc.SQLAlchemyError):  # a later one does it
            connection = self.engine.raw_connection()
            try:
                connection.cursor().execute("PRAGMA wal_checkpoint(PASSIVE)").close()
            finally:
                connection.close()

    def _check_open(self) -> None:
        if self._closed:
            raise StoreError(f"{self.location.name} is closed; open it again.")
