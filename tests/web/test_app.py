"""The page as a browser, a program or somebody with bad intentions talks to it."""

from __future__ import annotations

import asyncio
import csv
import io
import json
from base64 import b64decode
from urllib.parse import quote

import httpx
import numpy as np
import pytest

import hinge
from hinge import DataError, IncrementalSVC

pytest.importorskip("fastapi", reason="the extra hinge[label] is not installed")

from hinge.web._answer import StoreError
from hinge.web._app import application
from hinge.web._guard import COOKIE, LARGEST_JSON, LARGEST_UPLOAD
from hinge.web._session import Session
from hinge.web._settings import SessionSettings
from hinge.web._store import Store

from .common import NAMES, Blobs

pytestmark = pytest.mark.usefixtures("patience")

HOME = "http://localhost:8517"
TOKEN = "kept between friends é"  # noqa: S105
ANN = {"X-Hinge-Person": "ann"}
PROTECTION = {
    "content-security-policy": "default-src 'self'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
}


class Pictures(Blobs):
    """The same clouds, with a picture of each point."""

    kind = "image"

    def view(self, row):
        return {"kind": "image", "width": 8, "height": 8}

    def image(self, row):
        if row == 1:
            raise DataError("The file is no longer there; put it back.")
        return b"\x89PNG picture" if row else b"\xff\xd8 photo"


class Client:
    """Talks to an application without a network; keeps cookies as a browser does."""

    def __init__(self, app):
        self._runner = asyncio.Runner()
        transport = httpx.ASGITransport(app, raise_app_exceptions=False)
        self._client = httpx.AsyncClient(transport=transport, base_url=HOME, headers=ANN)
        self.headers = self._client.headers

    def request(self, method, path, **more):
        return self._runner.run(self._client.request(method, path, **more))

    def get(self, path, **more):
        return self.request("GET", path, **more)

    def post(self, path, **more):
        return self.request("POST", path, **more)

    def close(self):
        self._runner.run(self._client.aclose())
        self._runner.close()


class Page:
    """A session with the application before it."""

    def __init__(self, folder, pool, token=None):
        self.pool = pool
        self.store = Store(folder / "labels.sqlite", "test")
        self.session = Session(pool, self.store, SessionSettings(seed=0), NAMES)
        self.app = application(self.session, token)
        self.client = Client(self.app)

    def close(self):
        self.client.close()
        self.session.close()
        self.store.close()

    def ask(self, path, content, method="POST", **headers):
        headers = {"content-type": "application/json", **headers}
        data = None if content is None else json.dumps(content)
        return self.client.request(method, f"/api/{path}", content=data, headers=headers)

    def label(self, n):
        """Give n right labels; return the rows, and the turn after them."""
        turn, rows = self.ask("next", {}).json(), []
        for _ in range(n):
            rows.append(turn["example"]["row"])
            turn = self.ask("answer", {"row": rows[-1], "label": self.pool.truth[rows[-1]], "seconds": 1.5}).json()
        return rows, turn

    def bring(self, text, **headers):
        headers = {"content-type": "text/csv", **headers}
        return self.client.post("/api/import", content=text, headers=headers)

    def state(self):
        """Return everything that is kept."""
        return self.store.answers(), self.store.classes(), self.store.skips(), dict(self.session.book.answers)

    def model_is_that_of_the_labels(self):
        """Tell whether the model that can be downloaded is the one that the labels make."""
        path = self.store._place.path.with_name("model.hinge")
        path.write_bytes(self.client.get("/api/export/model.hinge").content)
        model = hinge.load(path)
        rows = sorted(self.session.book.answers)
        labels = [self.session.book.answers[row].label for row in rows]
        fresh = IncrementalSVC(**model.get_params()).fit(self.pool.X[rows], labels)
        same = np.allclose(
            model.decision_function(self.pool.X), fresh.decision_function(self.pool.X), rtol=0, atol=1e-7
        )
        return same and model.classes_.tolist() == sorted(set(labels))


