"""How the database of labels is opened, and what its errors mean in plain words.

An acknowledged label must survive a crash of the program and of the machine. SQLite therefore writes a journal ahead
(WAL) and waits for the disk at every commit (synchronous=FULL); PostgreSQL does so unless it is told otherwise.
"""

from __future__ import annotations

import os
import sqlite3
import time
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

from hinge.io.atomic import require_plain
from hinge.web._answer import StoreError
from hinge.web._tables import VERSION, Base, ProjectRow, SchemaRow, event, sql

PATIENCE = 10  # seconds to wait for others who write

_HEADER = b"SQLite format 3\0"
_POOL = {"pool_size": 8, "max_overflow": 56, "pool_timeout": PATIENCE}  # more than a web server has threads
_WAYS = "the path of an SQLite file or a URL that begins with sqlite:/// or postgresql://"


@dataclass(frozen=True)
class Place:
    """Where a database is.

    Attributes
    ----------
    url : sqlalchemy.URL
        For SQLAlchemy; it may hold a password.
    path : Path or None
        The file of an SQLite database.
    name : str
        What messages call it: nothing in it is secret.
    """

    url: sql.URL = field(repr=False)
    path: Path | None
    name: str

    @classmethod
    def of(cls, url: str | os.PathLike[str]) -> Place:
        """Return what a path or a URL stands for.

        Examples
        --------
        >>> Place.of("labels.db").name
        'labels.db'
        >>> Place.of("postgresql://ann:secret@example.org/labels").name
        'The database labels on example.org'
        """
        text = os.fspath(url)
        if "://" not in text:
            return cls._of_file(text)
        parsed = _parsed(text)
        if parsed.drivername in ("sqlite", "sqlite+pysqlite"):
            if parsed.query:
                raise StoreError("The URL of an SQLite database must not have options; give the path of the file.")
            return cls._of_file(parsed.database or "")
        if parsed.drivername in ("postgres", "postgresql", "postgresql+psycopg"):
            return cls._of_server(parsed)
        raise StoreError(f"The database must be {_WAYS}, got a URL of {parsed.drivername!r}; use one of these.")

    @classmethod
    def _of_file(cls, text: str) -> Place:
        if text in ("", ":memory:") or "\0" in text:
            raise StoreError(f"The database must be {_WAYS}; labels are kept on a disk, so name a file.")
        # The whole path: it stays the same file if the program changes its folder.
        path = Path(text).absolute()
        return cls(sql.URL.create("sqlite+pysqlite", database=str(path)), path, text)

    @classmethod
    def _of_server(cls, url: sql.URL) -> Place:
        try:
            import_module("psycopg")
        except ImportError as error:
            raise ImportError(
                "PostgreSQL needs the package psycopg; install it with pip install 'hinge[postgres]', "
                "or name an SQLite file instead."
            ) from error
        where = f" on {url.host}" if url.host else ""
        return cls(
            url.set(drivername="postgresql+psycopg"), None, f"The database {url.database or ''}".rstrip() + where
        )

    def refusal(self, error: Exception) -> StoreError:
        """Return an error of the database as a sentence that says what to do."""
        cause = error.orig if isinstance(error, sql.exc.DBAPIError) and error.orig is not None else error
        code = str(getattr(cause, "sqlite_errorname", None) or getattr(cause, "sqlstate", None) or _code_of(cause))
        for begin, meaning in _MEANINGS.items():
            if code.startswith(begin):
                return StoreError(f"{self.name} {meaning}.")
        if self.path is None and isinstance(error, sql.exc.DBAPIError) and not code:
            meaning = f"cannot be reached ({self._safe(cause)}); start the server, look at the URL, and try again"
            return StoreError(f"{self.name} {meaning}.")
        if isinstance(error, sql.exc.TimeoutError):
            return StoreError(f"{self.name} is asked by too many at the same time; wait a little and try again.")
        return StoreError(f"{self.name} cannot be used: {self._safe(cause)}.")

    def identity(self) -> tuple[int, int] | None:
        """Return which file the database is; None if it is on a server, zeros if the file is gone."""
        if self.path is None:
            return None
        try:
            status = self.path.stat()
        except OSError:
            return 0, 0
        return status.st_dev, status.st_ino

    def _safe(self, error: BaseException) -> str:
        """Return the first line of an error without any password."""
        text = str(error).strip().partition("\n")[0].rstrip(".")
        for secret in (self.url.password, *self.url.query.values()):
            for word in (secret,) if isinstance(secret, str) else secret or ():
                text = text.replace(word, "***") if word else text
        return text


