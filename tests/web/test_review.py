"""Reviewing labels: doubtful ones, the history of changes, changes of many labels, imports, and undoing them."""

from __future__ import annotations

import csv
import io
import time

import numpy as np
import pytest

pytest.importorskip("fastapi", reason="the extra hinge[label] is not installed")

from hinge import IncrementalSVC
from hinge.web._labels import LabelRecord
from hinge.web._learning_curve import Point
from hinge.web._stop_advice import stop_advice

from .common import Blobs
from .pages import is_refused

pytestmark = pytest.mark.usefixtures("long_timeouts")


def everything(page):
    """Return all labels with their people and times, and the classes."""
    found = [(each.key, each.label, each.person, each.drawn, each.labelled_at) for each in page.store.records()]
    return sorted(found), page.store.classes()


def events(page, **query):
    found = page.client.get("/api/events", params=query).json()["entries"]
    return [(each["action"], each["person"], each["row"], each["before"], each["after"]) for each in found][::-1]


def other(label):
    return {"ape": "bee", "bee": "cat", "cat": "ape"}[label]


def test_every_change_is_in_the_history(page):
    rows, _ = page.label(3)
    truth = page.pool.truth
    page.ask(f"labels/{rows[0]}", {"label": other(truth[rows[0]])}, "PUT")
    page.ask(f"labels/{rows[1]}", None, "DELETE", **{"X-Hinge-Person": "bob"})
    page.ask("undo", {})
    page.ask("classes", {"name": "ape", "new_name": "monkey"}, "PUT")
    expected = [("label", "ann", row, None, truth[row]) for row in rows]
    expected.append(("change", "ann", rows[0], truth[rows[0]], other(truth[rows[0]])))
    expected.append(("delete", "bob", rows[1], truth[rows[1]], None))
    expected.append(("undo", "ann", rows[2], truth[rows[2]], None))
    expected.append(("rename", "ann", None, "ape", "monkey"))
    assert events(page) == expected
    assert events(page, row=rows[1]) == [expected[1], expected[4]]
    lines = list(csv.DictReader(io.StringIO(page.client.get("/api/export/history.csv").text)))
    assert [(each["action"], each["before"], each["after"]) for each in lines] == [
        (action, before or "", after or "") for action, _, _, before, after in expected
    ]


def test_an_import_is_previewed_and_undone(page):
    rows, _ = page.label(12)
    before = everything(page)
    text = "".join(f"{row},{other(page.pool.truth[row])}\n" for row in rows[:5])
    new = [row for row in range(60) if row not in rows][:2]
    text = "row,label\n" + text + "".join(f"{row},emu\n" for row in new) + f"{rows[6]},{page.pool.truth[rows[6]]}\n"
    preview = page.client.post(
        "/api/import?preview=true", content=text, headers={"content-type": "text/csv", "x-hinge-person": "bob"}
    ).json()
    assert (preview["new"], preview["changed"], preview["same"]) == (2, 5, 1)
    assert preview["people"] == [{"name": "ann", "count": 5}]
    assert {each["row"]: each["after"] for each in preview["examples"]} == {
        row: other(page.pool.truth[row]) for row in rows[:5]
    }
    assert everything(page) == before
    done = page.import_csv(text, **{"x-hinge-person": "bob"}).json()
    assert (done["new"], done["changed"], done["same"]) == (2, 5, 1)
    assert page.model_matches_the_labels()
    page.ask(f"labels/{rows[0]}", {"label": "emu"}, "PUT")  # changed since: stays
    undone = page.ask(f"batches/{done['batch']}/revert", {}).json()
    assert (undone["restored"], undone["kept"]) == (6, 1)
    records = {each.key: each for each in page.store.records()}
    assert records.pop(page.pool.key(rows[0])).label == "emu"
    assert [each[:5] for each in before[0] if each[0] in records] == sorted(
        (each.key, each.label, each.person, each.drawn, each.labelled_at) for each in records.values()
    )
    assert page.model_matches_the_labels()
    assert is_refused(page.ask("batches/0123456789abcdef/revert", {}), 404)