@pytest.fixture
def opened(tmp_path):
    pages = []

    def open_page(pool=None, token=None):
        pages.append(Page(tmp_path, Blobs(60) if pool is None else pool, token))
        return pages[-1]

    yield open_page
    for each in pages:
        each.close()


@pytest.fixture
def page(opened):
    return opened()


@pytest.fixture(scope="module")
def calm(tmp_path_factory):
    """A page with some labels, for all requests that change nothing."""
    page = Page(tmp_path_factory.mktemp("calm"), Pictures(60))
    page.label(3)
    yield page
    page.close()


@pytest.fixture
def unchanged(calm):
    """The calm page; at the end all must be as it was."""
    before = calm.state()
    yield calm
    assert calm.state() == before


def is_refused(response, *statuses):
    """Tell whether a request was refused with one sentence."""
    body = response.json()
    sentence = body["error"]
    assert body.keys() <= {"error", "turn"}
    assert response.status_code in (statuses or range(400, 500)), response.text
    assert isinstance(sentence, str)
    assert sentence.endswith((".", "?"))
    assert "\n" not in sentence
    assert 5 < len(sentence) < 1000
    assert all(response.headers[name].startswith(value) for name, value in PROTECTION.items())
    return True


# What the page asks for


def test_the_page_and_its_parts(unchanged):
    answer = unchanged.client.get("/")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert unchanged.client.get("/static/main.js").headers["content-type"].startswith("text/javascript")
    assert unchanged.client.get("/api/health").json() == {"ok": True}
    for path in ("/", "/static/main.js", "/api/health", "/nowhere", "/api/project"):
        headers = unchanged.client.get(path).headers
        assert all(headers[name].startswith(value) for name, value in PROTECTION.items()), path
    for path in ("/docs", "/redoc", "/openapi.json"):
        assert unchanged.client.get(path).status_code == 404


def test_labelling(page):
    turn = page.ask("next", {"holding": None}).json()
    assert turn.keys() == {"example", "project", "saved", "upcoming"}
    example = turn["example"]
    assert example.keys() == {"row", "view", "drawn", "before", "guesses", "sure"}
    assert (example["view"]["kind"], example["before"], example["guesses"], example["sure"]) == (
        "table",
        None,
        [],
        None,
    )
    assert page.ask("next", {"holding": 3}).json()["example"]["row"] == example["row"]
    rows, turn = page.label(12)
    assert (turn["saved"], turn["project"]["labelled"], turn["project"]["total"]) == (rows[-1], 12, 60)
    assert turn["example"]["row"] not in rows
    assert not set(turn["upcoming"]) & {*rows, turn["example"]["row"]}
    assert [guess["label"] for guess in turn["example"]["guesses"]]
    assert 0 < turn["example"]["sure"] <= 1
    assert sum(each["count"] for each in turn["project"]["classes"]) == 12
    assert turn["project"]["people"] == [{"name": "ann", "labels": 12, "here": True}]
    assert page.client.get("/api/project").json() == turn["project"]


def test_skip_and_undo(page):
    (row,), turn = page.label(1)
    passed = turn["example"]["row"]
    assert page.ask("skip", {"row": passed}).json()["example"]["row"] != passed
    assert page.ask("undo", {}).json()["example"]["row"] == passed
    undone = page.ask("undo", {}).json()["example"]
    assert (undone["row"], undone["before"]) == (row, page.pool.truth[row])
    assert is_refused(page.ask("undo", {}), 404)
    assert page.store.answers() == page.store.skips() == []


def test_an_undo_that_comes_twice_is_done_once(page):
    rows, turn = page.label(3)
    holding = {"holding": turn["example"]["row"]}
    for _ in range(2):  # the page did not hear the first answer
        assert page.ask("undo", holding).json()["example"]["row"] == rows[2]
    assert page.ask("undo", {"holding": rows[2]}).json()["example"]["row"] == rows[1]
    assert len(page.store.answers()) == 1