def _parsed(url: str) -> sql.URL:
    try:
        parsed = sql.make_url(url)
        # A password that is not encoded: part of it would pass for the name of the server.
        if "@" in (parsed.host or "") + (parsed.database or "") and parsed.drivername.startswith("postgres"):
            raise ValueError("@")
    except (sql.exc.ArgumentError, ValueError):
        raise StoreError(
            "The URL of the database cannot be read; it must be like postgresql://NAME:PASSWORD@HOST/DATABASE, "
            "with %40 for @ and %2F for / in a password."
        ) from None
    return parsed


_FULL = "has no room left on its disk; nothing was saved, so make room and try again"
_READ_ONLY = "may not be written; nothing was saved, so change its permissions or name another one"
_BUSY = (
    f"is locked by another program for more than {PATIENCE} seconds; nothing was saved, so end that one and try again"
)
_DAMAGED = "is damaged or not a database of labels; restore it from a copy or name another one"
_DENIED = "does not let this user in; look at name and password in the URL"

# By the beginning of SQLite's names of errors, and of the codes of the SQL standard, which PostgreSQL has.
_MEANINGS = {
    "SQLITE_FULL": _FULL,
    "SQLITE_BUSY": _BUSY,
    "SQLITE_LOCKED": _BUSY,
    "SQLITE_READONLY": _READ_ONLY,
    "SQLITE_PERM": _READ_ONLY,
    "SQLITE_CANTOPEN": "cannot be opened; name a file in a folder that this user may write to",
    "SQLITE_CORRUPT": _DAMAGED,
    "SQLITE_NOTADB": _DAMAGED,
    "SQLITE_IOERR": "cannot be read or written, as its disk reports an error; nothing was saved, so look at the disk",
    "53100": _FULL,
    "55P03": _BUSY,
    "25006": _READ_ONLY,
    "42501": _READ_ONLY,
    "28": _DENIED,
    "3D000": "does not exist; make it with createdb, or name another one",
    "57P": "has ended the connection; try again when the server runs, and look whether the last label is there",
}


def _code_of(cause: object) -> str:
    """Return the code of a refused connection, which PostgreSQL's driver tells in words only."""
    said = str(cause)
    if "authentication failed" in said or ("role" in said and "does not exist" in said):
        return "28"
    return "3D000" if "database" in said and "does not exist" in said else ""


def open_engine(place: Place, project: str) -> tuple[sql.Engine, int]:
    """Open a database, return it and the id of a project; what is new is made, other kinds and versions are refused."""
    if place.path is not None:
        _require_sqlite(place, place.path)
    engine = _postgresql(place.url) if place.path is None else _sqlite(place.url)
    try:
        with writing(engine).begin() as connection:
            _require_schema(connection, place)
            project_id = _project_id(connection, project)
        if place.path is not None:  # after that, since it would change a database of another program
            _write_ahead(engine, place)
    except sql.exc.SQLAlchemyError as error:
        engine.dispose()
        raise place.refusal(error) from None
    except BaseException:
        engine.dispose()
        raise
    return engine, project_id


def writing(engine: sql.Engine) -> sql.Engine:
    """Return an engine whose transactions write: on SQLite they wait for their turn at once, not half-way."""
    return engine.execution_options(hinge_writes=True)


def reading(engine: sql.Engine) -> sql.Engine:
    """Return an engine whose transactions only read: all statements of one see the same state."""
    if engine.dialect.name == "sqlite":
        return engine.execution_options(hinge_writes=False)
    return engine.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)


