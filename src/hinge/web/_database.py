"""Opening the label database, and explaining its errors.

An acknowledged label must survive a crash of the program and of the machine. SQLite therefore uses a write-ahead log
(WAL) and waits for the disk at every commit (synchronous=FULL); PostgreSQL does so by default.
"""

from __future__ import annotations

import os
import sqlite3
import time
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path

from hinge.io.atomic import require_plain
from hinge.web._labels import StoreError
from hinge.web._migration import READABLE, upgrade
from hinge.web._tables import VERSION, Base, DBAPIConnection, ProjectRow, SchemaRow, event, sql

LOCK_TIMEOUT_S = 10  # to wait for other writers

_HEADER = b"SQLite format 3\0"
_PRIVATE = 0o600  # a new file can be read by its owner only
# More connections than the web server has threads.
_POOL = {"pool_size": 8, "max_overflow": 56, "pool_timeout": LOCK_TIMEOUT_S}
_VALID_URLS = "the path of an SQLite file or a URL that starts with sqlite:/// or postgresql://"


@dataclass(frozen=True)
class Location:
    """The location of a database.

    Attributes
    ----------
    url : sqlalchemy.URL
        The URL for SQLAlchemy; it may contain a password.
    path : Path or None
        The file of an SQLite database; None for a server.
    name : str
        Its name in messages, without secrets.
    """

    url: sql.URL = field(repr=False)
    path: Path | None
    name: str

    @classmethod
    def of(cls, url: str | os.PathLike[str]) -> Location:
        """Parse a path or a URL.

        Examples
        --------
        >>> Location.of("labels.db").name
        'labels.db'
        >>> Location.of("postgresql://ann:secret@example.org/labels").name
        'The database labels on example.org'
        """
        text = os.fspath(url)
        if "://" not in text:
            return cls._of_file(text)
        parsed = _parse_url(text)
        if parsed.drivername in ("sqlite", "sqlite+pysqlite"):
            if parsed.query:
                raise StoreError("The URL of an SQLite database must not have options; use the path of the file.")
            return cls._of_file(parsed.database or "")
        if parsed.drivername in ("postgres", "postgresql", "postgresql+psycopg"):
            return cls._of_server(parsed)
        raise StoreError(f"The database must be {_VALID_URLS}, got a URL of {parsed.drivername!r}.")

    @classmethod
    def _of_file(cls, text: str) -> Location:
        if text in ("", ":memory:") or "\0" in text:
            raise StoreError(f"The database must be {_VALID_URLS}; labels are stored on disk, so name a file.")
        # The absolute path remains valid if the working directory changes.
        path = Path(text).absolute()
        return cls(sql.URL.create("sqlite+pysqlite", database=str(path)), path, text)

    @classmethod
    def _of_server(cls, url: sql.URL) -> Location:
        try:
            import_module("psycopg")
        except ImportError as error:
            raise ImportError(
                "PostgreSQL needs the package psycopg; install it with pip install 'hinge-svm[postgres]', "
                "or use an SQLite file instead."
            ) from error
        where = f" on {url.host}" if url.host else ""
        return cls(
            url.set(drivername="postgresql+psycopg"), None, f"The database {url.database or ''}".rstrip() + where
        )

    def error(self, error: Exception) -> StoreError:
        """Convert a database error into a sentence that says what to do."""
        cause = error.orig if isinstance(error, sql.exc.DBAPIError) and error.orig is not None else error
        code = str(
            getattr(cause, "sqlite_errorname", None)
            or getattr(cause, "sqlstate", None)
            or _connection_error_code(cause)
        )
        for prefix, meaning in _MEANINGS.items():
            if code.startswith(prefix):
                return StoreError(f"{self.name} {meaning}.")
        if self.path is None and isinstance(error, sql.exc.DBAPIError) and not code:
            meaning = f"cannot be reached ({self._safe(cause)}); start the server, check the URL, and try again"
            return StoreError(f"{self.name} {meaning}.")
        if isinstance(error, sql.exc.TimeoutError):
            return StoreError(f"{self.name} has too many concurrent requests; wait a little and try again.")
        return StoreError(f"{self.name} cannot be used: {self._safe(cause)}.")

    def file_id(self) -> tuple[int, int] | None:
        """Return the device and inode of the file; None for a server, zeros if the file is missing."""
        if self.path is None:
            return None
        try:
            status = self.path.stat()
        except OSError:
            return 0, 0
        return status.st_dev, status.st_ino

    def _safe(self, error: BaseException) -> str:
        """Return the first line of an error message without passwords."""
        text = str(error).strip().partition("\n")[0].rstrip(".")
        for secret in (self.url.password, *self.url.query.values()):
            for word in (secret,) if isinstance(secret, str) else secret or ():
                text = text.replace(word, "***") if word else text
        return text