def test_somebody_else_was_faster(page):
    row = page.ask("next", {}).json()["example"]["row"]
    page.ask("answer", {"row": row, "label": "ape"})
    for path, content in (("answer", {"row": row, "label": "bee"}), ("skip", {"row": row})):
        answer = page.ask(path, content, **{"X-Hinge-Person": "bob"})
        assert is_refused(answer, 409)
        assert answer.json()["turn"]["example"]["row"] != row
    assert [(each.label, each.person) for each in page.store.answers()] == [("ape", "ann")]


def test_history_correction_and_deletion(page):
    rows, _ = page.label(12)
    page.ask(
        "answer",
        {"row": next(row for row in range(60) if row not in rows), "label": "ape"},
        **{"X-Hinge-Person": "bob"},
    )
    shown = page.client.get("/api/history?offset=1&limit=5").json()
    assert (shown["total"], [each["row"] for each in shown["entries"]]) == (13, rows[:-6:-1])
    first = shown["entries"][0]
    assert first.keys() == {
        *("row", "label", "person", "seconds", "guess", "drawn", "labelled_at", "changed_at", "view")
    }
    assert (first["label"], first["person"], first["seconds"]) == (page.pool.truth[rows[-1]], "ann", 1.5)
    assert page.client.get("/api/history?person=bob").json()["total"] == 1
    assert page.client.get("/api/history?label=&person=").json()["total"] == 13
    assert page.client.get("/api/history?label=emu").json()["total"] == 0
    corrected = page.ask(f"labels/{rows[0]}", {"label": "cat"}, "PUT").json()
    assert corrected["took"] >= 0
    assert page.ask(f"labels/{rows[1]}", None, "DELETE").json()["project"]["labelled"] == 12
    assert page.session.book.answers[rows[0]].label == "cat"
    assert page.model_is_that_of_the_labels()
    assert is_refused(page.ask(f"labels/{rows[1]}", None, "DELETE"), 404)
    assert is_refused(page.ask(f"labels/{rows[1]}", {"label": "cat"}, "PUT"), 404)


def test_classes(page):
    listed = page.ask("classes", {"name": " <b>émeu</b> 🦤 "}).json()["project"]["classes"]
    assert [each["name"] for each in listed] == [*NAMES, "<b>émeu</b> 🦤"]
    row = page.ask("next", {}).json()["example"]["row"]
    assert page.ask("answer", {"row": row, "label": "<b>émeu</b> 🦤"}).json()["saved"] == row
    assert is_refused(page.ask("classes", {"name": "<b>émeu</b> 🦤"}, "DELETE"), 400)
    assert is_refused(page.ask("classes", {"name": "dodo"}, "DELETE"), 404)
    listed = page.ask("classes", {"name": "ape"}, "DELETE").json()["project"]["classes"]
    assert [each["name"] for each in listed] == [*NAMES[1:], "<b>émeu</b> 🦤"]


def test_progress(page):
    page.label(20)
    page.client.get("/api/progress")
    page.session.auditor.wait()
    progress = page.client.get("/api/progress").json()
    assert progress.keys() == {*("curve", "random", "random_from", "estimate", "balance", "seconds", "advice", "model")}
    assert progress["seconds"] == {"median": 1.5, "last": [1.5] * 20}
    assert sum(each["count"] for each in progress["balance"]) == 20
    assert isinstance(progress["advice"]["stop"], bool)
    assert (progress["model"]["kind"], progress["model"]["labels"]) == ("IncrementalSVC", 20)


def test_images(opened):
    page = opened(Pictures(60))
    view = page.ask("next", {"holding": 2}).json()["example"]["view"]
    assert {**view, "data": b64decode(view["data"])} == {
        "kind": "image",
        "width": 8,
        "height": 8,
        "data": page.pool.image(2),
    }
    bob = {"X-Hinge-Person": "bob"}
    spoiled = page.ask("next", {"holding": 1}, **bob).json()["example"]  # its image cannot be read
    assert (spoiled["row"], spoiled["view"]) == (1, {"kind": "image", "width": 8, "height": 8})
    assert page.ask("skip", {"row": 1}, **bob).json()["example"]["row"] != 1
    for row, kind in ((0, "image/jpeg"), (2, "image/png")):
        answer = page.client.get(f"/api/items/{row}/image")
        assert (answer.status_code, answer.headers["content-type"]) == (200, kind)
        assert "max-age" in answer.headers["cache-control"]
    assert is_refused(page.client.get("/api/items/1/image"), 400)
    assert is_refused(page.client.get("/api/items/60/image"), 404)


