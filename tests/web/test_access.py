"""Access control: unknown clients, other sites, oversized and invalid requests."""

from __future__ import annotations

import asyncio
import hashlib
import json
from urllib.parse import quote

import pytest

pytest.importorskip("fastapi", reason="the extra hinge-svm[label] is not installed")

from hinge.web._access import MAX_JSON_BYTES, MAX_UPLOAD_BYTES

from .pages import ANN, HOME, TOKEN, is_refused

pytestmark = pytest.mark.usefixtures("long_timeouts")


# Who may use the page


@pytest.mark.parametrize(
    "host",
    [
        *(
            "evil.example",
            "evil.example:8517",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "192.0.2.1",
            "[",
            "",
        ),
        *("evil.example@localhost", "evil@localhost:8517", "localhost/evil.example", "localhost?", "localhost:80:80"),
    ],
)
def test_other_host_names_are_rejected(unchanged, host):
    for path in ("/", "/api/project", "/static/main.js"):
        assert is_refused(unchanged.client.get(path, headers={"host": host}), 403)


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:1", "127.0.0.1:8517", "[::1]:8517"])
def test_names_of_this_computer_are_accepted(unchanged, host):
    assert unchanged.client.get("/api/project", headers={"host": host}).status_code == 200


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "http://localhost", "http://localhost:9999", "null", "http://[", "", "file://"]
)
def test_other_origins_change_nothing(unchanged, origin):
    for path, content in (("next", {}), ("answer", {"row": 1, "label": "ape"}), ("classes", {"name": "emu"})):
        assert is_refused(unchanged.ask(path, content, origin=origin), 403)
    assert is_refused(unchanged.ask("labels/1", {"label": "ape"}, "PUT", origin=origin), 403)
    assert is_refused(unchanged.import_csv("row,label\n1,ape\n", origin=origin), 403)
    assert unchanged.ask("next", {}, origin=HOME).status_code == 200
    assert is_refused(unchanged.ask("next", {}, **{"sec-fetch-site": "cross-site"}), 403)


@pytest.mark.parametrize(
    "kind", ["application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/plain", "", "json"]
)
def test_forms_change_nothing(unchanged, kind):
    body = json.dumps({"row": 1, "label": "ape"})
    assert is_refused(unchanged.client.post("/api/answer", content=body, headers={"content-type": kind}), 403)


def test_a_token_is_required(open_page):
    page = open_page(token=TOKEN)
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
def test_the_token_authorizes(open_page, way):
    page = open_page(token=TOKEN)
    if way == "form":
        answer = page.ask("login", {"token": TOKEN})
        assert (answer.status_code, answer.json()) == (200, {"ok": True})
    else:
        answer = page.client.get(f"/?token={quote(TOKEN)}")
        assert (answer.status_code, answer.headers["location"]) == (307, "/")
    assert answer.headers["cache-control"] == "no-store"
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert TOKEN not in cookie
    assert quote(TOKEN) not in cookie
    assert page.client.get("/api/project").status_code == 200
    assert page.ask("next", {}).status_code == 200


@pytest.mark.parametrize("token", ["wrong", "", "kept between friends e", "é" * 100_000, "\ud800"])
def test_a_wrong_token_does_not_authorize(open_page, token, monkeypatch):
    monkeypatch.setattr("hinge.web._app._WRONG_TOKEN_DELAY_S", 0.0)
    page = open_page(token=TOKEN)
    content = json.dumps({"token": token})
    assert is_refused(page.client.post("/api/login", content=content, headers={"content-type": "application/json"}))
    shown = quote(token[:300], errors="replace")
    answer = page.client.get(f"/?token={shown}")
    assert "set-cookie" not in answer.headers
    name = page.ask("login", {"token": TOKEN}).headers["set-cookie"].partition("=")[0]
    page.client.forget_cookies()
    stored = hashlib.sha256(b"hinge " + TOKEN.encode()).hexdigest()
    for cookie in (
        f"{name}={shown}",
        f"{name}=",
        f"{name}=\xff",
        "[]=;;=",
        f"{name}={quote(TOKEN)}",
        f"{name}={stored}",
    ):
        assert is_refused(page.client.get("/api/project", headers={"cookie": cookie.encode("latin-1")}), 401)


def test_wrong_tokens_are_limited_for_all_clients_together(open_page, monkeypatch):
    monkeypatch.setattr("hinge.web._app._WRONG_TOKEN_DELAY_S", 0.0)
    page = open_page(token=TOKEN)
    assert [page.ask("login", {"token": f"guess {n}"}).status_code for n in range(10)] == [401] * 10
    refused = page.ask("login", {"token": TOKEN})  # else guessing would go on
    assert is_refused(refused, 429)
    assert 0 < int(refused.headers["retry-after"]) <= 6
    assert "set-cookie" not in page.client.get(f"/?token={quote(TOKEN)}").headers


def test_sessions_outlive_a_restart_but_not_a_new_token(open_page):
    first = open_page(token=TOKEN)
    assert first.ask("login", {"token": TOKEN}).status_code == 200
    for token, status in ((TOKEN, 200), ("another token", 401)):
        page = open_page(token=token)
        page.client.take_cookies(first.client)
        assert page.client.get("/api/project").status_code == status


