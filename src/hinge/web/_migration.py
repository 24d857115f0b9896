"""Upgrades of the label tables that earlier versions wrote."""

from __future__ import annotations

from hinge.web._tables import VERSION, Base, LabelRow, SchemaRow, sql

READABLE = (1, VERSION)  # versions that this program can open
_FIRST_TABLES = {"hinge_schema", "hinge_projects", "hinge_classes", "hinge_labels", "hinge_skips"}


def upgrade(connection: sql.Connection, version: int) -> None:
    """Upgrade the tables to the current version, within the transaction of the caller.

    Version 1 let the model that chooses learn the examples that were drawn at random, so they must not measure the
    accuracy. They become "wanted": drawn at random, but learned by the model that chooses.
    """
    if version == VERSION:
        return
    tables = [table for table in Base.metadata.sorted_tables if table.name not in _FIRST_TABLES]
    Base.metadata.create_all(connection, tables=tables)
    connection.execute(sql.update(LabelRow).where(LabelRow.drawn == "random").values(drawn="wanted"))
    connection.execute(sql.update(SchemaRow).values(version=VERSION))