def test_the_model_is_that_of_the_labels(page):
    assert is_refused(page.client.get("/api/export/model.hinge"), 400)  # nothing to make a model of
    rows, _ = page.label(30)
    page.ask(f"labels/{rows[3]}", {"label": "cat"}, "PUT")
    page.ask("undo", {})
    assert page.model_is_that_of_the_labels()


def test_labels_go_out_and_come_back(opened, tmp_path):
    (tmp_path / "other").mkdir()
    first = opened()
    first.ask("classes", {"name": '=cmd|"/c calc"!A1'})
    rows, turn = first.label(20)
    first.ask("answer", {"row": turn["example"]["row"], "label": '=cmd|"/c calc"!A1'})
    answer = first.client.get("/api/export/labels.csv")
    assert answer.headers["content-disposition"] == 'attachment; filename="labels.csv"'
    lines = list(csv.DictReader(io.StringIO(answer.text)))
    assert [line["key"] for line in lines[:-1]] == [first.pool.key(row) for row in rows]
    assert lines[-1]["label"].startswith("'=")
    for kind in ("parquet", "svm"):
        assert first.client.get(f"/api/export/labels.{kind}").status_code == 200
    second = Page(tmp_path / "other", Blobs(60))
    try:
        brought = second.bring(answer.content)
        assert [brought.json()[name] for name in ("new", "changed", "same")] == [21, 0, 0]
        assert brought.json()["project"]["labelled"] == 21
        ours, theirs = ([(each.key, each.label) for each in page.store.answers()] for page in (first, second))
        assert ours == theirs
        assert second.bring(answer.content).json()["same"] == 21
        assert second.model_is_that_of_the_labels()
    finally:
        second.close()


# Who may talk to the page


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:8517", "localhost.evil.example", "127.0.0.1.evil.example", "192.0.2.1", "[", ""],
)
def test_other_names_are_refused(unchanged, host):
    for path in ("/", "/api/project", "/static/main.js"):
        assert is_refused(unchanged.client.get(path, headers={"host": host}), 403)


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:1", "127.0.0.1:8517", "[::1]:8517"])
def test_this_computer_has_several_names(unchanged, host):
    assert unchanged.client.get("/api/project", headers={"host": host}).status_code == 200


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "http://localhost", "http://localhost:9999", "null", "http://[", "", "file://"]
)
def test_other_origins_change_nothing(unchanged, origin):
    for path, content in (("next", {}), ("answer", {"row": 1, "label": "ape"}), ("classes", {"name": "emu"})):
        assert is_refused(unchanged.ask(path, content, origin=origin), 403)
    assert is_refused(unchanged.ask("labels/1", {"label": "ape"}, "PUT", origin=origin), 403)
    assert is_refused(unchanged.bring("row,label\n1,ape\n", origin=origin), 403)
    assert unchanged.ask("next", {}, origin=HOME).status_code == 200


@pytest.mark.parametrize(
    "kind", ["application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/plain", "", "json"]
)
def test_forms_change_nothing(unchanged, kind):
    body = json.dumps({"row": 1, "label": "ape"})
    assert is_refused(unchanged.client.post("/api/answer", content=body, headers={"content-type": kind}), 403)


def test_a_token(opened):
    page = opened(token=TOKEN)
    page.client.headers["host"] = "label.example"
    paths = ["project", "progress", "history", "items/1/image", "export/labels.csv", "export/model.hinge", "nowhere"]
    for path in paths:
        assert is_refused(page.client.get(f"/api/{path}"), 401)
    for path in ("next", "answer", "skip", "undo", "classes", "import"):
        assert is_refused(page.ask(path, {}), 401)
    assert is_refused(page.ask("labels/1", {"label": "ape"}, "PUT"), 401)
    assert is_refused(page.ask("labels/1", {}, "DELETE"), 401)
    assert page.client.get("/").status_code == page.client.get("/api/health").status_code == 200