def _sqlite(url: sql.URL) -> sql.Engine:
    engine = sql.create_engine(url, **_POOL, hide_parameters=True, connect_args={"timeout": PATIENCE})
    event.listen(engine, "connect", _prepare_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def _postgresql(url: sql.URL) -> sql.Engine:
    usual = {"connect_timeout": str(PATIENCE), "keepalives_idle": "30", "tcp_user_timeout": "20000"}
    arguments: dict[str, Any] = {name: value for name, value in usual.items() if name not in url.query}
    # A plan that was prepared for a handful of labels would stay after 100 000 have been imported.
    arguments["prepare_threshold"] = None
    engine = sql.create_engine(url, **_POOL, hide_parameters=True, connect_args=arguments, pool_pre_ping=True)
    event.listen(engine, "connect", _prepare_postgresql)
    return engine


def _require_sqlite(place: Place, path: Path) -> None:
    """Refuse a file that is something else, before SQLite writes to it."""
    try:
        if not path.parent.is_dir():
            raise StoreError(f"There is no folder {path.parent} for the labels; make it, or name another file.")
        if not path.exists():
            return
        require_plain(path, path.stat().st_mode)
        with path.open("rb") as file:
            header = file.read(len(_HEADER))
    except OSError as error:
        reason = error.strerror or str(error).rstrip(".")
        raise StoreError(f"{place.name} cannot be opened as a database of labels: {reason}.") from None
    if header not in (b"", _HEADER):
        raise StoreError(f"{place.name} is not an SQLite database; name another file, or a new one.")


def _require_schema(connection: sql.Connection, place: Place) -> None:
    if place.path is None:  # two programs that find no tables would both make them
        connection.execute(sql.select(sql.func.pg_advisory_xact_lock(0x68696E6765)))
    found = set(sql.inspect(connection).get_table_names())
    if SchemaRow.__tablename__ in found:
        version = connection.scalar(sql.select(SchemaRow.version))
        if version != VERSION:
            raise StoreError(
                f"{place.name} holds labels of version {version}, and this program reads version {VERSION}; "
                "use the hinge that wrote it, export the labels there and import them here."
            )
        return
    if (place.path is not None and found) or found & set(Base.metadata.tables):
        raise StoreError(f"{place.name} is a database of another program; name another one, or a new one.")
    Base.metadata.create_all(connection, checkfirst=False)
    connection.execute(sql.insert(SchemaRow).values(version=VERSION))


def _project_id(connection: sql.Connection, name: str) -> int:
    found = connection.scalar(sql.select(ProjectRow.id).where(ProjectRow.name == name))
    if found is None:
        return new_id(connection.execute(sql.insert(ProjectRow).values(name=name)))
    return found


def new_id(result: sql.CursorResult[Any]) -> int:
    """Return the id that the database gave to a row."""
    key: Any = result.inserted_primary_key
    return int(key[0])


def _write_ahead(engine: sql.Engine, place: Place) -> None:
    connection = engine.raw_connection()  # outside of any transaction
    try:
        mode = _journal_mode(connection)
    except sqlite3.Error as error:
        raise place.refusal(error) from None
    finally:
        connection.close()
    if mode != "wal":
        raise StoreError(f"{place.name} is on a disk that SQLite cannot write safely; name a file on a local disk.")


def _journal_mode(connection: Any) -> str:
    """Ask for a journal ahead. SQLite does not wait by itself when another program does so at the same moment."""
    end = time.monotonic() + PATIENCE
    while True:
        try:
            (mode,) = connection.cursor().execute("PRAGMA journal_mode=WAL").fetchone()
            return str(mode)
        except sqlite3.OperationalError as error:
            if not error.sqlite_errorname.startswith("SQLITE_BUSY") or time.monotonic() > end:
                raise
            time.sleep(0.01)


def _prepare_sqlite(connection: Any, _record: Any) -> None:
    # Python would begin transactions by itself, too late and not always; `_begin_sqlite` does instead.
    connection.isolation_level = None
    for pragma in (
        "synchronous=FULL",
        "fullfsync=ON",  # macOS's fsync does not reach the disk
        "foreign_keys=ON",
        "secure_delete=ON",  # a deleted label is overwritten
    ):
        connection.execute(f"PRAGMA {pragma}").close()


def _begin_sqlite(connection: sql.Connection) -> None:
    writes = connection.get_execution_options().get("hinge_writes", True)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _prepare_postgresql(connection: Any, _record: Any) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"SET lock_timeout = '{PATIENCE}s'")
        # A server may be told not to wait for its disk; labels are worth the wait.
        cursor.execute(
            "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'"
        )
    connection.commit()