def test_many_labels_at_once(page):
    rows, _ = page.label(10)
    before = everything(page)
    batch = page.ask("labels", {"rows": rows[:2], "label": "bee"}).json()["batch"]
    assert {page.session.cache.records[row].label for row in rows[:2]} == {"bee"}
    gone = page.ask("labels", {"rows": rows[4:6]}).json()["batch"]
    assert set(page.session.cache.records) == {*rows[:4], *rows[6:]}
    assert page.model_matches_the_labels()
    for each in (gone, batch):
        assert page.ask(f"batches/{each}/revert", {}).json()["kept"] == 0
    assert everything(page) == before
    assert is_refused(page.ask("labels", {"rows": rows[:4], "label": "emu"}), 400)
    free = next(row for row in range(60) if row not in rows)
    assert is_refused(page.ask("labels", {"rows": [rows[0], free], "label": "bee"}), 404)
    assert everything(page) == before  # none of them


def test_renamed_and_merged_classes(page):
    page.label(20)
    count = page.store.counts()
    assert page.ask("classes", {"name": "ape", "new_name": "monkey"}, "PUT").status_code == 200
    assert page.store.counts() == {"monkey": count["ape"], "bee": count["bee"], "cat": count["cat"]}
    assert is_refused(page.ask("classes", {"name": "monkey", "new_name": "bee"}, "PUT"), 400)
    assert is_refused(page.ask("classes", {"name": "emu", "new_name": "bee", "merge": True}, "PUT"), 404)
    assert is_refused(page.ask("classes", {"name": "bee", "new_name": "emu", "merge": True}, "PUT"), 400)
    page.ask("classes", {"name": "monkey", "new_name": "bee", "merge": True}, "PUT")
    assert page.store.counts() == {"bee": count["ape"] + count["bee"], "cat": count["cat"]}
    assert page.model_matches_the_labels()


def test_letters_of_classes(page, open_page):
    assert page.ask("classes/letter", {"name": "cat", "letter": "x"}, "PUT").status_code == 200
    page.ask("classes/letter", {"name": "bee", "letter": "x"}, "PUT")  # takes it
    page.ask("classes", {"name": "bee", "new_name": "wasp"}, "PUT")
    again = open_page()
    assert {each["name"]: each.get("letter") for each in again.client.get("/api/project").json()["classes"]} == {
        "ape": None,
        "bee": None,
        "wasp": "x",
        "cat": None,
    }
    for letter in ("X", "1", "", "xy", " "):
        assert is_refused(page.ask("classes/letter", {"name": "cat", "letter": letter}, "PUT"))


def doubts(page):
    """Return the doubtful labels of the current model, when they have been computed."""
    for _ in range(600):
        labels = page.session.cache.labels()
        _, is_current = page.session.learning.doubt_finder.update(labels)
        if is_current:
            return page.client.get("/api/doubts").json()["doubts"]
        time.sleep(0.05)
    raise AssertionError("the doubts were not computed")


def test_doubtful_labels_are_those_that_a_refit_without_them_contradicts(open_page):
    pool = Blobs(60, std=1.0)
    page = open_page(pool)
    rows, _ = page.label(40)
    wrong = rows[5:8]
    for row in wrong:
        page.ask(f"labels/{row}", {"label": other(pool.truth[row])}, "PUT")
    found = doubts(page)
    labels = page.session.cache.labels()
    refits = {}
    for row in labels:
        rest = [each for each in labels if each != row]
        model = IncrementalSVC(**page.session.learning.worker.parameters).fit(
            pool.X[rest], [labels[each] for each in rest]
        )
        refits[row] = model.predict(pool.X[[row]])[0]
    assert {each["row"]: each["prediction"] for each in found} == {
        row: str(guess) for row, guess in refits.items() if guess != labels[row]
    }
    assert {each["row"] for each in found} >= set(wrong)
    disagreeing = page.client.get("/api/history?doubted=true").json()
    assert {each["row"] for each in disagreeing["entries"]} == {each["row"] for each in found}

    confirmed = found[0]["row"]
    assert page.ask(f"labels/{confirmed}/confirm", {}).status_code == 200
    assert confirmed not in {each["row"] for each in doubts(page)}
    assert events(open_page(pool))[-1][:3] == ("confirm", "ann", confirmed)


