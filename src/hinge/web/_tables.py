"""The tables of the database of labels. SQLAlchemy is imported here and nowhere else."""

from __future__ import annotations

from datetime import UTC, datetime

try:
    import sqlalchemy as sql
except ImportError as missing:
    raise ImportError(
        "Labels are kept with the package sqlalchemy; install it with pip install 'hinge[label]'."
    ) from missing
from sqlalchemy import ForeignKey, Index, String, UniqueConstraint, event
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

__all__ = ["VERSION", "Base", "ClassRow", "LabelRow", "ProjectRow", "SchemaRow", "SkipRow", "event", "sql"]

VERSION = 1

_NUMBER = sql.BigInteger().with_variant(sql.Integer(), "sqlite")  # SQLite counts up whole numbers of this name only


class Moment(sql.TypeDecorator[datetime]):
    """A moment in UTC. SQLite knows no time zones, and PostgreSQL returns its own."""

    impl = sql.DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: sql.Dialect) -> datetime | None:
        """Return what is written."""
        if value is None:
            return None
        return value.astimezone(UTC).replace(tzinfo=None if dialect.name == "sqlite" else UTC)

    def process_result_value(self, value: datetime | None, dialect: sql.Dialect) -> datetime | None:
        """Return what was read."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if dialect.name == "sqlite" else value.astimezone(UTC)


class Base(DeclarativeBase):
    """All tables; their names begin with hinge_, since a PostgreSQL database may have other guests."""


class SchemaRow(Base):
    """Of which version the tables are; a single row."""

    __tablename__ = "hinge_schema"

    version: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)


class ProjectRow(Base):
    """A pool that is being labelled."""

    __tablename__ = "hinge_projects"

    id: Mapped[int] = mapped_column(_NUMBER, primary_key=True)
    name: Mapped[str] = mapped_column(String(100), unique=True)


class ClassRow(Base):
    """A class; ids grow in the order of adding."""

    __tablename__ = "hinge_classes"
    __table_args__ = (UniqueConstraint("project_id", "name"), {"sqlite_autoincrement": True})

    id: Mapped[int] = mapped_column(_NUMBER, primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey(ProjectRow.id))
    name: Mapped[str] = mapped_column(String(100))


class LabelRow(Base):
    """One label as it stands. Each index ends with the id, so that the newest of anything are found at once."""

    __tablename__ = "hinge_labels"
    __table_args__ = (
        UniqueConstraint("project_id", "key"),
        Index("hinge_labels_order", "project_id", "id"),
        Index("hinge_labels_class", "project_id", "class_id", "id"),
        Index("hinge_labels_person", "project_id", "person", "id"),
        {"sqlite_autoincrement": True},  # the number of a deleted label is not given again
    )

    id: Mapped[int] = mapped_column(_NUMBER, primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey(ProjectRow.id))
    key: Mapped[str] = mapped_column(sql.Text)
    class_id: Mapped[int] = mapped_column(ForeignKey(ClassRow.id))
    person: Mapped[str] = mapped_column(String(40))
    drawn: Mapped[str] = mapped_column(String(20))
    digest: Mapped[str] = mapped_column(String(100))
    seconds: Mapped[float | None] = mapped_column(sql.Double)
    guess: Mapped[str | None] = mapped_column(String(100))
    margin: Mapped[float | None] = mapped_column(sql.Double)
    labelled_at: Mapped[datetime] = mapped_column(Moment)
    changed_at: Mapped[datetime | None] = mapped_column(Moment)


class SkipRow(Base):
    """Somebody does not want to be asked about an example."""

    __tablename__ = "hinge_skips"
    __table_args__ = (UniqueConstraint("project_id", "key", "person"),)

    id: Mapped[int] = mapped_column(_NUMBER, primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey(ProjectRow.id))
    key: Mapped[str] = mapped_column(sql.Text)
    person: Mapped[str] = mapped_column(String(40))
