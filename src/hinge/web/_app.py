"""The ASGI application: the page, its requests, and its error responses."""

from __future__ import annotations

import logging
from asyncio import sleep
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from weakref import proxy

from anyio import to_thread
from fastapi import FastAPI, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, JSONResponse, RedirectResponse
from fastapi.staticfiles import StaticFiles
from pydantic import BaseModel
from starlette.exceptions import HTTPException

from hinge.exceptions import HingeError
from hinge.web._access import AccessControl
from hinge.web._labels import AlreadyLabelledError, InvalidRequestError, NotFoundError, StoreError
from hinge.web._logins import SESSION_AGE_S, Logins
from hinge.web._review_routes import change_routes, class_routes, file_routes, review_routes, team_routes
from hinge.web._routes import labelling_routes

if TYPE_CHECKING:
    import os

    from starlette.types import ASGIApp, Scope

    from hinge.web._session import Session

_STATIC = Path(__file__).parent / "static"
_STATUS = {AlreadyLabelledError: 409, NotFoundError: 404, InvalidRequestError: 400, StoreError: 503}
_WRONG_TOKEN_DELAY_S = 0.5
_MAX_FIELD_NAME = 100  # characters of a field name in a message
_NO_STORE = {"Cache-Control": "no-store"}
_log = logging.getLogger("hinge.web")


class LoginRequest(BaseModel):
    """The token of a client."""

    token: str


def create_app(session: Session, token: str | None = None) -> ASGIApp:
    """Create the application of a session.

    Parameters
    ----------
    session : Session
        The labelling session; the caller must keep a reference to it.
    token : str, default=None
        The token that browsers must present; without one only requests from this computer are answered.
    """
    app = FastAPI(title="Hinge", docs_url=None, redoc_url=None, openapi_url=None)
    reference = proxy(session)  # FastAPI caches route functions forever, and with them everything they reference
    logins = Logins(session.store.connections, token)
    for routes in (labelling_routes, review_routes, change_routes, class_routes, file_routes):
        app.include_router(routes(reference))
    app.include_router(team_routes(logins))
    _add_page(app)
    _add_logins(app, logins)
    _add_error_handlers(app)
    return AccessControl(app, logins)


def _add_page(app: FastAPI) -> None:
    @app.get("/api/health")
    def health() -> dict[str, bool]:
        return {"ok": True}

    app.mount("/static", _RevalidatedFiles(directory=_STATIC), name="static")


def _add_logins(app: FastAPI, logins: Logins) -> None:
    @app.post("/api/login")
    async def login(body: LoginRequest) -> Response:
        if seconds := logins.failures.wait_s():
            return _too_many_attempts(seconds)
        cookie = await _log_in(logins, body.token)
        if cookie is None and not logins.is_open:
            return JSONResponse({"error": "The token is wrong; use the one that the server printed."}, 401)
        return _with_cookie(JSONResponse({"ok": True}), logins, cookie)

    @app.get("/")
    async def page(
        token: Annotated[str | None, Query(max_length=400)] = None,
        invitation: Annotated[str | None, Query(max_length=400)] = None,
    ) -> Response:
        if token is None and invitation is None:
            return FileResponse(_STATIC / "index.html", headers={"Cache-Control": "no-cache"})
        cookie = None
        if invitation is not None:
            cookie = await to_thread.run_sync(logins.begin, invitation)
        elif token is not None and not logins.failures.wait_s():
            cookie = await _log_in(logins, token)
        # Without the secret in the address, and not kept anywhere with it.
        return _with_cookie(RedirectResponse("/", headers=_NO_STORE), logins, cookie)


async def _log_in(logins: Logins, token: str) -> str | None:
    """Begin a session of the token; return its cookie, None if the token is wrong or not needed."""
    if logins.is_open:
        return None
    if logins.is_token(token):
        return await to_thread.run_sync(logins.begin)
    logins.failures.add()
    await sleep(_WRONG_TOKEN_DELAY_S)
    return None


def _too_many_attempts(seconds: int) -> Response:
    sentence = f"Somebody entered too many wrong tokens; try again in {seconds} seconds."
    return JSONResponse({"error": sentence}, 429, headers={"Retry-After": str(seconds)})


class _RevalidatedFiles(StaticFiles):
    """Static files that browsers revalidate on each use, so that an upgrade takes effect."""

    def file_response(
        self, full_path: str | os.PathLike[str], stat_result: os.stat_result, scope: Scope, status_code: int = 200
    ) -> Response:
        """Return a file that must be revalidated before it is used from a cache."""
        response = super().file_response(full_path, stat_result, scope, status_code)
        response.headers["Cache-Control"] = "no-cache"
        return response


def _with_cookie(response: Response, logins: Logins, cookie: str | None) -> Response:
    """Add the cookie that authorizes the browser."""
    if cookie is not None:
        response.set_cookie(logins.cookie_name, cookie, httponly=True, samesite="strict", max_age=SESSION_AGE_S)
    return response


def _add_error_handlers(app: FastAPI) -> None:
    """Report every error as one sentence."""

    @app.exception_handler(HingeError)
    def hinge_error(_: Request, error: Exception) -> Response:
        status = next((code for kind, code in _STATUS.items() if isinstance(error, kind)), 400)
        return JSONResponse({"error": f"{error}"}, status)

    @app.exception_handler(RequestValidationError)
    def invalid_request(_: Request, error: Exception) -> Response:
        first = error.errors()[0] if isinstance(error, RequestValidationError) else {}
        where = ".".join(str(part) for part in first.get("loc", ())[1:])[:_MAX_FIELD_NAME]
        return JSONResponse({"error": f"The request is invalid: {where or 'its content'}: {first.get('msg')}."}, 422)

    @app.exception_handler(HTTPException)
    def http_error(_: Request, error: Exception) -> Response:
        status = getattr(error, "status_code", 500)
        return JSONResponse({"error": f"{getattr(error, 'detail', 'Something went wrong')}."}, status)

    @app.exception_handler(Exception)
    def unexpected_error(_: Request, error: Exception) -> Response:
        _log.error("A request failed.", exc_info=error)
        return JSONResponse({"error": "The server failed unexpectedly; saved labels are safe."}, 500)
