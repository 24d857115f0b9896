"""Who may talk to the page, and how much they may send.

Without a token the page is for this computer only: requests that name another host are refused, so that a site whose
name leads here (DNS rebinding) gets nothing. With a token, whoever has not shown it gets nothing. Requests that
change something must come from the page itself: their origin must be the host they name, and their content JSON or CSV,
which a form of another site cannot send.
"""

from __future__ import annotations

import hmac
from hashlib import sha256
from http.cookies import CookieError, SimpleCookie
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from fastapi import HTTPException
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

LARGEST_JSON = 64 * 2**10
LARGEST_UPLOAD = 20 * 2**20
_LOCAL = {"localhost", "127.0.0.1", "::1"}
_OPEN = ("/api/login", "/api/health")  # and all that is not below /api/: the page holds no data
_READING = {"GET", "HEAD"}
_HEADERS = {
    "Content-Security-Policy": "default-src 'self'; frame-ancestors 'none'; base-uri 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class Guard:
    """Stands before the application.

    Parameters
    ----------
    app : ASGI application
        What is guarded.
    token : str or None
        What callers must show; None lets this computer in, and nobody else.
    """

    def __init__(self, app: ASGIApp, token: str | None) -> None:
        self._app = app
        self._permit = None if token is None else permit(token)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request pass, or answer it."""
        if scope["type"] != "http":  # the page needs no other
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            else:
                await send({"type": "websocket.close"})
            return
        headers = Headers(scope=scope)
        refusal = self._refusal(scope, headers)
        largest = LARGEST_UPLOAD if scope["path"] == "/api/import" else LARGEST_JSON
        if refusal is None and _length(headers) > largest:
            refusal = _refuse(413, f"{_too_large(largest)}.")
        if refusal is not None:
            await refusal(scope, receive, _with_headers(send))
        else:
            await self._app(scope, _bounded(receive, largest), _with_headers(send))

    def _knows(self, headers: Headers) -> bool:
        """Tell whether a browser has shown the token, if there is one."""
        return self._permit is None or same(_cookie(headers, cookie_name(self._permit)), self._permit)

    def _refusal(self, scope: Scope, headers: Headers) -> JSONResponse | None:
        host = _name(headers.get("host", ""))
        if self._permit is None and host not in _LOCAL:
            return _refuse(403, "The page must be called by the name localhost; start it with a token for other hosts.")
        if scope["method"] not in _READING and not _is_own(headers):
            return _refuse(403, "Changes must come from the page itself.")
        path = scope["path"]
        if path.startswith("/api/") and path not in _OPEN and not self._knows(headers):
            return _refuse(401, "A token is needed; use the address that the server printed.")
        return None


def cookie_name(permit: str) -> str:
    """Return the name of the cookie: servers with other tokens on the same computer have others."""
    return f"hinge-{permit[:8]}"


def permit(token: str) -> str:
    """Return what a browser that has shown a token keeps as a cookie: any text becomes letters and digits."""
    return sha256(b"hinge " + token.encode(errors="surrogatepass")).hexdigest()


def same(shown: str | None, wanted: str | None) -> bool:
    """Tell whether the right secret was shown, if there is one, in a time that says nothing about what was wrong."""
    return wanted is None or (shown is not None and hmac.compare_digest(shown.encode(), wanted.encode()))


def _refuse(status: int, sentence: str) -> JSONResponse:
    return JSONResponse({"error": sentence}, status_code=status)


def _too_large(largest: int) -> str:
    return f"A request must have at most {largest} bytes; send less"


def _name(host: str) -> str:
    """Return the name of a host without its port; nothing for what is none."""
    try:
        return (urlsplit(f"//{host}").hostname or "").lower()
    except ValueError:
        return ""


def _is_own(headers: Headers) -> bool:
    """Tell whether a change was asked for by the page itself, or by a program."""
    origin = headers.get("origin")
    kind = headers.get("content-type", "").split(";")[0].strip().lower()
    is_same = origin is None or origin.partition("://")[2] == headers.get("host")
    return is_same and kind in {"application/json", "text/csv"}


def _cookie(headers: Headers, name: str) -> str | None:
    try:
        morsel = SimpleCookie(headers.get("cookie", "")).get(name)
    except CookieError:
        return None
    return None if morsel is None else morsel.value


def _length(headers: Headers) -> int:
    length = headers.get("content-length", "0")
    return int(length) if length.isascii() and length.isdigit() and len(length) < 20 else 0


def _bounded(receive: Receive, largest: int) -> Receive:
    """Return a source of the request that ends when more comes than is taken."""
    left = largest

    async def bounded() -> Message:
        nonlocal left
        message = await receive()
        left -= len(message.get("body", b""))
        if left < 0:
            raise HTTPException(413, _too_large(largest))
        return message

    return bounded


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return sending