def _parse_url(url: str) -> sql.URL:
    try:
        parsed = sql.make_url(url)
        # A password that is not encoded: part of it would be taken for the host name.
        if "@" in (parsed.host or "") + (parsed.database or "") and parsed.drivername.startswith("postgres"):
            raise ValueError("@")
    except (sql.exc.ArgumentError, ValueError):
        raise StoreError(
            "The URL of the database is invalid; write it as postgresql://NAME:PASSWORD@HOST/DATABASE, "
            "with %40 for @ and %2F for / in a password."
        ) from None
    return parsed


_FULL = "has no space left on its disk; nothing was saved; free some space and try again"
_READ_ONLY = "is read-only; nothing was saved; change its permissions or use another one"
_BUSY = (
    f"has been locked by another program for more than {LOCK_TIMEOUT_S} seconds; nothing was saved; "
    "close that program and try again"
)
_DAMAGED = "is damaged or not a label database; restore it from a backup or use another one"
_DENIED = "rejected the login; check the user name and password in the URL"

# By prefix of SQLite's error names, and of the SQLSTATE codes of PostgreSQL.
_MEANINGS = {
    "SQLITE_FULL": _FULL,
    "SQLITE_BUSY": _BUSY,
    "SQLITE_LOCKED": _BUSY,
    "SQLITE_READONLY": _READ_ONLY,
    "SQLITE_PERM": _READ_ONLY,
    "SQLITE_CANTOPEN": "cannot be opened; use a file in a folder that you can write to",
    "SQLITE_CORRUPT": _DAMAGED,
    "SQLITE_NOTADB": _DAMAGED,
    "SQLITE_IOERR": "cannot be read or written because its disk reports an error; nothing was saved; check the disk",
    "53100": _FULL,
    "55P03": _BUSY,
    "25006": _READ_ONLY,
    "42501": _READ_ONLY,
    "28": _DENIED,
    "3D000": "does not exist; create it with createdb, or use another one",
    "57P": "closed the connection; try again when the server is running, and check that the last label was saved",
}


def _connection_error_code(cause: object) -> str:
    """Return the SQLSTATE code of a refused connection, for which PostgreSQL's driver only provides a message."""
    message = str(cause)
    if "authentication failed" in message or ("role" in message and "does not exist" in message):
        return "28"
    return "3D000" if "database" in message and "does not exist" in message else ""


def open_engine(location: Location, project: str) -> tuple[sql.Engine, int]:
    """Open a database; return it and the id of the project. Create either if it does not exist."""
    if location.path is not None:
        _check_sqlite_file(location, location.path)
    engine = _postgresql(location.url) if location.path is None else _sqlite(location.url)
    try:
        with writer(engine).begin() as connection:
            _check_schema(connection, location)
            project_id = _project_id(connection, project)
        if location.path is not None:  # last, because it would change a database of another program
            _enable_wal(engine, location)
    except sql.exc.SQLAlchemyError as error:
        engine.dispose()
        raise location.error(error) from None
    except BaseException:
        engine.dispose()
        raise
    return engine, project_id


def writer(engine: sql.Engine) -> sql.Engine:
    """Return an engine whose transactions write: on SQLite they acquire the lock at the start."""
    return engine.execution_options(hinge_writes=True)


def reader(engine: sql.Engine) -> sql.Engine:
    """Return an engine whose transactions only read: all statements of a transaction see the same state."""
    if engine.dialect.name == "sqlite":
        return engine.execution_options(hinge_writes=False)
    return engine.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)


