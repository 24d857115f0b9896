"""The requests of the page, and the responses when something goes wrong."""

from __future__ import annotations

import csv
import gc
import io
import weakref
from base64 import b64decode

import pytest

pytest.importorskip("fastapi", reason="the extra hinge-svm[label] is not installed")

from hinge.web._labels import StoreError

from .common import NAMES, Blobs
from .pages import PROTECTION, Page, Pictures, is_refused

pytestmark = pytest.mark.usefixtures("long_timeouts")


def test_static_files(unchanged):
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
    response = page.ask("next", {"holding": None}).json()
    assert response.keys() == {"example", "project", "saved", "upcoming"}
    example = response["example"]
    assert example.keys() == {"row", "view", "drawn", "before", "guesses", "sure"}
    assert (example["view"]["kind"], example["before"], example["guesses"], example["sure"]) == (
        "table",
        None,
        [],
        None,
    )
    assert page.ask("next", {"holding": 3}).json()["example"]["row"] == example["row"]
    rows, response = page.label(12)
    assert (response["saved"], response["project"]["labelled"], response["project"]["total"]) == (rows[-1], 12, 60)
    assert response["example"]["row"] not in rows
    assert not set(response["upcoming"]) & {*rows, response["example"]["row"]}
    assert [guess["label"] for guess in response["example"]["guesses"]]
    assert 0 < response["example"]["sure"] <= 1
    assert sum(each["count"] for each in response["project"]["classes"]) == 12
    assert response["project"]["people"] == [{"name": "ann", "labels": 12, "here": True}]
    assert {**page.client.get("/api/project").json(), "skipped": 0} == response["project"]


def test_skip_and_undo(page):
    (row,), response = page.label(1)
    passed = response["example"]["row"]
    assert page.ask("skip", {"row": passed}).json()["example"]["row"] != passed
    assert page.ask("undo", {}).json()["example"]["row"] == passed
    undone = page.ask("undo", {}).json()["example"]
    assert (undone["row"], undone["before"]) == (row, page.pool.truth[row])
    assert is_refused(page.ask("undo", {}), 404)
    assert page.store.records() == page.store.skips() == []


def test_a_repeated_undo_is_done_once(page):
    rows, response = page.label(3)
    holding = {"holding": response["example"]["row"]}
    for _ in range(2):  # the page missed the first response
        assert page.ask("undo", holding).json()["example"]["row"] == rows[2]
    assert page.ask("undo", {"holding": rows[2]}).json()["example"]["row"] == rows[1]
    assert len(page.store.records()) == 1


def test_somebody_else_labelled_first(page):
    row = page.ask("next", {}).json()["example"]["row"]
    page.ask("answer", {"row": row, "label": "ape"})
    for path, content in (("answer", {"row": row, "label": "bee"}), ("skip", {"row": row})):
        answer = page.ask(path, content, **{"X-Hinge-Person": "bob"})
        assert is_refused(answer, 409)
        assert answer.json()["next"]["example"]["row"] != row
    assert [(each.label, each.person) for each in page.store.records()] == [("ape", "ann")]


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
    assert page.session.cache.records[rows[0]].label == "cat"
    assert page.model_matches_the_labels()
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
    page.session.learning.curve_estimator.wait()
    progress = page.client.get("/api/progress").json()
    parts = {"curve", "curve_note", "estimate", "balance", "seconds", "advice", "model", "features"}
    assert progress.keys() == parts
    assert progress["seconds"] == {"median": 1.5, "last": [1.5] * 20}
    assert sum(each["count"] for each in progress["balance"]) == 20
    assert isinstance(progress["advice"]["stop"], bool)
    assert (progress["model"]["kind"], progress["model"]["labels"]) == ("IncrementalSVC", 20)


