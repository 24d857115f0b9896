"""Serving the page: one process, on this computer unless told otherwise."""

from __future__ import annotations

import ipaddress
import secrets
import socket
import threading
import webbrowser
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import quote

import uvicorn

from hinge.exceptions import ParameterError
from hinge.web._app import application
from hinge.web._session import Session
from hinge.web._store import Store
from hinge.web._worker import LAST_WORDS

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Sequence

    from starlette.types import ASGIApp

    from hinge.web._settings import SessionSettings
    from hinge.web.pools import Pool

_SHORTEST_TOKEN = 8


def serve(
    pool: Pool,
    store_url: str | os.PathLike[str],
    project: str,
    *,
    settings: SessionSettings,
    classes: Sequence[str] = (),
    host: str = "127.0.0.1",
    port: int = 8517,
    token: str | None = None,
    open_browser: bool = True,
    announce: Callable[[str], None] = partial(print, flush=True),  # noqa: B008  at once, also to a file
) -> None:
    """Show the labelling page of a pool until Ctrl-C.

    Parameters
    ----------
    pool : Pool
        The examples; see `open_pool`.
    store_url : str or path
        The database of labels: a file for SQLite, or a URL of SQLAlchemy.
    project : str
        The name of the labels in the database, which may hold those of many projects.
    settings : SessionSettings
        How examples are chosen, and which model learns.
    classes : sequence of str, default=()
        Classes to begin with.
    host, port : str and int
        Where to listen. 0 takes any free port.
    token : str, default=None
        What browsers must show. Hosts other than this computer need one, and get one if none is given.
    open_browser : bool, default=True
        Show the page at once.
    announce : callable, default=print
        Is told the address of the page, and how many labels there are, at the beginning and at the end.
    """
    token = checked_token(token, host)
    with _listening(host, port) as listener, Store(store_url, project) as store:
        session = Session(pool, store, settings, classes)
        try:
            address = address_of(host, listener.getsockname()[1], token)
            announce(address)
            announce(_state_of(session, store.name))
            if open_browser:
                threading.Timer(0.5, webbrowser.open, [address]).start()
            uvicorn.Server(_settings(application(session, token))).run(sockets=[listener])
        finally:
            session.close()
            announce(_state_of(session, store.name))


def _state_of(session: Session, database: str) -> str:
    """Return how many labels there are, and where."""
    labels, aside, target = len(session.book.answers), len(session.book.aside), session.settings.target
    parts = [f"{labels:,} labels in {database}."]
    if aside:
        parts.append(f"{aside:,} more are of examples that are not there or have changed: kept, but not learned.")
    if target is not None and target not in session.book.classes:
        parts.append(f"There is no class {target!r} yet: until it has labels, examples are drawn at random.")
    return " ".join(parts)


def _settings(app: ASGIApp) -> uvicorn.Config:
    """Return how the server works; the application tells itself what went wrong, once."""
    patience = round(LAST_WORDS)
    return uvicorn.Config(
        app, log_level="critical", access_log=False, lifespan="off", ws="none", timeout_graceful_shutdown=patience
    )


def checked_token(token: str | None, host: str) -> str | None:
    """Return the token to be asked for: where others can reach the page there is always one.

    Examples
    --------
    >>> checked_token(None, "127.0.0.1") is None
    True
    >>> len(checked_token(None, "0.0.0.0")) > 20
    True
    """
    if token is None:
        return None if _is_local(host) else secrets.token_urlsafe(24)
    if not _SHORTEST_TOKEN <= len(token) <= 200 or not token.isprintable():
        raise ParameterError(
            f"A token must have {_SHORTEST_TOKEN} to 200 printable characters, got {len(token)}; leave it out."
        )
    return token


def address_of(host: str, port: int, token: str | None) -> str:
    """Return the address of the page.

    Examples
    --------
    >>> address_of("127.0.0.1", 8517, None)
    'http://localhost:8517/'
    >>> address_of("::", 80, "a secret")
    'http://localhost:80/?token=a%20secret'
    """
    name = host if not _is_local(host) and host not in {"0.0.0.0", "::", ""} else "localhost"  # noqa: S104
    name = f"[{name}]" if ":" in name else name
    return f"http://{name}:{port}/" + ("" if token is None else f"?token={quote(token)}")


def _is_local(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _listening(host: str, port: int) -> socket.socket:
    """Return a socket that listens, so that a port that is taken is told before anything else happens."""
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.create_server(address[:2], family=family)
    except (OSError, OverflowError) as error:
        raise ParameterError(
            f"The page must be able to listen on {host}, port {port}, got: {error}; choose another --port or --host."
        ) from None
    # Connections inherit it; asyncio would not set it on them, and short answers would wait for an acknowledgement.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener
