"""The HTTP requests of people who review labels, change classes, exchange files and invite others."""

from __future__ import annotations

import csv
import io
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from anyio import to_thread
from fastapi import APIRouter, Query, Request, Response
from fastapi import Path as PathParameter
from fastapi.responses import JSONResponse
from pydantic import Field

from hinge.persistence import save
from hinge.web._access import visitor_of
from hinge.web._events import event_rows
from hinge.web._label_files import escape_formula, read_labels, write_labels
from hinge.web._labels import InvalidRequestError
from hinge.web._opinions import opinion_rows
from hinge.web._predictions import write_predictions
from hinge.web._responses import event_entry
from hinge.web._review import HistoryFilter
from hinge.web._routes import Name, Person, RequestBody, Row, RowInPath, decode_name

if TYPE_CHECKING:
    from hinge.web._logins import Invitation, Logins
    from hinge.web._session import Session

_MEDIA_TYPES = {
    "jsonl": "application/jsonl",
    "csv": "text/csv; charset=utf-8",
    "parquet": "application/vnd.apache.parquet",
    "svm": "text/plain",
}

Batch = Annotated[str, PathParameter(pattern="^[0-9a-f]{8,32}$")]
Letter = Annotated[str, Field(pattern="^[a-z]$")]


class ChangeLabelRequest(RequestBody):
    """The new label of an example."""

    label: Name


class ClassRequest(RequestBody):
    """The name of a class."""

    name: Name


class RenameRequest(RequestBody):
    """Another name of a class; with `merge`, that of an existing class that gets all its labels."""

    name: Name
    new_name: Name
    merge: bool = False


class LetterRequest(RequestBody):
    """The letter that is the key of a class; None lets the page choose."""

    name: Name
    letter: Letter | None = None


class ManyRequest(RequestBody):
    """Rows, and their new label; None deletes their labels."""

    rows: Annotated[list[Row], Field(min_length=1, max_length=5000)]
    label: Name | None = None


class KeysRequest(RequestBody):
    """The keys of labels whose examples are gone or have changed."""

    keys: Annotated[list[Name], Field(min_length=1, max_length=5000)]


class InvitationRequest(RequestBody):
    """The name and the role of somebody to invite."""

    person: Name
    role: Literal["owner", "labeller"] = "labeller"


def review_routes(session: Session) -> APIRouter:
    """Return the requests for progress, history and classes."""
    router = APIRouter(prefix="/api")

    @router.get("/progress")
    def progress() -> Response:
        return JSONResponse(session.progress())

    @router.get("/history")
    def history(
        request: Request,
        *,
        offset: Annotated[int, Query(ge=0, lt=2**31)] = 0,
        limit: Annotated[int, Query(ge=1, le=200)] = 50,
        label: Annotated[str | None, Query(max_length=400)] = None,
        person: Annotated[str | None, Query(max_length=400)] = None,
        text: Annotated[str | None, Query(max_length=400)] = None,
        doubted: bool = False,
    ) -> Response:
        person = _only_own(request) or person
        wanted = HistoryFilter(label or None, person or None, text or None, doubted)
        return JSONResponse(session.review.history(offset, limit, wanted))

    @router.put("/labels/{row}")
    def change_label(row: RowInPath, body: ChangeLabelRequest, person: Person, request: Request) -> Response:
        session.check_own(row, _only_own(request))
        took = session.change_label(decode_name(person), row, body.label)
        return JSONResponse({"project": session.project(), "took": took})

    @router.delete("/labels/{row}")
    def delete_label(row: RowInPath, request: Request, person: Person) -> Response:
        session.check_own(row, _only_own(request))
        took = session.delete_label(row, decode_name(person))
        return JSONResponse({"project": session.project(), "took": took})

    @router.post("/labels/{row}/confirm")
    def confirm(row: RowInPath, person: Person) -> Response:
        session.review.confirm(row, decode_name(person))
        return JSONResponse({"project": session.project()})

    @router.get("/team")
    def team() -> Response:
        return JSONResponse(session.review.team())

    @router.get("/disputes")
    def disputes() -> Response:
        return JSONResponse({"disputes": session.review.disputes()})

    @router.put("/disputes/{row}")
    def decide(row: RowInPath, body: ChangeLabelRequest, person: Person) -> Response:
        session.review.decide(row, body.label, decode_name(person))
        return JSONResponse({"project": session.project()})

    @router.get("/doubts")
    def doubts() -> Response:
        return JSONResponse(session.review.doubts())

    return router