def test_search(page):
    rows, _ = page.label(10)
    x = page.pool.view(rows[3])["cells"][0][1]
    found = page.client.get("/api/history", params={"text": f"X {x}"}).json()
    assert [each["row"] for each in found["entries"]] == [rows[3]]
    assert page.client.get("/api/history", params={"text": "nowhere"}).json() == {"total": 0, "entries": []}


def test_labels_kept_aside_can_be_deleted(page):
    page.label(5)
    page.store.import_records([LabelRecord("gone", "cat", "bob", "imported", "0f")])
    page.session.reload()
    assert page.client.get("/api/project").json()["kept_aside"] == 1
    assert page.client.get("/api/kept-aside").json()["entries"] == [{"key": "gone", "label": "cat", "person": "bob"}]
    assert is_refused(page.ask("kept-aside", {"keys": [page.pool.key(0)]}, "DELETE"), 404)
    batch = page.ask("kept-aside", {"keys": ["gone"]}, "DELETE").json()["batch"]
    assert page.client.get("/api/kept-aside").json()["entries"] == []
    page.ask(f"batches/{batch}/revert", {})
    assert [each["key"] for each in page.client.get("/api/kept-aside").json()["entries"]] == ["gone"]


@pytest.mark.parametrize("last", ["answer", "skip"])
def test_an_undo_that_is_repeated_after_a_crash_undoes_once(page, open_page, last):
    rows, response = page.label(3)
    row = response["example"]["row"]
    body = {"row": row, "label": "ape"} if last == "answer" else {"row": row}
    shown = page.ask(last, body).json()["example"]["row"]
    request = {"holding": shown, "request": "0123456789abcdef"}
    assert page.ask("undo", request).json()["example"]["row"] == row
    again = open_page()  # the answer was lost, and the server restarted
    for _ in range(2):
        example = again.ask("undo", request).json()["example"]
        assert (example["row"], example["before"]) == (row, "ape" if last == "answer" else None)
    assert set(again.session.cache.records) == set(rows)
    assert again.ask("undo", {"holding": row, "request": "00ff00ff00ff00ff"}).json()["example"]["row"] == rows[-1]


# Advice


def labelled(n, classes=("a", "b")):
    return [LabelRecord(str(row), classes[row % len(classes)], "ann", "chosen", "0f") for row in range(n)]


def point(n, predictions, accuracy=0.95):
    return Point(n, accuracy, accuracy - 0.03, accuracy + 0.03, np.array(list(predictions)))


def test_advice_depends_on_the_labels_and_the_curve_only():
    stable = [point(n, "ab" * 100) for n in (60, 75, 93, 116)]
    advice = stop_advice(labelled(116), stable, 1000)
    assert advice["stop"]
    assert "since 60 labels" in advice["reason"]
    assert stop_advice(labelled(117), [*stable, point(117, "ab" * 50 + "aa" * 50)], 1000)["stop"]  # between two
    changed = stop_advice(labelled(146), [*stable, point(146, "ab" * 50 + "aa" * 50)], 1000)
    assert not changed["stop"]
    assert "labels 117 to 146 changed 25 %" in changed["reason"]
    assert (
        "accuracy stays near 60 %"
        in stop_advice(labelled(116), [point(n, "ab" * 100, 0.6) for n in (60, 75, 93, 116)], 1000)["reason"]
    )


def test_advice_before_there_is_a_curve():
    assert "two classes" in stop_advice(labelled(5, "a"), [], 1000)["reason"]
    assert "two classes" not in stop_advice(labelled(5), [], 1000)["reason"]
    assert not stop_advice(labelled(5), [], 1000)["stop"]
    assert stop_advice(labelled(9), [], 9)["stop"]
    one = [point(n, "a" * 100) for n in (60, 75, 93, 116)]
    assert not stop_advice(labelled(116), one, 1000)["stop"]  # one class only: agreement may be chance
