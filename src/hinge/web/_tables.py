"""The tables of the label database. Only this module imports SQLAlchemy."""

from __future__ import annotations

from datetime import UTC, datetime

try:
    import sqlalchemy as sql
except ImportError as missing:
    raise ImportError(
        "The label database needs sqlalchemy; install it with pip install 'hinge-svm[label]'."
    ) from missing
from sqlalchemy import ForeignKey, Index, String, UniqueConstraint, event
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

__all__ = [
    "VERSION",
    "Base",
    "ClassRow",
    "DBAPIConnection",
    "EventRow",
    "InvitationRow",
    "LabelRow",
    "ProjectRow",
    "SchemaRow",
    "SecondLabelRow",
    "SessionRow",
    "SkipRow",
    "StateRow",
    "event",
    "sql",
]

VERSION = 3

_ID = sql.BigInteger().with_variant(sql.Integer(), "sqlite")  # SQLite only increments columns of type INTEGER


class UtcDateTime(sql.TypeDecorator[datetime]):
    """A time in UTC. SQLite has no time zones, and PostgreSQL returns times in its own."""

    impl = sql.DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: sql.Dialect) -> datetime | None:
        """Convert a time to the form in which it is stored."""
        if value is None:
            return None
        return value.astimezone(UTC).replace(tzinfo=None if dialect.name == "sqlite" else UTC)

    def process_result_value(self, value: datetime | None, dialect: sql.Dialect) -> datetime | None:
        """Convert a stored time to UTC."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if dialect.name == "sqlite" else value.astimezone(UTC)


class Base(DeclarativeBase):
    """All tables; their names start with hinge_, since a PostgreSQL database may have tables of other programs."""


class SchemaRow(Base):
    """The version of the tables; a single row."""

    __tablename__ = "hinge_schema"

    version: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)


class ProjectRow(Base):
    """A project: the labels of one pool."""

    __tablename__ = "hinge_projects"

    id: Mapped[int] = mapped_column(_ID, primary_key=True)
    name: Mapped[str] = mapped_column(String(100), unique=True)


class ClassRow(Base):
    """A class; ids increase in the order in which classes are added."""

    __tablename__ = "hinge_classes"
    __table_args__ = (UniqueConstraint("project_id", "name"), {"sqlite_autoincrement": True})

    id: Mapped[int] = mapped_column(_ID, primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey(ProjectRow.id))
    name: Mapped[str] = mapped_column(String(100))


class LabelRow(Base):
    """The current label of an example. Each index ends with the id, so that the newest labels are found quickly."""

    __tablename__ = "hinge_labels"
    __table_args__ = (
        UniqueConstraint("project_id", "key"),
        Index("hinge_labels_order", "project_id", "id"),
        Index("hinge_labels_class", "project_id", "class_id", "id"),
        Index("hinge_labels_person", "project_id", "person", "id"),
        {"sqlite_autoincrement": True},  # the id of a deleted label is not used again
    )

    id: Mapped[int] = mapped_column(_ID, primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey(ProjectRow.id))
    key: Mapped[str] = mapped_column(sql.Text)
    class_id: Mapped[int] = mapped_column(ForeignKey(ClassRow.id))
    person: Mapped[str] = mapped_column(String(40))
    drawn: Mapped[str] = mapped_column(String(20))
    digest: Mapped[str] = mapped_column(String(100))
    seconds: Mapped[float | None] = mapped_column(sql.Double)
    guess: Mapped[str | None] = mapped_column(String(100))
    margin: Mapped[float | None] = mapped_column(sql.Double)
    labelled_at: Mapped[datetime] = mapped_column(UtcDateTime)
    changed_at: Mapped[datetime | None] = mapped_column(UtcDateTime)


class SkipRow(Base):
    """A person skipped an example."""

    __tablename__ = "hinge_skips"
    __table_args__ = (UniqueConstraint("project_id", "key", "person"),)

    id: Mapped[int] = mapped_column(_ID, primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey(ProjectRow.id))
    key: Mapped[str] = mapped_column(sql.Text)
    person: Mapped[str] = mapped_column(String(40))


# Tables of versions 2 and 3


class EventRow(Base):
    """A change of a label or class. Rows are only added, never changed or deleted; names are as they were then."""

    __tablename__ = "hinge_events"
    __table_args__ = (
        Index("hinge_events_order", "project_id", "id"),
        Index("hinge_events_key", "project_id", "key", "id"),
        {"sqlite_autoincrement": True},
    )

    id: Mapped[int] = mapped_column(_ID, primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey(ProjectRow.id))
    at: Mapped[datetime] = mapped_column(UtcDateTime)
    person: Mapped[str] = mapped_column(String(40))
    action: Mapped[str] = mapped_column(String(20))
    key: Mapped[str | None] = mapped_column(sql.Text)
    before: Mapped[str | None] = mapped_column(String(100))
    after: Mapped[str | None] = mapped_column(String(100))
    batch: Mapped[str | None] = mapped_column(String(32))
    previous: Mapped[str | None] = mapped_column(sql.Text)


class SecondLabelRow(Base):
    """The label that another person gave to a labelled example, to measure the agreement."""

    __tablename__ = "hinge_second_labels"
    __table_args__ = (UniqueConstraint("project_id", "key", "person"),)

    id: Mapped[int] = mapped_column(_ID, primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey(ProjectRow.id))
    key: Mapped[str] = mapped_column(sql.Text)
    class_id: Mapped[int] = mapped_column(ForeignKey(ClassRow.id))
    person: Mapped[str] = mapped_column(String(40))
    digest: Mapped[str] = mapped_column(String(100))
    seconds: Mapped[float | None] = mapped_column(sql.Double)
    labelled_at: Mapped[datetime] = mapped_column(UtcDateTime)


class ClaimRow(Base):
    """The example that a person is looking at, for other servers of the same project."""

    __tablename__ = "hinge_claims"
    __table_args__ = (UniqueConstraint("project_id", "key"),)

    id: Mapped[int] = mapped_column(_ID, primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey(ProjectRow.id))
    key: Mapped[str] = mapped_column(sql.Text)
    person: Mapped[str] = mapped_column(String(40))
    expires_at: Mapped[datetime] = mapped_column(UtcDateTime)


class InvitationRow(Base):
    """A personal link: a name, a role, and the hash of a random secret."""

    __tablename__ = "hinge_invitations"
    __table_args__ = (UniqueConstraint("digest"),)

    id: Mapped[int] = mapped_column(_ID, primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey(ProjectRow.id))
    person: Mapped[str] = mapped_column(String(40))
    role: Mapped[str] = mapped_column(String(20))
    digest: Mapped[str] = mapped_column(String(64))
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    revoked_at: Mapped[datetime | None] = mapped_column(UtcDateTime)


class SessionRow(Base):
    """A browser that logged in: the hash of its random cookie, and with what it logged in."""

    __tablename__ = "hinge_sessions"
    __table_args__ = (UniqueConstraint("digest"),)

    id: Mapped[int] = mapped_column(_ID, primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey(ProjectRow.id))
    digest: Mapped[str] = mapped_column(String(64))
    token_check: Mapped[str | None] = mapped_column(String(64))
    invitation_id: Mapped[int | None] = mapped_column(ForeignKey(InvitationRow.id))
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)


class StateRow(Base):
    """A value of the project that must survive a restart, as JSON."""

    __tablename__ = "hinge_state"
    __table_args__ = (UniqueConstraint("project_id", "name"),)

    id: Mapped[int] = mapped_column(_ID, primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey(ProjectRow.id))
    name: Mapped[str] = mapped_column(String(100))
    value: Mapped[str] = mapped_column(sql.Text)