@pytest.mark.parametrize("way", ["address", "form"])
def test_who_has_the_token_is_let_in(opened, way):
    page = opened(token=TOKEN)
    if way == "form":
        answer = page.ask("login", {"token": TOKEN})
        assert (answer.status_code, answer.json()) == (200, {"ok": True})
    else:
        answer = page.client.get(f"/?token={quote(TOKEN)}")
        assert (answer.status_code, answer.headers["location"]) == (307, "/")
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert TOKEN not in cookie
    assert quote(TOKEN) not in cookie
    assert page.client.get("/api/project").status_code == 200
    assert page.ask("next", {}).status_code == 200


@pytest.mark.parametrize("token", ["wrong", "", "kept between friends e", "é" * 100_000, "\ud800"])
def test_who_has_another_token_is_not(opened, token, monkeypatch):
    monkeypatch.setattr("hinge.web._app._PAUSE", 0.0)
    page = opened(token=TOKEN)
    content = json.dumps({"token": token})
    assert is_refused(page.client.post("/api/login", content=content, headers={"content-type": "application/json"}))
    shown = quote(token[:300], errors="replace")
    answer = page.client.get(f"/?token={shown}")
    assert "set-cookie" not in answer.headers
    for cookie in (f"{COOKIE}={shown}", f"{COOKIE}=", f"{COOKIE}=\xff", "[]=;;=", f"{COOKIE}={quote(TOKEN)}"):
        assert is_refused(page.client.get("/api/project", headers={"cookie": cookie.encode("latin-1")}), 401)


def test_websockets_are_refused(unchanged):
    sent = []

    async def receive():
        return {"type": "websocket.connect"}

    async def send(message):
        sent.append(message["type"])

    scope = {"type": "websocket", "path": "/api/next", "headers": [(b"host", b"localhost")]}
    asyncio.run(unchanged.app(scope, receive, send))
    assert sent == ["websocket.close"]


# Too much, and not what it should be


async def pieces(data, size=2**16):
    for start in range(0, len(data), size):
        yield data[start : start + size]


@pytest.mark.parametrize("announced", [True, False])
def test_large_requests_are_refused(unchanged, announced):
    for path, kind, largest in (("next", "application/json", LARGEST_JSON), ("import", "text/csv", LARGEST_UPLOAD)):
        data = b" " * (largest + 2**20)
        content = data if announced else pieces(data)
        assert is_refused(unchanged.client.post(f"/api/{path}", content=content, headers={"content-type": kind}), 413)
    assert unchanged.ask("next", {}).status_code == 200


@pytest.mark.parametrize(
    "path",
    [
        "/static/../_app.py",
        "/static/%2e%2e/_app.py",
        "/static/..%2f_app.py",
        "/static/%252e%252e%252f_app.py",
        "/static/..%5c_app.py",
        "/static//etc/passwd",
        "/static/%2Fetc%2Fpasswd",
        "/static/main.js%00.png",
        "/static/",
        "/api/items/..%2f..%2f_app.py/image",
        "/api/items/%2e%2e/image",
        "/api/items/%252e%252e%252f1/image",
        "/api/items/1%00/image",
        "/api/items/0x1/image",
        "/api/items/-1/image",
        "/api/items/1.5/image",
        "/api/items/nan/image",
        "/api/items/1e3/image",
        f"/api/items/{'9' * 5000}/image",
        f"/api/items/{2**53}/image",
        "/api/export/labels.exe",
        "/api/export/labels.csv%2f..%2fmodel.hinge",
        "/api/export/..%2f..%2flabels.sqlite",
        "/api/history?offset=-1",
        "/api/history?offset=nan",
        "/api/history?limit=0",
        "/api/history?limit=201",
        f"/api/history?offset={10**30}",
        "/api/history?label=%00",
        f"/api/history?person={'x' * 300}",
        f"/api/history?label={'x' * 5000}",
    ],
)
def test_no_path_leads_elsewhere(unchanged, path):
    assert is_refused(unchanged.client.get(path))


