"""The web server of the page: one process, by default for this computer only."""

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
from hinge.web._app import create_app
from hinge.web._session import Session
from hinge.web._store import Store
from hinge.web._worker import EXIT_TIMEOUT_S

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Sequence

    from starlette.types import ASGIApp

    from hinge.web._settings import SessionSettings
    from hinge.web.pools import Pool

_MIN_TOKEN, _MAX_TOKEN = 8, 200  # characters


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
    announce: Callable[[str], None] = partial(print, flush=True),  # noqa: B008  unbuffered, also to a file
) -> None:
    """Serve the labelling page of a pool until Ctrl-C.

    Parameters
    ----------
    pool : Pool
        The examples; see `open_pool`.
    store_url : str or path
        The label database: an SQLite file, or a URL of SQLite or PostgreSQL.
    project : str
        The name of the project; a database can hold several.
    settings : SessionSettings
        How examples are chosen, and which model learns.
    classes : sequence of str, default=()
        Initial classes.
    host, port : str and int
        The address to listen on. Port 0 selects any free port.
    token : str, default=None
        The token that browsers must present. If the page is not limited to this computer, a token is required and
        generated if none is given.
    open_browser : bool, default=True
        Whether to open the page in a browser.
    announce : callable, default=print
        Receives the address of the page, and the number of labels at the start and at the end.
    """
    token = resolve_token(token, host)
    with _listen(host, port) as listener, Store(store_url, project) as store:
        session = Session(pool, store, settings, classes)
        try:
            address = page_address(host, listener.getsockname()[1], token)
            announce(address)
            announce(_count_labels(session, store.name))
            if open_browser:
                threading.Timer(0.5, webbrowser.open, [address]).start()
            uvicorn.Server(_server_config(create_app(session, token))).run(sockets=[listener])
        finally:
            session.close()
            announce(_count_labels(session, store.name))


def _count_labels(session: Session, database: str) -> str:
    """Describe the number of labels and where they are."""
    cache, target = session.cache, session.settings.target
    parts = [f"{len(cache.records):,} labels in {database}."]
    if cache.unmatched:
        parts.append(f"{len(cache.unmatched):,} more belong to missing or changed examples: kept, but not learned.")
    if target is not None and target not in cache.classes:
        parts.append(f"There is no class {target!r} yet: until it has labels, examples are drawn at random.")
    return " ".join(parts)


def _server_config(app: ASGIApp) -> uvicorn.Config:
    """Configure the server; it logs nothing, because the application reports errors itself."""
    timeout = round(EXIT_TIMEOUT_S)
    return uvicorn.Config(
        app, log_level="critical", access_log=False, lifespan="off", ws="none", timeout_graceful_shutdown=timeout
    )


def resolve_token(token: str | None, host: str) -> str | None:
    """Validate the token; generate one if it is needed because others can reach the page.

    Examples
    --------
    >>> resolve_token(None, "127.0.0.1") is None
    True
    >>> len(resolve_token(None, "0.0.0.0")) > 20
    True
    """
    if token is None:
        return None if _is_local(host) else secrets.token_urlsafe(24)
    if not _MIN_TOKEN <= len(token) <= _MAX_TOKEN or not token.isprintable():
        raise ParameterError(
            f"A token must have {_MIN_TOKEN} to {_MAX_TOKEN} printable characters, got {len(token)}; omit it to "
            "have one generated where it is needed."
        )
    return token


def page_address(host: str, port: int, token: str | None) -> str:
    """Return the address of the page.

    Examples
    --------
    >>> page_address("127.0.0.1", 8517, None)
    'http://localhost:8517/'
    >>> page_address("::", 80, "a secret")
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


def _listen(host: str, port: int) -> socket.socket:
    """Open the listening socket first, so that a port in use is reported before anything else happens."""
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.create_server(address[:2], family=family)
    except (OSError, OverflowError) as error:
        raise ParameterError(
            f"The page cannot listen on {host}, port {port}: {error}; choose another --port or --host."
        ) from None
    # Connections inherit this option. Without it, short responses would wait for an acknowledgement.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener
