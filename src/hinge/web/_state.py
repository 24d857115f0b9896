"""Values of a project that must survive a restart, as JSON: the letters of classes, the advice, the chosen features."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from hinge.web._tables import StateRow, sql

if TYPE_CHECKING:
    from hinge.web._connections import Connections


class ProjectState:
    """A dictionary in the database.

    Parameters
    ----------
    connections : Connections
        The database.
    """

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def get(self, name: str) -> Any:
        """Return a value; None if it was never set."""
        with self._connections.read() as connection:
            text = connection.scalar(sql.select(StateRow.value).where(*self._named(name)))
        return None if text is None else json.loads(text)

    def set(self, name: str, value: Any) -> None:
        """Set a value."""
        text = json.dumps(value)
        with self._connections.write() as connection:
            done = connection.execute(sql.update(StateRow).where(*self._named(name)).values(value=text))
            if not done.rowcount:
                values = {"project_id": self._connections.project_id, "name": name, "value": text}
                connection.execute(sql.insert(StateRow).values(**values))

    def _named(self, name: str) -> tuple[sql.ColumnElement[bool], sql.ColumnElement[bool]]:
        return StateRow.project_id == self._connections.project_id, StateRow.name == name
