"""The HTTP requests of the page: each one is one call of the session."""

from __future__ import annotations

import io
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal
from urllib.parse import unquote

from anyio import to_thread
from fastapi import APIRouter, Header, Query, Request, Response
from fastapi import Path as PathParameter
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field

from hinge.persistence import save
from hinge.web._access import visitor_of
from hinge.web._label_files import read_labels, write_labels
from hinge.web._labels import AlreadyLabelledError, InvalidRequestError, check_new_person

if TYPE_CHECKING:
    from collections.abc import Callable

    from hinge.web._logins import Invitation, Logins
    from hinge.web._responses import NextExample
    from hinge.web._session import Session

_CACHE_FOR_A_DAY = "private, max-age=86400"
_MEDIA_TYPES = {"csv": "text/csv; charset=utf-8", "parquet": "application/vnd.apache.parquet", "svm": "text/plain"}

Row = Annotated[int, Field(ge=0, lt=2**53)]
RowInPath = Annotated[int, PathParameter(ge=0, lt=2**53)]
Name = Annotated[str, Field(max_length=400)]
Person = Annotated[str, Header(alias="X-Hinge-Person", max_length=400)]


class _RequestBody(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class HoldRequest(_RequestBody):
    """The example that is already on the screen."""

    holding: Row | None = None


class LabelRequest(_RequestBody):
    """A label of an example, and how long the person looked at it."""

    row: Row
    label: Name
    seconds: Annotated[float, Field(allow_inf_nan=False)] | None = None


class SkipRequest(_RequestBody):
    """An example to skip."""

    row: Row


class ChangeLabelRequest(_RequestBody):
    """The new label of an example."""

    label: Name


class ClassRequest(_RequestBody):
    """The name of a class."""

    name: Name


class InvitationRequest(_RequestBody):
    """The name and the role of somebody to invite."""

    person: Name
    role: Literal["owner", "labeller"] = "labeller"


def labelling_routes(session: Session) -> APIRouter:
    """Return the requests that people make while they label."""
    router = APIRouter(prefix="/api")

    @router.get("/project")
    def project(person: Person = "") -> Response:
        if person:
            session.mark_active(_decode_name(person))
        return JSONResponse(session.project())

    @router.post("/next")
    def next_example(body: HoldRequest, person: Person) -> Response:
        return JSONResponse(session.next_example(_decode_name(person), body.holding))

    @router.post("/answer")
    def add_label(body: LabelRequest, person: Person) -> Response:
        name = _decode_name(person)
        return _or_conflict(session, name, lambda: session.add_label(name, body.row, body.label, body.seconds))

    @router.post("/skip")
    def skip(body: SkipRequest, person: Person) -> Response:
        name = _decode_name(person)
        return _or_conflict(session, name, lambda: session.skip(name, body.row))

    @router.post("/unskip")
    def unskip(person: Person) -> Response:
        return JSONResponse(session.unskip(_decode_name(person)))

    @router.post("/undo")
    def undo(body: HoldRequest, person: Person) -> Response:
        return JSONResponse(session.undo(_decode_name(person), body.holding))

    @router.get("/items/{row}/image")
    def image(row: RowInPath) -> Response:
        data = session.pool.image(session.cache.check_row(row))
        media_type = "image/png" if data.startswith(b"\x89PNG") else "image/jpeg"
        return Response(data, media_type=media_type, headers={"Cache-Control": _CACHE_FOR_A_DAY})

    return router


def review_routes(session: Session) -> APIRouter:
    """Return the requests for progress, history and classes."""
    router = APIRouter(prefix="/api")

    @router.get("/progress")
    def progress() -> Response:
        return JSONResponse(session.progress())

    @router.get("/history")
    def history(
        request: Request,
        offset: Annotated[int, Query(ge=0, lt=2**31)] = 0,
        limit: Annotated[int, Query(ge=1, le=200)] = 50,
        label: Annotated[str | None, Query(max_length=400)] = None,
        person: Annotated[str | None, Query(max_length=400)] = None,
    ) -> Response:
        person = _only_own(request) or person
        return JSONResponse(session.history(offset, limit, label=label or None, person=person or None))

    @router.put("/labels/{row}")
    def change_label(row: RowInPath, body: ChangeLabelRequest, person: Person, request: Request) -> Response:
        session.check_own(row, _only_own(request))
        took = session.change_label(_decode_name(person), row, body.label)
        return JSONResponse({"project": session.project(), "took": took})

    @router.delete("/labels/{row}")
    def delete_label(row: RowInPath, request: Request) -> Response:
        session.check_own(row, _only_own(request))
        took = session.delete_label(row)
        return JSONResponse({"project": session.project(), "took": took})

    @router.post("/classes")
    def add_class(body: ClassRequest) -> Response:
        session.add_class(body.name)
        return JSONResponse({"project": session.project()})

    @router.delete("/classes")
    def remove_class(body: ClassRequest) -> Response:
        session.remove_class(body.name)
        return JSONResponse({"project": session.project()})

    return router


def file_routes(session: Session) -> APIRouter:
    """Return the requests that export and import files."""
    router = APIRouter(prefix="/api")

    @router.get("/export/labels.{format}")
    def export_labels(format: Literal["csv", "parquet", "svm"]) -> Response:  # noqa: A002  the usual name
        stream = io.BytesIO()
        write_labels(format, session.export_records(format), session.pool, stream)
        return _download(stream.getvalue(), f"labels.{format}", _MEDIA_TYPES[format])

    @router.get("/export/model.hinge")
    def export_model() -> Response:
        model = session.model()
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model.hinge"
            save(model, path)
            return _download(path.read_bytes(), "model.hinge", "application/octet-stream")

    @router.post("/import")
    async def import_labels(request: Request, person: Person) -> Response:
        data, name = await request.body(), _decode_name(person)
        return await to_thread.run_sync(_import, session, data, name)  # must not block the other requests

    return router


def team_routes(logins: Logins) -> APIRouter:
    """Return the requests about who may use the page."""
    router = APIRouter(prefix="/api")

    @router.get("/me")
    def me(request: Request) -> Response:
        visitor = visitor_of(request.scope)
        return JSONResponse({**visitor._asdict(), "invites": not logins.is_open and visitor.role == "owner"})

    @router.get("/invitations")
    def invitations() -> Response:
        return JSONResponse({"invitations": [_invitation(each) for each in logins.invitations()]})

    @router.post("/invitations")
    def invite(body: InvitationRequest) -> Response:
        if logins.is_open:
            raise InvalidRequestError("This page needs no login; start it with --token to invite people.")
        invitation, secret = logins.invite(body.person, body.role)
        return JSONResponse({**_invitation(invitation), "link": f"/?invitation={secret}"})

    @router.delete("/invitations/{number}")
    def revoke(number: RowInPath) -> Response:
        logins.revoke(number)
        return JSONResponse({"ok": True})

    return router


def _invitation(invitation: Invitation) -> dict[str, object]:
    revoked = invitation.revoked_at
    return {
        "id": invitation.id,
        "person": invitation.person,
        "role": invitation.role,
        "created_at": invitation.created_at.isoformat(),
        "revoked_at": None if revoked is None else revoked.isoformat(),
    }


def _import(session: Session, data: bytes, person: str) -> Response:
    counts = session.import_records(read_labels(io.BytesIO(data), session.pool, person=person))
    return JSONResponse({**counts._asdict(), "project": session.project()})


def _only_own(request: Request) -> str | None:
    """Return the person to whose labels a request is limited; None for owners."""
    visitor = visitor_of(request.scope)
    return None if visitor.role == "owner" else visitor.person


def _or_conflict(session: Session, person: str, work: Callable[[], NextExample]) -> Response:
    """Return the next example; with status 409 and an error if somebody else labelled this one first."""
    try:
        return JSONResponse(work())
    except AlreadyLabelledError as error:
        return JSONResponse({"error": f"{error}", "next": session.next_example(person)}, 409)


def _download(data: bytes, name: str, media_type: str) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
    return Response(data, media_type=media_type, headers=headers)


def _decode_name(person: str) -> str:
    """Decode and validate a person's name, which is percent-encoded because headers are limited to ASCII."""
    try:
        name = unquote(person, errors="strict")
    except UnicodeDecodeError:
        name = "%"
    if name.count("%") > person.count("%25"):  # a percent sign that does not begin an escape sequence
        raise InvalidRequestError("A person's name must be percent-encoded UTF-8; encode it.")
    return check_new_person(name)
