"""Which person is looking at which example, for several servers that label one project.

Servers of one PostgreSQL project claim an example in the database before somebody sees it, so that nobody labels it in
vain. A person holds one claim; it ends with the next one, or after 15 minutes if the server is gone. Claims need not
survive a power failure, so nobody waits for the disk. A label is accepted without a claim: claims only avoid wasted
work. With SQLite there are none: one server is the usual case, and each claim would wait for the disk.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from hinge.web._assignments import HOLD_S
from hinge.web._labels import StoreError
from hinge.web._tables import ClaimRow, LabelRow, sql

if TYPE_CHECKING:
    from hinge.web._connections import Connections


class Claims:
    """The claims of a project.

    Parameters
    ----------
    connections : Connections
        The database.
    """

    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self._is_used = connections.location.path is None

    def take(self, key: str, person: str, *, labelled: bool = False) -> bool:
        """Claim an example for a person; return False if somebody else has labelled or claimed it.

        `labelled` says that the example has a label, and that others may give it another one.
        """
        if not self._is_used:
            return True
        now, project = datetime.now(UTC), self._connections.project_id
        mine = ClaimRow.project_id == project
        try:
            with self._connections.write() as connection:
                connection.execute(sql.text("SET LOCAL synchronous_commit = off"))
                has_label = LabelRow.project_id == project, LabelRow.key == key
                if not labelled and connection.scalar(sql.select(LabelRow.id).where(*has_label)) is not None:
                    return False
                gone = sql.or_(ClaimRow.person == person, ClaimRow.expires_at < now)
                connection.execute(sql.delete(ClaimRow).where(mine, gone))
                if connection.scalar(sql.select(ClaimRow.id).where(mine, ClaimRow.key == key)) is not None:
                    return False
                expires_at = now + timedelta(seconds=HOLD_S)
                values = {"project_id": project, "key": key, "person": person, "expires_at": expires_at}
                connection.execute(sql.insert(ClaimRow).values(**values))
                return True
        except StoreError:  # looking at an example needs no database; labelling it says what is wrong
            return True
