"""Who is logged in: sessions of browsers, personal invitations, and a limit for wrong tokens.

A browser that presents the token, or the secret of an invitation, gets a random cookie of 256 bits, which cannot be
guessed. The database holds only its hash, so whoever reads the database cannot log in. A session that began with the
token ends when the token changes: the database holds an HMAC of the token under the cookie, which is of no use without
the cookie. Tokens can be chosen by people and are therefore guessable; attempts are limited for all clients together.
"""

from __future__ import annotations

import hmac
import math
import secrets
import threading
import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import TYPE_CHECKING, Literal, NamedTuple

from hinge.web._labels import InvalidRequestError, NotFoundError, check_new_person
from hinge.web._tables import InvitationRow, SessionRow, sql

if TYPE_CHECKING:
    from collections.abc import Callable

    from hinge.web._connections import Connections

Role = Literal["owner", "labeller"]
ROLES: tuple[Role, ...] = ("owner", "labeller")

_MAX_FAILURES = 10  # wrong tokens of all clients together ...
_FAILURES_PER_S = 1 / 6  # ... and how quickly further ones are allowed
_MAX_INVITATIONS = 1000
_MAX_CACHED = 10_000
_CACHE_S = 10.0  # until another server's revocation takes effect here
SESSION_AGE_S = 30 * 86400


class Visitor(NamedTuple):
    """The role of a browser, and the name it was invited by; without a name people choose their own."""

    role: Role
    person: str | None = None


class Invitation(NamedTuple):
    """A personal link."""

    id: int
    person: str
    role: str
    created_at: datetime
    revoked_at: datetime | None


@dataclass
class FailureLimit:
    """A token bucket: at most ten wrong tokens at once, then one every six seconds.

    Examples
    --------
    >>> now = [0.0]
    >>> limit = FailureLimit(lambda: now[0])
    >>> for _ in range(10):
    ...     limit.add()
    >>> limit.wait_s()
    6
    >>> now[0] += 7
    >>> limit.wait_s()
    0
    """

    clock: Callable[[], float] = time.monotonic

    def __post_init__(self) -> None:
        self._left, self._at = float(_MAX_FAILURES), self.clock()

    def wait_s(self) -> int:
        """Return the seconds until another attempt is allowed; 0 if it is allowed now."""
        now = self.clock()
        self._left = min(float(_MAX_FAILURES), self._left + (now - self._at) * _FAILURES_PER_S)
        self._at = now
        return 0 if self._left >= 1 else math.ceil((1 - self._left) / _FAILURES_PER_S)

    def add(self) -> None:
        """Record a wrong token."""
        self._left = max(self._left - 1, 0.0)


