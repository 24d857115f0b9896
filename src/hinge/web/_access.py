"""Access control: who may use the page, and how much they may send.

Without a token the page serves this computer only: requests for another host name are rejected, so that a site whose
name resolves to this computer (DNS rebinding) gets nothing. With a token, clients without it get nothing. Requests that
change something must come from the page itself: their origin must be the requested host, and their content type JSON or
CSV, which a form of another site cannot send.
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

MAX_JSON_BYTES = 64 * 2**10
MAX_UPLOAD_BYTES = 20 * 2**20
_LOCAL_NAMES = {"localhost", "127.0.0.1", "::1"}
_PUBLIC_PATHS = ("/api/login", "/api/health")  # and everything outside /api/: the page itself contains no data
_SAFE_METHODS = {"GET", "HEAD"}
_SECURITY_HEADERS = {
    "Content-Security-Policy": "default-src 'self'; frame-ancestors 'none'; base-uri 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class AccessControl:
    """ASGI middleware that rejects forbidden requests.

    Parameters
    ----------
    app : ASGI application
        The application to protect.
    token : str or None
        The token that clients must present; None accepts requests for this computer only.
    """

    def __init__(self, app: ASGIApp, token: str | None) -> None:
        self._app = app
        self._expected = None if token is None else token_digest(token)

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
        max_bytes = MAX_UPLOAD_BYTES if scope["path"] == "/api/import" else MAX_JSON_BYTES
        if rejection is None and _content_length(headers) > max_bytes:
            rejection = _error(413, f"{_too_large(max_bytes)}.")
        if rejection is not None:
            await rejection(scope, receive, _with_security_headers(send))
        else:
            await self._app(scope, _limited(receive, max_bytes), _with_security_headers(send))

    def _is_authorized(self, headers: Headers) -> bool:
        """Return whether a client has presented the token, or none is needed."""
        return self._expected is None or secrets_match(_cookie(headers, cookie_name(self._expected)), self._expected)

    def _rejection(self, scope: Scope, headers: Headers) -> JSONResponse | None:
        host = _host_name(headers.get("host", ""))
        if self._expected is None and host not in _LOCAL_NAMES:
            return _error(403, "Open the page as localhost, or start it with a token to allow other host names.")
        if scope["method"] not in _SAFE_METHODS and not _is_same_origin(headers):
            return _error(403, "Changes must come from the page itself.")
        path = scope["path"]
        if path.startswith("/api/") and path not in _PUBLIC_PATHS and not self._is_authorized(headers):
            return _error(401, "A token is required; use the address that the server printed.")
        return None


def cookie_name(digest: str) -> str:
    """Return the name of the cookie; servers with other tokens on the same computer use other names."""
    return f"hinge-{digest[:8]}"


def token_digest(token: str) -> str:
    """Return the hash of a token, which is stored in the cookie; it contains only letters and digits."""
    return sha256(b"hinge " + token.encode(errors="surrogatepass")).hexdigest()


def secrets_match(presented: str | None, expected: str | None) -> bool:
    """Compare secrets in constant time; any secret matches if none is expected."""
    return expected is None or (presented is not None and hmac.compare_digest(presented.encode(), expected.encode()))


def _error(status: int, sentence: str) -> JSONResponse:
    return JSONResponse({"error": sentence}, status_code=status)


def _too_large(max_bytes: int) -> str:
    return f"A request can have at most {max_bytes} bytes; send less"


def _host_name(host: str) -> str:
    """Return a host name without its port; an empty string if it is invalid."""
    try:
        return (urlsplit(f"//{host}").hostname or "").lower()
    except ValueError:
        return ""


def _is_same_origin(headers: Headers) -> bool:
    """Return whether a change was requested by the page itself or by a program that is not a browser."""
    origin = headers.get("origin")
    content_type = headers.get("content-type", "").split(";")[0].strip().lower()
    is_same = origin is None or origin.partition("://")[2] == headers.get("host")
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


def _with_security_headers(send: Send) -> Send:
    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _SECURITY_HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return send_with_headers