def test_images(open_page):
    page = open_page(Pictures(60))
    view = page.ask("next", {"holding": 2}).json()["example"]["view"]
    assert {**view, "data": b64decode(view["data"])} == {
        "kind": "image",
        "width": 8,
        "height": 8,
        "data": page.pool.image(2),
    }
    bob = {"X-Hinge-Person": "bob"}
    spoiled = page.ask("next", {"holding": 1}, **bob).json()["example"]  # its image is unreadable
    assert (spoiled["row"], spoiled["view"]) == (1, {"kind": "image", "width": 8, "height": 8})
    assert page.ask("skip", {"row": 1}, **bob).json()["example"]["row"] != 1
    for row, kind in ((0, "image/jpeg"), (2, "image/png")):
        answer = page.client.get(f"/api/items/{row}/image")
        assert (answer.status_code, answer.headers["content-type"]) == (200, kind)
        assert "max-age" in answer.headers["cache-control"]
    assert is_refused(page.client.get("/api/items/1/image"), 400)
    assert is_refused(page.client.get("/api/items/60/image"), 404)


def test_the_exported_model_matches_the_labels(page):
    assert is_refused(page.client.get("/api/export/model.hinge"), 400)  # no labels to learn from
    rows, _ = page.label(30)
    page.ask(f"labels/{rows[3]}", {"label": "cat"}, "PUT")
    page.ask("undo", {})
    assert page.model_matches_the_labels()


def test_export_and_import(open_page, tmp_path):
    (tmp_path / "other").mkdir()
    first = open_page()
    first.ask("classes", {"name": '=cmd|"/c calc"!A1'})
    rows, response = first.label(20)
    first.ask("answer", {"row": response["example"]["row"], "label": '=cmd|"/c calc"!A1'})
    answer = first.client.get("/api/export/labels.csv")
    assert answer.headers["content-disposition"] == 'attachment; filename="labels.csv"'
    lines = list(csv.DictReader(io.StringIO(answer.text)))
    assert [line["key"] for line in lines[:-1]] == [first.pool.key(row) for row in rows]
    assert lines[-1]["label"].startswith("'=")
    for kind in ("parquet", "svm"):
        assert first.client.get(f"/api/export/labels.{kind}").status_code == 200
    second = Page(tmp_path / "other", Blobs(60))
    try:
        imported = second.import_csv(answer.content)
        assert [imported.json()[name] for name in ("new", "changed", "same")] == [21, 0, 0]
        assert imported.json()["project"]["labelled"] == 21
        ours, theirs = ([(each.key, each.label) for each in page.store.records()] for page in (first, second))
        assert ours == theirs
        assert second.import_csv(answer.content).json()["same"] == 21
        assert second.model_matches_the_labels()
    finally:
        second.close()


def test_nothing_is_reported_as_saved_that_is_not(page, monkeypatch):
    (row,), response = page.label(1)
    asked = response["example"]["row"]
    before = page.state()

    def full(*_, **__):
        raise StoreError("The disk is full; free some space.")

    with monkeypatch.context() as broken:
        for name in ("add", "skip", "delete", "change", "add_class"):
            broken.setattr(page.store, name, full)
        broken.setattr(page.store.batches, "import_records", full)
        for answer in (
            page.ask("answer", {"row": asked, "label": "ape"}),
            page.ask("skip", {"row": asked}),
            page.ask("undo", {}),
            page.ask(f"labels/{row}", {"label": "cat"}, "PUT"),
            page.ask(f"labels/{row}", None, "DELETE"),
            page.ask("classes", {"name": "emu"}),
            page.import_csv("row,label\n1,ape\n"),
        ):
            assert is_refused(answer, 503)
            assert answer.json() == {"error": "The disk is full; free some space."}
    assert page.state() == before
    assert (
        page.ask("answer", {"row": asked, "label": "ape"}).json()["saved"] == asked
    )  # the same request, which now succeeds
    assert page.ask("undo", {}).json()["example"]["row"] == asked
    assert page.ask("undo", {}).json()["example"]["row"] == row  # the failed undo has changed nothing


def test_unexpected_errors_are_one_sentence(page, monkeypatch):
    def broken(*_, **__):
        raise ZeroDivisionError("secret")

    monkeypatch.setattr(page.session, "next_example", broken)
    answer = page.ask("next", {})
    assert is_refused(answer, 500)
    assert "secret" not in answer.text


def test_a_closed_session_is_freed(tmp_path):
    page = Page(tmp_path, Blobs(60))
    page.label(3)
    assert page.client.get("/api/progress").status_code == 200
    page.close()
    session = weakref.ref(page.session)
    gc.disable()  # the session must be freed without a collection
    try:
        del page
        assert session() is None
    finally:
        gc.enable()