class Logins:
    """The sessions and invitations of a project. Thread-safe.

    Parameters
    ----------
    connections : Connections
        The database.
    token : str or None
        The token of the owners; None lets everybody in as an owner.
    """

    def __init__(self, connections: Connections, token: str | None) -> None:
        self._connections, self._token = connections, token
        # By digest of the cookie, with the time until which they are used without another look at the database.
        self._visitors: dict[str, tuple[Visitor | None, float]] = {}
        self._lock = threading.Lock()
        self.failures = FailureLimit()

    @property
    def is_open(self) -> bool:
        """Whether no login is needed."""
        return self._token is None

    def is_token(self, presented: str) -> bool:
        """Return whether a text is the token, compared in constant time."""
        return self._token is not None and hmac.compare_digest(_hash(presented), _hash(self._token))

    @property
    def cookie_name(self) -> str:
        """The name of the cookie; other projects and databases on the same computer use other names."""
        return f"hinge-{_hash(f'{self._connections.location.url} {self._connections.project_id}')[:8]}"

    def cached_visitor(self, cookie: str | None) -> tuple[Visitor | None] | None:
        """Return who presents a cookie as a tuple of one, if that is known without the database; None if not."""
        if self._token is None:
            return (Visitor("owner"),)
        if not cookie:
            return (None,)
        with self._lock:
            found, until = self._visitors.get(_hash(cookie), (None, -math.inf))
        return (found,) if time.monotonic() < until else None

    def visitor(self, cookie: str) -> Visitor | None:
        """Look up who presents a cookie; None if nobody is logged in with it."""
        digest = _hash(cookie)
        found = self._find(cookie, digest)
        with self._lock:
            if len(self._visitors) >= _MAX_CACHED:
                self._visitors.clear()
            self._visitors[digest] = found, time.monotonic() + _CACHE_S
        return found

    def begin(self, secret: str | None = None) -> str | None:
        """Begin a session of the token or, if given, of an invitation; return its cookie, None if it is invalid."""
        cookie = secrets.token_urlsafe(32)
        values: dict[str, object] = {"digest": _hash(cookie), "created_at": datetime.now(UTC)}
        with self._connections.write() as connection:
            if secret is None:
                values["token_check"] = self._check(cookie)
            else:
                values["invitation_id"] = connection.scalar(
                    sql.select(InvitationRow.id).where(
                        InvitationRow.project_id == self._connections.project_id,
                        InvitationRow.digest == _hash(secret),
                        InvitationRow.revoked_at.is_(None),
                    )
                )
                if values["invitation_id"] is None:
                    return None
            connection.execute(sql.delete(SessionRow).where(SessionRow.created_at < _oldest()))
            connection.execute(sql.insert(SessionRow).values(project_id=self._connections.project_id, **values))
        return cookie

    def invite(self, person: str, role: str) -> tuple[Invitation, str]:
        """Create a personal link; return it and its secret, which is not stored."""
        person, secret = check_new_person(person), secrets.token_urlsafe(24)
        if role not in ROLES:
            raise InvalidRequestError(f"A role must be one of {', '.join(ROLES)}, got {role!r}.")
        values = {"person": person, "role": role, "digest": _hash(secret), "created_at": datetime.now(UTC)}
        with self._connections.write() as connection:
            mine = InvitationRow.project_id == self._connections.project_id
            count = connection.scalar(sql.select(sql.func.count()).select_from(InvitationRow).where(mine)) or 0
            if count >= _MAX_INVITATIONS:
                raise InvalidRequestError(f"A project can have at most {_MAX_INVITATIONS} invitations.")
            connection.execute(sql.insert(InvitationRow).values(project_id=self._connections.project_id, **values))
        return next(each for each in self.invitations() if each.person == person), secret

    def invitations(self) -> list[Invitation]:
        """Return all invitations, newest first."""
        statement = (
            sql.select(
                InvitationRow.id,
                InvitationRow.person,
                InvitationRow.role,
                InvitationRow.created_at,
                InvitationRow.revoked_at,
            )
            .where(InvitationRow.project_id == self._connections.project_id)
            .order_by(InvitationRow.id.desc())
        )
        with self._connections.read() as connection:
            return [Invitation(*row) for row in connection.execute(statement)]

    def revoke(self, invitation: int) -> None:
        """End an invitation, and all sessions that began with it."""
        chosen = InvitationRow.id == invitation, InvitationRow.project_id == self._connections.project_id
        with self._connections.write() as connection:
            if connection.scalar(sql.select(InvitationRow.id).where(*chosen)) is None:
                raise NotFoundError("There is no such invitation.")
            connection.execute(sql.update(InvitationRow).where(*chosen).values(revoked_at=datetime.now(UTC)))
            connection.execute(sql.delete(SessionRow).where(SessionRow.invitation_id == invitation))
        with self._lock:
            self._visitors.clear()

    def _find(self, cookie: str, digest: str) -> Visitor | None:
        statement = (
            sql.select(SessionRow.token_check, InvitationRow.person, InvitationRow.role, InvitationRow.revoked_at)
            .outerjoin(InvitationRow, InvitationRow.id == SessionRow.invitation_id)
            .where(SessionRow.digest == digest, SessionRow.project_id == self._connections.project_id)
            .where(SessionRow.created_at >= _oldest())
        )
        with self._connections.read() as connection:
            row = connection.execute(statement).first()
        if row is None:
            return None
        check, person, role, revoked_at = row
        if check is not None:
            return Visitor("owner") if hmac.compare_digest(check, self._check(cookie)) else None
        return None if revoked_at is not None else Visitor("owner" if role == "owner" else "labeller", person)

    def _check(self, cookie: str) -> str:
        return hmac.new(cookie.encode("utf-8", "surrogatepass"), (self._token or "").encode(), sha256).hexdigest()


def _oldest() -> datetime:
    return datetime.now(UTC) - timedelta(seconds=SESSION_AGE_S)


def _hash(text: str) -> str:
    return sha256(b"hinge " + text.encode("utf-8", "surrogatepass")).hexdigest()