def _sqlite(url: sql.URL) -> sql.Engine:
    engine = sql.create_engine(url, **_POOL, hide_parameters=True, connect_args={"timeout": LOCK_TIMEOUT_S})
    event.listen(engine, "connect", _prepare_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def _postgresql(url: sql.URL) -> sql.Engine:
    defaults = {"connect_timeout": str(LOCK_TIMEOUT_S), "keepalives_idle": "30", "tcp_user_timeout": "20000"}
    arguments: dict[str, str | None] = {name: value for name, value in defaults.items() if name not in url.query}
    # A prepared plan made for a few labels would still be used after 100 000 have been imported.
    arguments["prepare_threshold"] = None
    engine = sql.create_engine(url, **_POOL, hide_parameters=True, connect_args=arguments, pool_pre_ping=True)
    event.listen(engine, "connect", _prepare_postgresql)
    return engine


def _check_sqlite_file(location: Location, path: Path) -> None:
    """Raise an error if the file is not an SQLite database, before SQLite writes to it."""
    try:
        if not path.parent.is_dir():
            raise StoreError(f"There is no folder {path.parent} for the labels; create it, or use another file.")
        if not path.exists():
            # SQLite gives its other files the same permissions.
            os.close(os.open(path, os.O_CREAT | os.O_RDWR, _PRIVATE))
            return
        require_plain(path, path.stat().st_mode)
        with path.open("rb") as file:
            header = file.read(len(_HEADER))
    except OSError as error:
        reason = error.strerror or str(error).rstrip(".")
        raise StoreError(f"{location.name} cannot be opened as a label database: {reason}.") from None
    if header not in (b"", _HEADER):
        raise StoreError(f"{location.name} is not an SQLite database; use another file, or a new one.")


def _check_schema(connection: sql.Connection, location: Location) -> None:
    if location.path is None:  # two programs that find no tables would both create them
        connection.execute(sql.select(sql.func.pg_advisory_xact_lock(0x68696E6765)))
    found = set(sql.inspect(connection).get_table_names())
    if SchemaRow.__tablename__ in found:
        version = connection.scalar(sql.select(SchemaRow.version))
        if version not in READABLE:
            raise StoreError(
                f"{location.name} has version {version} of the label tables, but this program needs version {VERSION}; "
                "export the labels with the hinge that wrote them, and import them here."
            )
        upgrade(connection, version)
        return
    if (location.path is not None and found) or found & set(Base.metadata.tables):
        raise StoreError(f"{location.name} is a database of another program; use another one, or a new one.")
    Base.metadata.create_all(connection, checkfirst=False)
    connection.execute(sql.insert(SchemaRow).values(version=VERSION))


def _project_id(connection: sql.Connection, name: str) -> int:
    found = connection.scalar(sql.select(ProjectRow.id).where(ProjectRow.name == name))
    if found is None:
        return inserted_id(connection.execute(sql.insert(ProjectRow).values(name=name)))
    return found


def inserted_id(result: sql.CursorResult[tuple[()]]) -> int:
    """Return the id that the database assigned to an inserted row."""
    key = result.inserted_primary_key
    if key is None:
        raise TypeError("The result of an insert statement is needed.")
    return int(key[0])


def _enable_wal(engine: sql.Engine, location: Location) -> None:
    connection = engine.raw_connection()  # outside of any transaction
    try:
        mode = _set_journal_mode(connection)
    except sqlite3.Error as error:
        raise location.error(error) from None
    finally:
        connection.close()
    if mode != "wal":
        raise StoreError(f"{location.name} is on a disk that SQLite cannot write safely; use a file on a local disk.")


def _set_journal_mode(connection: sql.PoolProxiedConnection) -> str:
    """Enable the write-ahead log; retry, because SQLite does not wait if another program does so at the same time."""
    end = time.monotonic() + LOCK_TIMEOUT_S
    while True:
        try:
            (mode,) = connection.cursor().execute("PRAGMA journal_mode=WAL").fetchone()
            return str(mode)
        except sqlite3.OperationalError as error:
            if not error.sqlite_errorname.startswith("SQLITE_BUSY") or time.monotonic() > end:
                raise
            time.sleep(0.01)


def _prepare_sqlite(connection: sqlite3.Connection, _record: object) -> None:
    # Python would begin transactions itself, too late and not always; `_begin_sqlite` begins them instead.
    connection.isolation_level = None
    for pragma in (
        "synchronous=FULL",
        "fullfsync=ON",  # fsync does not reach the disk on macOS
        "foreign_keys=ON",
        "secure_delete=ON",  # a deleted label is overwritten
    ):
        connection.execute(f"PRAGMA {pragma}").close()


def _begin_sqlite(connection: sql.Connection) -> None:
    writes = connection.get_execution_options().get("hinge_writes", True)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _prepare_postgresql(connection: DBAPIConnection, _record: object) -> None:
    cursor = connection.cursor()
    cursor.execute(f"SET lock_timeout = '{LOCK_TIMEOUT_S}s'")
    # A server may be configured not to wait for its disk; labels must be durable.
    cursor.execute(
        "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'"
    )
    cursor.close()
    connection.commit()