ANSWERS = [
    "",
    "{",
    "[]",
    "null",
    "7",
    '"answer"',
    "\x00",
    "[" * 30_000,
    '{"row": ' * 5_000,
    '{"row": 1}',
    '{"label": "ape"}',
    '{"row": 1, "label": "ape", "person": "bob"}',
    '{"row": 1, "label": "ape", "' + "x" * 20_000 + '": 1}',
    '{"row": 1, "label": "ape", "\\ud800": 1}',
    '{"row": 1, "label": null}',
    '{"row": 1, "label": 3}',
    '{"row": 1, "label": ["ape"]}',
    '{"row": 1, "label": ""}',
    '{"row": 1, "label": "emu"}',
    '{"row": 1, "label": "a\\u0000pe"}',
    '{"row": 1, "label": "ape\\u202e\\u0007"}',
    '{"row": 1, "label": "\\ud800"}',
    '{"row": 1, "label": "🦍🦍"}',
    '{"row": 1, "label": "ape\'; DROP TABLE labels; --"}',
    '{"row": 1, "label": "<script>alert(1)</script>"}',
    '{"row": 1, "label": "' + "x" * 10_000 + '"}',
    '{"row": 1, "label": "' + "x" * 300 + '"}',
    '{"row": 60, "label": "ape"}',
    '{"row": -1, "label": "ape"}',
    '{"row": 1.0, "label": "ape"}',
    '{"row": 1.5, "label": "ape"}',
    '{"row": "1", "label": "ape"}',
    '{"row": true, "label": "ape"}',
    '{"row": null, "label": "ape"}',
    '{"row": NaN, "label": "ape"}',
    '{"row": 1e300, "label": "ape"}',
    '{"row": 9007199254740992, "label": "ape"}',
    '{"row": ' + "9" * 5000 + ', "label": "ape"}',
    '{"row": 1, "label": "ape", "seconds": NaN}',
    '{"row": 1, "label": "ape", "seconds": Infinity}',
    '{"row": 1, "label": "ape", "seconds": -Infinity}',
    '{"row": 1, "label": "ape", "seconds": 1e999}',
    '{"row": 1, "label": "ape", "seconds": "1"}',
]


@pytest.mark.parametrize("body", ANSWERS, ids=lambda body: body[:60])
def test_answers_that_are_none(unchanged, body):
    content = body.encode("utf-8")
    assert is_refused(
        unchanged.client.post("/api/answer", content=content, headers={"content-type": "application/json"})
    )


def test_bytes_that_are_no_text(unchanged):
    for path in ("next", "answer", "skip", "classes", "login"):
        headers = {"content-type": "application/json"}
        assert is_refused(unchanged.client.post(f"/api/{path}", content=b'{"row": "\xff\xfe"}', headers=headers))


@pytest.mark.parametrize(
    ("method", "path", "content"),
    [
        ("POST", "next", {"holding": -1}),
        ("POST", "next", {"holding": 1.5}),
        ("POST", "next", {"holding": "1"}),
        ("POST", "next", []),
        ("POST", "skip", {"row": 60}),
        ("POST", "skip", {"row": -1}),
        ("POST", "skip", {}),
        ("PUT", "labels/1", {"label": "ape"}),
        ("PUT", "labels/60", {"label": "ape"}),
        ("PUT", "labels/-1", {"label": "ape"}),
        ("PUT", "labels/1", {"label": "emu"}),
        ("PUT", "labels/1", {}),
        ("DELETE", "labels/60", None),
        ("DELETE", "labels/x", None),
        ("DELETE", "labels", None),
        ("POST", "classes", {"name": ""}),
        ("POST", "classes", {"name": "  "}),
        ("POST", "classes", {"name": "x" * 101}),
        ("POST", "classes", {"name": "two\nlines"}),
        ("POST", "classes", {"name": 7}),
        ("DELETE", "classes", {"name": "nobody"}),
        ("POST", "login", {}),
        ("POST", "nowhere", {}),
        ("PATCH", "labels/1", {}),
        ("PUT", "answer", {"row": 1, "label": "ape"}),
    ],
)
def test_requests_that_make_no_sense(unchanged, method, path, content):
    assert is_refused(unchanged.ask(path, content, method))


