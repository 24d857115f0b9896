"""Upgrades of the label tables that earlier versions wrote."""

from __future__ import annotations

from hinge.web._tables import VERSION, Base, EventRow, LabelRow, SchemaRow, sql

READABLE = (1, 2, VERSION)  # versions that this program can open


def upgrade(connection: sql.Connection, version: int) -> None:
    """Upgrade the tables to the current version, within the transaction of the caller.

    Version 1 let the model that chooses learn the examples that were drawn at random, so they must not measure the
    accuracy. They become "wanted": drawn at random, but learned by the model that chooses. Version 2 had no claims.
    """
    if version == VERSION:
        return
    Base.metadata.create_all(connection)  # those that are missing
    columns = {each["name"] for each in sql.inspect(connection).get_columns(EventRow.__tablename__)}
    if EventRow.previous.key not in columns:  # the first version 2
        connection.execute(sql.text("ALTER TABLE hinge_events ADD COLUMN previous TEXT"))
    if version == 1:
        connection.execute(sql.update(LabelRow).where(LabelRow.drawn == "random").values(drawn="wanted"))
    connection.execute(sql.update(SchemaRow).values(version=VERSION))
