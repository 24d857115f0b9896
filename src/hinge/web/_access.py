"""Access control: who may use the page, and how much they may send.

Without a token the page serves this computer only: requests for another host name are rejected, so that a site whose
name resolves to this computer (DNS rebinding) gets nothing. With a token, clients that are not logged in get nothing,
and people invited as labellers may only label (`_logins.py`). Requests that
change something must come from the page itself: their origin must be the requested host, and their content type JSON or
CSV, which a form of another site cannot send.
"""

from __future__ import annotations

import re
from http.cookies import CookieError, SimpleCookie
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit

from anyio import to_thread
from fastapi import HTTPException
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse

from hinge.exceptions import HingeError

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from hinge.web._logins import Logins, Visitor

MAX_JSON_BYTES = 64 * 2**10
MAX_UPLOAD_BYTES = 20 * 2**20
_LOCAL_NAMES = {"localhost", "127.0.0.1", "::1"}
_PUBLIC_PATHS = ("/api/login", "/api/health")  # and everything outside /api/: the page itself contains no data
_SAFE_METHODS = {"GET", "HEAD"}
_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:[0-9]{1,5})?", re.IGNORECASE)
# The requests of people invited as labellers; which labels they may change is checked by the route.
_LABELLER_READS = re.compile(r"/api/(project|progress|history|me|instructions|items/.*)")
_LABELLER_WRITES = re.compile(r"/api/(next|answer|skip|unskip|undo|labels/[0-9]+)")
_SECURITY_HEADERS = {
    "Content-Security-Policy": "default-src 'self'; frame-ancestors 'none'; base-uri 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class AccessControl:
    """ASGI middleware that rejects forbidden requests.

    The visitor of an accepted request is in `scope["hinge.visitor"]`; the name of an invited person replaces the one
    that the browser sent.

    Parameters
    ----------
    app : ASGI application
        The application to protect.
    logins : Logins
        Who is logged in.
    """

    def __init__(self, app: ASGIApp, logins: Logins) -> None:
        self._app, self._logins = app, logins

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Forward a request to the application, or reject it."""
        if scope["type"] != "http":  # the page uses nothing else
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            else:
                await send({"type": "websocket.close"})
            return
        headers = Headers(scope=scope)
        rejection = self._rejection(scope, headers)
        max_bytes = MAX_UPLOAD_BYTES if scope["path"].startswith("/api/import") else MAX_JSON_BYTES
        if rejection is None and _content_length(headers) > max_bytes:
            rejection = _error(413, f"{_too_large(max_bytes)}.")
        if rejection is None and scope["path"].startswith("/api/") and scope["path"] not in _PUBLIC_PATHS:
            rejection = await self._identify(scope, headers)
        send = _with_security_headers(send, is_page=not scope["path"].startswith("/api/"))
        if rejection is not None:
            await rejection(scope, receive, send)
        else:
            await self._app(scope, _limited(receive, max_bytes), send)

    async def _identify(self, scope: Scope, headers: Headers) -> JSONResponse | None:
        """Find out who sends a request; return a rejection if they may not."""
        cookie = _cookie(headers, self._logins.cookie_name)
        try:
            known = self._logins.cached_visitor(cookie)
            visitor = known[0] if known else await to_thread.run_sync(self._logins.visitor, cookie or "")
        except HingeError as error:
            return _error(503, f"{error}")
        if visitor is None:
            return _error(401, "A token is required; use the address that the server printed.")
        if visitor.role != "owner" and not _may_labeller(scope["method"], scope["path"]):
            return _error(403, "Only owners of the project can do this.")
        scope["hinge.visitor"] = visitor
        if visitor.person is not None:
            _set_person(scope, visitor.person)
        return None

    def _rejection(self, scope: Scope, headers: Headers) -> JSONResponse | None:
        host = _host_name(headers.get("host", ""))
        if not host or (self._logins.is_open and host not in _LOCAL_NAMES):
            return _error(403, "Open the page as localhost, or start it with a token to allow other host names.")
        if scope["method"] not in _SAFE_METHODS and not _is_same_origin(headers):
            return _error(403, "Changes must come from the page itself.")
        return None


def visitor_of(scope: Scope) -> Visitor:
    """Return who sent an accepted request."""
    visitor: Visitor = scope["hinge.visitor"]
    return visitor


def _may_labeller(method: str, path: str) -> bool:
    allowed = _LABELLER_READS if method in _SAFE_METHODS else _LABELLER_WRITES
    return allowed.fullmatch(path) is not None


def _set_person(scope: Scope, person: str) -> None:
    others = [(name, value) for name, value in scope["headers"] if name.lower() != b"x-hinge-person"]
    scope["headers"] = [*others, (b"x-hinge-person", quote(person).encode())]


def _error(status: int, sentence: str) -> JSONResponse:
    return JSONResponse({"error": sentence}, status_code=status)


def _too_large(max_bytes: int) -> str:
    return f"A request can have at most {max_bytes} bytes; send less"


def _host_name(host: str) -> str:
    """Return a host name without its port; an empty string if it is invalid."""
    if not _HOST.fullmatch(host):
        return ""
    try:
        return (urlsplit(f"//{host}").hostname or "").lower()
    except ValueError:
        return ""


def _is_same_origin(headers: Headers) -> bool:
    """Return whether a change was requested by the page itself or by a program that is not a browser."""
    origin = headers.get("origin")
    content_type = headers.get("content-type", "").split(";")[0].strip().lower()
    is_same = origin is None or origin.partition("://")[2] == headers.get("host")
    is_same = is_same and headers.get("sec-fetch-site") != "cross-site"
    return is_same and content_type in {"application/json", "text/csv"}


def _cookie(headers: Headers, name: str) -> str | None:
    try:
        morsel = SimpleCookie(headers.get("cookie", "")).get(name)
    except CookieError:
        return None
    return None if morsel is None else morsel.value


def _content_length(headers: Headers) -> int:
    length = headers.get("content-length", "0")
    return int(length) if length.isascii() and length.isdigit() and len(length) < 20 else 0


def _limited(receive: Receive, max_bytes: int) -> Receive:
    """Wrap `receive` so that it raises an error when a request sends more than `max_bytes`."""
    left = max_bytes

    async def limited() -> Message:
        nonlocal left
        message = await receive()
        left -= len(message.get("body", b""))
        if left < 0:
            raise HTTPException(413, _too_large(max_bytes))
        return message

    return limited


def _with_security_headers(send: Send, *, is_page: bool) -> Send:
    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            if not is_page:
                headers.setdefault("Cache-Control", "no-store")
            for name, value in _SECURITY_HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return send_with_headers