@pytest.mark.parametrize(
    "person", ["", " ", "%20", "%zz", "100%", "%ff", "%C3", "%00", "a%0Ann", "x" * 41, "x" * 5000, None]
)
def test_people_must_have_a_name(unchanged, person):
    headers = {} if person is None else {"X-Hinge-Person": person}
    unchanged.client.headers.pop("X-Hinge-Person")
    try:
        for path, content in (("next", {}), ("answer", {"row": 1, "label": "ape"}), ("skip", {"row": 1}), ("undo", {})):
            assert is_refused(unchanged.ask(path, content, **headers))
        assert is_refused(unchanged.bring("row,label\n1,ape\n", **headers))
    finally:
        unchanged.client.headers.update(ANN)
    assert {each["name"] for each in unchanged.client.get("/api/project").json()["people"]} == {"ann"}


def test_names_in_all_letters(page):
    name = "Žofie Ñandú 🦤 100%"
    row = page.ask("next", {}, **{"X-Hinge-Person": quote(name)}).json()["example"]["row"]
    page.ask("answer", {"row": row, "label": "ape"}, **{"X-Hinge-Person": quote(name)})
    assert page.store.answers()[0].person == name


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no rows"),
        ("row,label\n1,ape\n60,bee\n", "line 3"),
        ("row,label\n1,ape\n1,bee\n", "line 3"),
        ("key,label\nblob 1,ape\n../../etc/passwd,bee\n", "line 3"),
        ("key,label\nblob 1,ape\nblob 2,\x07\n", "line 3"),
        ("key,label\nblob 1,ape\nblob 2,two,three\n", "line 3"),
        ('key,label\nblob 1,"ape\n', "inside quotation marks"),
        (b"key,label\nblob 1,\xff\n", "line 2"),
        (b"\x1f\x8b\x08packed", "line 1"),
        ("key,label\n" + "x" * 200_000, "line 2"),
    ],
)
def test_files_that_cannot_be_used(unchanged, text, said):
    answer = unchanged.bring(text)
    assert is_refused(answer)
    assert said in answer.json()["error"]


# What goes wrong in the server


def test_nothing_is_called_saved_that_is_not(page, monkeypatch):
    (row,), turn = page.label(1)
    asked = turn["example"]["row"]
    before = page.state()

    def full(*_, **__):
        raise StoreError("The disk is full; make room.")

    with monkeypatch.context() as broken:
        for name in ("record", "skip", "delete", "correct", "bring", "add_class"):
            broken.setattr(page.store, name, full)
        for answer in (
            page.ask("answer", {"row": asked, "label": "ape"}),
            page.ask("skip", {"row": asked}),
            page.ask("undo", {}),
            page.ask(f"labels/{row}", {"label": "cat"}, "PUT"),
            page.ask(f"labels/{row}", None, "DELETE"),
            page.ask("classes", {"name": "emu"}),
            page.bring("row,label\n1,ape\n"),
        ):
            assert is_refused(answer, 503)
            assert answer.json() == {"error": "The disk is full; make room."}
    assert page.state() == before
    assert page.ask("answer", {"row": asked, "label": "ape"}).json()["saved"] == asked  # the same again, now it works
    assert page.ask("undo", {}).json()["example"]["row"] == asked
    assert page.ask("undo", {}).json()["example"]["row"] == row  # the one that did not work before has changed nothing


def test_what_nobody_foresaw_is_a_sentence_too(page, monkeypatch):
    def broken(*_, **__):
        raise ZeroDivisionError("secret")

    monkeypatch.setattr(page.session, "turn", broken)
    answer = page.ask("next", {})
    assert is_refused(answer, 500)
    assert "secret" not in answer.text
