"""What the page can ask for: each request is one call of the session."""

from __future__ import annotations

import io
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal
from urllib.parse import unquote

from fastapi import APIRouter, Header, Query, Request, Response
from fastapi import Path as InPath
from pydantic import BaseModel, ConfigDict, Field

from hinge.persistence import save
from hinge.web._answer import RefusedError, TakenError, check_person
from hinge.web._transfer import read_labels, write_labels

if TYPE_CHECKING:
    from collections.abc import Callable

    from hinge.web._session import Session

_FOREVER = "private, max-age=86400"
_TYPES = {"csv": "text/csv; charset=utf-8", "parquet": "application/vnd.apache.parquet", "svm": "text/plain"}

Row = Annotated[int, Field(ge=0, lt=2**53)]
RowInPath = Annotated[int, InPath(ge=0, lt=2**53)]
Name = Annotated[str, Field(max_length=400)]
Person = Annotated[str, Header(alias="X-Hinge-Person", max_length=400)]


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class Holding(_Body):
    """The example that is on the screen already."""

    holding: Row | None = None


class Answered(_Body):
    """A label."""

    row: Row
    label: Name
    seconds: Annotated[float, Field(allow_inf_nan=False)] | None = None


class Passed(_Body):
    """An example that somebody passes over."""

    row: Row


class Corrected(_Body):
    """Another label."""

    label: Name


class ClassName(_Body):
    """The name of a class."""

    name: Name


def labelling(session: Session) -> APIRouter:
    """Return the requests that people make while they label."""
    router = APIRouter(prefix="/api")

    @router.get("/project")
    def project(person: Person = "") -> dict[str, Any]:
        if person:
            session.greet(_name(person))
        return session.project()

    @router.post("/next")
    def following(body: Holding, person: Person) -> dict[str, Any]:
        return session.turn(_name(person), body.holding)

    @router.post("/answer")
    def answer(body: Answered, person: Person, response: Response) -> dict[str, Any]:
        name = _name(person)
        return _or_another(session, name, response, lambda: session.answer(name, body.row, body.label, body.seconds))

    @router.post("/skip")
    def skip(body: Passed, person: Person, response: Response) -> dict[str, Any]:
        name = _name(person)
        return _or_another(session, name, response, lambda: session.skip(name, body.row))

    @router.post("/unskip")
    def unskip(person: Person) -> dict[str, Any]:
        return session.unskip(_name(person))

    @router.post("/undo")
    def undo(body: Holding, person: Person) -> dict[str, Any]:
        return session.undo(_name(person), body.holding)

    @router.get("/items/{row}/image")
    def image(row: RowInPath) -> Response:
        data = session.pool.image(session.book.require(row))
        kind = "image/png" if data.startswith(b"\x89PNG") else "image/jpeg"
        return Response(data, media_type=kind, headers={"Cache-Control": _FOREVER})

    return router


def looking_back(session: Session) -> APIRouter:
    """Return the requests about what has been done."""
    router = APIRouter(prefix="/api")

    @router.get("/progress")
    def progress() -> dict[str, Any]:
        return session.progress()

    @router.get("/history")
    def history(
        offset: Annotated[int, Query(ge=0, lt=2**31)] = 0,
        limit: Annotated[int, Query(ge=1, le=200)] = 50,
        label: Annotated[str | None, Query(max_length=400)] = None,
        person: Annotated[str | None, Query(max_length=400)] = None,
    ) -> dict[str, Any]:
        return session.history(offset, limit, label=label or None, person=person or None)

    @router.put("/labels/{row}")
    def correct(row: RowInPath, body: Corrected, person: Person) -> dict[str, Any]:
        took = session.correct(_name(person), row, body.label)
        return {"project": session.project(), "took": took}

    @router.delete("/labels/{row}")
    def delete(row: RowInPath) -> dict[str, Any]:
        took = session.delete(row)
        return {"project": session.project(), "took": took}

    @router.post("/classes")
    def add_class(body: ClassName) -> dict[str, Any]:
        session.add_class(body.name)
        return {"project": session.project()}

    @router.delete("/classes")
    def remove_class(body: ClassName) -> dict[str, Any]:
        session.remove_class(body.name)
        return {"project": session.project()}

    return router


def transfer(session: Session) -> APIRouter:
    """Return the requests that move labels and models in and out."""
    router = APIRouter(prefix="/api")

    @router.get("/export/labels.{kind}")
    def labels(kind: Literal["csv", "parquet", "svm"]) -> Response:
        stream = io.BytesIO()
        write_labels(kind, session.exported(kind), session.pool, stream)
        return _file(stream.getvalue(), f"labels.{kind}", _TYPES[kind])

    @router.get("/export/model.hinge")
    def model() -> Response:
        saved = session.model()
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model.hinge"
            save(saved, path)
            return _file(path.read_bytes(), "model.hinge", "application/octet-stream")

    @router.post("/import")
    async def bring(request: Request, person: Person) -> dict[str, Any]:
        data = await request.body()
        return await _in_thread(session, data, _name(person))

    return router


async def _in_thread(session: Session, data: bytes, person: str) -> dict[str, Any]:
    """Read labels where they keep nobody waiting."""
    from anyio import to_thread  # noqa: PLC0415  comes with the web framework

    def work() -> dict[str, Any]:
        new, changed, same = session.bring(read_labels(io.BytesIO(data), session.pool, person=person))
        return {"new": new, "changed": changed, "same": same, "project": session.project()}

    return await to_thread.run_sync(work)


def _or_another(
    session: Session, person: str, response: Response, work: Callable[[], dict[str, Any]]
) -> dict[str, Any]:
    """Return what comes next or, when somebody else was faster, that and another example."""
    try:
        return work()
    except TakenError as error:
        response.status_code = 409
        return {"error": f"{error}", "turn": session.turn(person)}


def _file(data: bytes, name: str, kind: str) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
    return Response(data, media_type=kind, headers=headers)


def _name(person: str) -> str:
    """Return who somebody is; names travel percent-encoded, since headers hold no other letters."""
    try:
        name = unquote(person, errors="strict")
    except UnicodeDecodeError:
        name = "%"
    if name.count("%") > person.count("%25"):  # what is left is no code of a letter
        raise RefusedError("The name of a person must be percent-encoded UTF-8; encode it so.")
    return check_person(name)
