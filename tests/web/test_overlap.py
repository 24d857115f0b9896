"""Examples that several people label: who gets them, agreement, disagreements, undo, restarts."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

pytest.importorskip("fastapi", reason="the extra hinge-svm[label] is not installed")

from hinge.web._agreement import cohen_kappa, krippendorff_alpha
from hinge.web._session import Session
from hinge.web._settings import SessionSettings
from hinge.web._store import Store

from .common import NAMES, Blobs

pytestmark = pytest.mark.usefixtures("long_timeouts")


@pytest.fixture
def start(tmp_path):
    """Start sessions of one database; all are closed at the end."""
    opened = []

    def starting(n=40, **settings):
        store = Store(tmp_path / "labels.db", "test")
        opened.append((Session(Blobs(n), store, SessionSettings(seed=0, **settings), NAMES), store))
        return opened[-1][0]

    yield starting
    for session, store in opened:
        session.close()
        store.close()


def work(session, person, n, labels=None):
    """Label n examples, correctly or as `labels` says; return rows and how they were drawn."""
    found, response = [], session.next_example(person)
    for _ in range(n):
        example = response["example"]
        if example is None:
            break
        found.append((example["row"], example["drawn"]))
        if example["drawn"] == "second":
            assert example["guesses"] == []
            assert example["sure"] is None
        label = (labels or {}).get(example["row"], session.pool.truth[example["row"]])
        response = session.add_label(person, example["row"], label, 2.0)
    return found


def test_a_share_of_the_examples_gets_a_second_label_by_another_person(start):
    session = start(overlap=30)
    mine = work(session, "ann", 40)
    assert {drawn for _, drawn in mine} <= {"first", "chosen", "random"}
    given = work(session, "bob", 40)
    assert {drawn for _, drawn in given} == {"second"}
    shared = [row for row, _ in given]
    assert len(shared) == len(set(shared))
    assert 4 <= len(shared) <= 20
    assert session.next_example("eve")["example"] is None  # two people are enough
    records = session.cache.records
    assert {records[row].person for row in shared} == {"ann"}
    team = session.review.team()
    assert (team["examples"], team["alpha"]["value"]) == (len(shared), 1)
    assert [(each["name"], each["labels"], each["seconds"]) for each in team["people"]] == [
        ("ann", 40, 2.0),
        ("bob", len(shared), 2.0),
    ]
    assert start(overlap=30).review.team() == team


def test_second_labels_are_mixed_with_others(start):
    session = start(n=120, overlap=100)
    work(session, "ann", 60)
    drawn = [drawn for _, drawn in work(session, "bob", 30)]
    assert drawn.count("second") == 10
    assert all(drawn[place : place + 2].count("second") <= 1 for place in range(30))


def test_disagreements_are_decided_once(start):
    session = start(overlap=100)
    work(session, "ann", 40)
    truth = session.pool.truth
    wrong = {row: NAMES[0] if truth[row] != NAMES[0] else NAMES[1] for row in (3, 8)}
    work(session, "bob", 40, wrong)
    disputes = session.review.disputes()
    assert sorted(each["row"] for each in disputes) == [3, 8]
    assert {one["person"]: one["label"] for one in disputes[0]["said"]}["bob"] == wrong[disputes[0]["row"]]
    session.review.decide(3, wrong[3], "eve")
    session.review.decide(8, truth[8], "eve")
    assert session.review.disputes() == []
    assert (session.cache.records[3].label, session.cache.records[8].label) == (wrong[3], truth[8])
    again = start(overlap=100)
    assert again.review.disputes() == []
    pair = again.review.team()["pairs"][0]  # what they said, not what was decided
    assert (pair["one"], pair["other"], pair["shared"], pair["equal"]) == ("ann", "bob", 40, 0.95)
    assert ("eve", "decide") in [(each.person, each.action) for each in again.review.events.all()]


def test_undo_skip_and_repeated_requests(start):
    session = start(overlap=100)
    work(session, "ann", 40)
    row = session.next_example("bob")["example"]["row"]
    for _ in range(2):  # the page did not get the first response
        session.add_label("bob", row, "ape", 1.0)
    assert len(session.overlap.store.all()) == 2
    again = start(overlap=100)
    assert again.next_example("bob", holding=row)["example"]["row"] != row
    for _ in range(2):
        back = again.undo("bob", request="0123456789abcdef")["example"]
        assert (back["row"], back["drawn"]) == (row, "second")
    assert [each.person for each in again.overlap.store.all()] == ["ann"]
    other = again.skip("bob", row)["example"]["row"]
    assert other != row
    assert again.undo("bob")["example"]["row"] == row
    assert again.cache.records[row].person == "ann"  # nobody's label was touched


def test_an_undo_of_a_second_label_that_is_repeated_after_a_crash_undoes_once(start):
    session = start(overlap=100)
    work(session, "ann", 40)
    rows = [row for row, _ in work(session, "bob", 3)]
    holding = session.next_example("bob")["example"]["row"]
    request = {"holding": holding, "request": "0123456789abcdef"}
    assert session.undo("bob", **request)["example"]["row"] == rows[-1]
    again = start(overlap=100)  # the answer was lost, and the server restarted
    for _ in range(2):
        example = again.undo("bob", **request)["example"]
        assert (example["row"], example["drawn"]) == (rows[-1], "second")
    said = {each.key for each in again.overlap.store.all() if each.person == "bob"}
    assert said == {session.pool.key(row) for row in rows[:-1]}
    assert again.undo("bob", rows[-1], "00ff00ff00ff00ff")["example"]["row"] == rows[-2]
    assert len(again.cache.records) == 40  # the first labels were not touched


def test_agreement_is_that_of_other_programs():
    random = np.random.default_rng(0)
    for _ in range(20):
        one = random.choice(["a", "b", "c"], 30)
        other = np.where(random.random(30) < 0.6, one, random.choice(["a", "b", "c"], 30))
        assert cohen_kappa(one.tolist(), other.tolist()) == pytest.approx(cohen_kappa_score(one, other))
    assert np.isnan(cohen_kappa(["a", "a"], ["a", "a"]))
    # The example of Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011): four observers, .743 if nominal.
    observers = ["123321412...", "1233224125.3", ".3332342251.", "12332441251."]
    units = [
        {f"observer {who}": said[place] for who, said in enumerate(observers) if said[place] != "."}
        for place in range(12)
    ]
    alpha = krippendorff_alpha(units)
    assert round(alpha.value, 3) == 0.743
    assert alpha.low < alpha.value < alpha.high <= 1