def test_an_invited_labeller_may_label_under_one_name_only(open_page):
    owner = open_page(token=TOKEN)
    owner.ask("login", {"token": TOKEN})
    rows, _ = owner.label(2)
    made = owner.ask("invitations", {"person": "bob"}).json()
    guest = open_page(token=TOKEN)
    answer = guest.client.get(made["link"])
    assert (answer.status_code, answer.headers["location"]) == (307, "/")
    assert guest.client.get("/api/me").json() == {"role": "labeller", "person": "bob", "invites": False}
    row = guest.ask("next", {}).json()["example"]["row"]
    assert guest.ask("answer", {"row": row, "label": "ape"}, **{"X-Hinge-Person": "ann"}).status_code == 200
    assert guest.store.records()[-1].person == "bob"
    assert guest.ask(f"labels/{row}", {"label": "bee"}, "PUT").status_code == 200
    assert is_refused(guest.ask(f"labels/{rows[0]}", {"label": "bee"}, "PUT"), 400, 404)
    assert {each["person"] for each in guest.client.get("/api/history?person=ann").json()["entries"]} == {"bob"}
    for path in ("export/labels.csv", "export/model.hinge", "invitations"):
        assert is_refused(guest.client.get(f"/api/{path}"), 403)
    assert is_refused(guest.ask("invitations", {"person": "eve", "role": "owner"}), 403)
    assert is_refused(guest.import_csv("row,label\n1,ape\n"), 403)
    assert is_refused(guest.ask("classes", {"name": "emu"}), 403)
    assert owner.ask(f"invitations/{made['id']}", None, "DELETE").status_code == 200
    again = open_page(token=TOKEN)  # another server notices within seconds; a new one at once
    again.client.take_cookies(guest.client)
    assert is_refused(again.client.get("/api/project"), 401)
    assert "set-cookie" not in again.client.get(made["link"]).headers


@pytest.mark.parametrize(
    "name", ["ann\u200b", "\u202eann", "a\u00adnn", "a\u2066nn", "a\u200cnn", "\ufeffann", "a\u3164"]
)
def test_invisible_characters_are_refused_in_names(unchanged, name):
    assert is_refused(unchanged.ask("classes", {"name": name}), 400)
    assert is_refused(unchanged.ask("next", {}, **{"X-Hinge-Person": quote(name)}), 400)


def test_joiners_that_a_reader_sees_are_accepted(page):
    for name in ("👩\u200d🔬", "\u0645\u06cc\u200c\u062e\u0648"):
        assert page.ask("classes", {"name": name}).status_code == 200


def test_websockets_are_rejected(unchanged):
    sent = []

    async def receive():
        return {"type": "websocket.connect"}

    async def send(message):
        sent.append(message["type"])

    scope = {"type": "websocket", "path": "/api/next", "headers": [(b"host", b"localhost")]}
    asyncio.run(unchanged.app(scope, receive, send))
    assert sent == ["websocket.close"]


# Oversized and invalid requests


async def pieces(data, size=2**16):
    for start in range(0, len(data), size):
        yield data[start : start + size]


@pytest.mark.parametrize("announced", [True, False])
def test_large_requests_are_rejected(unchanged, announced):
    for path, kind, largest in (("next", "application/json", MAX_JSON_BYTES), ("import", "text/csv", MAX_UPLOAD_BYTES)):
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
def test_invalid_paths(unchanged, path):
    assert is_refused(unchanged.client.get(path))


LABELS = [
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


@pytest.mark.parametrize("body", LABELS, ids=lambda body: body[:60])
def test_invalid_labels(unchanged, body):
    content = body.encode("utf-8")
    assert is_refused(
        unchanged.client.post("/api/answer", content=content, headers={"content-type": "application/json"})
    )


def test_bodies_that_are_not_utf8(unchanged):
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
def test_invalid_requests(unchanged, method, path, content):
    assert is_refused(unchanged.ask(path, content, method))


@pytest.mark.parametrize(
    "person", ["", " ", "%20", "%zz", "100%", "%ff", "%C3", "%00", "a%0Ann", "x" * 41, "x" * 5000, None]
)
def test_invalid_names(unchanged, person):
    headers = {} if person is None else {"X-Hinge-Person": person}
    unchanged.client.headers.pop("X-Hinge-Person")
    try:
        for path, content in (("next", {}), ("answer", {"row": 1, "label": "ape"}), ("skip", {"row": 1}), ("undo", {})):
            assert is_refused(unchanged.ask(path, content, **headers))
        assert is_refused(unchanged.import_csv("row,label\n1,ape\n", **headers))
    finally:
        unchanged.client.headers.update(ANN)
    assert {each["name"] for each in unchanged.client.get("/api/project").json()["people"]} == {"ann"}


def test_names_in_any_script(page):
    name = "Žofie Ñandú 🦤 100%"
    row = page.ask("next", {}, **{"X-Hinge-Person": quote(name)}).json()["example"]["row"]
    page.ask("answer", {"row": row, "label": "ape"}, **{"X-Hinge-Person": quote(name)})
    assert page.store.records()[0].person == name


@pytest.mark.parametrize(
    ("text", "reason"),
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
def test_invalid_files(unchanged, text, reason):
    answer = unchanged.import_csv(text)
    assert is_refused(answer)
    assert reason in answer.json()["error"]