def change_routes(session: Session) -> APIRouter:
    """Return the requests that change classes, or many labels."""
    router = APIRouter(prefix="/api")

    @router.post("/labels")
    def set_many(body: ManyRequest, person: Person) -> Response:
        batch = session.review.set_many(body.rows, body.label, decode_name(person))
        return JSONResponse({"project": session.project(), "batch": batch})

    @router.post("/batches/{batch}/revert")
    def revert(batch: Batch, person: Person) -> Response:
        restored, kept = session.review.revert(batch, decode_name(person))
        return JSONResponse({"project": session.project(), "restored": restored, "kept": kept})

    @router.get("/events")
    def events(
        offset: Annotated[int, Query(ge=0, lt=2**31)] = 0,
        limit: Annotated[int, Query(ge=1, le=200)] = 50,
        row: Annotated[int | None, Query(ge=0, lt=2**53)] = None,
    ) -> Response:
        total, found = session.review.events_page(offset, limit, row)
        return JSONResponse({"total": total, "entries": [event_entry(session.pool, each) for each in found]})

    @router.get("/kept-aside")
    def kept_aside() -> Response:
        records = session.review.kept_aside()
        entries = [{"key": each.key, "label": each.label, "person": each.person} for each in records]
        return JSONResponse({"entries": entries})

    @router.delete("/kept-aside")
    def delete_kept_aside(body: KeysRequest, person: Person) -> Response:
        batch = session.review.delete_kept_aside(body.keys, decode_name(person))
        return JSONResponse({"project": session.project(), "batch": batch})

    @router.put("/features")
    def choose_features(body: ClassRequest) -> Response:
        session.learning.choose_features(body.name)
        return JSONResponse({"project": session.project()})

    return router


def class_routes(session: Session) -> APIRouter:
    """Return the requests about classes."""
    router = APIRouter(prefix="/api")

    @router.put("/classes")
    def rename_class(body: RenameRequest, person: Person) -> Response:
        session.review.rename_class(body.name, body.new_name, decode_name(person), merge=body.merge)
        return JSONResponse({"project": session.project()})

    @router.put("/classes/letter")
    def set_letter(body: LetterRequest) -> Response:
        session.review.set_letter(body.name, body.letter)
        return JSONResponse({"project": session.project()})

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

    @router.get("/export/predictions.{format}")
    def export_predictions(format: Literal["csv", "jsonl", "parquet"]) -> Response:  # noqa: A002  the usual name
        predictions, records = session.learning.predictions()
        stream = io.BytesIO()
        write_predictions(format, predictions, session.pool, records, stream)
        return _download(stream.getvalue(), f"predictions.{format}", _MEDIA_TYPES[format])

    @router.get("/export/history.csv")
    def export_history() -> Response:
        return _download(_csv_bytes(event_rows(session.review.events.all())), "history.csv", _MEDIA_TYPES["csv"])

    @router.get("/export/agreement.csv")
    def export_opinions() -> Response:
        rows = opinion_rows(session.overlap.store.all())
        return _download(_csv_bytes(rows), "agreement.csv", _MEDIA_TYPES["csv"])

    @router.get("/export/model.hinge")
    def export_model() -> Response:
        model = session.learning.model()
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model.hinge"
            save(model, path)
            return _download(path.read_bytes(), "model.hinge", "application/octet-stream")

    @router.post("/import")
    async def import_labels(request: Request, person: Person, *, preview: bool = False) -> Response:
        data, name = await request.body(), decode_name(person)
        work = _preview if preview else _import
        return await to_thread.run_sync(work, session, data, name)  # must not block the other requests

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


def _preview(session: Session, data: bytes, person: str) -> Response:
    return JSONResponse(session.review.preview_import(read_labels(io.BytesIO(data), session.pool, person=person)))


def _import(session: Session, data: bytes, person: str) -> Response:
    found = session.review.import_records(read_labels(io.BytesIO(data), session.pool, person=person), person)
    return JSONResponse({**found, "project": session.project()})


def _only_own(request: Request) -> str | None:
    """Return the person to whose labels a request is limited; None for owners."""
    visitor = visitor_of(request.scope)
    return None if visitor.role == "owner" else visitor.person


def _csv_bytes(rows: list[list[str]]) -> bytes:
    stream = io.StringIO()
    csv.writer(stream).writerows([[escape_formula(cell) for cell in row] for row in rows])
    return stream.getvalue().encode("utf-8", "surrogatepass")


def _download(data: bytes, name: str, media_type: str) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
    return Response(data, media_type=media_type, headers=headers)
