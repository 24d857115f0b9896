"""The application: the page, its requests, and what becomes of errors."""

from __future__ import annotations

import logging
from asyncio import sleep
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any
from weakref import proxy

from fastapi import FastAPI, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, JSONResponse, RedirectResponse
from fastapi.staticfiles import StaticFiles
from pydantic import BaseModel
from starlette.exceptions import HTTPException

from hinge.exceptions import HingeError
from hinge.web._answer import MissingError, RefusedError, StoreError, TakenError
from hinge.web._guard import Guard, cookie_name, permit, same
from hinge.web._routes import labelling, looking_back, transfer

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from hinge.web._session import Session

_STATIC = Path(__file__).parent / "static"
_STATUS = {TakenError: 409, MissingError: 404, RefusedError: 400, StoreError: 503}
_PAUSE = 0.5  # seconds after a wrong token
_LONGEST_NAME = 100  # letters of a field in a message
_log = logging.getLogger("hinge.web")


class Login(BaseModel):
    """What somebody shows to be let in."""

    token: str


def application(session: Session, token: str | None = None) -> ASGIApp:
    """Return the labelling page of a session.

    Parameters
    ----------
    session : Session
        What people label; the caller keeps it.
    token : str, default=None
        What browsers must show; without one only requests from this computer are answered.
    """
    app = FastAPI(title="Hinge", docs_url=None, redoc_url=None, openapi_url=None)
    seen = proxy(session)  # the framework remembers functions for ever, and with them what they have in hand
    for router in (labelling(seen), looking_back(seen), transfer(seen)):
        app.include_router(router)
    _add_page(app, token)
    _add_errors(app)
    return Guard(app, token)


def _add_page(app: FastAPI, token: str | None) -> None:
    wanted = None if token is None else permit(token)

    @app.get("/api/health")
    def health() -> dict[str, bool]:
        return {"ok": True}

    @app.post("/api/login")
    async def login(body: Login) -> Response:
        if not same(permit(body.token), wanted):
            await sleep(_PAUSE)
            return JSONResponse({"error": "The token is not right; use the one that the server printed."}, 401)
        return _admitted(JSONResponse({"ok": True}), wanted)

    @app.get("/")
    async def page(token: Annotated[str | None, Query(max_length=400)] = None) -> Response:
        if token is None:
            return FileResponse(_STATIC / "index.html", headers={"Cache-Control": "no-cache"})
        if not same(permit(token), wanted):
            await sleep(_PAUSE)
            return RedirectResponse("/")
        return _admitted(RedirectResponse("/"), wanted)

    app.mount("/static", _Static(directory=_STATIC), name="static")


class _Static(StaticFiles):
    """Files of the page, which a browser asks for again after an upgrade."""

    def file_response(self, *arguments: Any, **more: Any) -> Response:
        """Return a file that is looked at again before it is used again."""
        response = super().file_response(*arguments, **more)
        response.headers["Cache-Control"] = "no-cache"
        return response


def _admitted(response: Response, permit: str | None) -> Response:
    """Return a response after which the browser is let in."""
    if permit is not None:
        response.set_cookie(cookie_name(permit), permit, httponly=True, samesite="strict", max_age=30 * 86400)
    return response


def _add_errors(app: FastAPI) -> None:
    """Make every error one sentence."""

    @app.exception_handler(HingeError)
    def refused(_: Request, error: Exception) -> Response:
        status = next((code for kind, code in _STATUS.items() if isinstance(error, kind)), 400)
        return JSONResponse({"error": f"{error}"}, status)

    @app.exception_handler(RequestValidationError)
    def malformed(_: Request, error: Exception) -> Response:
        first = error.errors()[0] if isinstance(error, RequestValidationError) else {}
        where = ".".join(str(part) for part in first.get("loc", ())[1:])[:_LONGEST_NAME]
        return JSONResponse(
            {"error": f"The request is not understood: {where or 'its content'}: {first.get('msg')}."}, 422
        )

    @app.exception_handler(HTTPException)
    def unknown(_: Request, error: Exception) -> Response:
        status = getattr(error, "status_code", 500)
        return JSONResponse({"error": f"{getattr(error, 'detail', 'Something went wrong')}."}, status)

    @app.exception_handler(Exception)
    def unforeseen(_: Request, error: Exception) -> Response:
        _log.error("A request failed.", exc_info=error)
        return JSONResponse({"error": "Something went wrong in the server; labels that were saved are safe."}, 500)
