"""The HTTP requests of people who label: each one is one call of the session."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated
from urllib.parse import unquote

from fastapi import APIRouter, Header, Response
from fastapi import Path as PathParameter
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field

from hinge.web._labels import AlreadyLabelledError, InvalidRequestError, check_new_person
from hinge.web.pools._base import short_digest

if TYPE_CHECKING:
    from collections.abc import Callable

    from hinge.web._responses import NextExample
    from hinge.web._session import Session

_CACHE_FOR_A_DAY = "private, max-age=86400"
_MEDIA_TYPES = {"csv": "text/csv; charset=utf-8", "parquet": "application/vnd.apache.parquet", "svm": "text/plain"}

Row = Annotated[int, Field(ge=0, lt=2**53)]
RowInPath = Annotated[int, PathParameter(ge=0, lt=2**53)]
Name = Annotated[str, Field(max_length=400)]
Person = Annotated[str, Header(alias="X-Hinge-Person", max_length=400)]


class RequestBody(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class HoldRequest(RequestBody):
    """The example that is already on the screen."""

    holding: Row | None = None


class UndoRequest(HoldRequest):
    """The example on the screen, and a random text that is the same if the request is repeated."""

    request: Annotated[str, Field(pattern="^[0-9a-f]{8,32}$")] | None = None


class LabelRequest(RequestBody):
    """A label of an example, and how long the person looked at it."""

    row: Row
    label: Name
    seconds: Annotated[float, Field(allow_inf_nan=False)] | None = None


class SkipRequest(RequestBody):
    """An example to skip."""

    row: Row


def labelling_routes(session: Session) -> APIRouter:
    """Return the requests that people make while they label."""
    router = APIRouter(prefix="/api")

    @router.get("/project")
    def project(person: Person = "") -> Response:
        if person:
            session.mark_active(decode_name(person))
        return JSONResponse(session.project())

    @router.post("/next")
    def next_example(body: HoldRequest, person: Person) -> Response:
        return JSONResponse(session.next_example(decode_name(person), body.holding))

    @router.post("/answer")
    def add_label(body: LabelRequest, person: Person) -> Response:
        name = decode_name(person)
        return _or_conflict(session, name, lambda: session.add_label(name, body.row, body.label, body.seconds))

    @router.post("/skip")
    def skip(body: SkipRequest, person: Person) -> Response:
        name = decode_name(person)
        return _or_conflict(session, name, lambda: session.skip(name, body.row))

    @router.post("/unskip")
    def unskip(person: Person) -> Response:
        return JSONResponse(session.unskip(decode_name(person)))

    @router.post("/undo")
    def undo(body: UndoRequest, person: Person) -> Response:
        return JSONResponse(session.undo(decode_name(person), body.holding, body.request))

    @router.get("/instructions")
    def instructions() -> Response:
        text = session.settings.instructions
        return JSONResponse({"text": text, "digest": short_digest((text or "").encode())})

    @router.get("/items/{row}/image")
    def image(row: RowInPath) -> Response:
        data = session.pool.image(session.cache.check_row(row))
        media_type = "image/png" if data.startswith(b"\x89PNG") else "image/jpeg"
        return Response(data, media_type=media_type, headers={"Cache-Control": _CACHE_FOR_A_DAY})

    return router


def _or_conflict(session: Session, person: str, work: Callable[[], NextExample]) -> Response:
    """Return the next example; with status 409 and an error if somebody else labelled this one first."""
    try:
        return JSONResponse(work())
    except AlreadyLabelledError as error:
        return JSONResponse({"error": f"{error}", "next": session.next_example(person)}, 409)


def decode_name(person: str) -> str:
    """Decode and validate a person's name, which is percent-encoded because headers are limited to ASCII."""
    try:
        name = unquote(person, errors="strict")
    except UnicodeDecodeError:
        name = "%"
    if name.count("%") > person.count("%25"):  # a percent sign that does not begin an escape sequence
        raise InvalidRequestError("A person's name must be percent-encoded UTF-8; encode it.")
    return check_new_person(name)
