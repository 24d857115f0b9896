"""The labelling session: labels, people, the model."""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest

from hinge import DataError, IncrementalSVC

pytest.importorskip("sqlalchemy", reason="the extra hinge-svm[label] is not installed")

from hinge.web._assignments import MAX_PEOPLE
from hinge.web._labels import AlreadyLabelledError, InvalidRequestError, LabelRecord, NotFoundError
from hinge.web._session import Session
from hinge.web._settings import SessionSettings
from hinge.web._store import Store

from .common import NAMES, Blobs

pytestmark = pytest.mark.usefixtures("long_timeouts")


@pytest.fixture
def opened(tmp_path):
    """Open sessions with one database, and close the one that is still open."""
    sessions = []

    def open_session(pool, classes=tuple(NAMES), **settings):
        while sessions:
            close(*sessions.pop())
        store = Store(tmp_path / "labels.sqlite", "test")
        sessions.append((Session(pool, store, SessionSettings(seed=0, **settings), classes), store))
        return sessions[-1][0]

    def close(session, store):
        session.close()
        store.close()

    yield open_session
    while sessions:
        close(*sessions.pop())


def label(session, pool, n, person="ann"):
    response = session.next_example(person)
    rows = []
    for _ in range(n):
        rows.append(response["example"]["row"])
        response = session.add_label(person, rows[-1], pool.truth[rows[-1]], 1.0)
    return rows, response


def decisions(session, pool):
    return session.learning.model().decision_function(pool.X)


def expected(session, pool):
    rows = sorted(session.cache.records)
    labels = [session.cache.records[row].label for row in rows]
    return IncrementalSVC(**session.learning.worker.parameters).fit(pool.X[rows], labels).decision_function(pool.X)


def test_the_model_always_matches_the_labels(opened, blobs):
    session = opened(blobs)
    rows, _ = label(session, blobs, 40)
    session.change_label("ann", rows[3], "bee")
    session.change_label("bob", rows[4], "cat")
    session.delete_label(rows[5], "ann")
    undone = session.undo("ann")["example"]
    assert undone["row"] == rows[-1]
    assert undone["before"] == blobs.truth[rows[-1]]
    session.skip("ann", undone["row"])
    assert sorted(session.cache.records) == sorted(set(rows) - {rows[5], rows[-1]})
    np.testing.assert_allclose(decisions(session, blobs), expected(session, blobs), atol=1e-7)
    assert session.learning.model().kkt_violation() < 1e-8


def test_a_session_resumes_from_the_database_alone(opened, blobs):
    session = opened(blobs)
    rows, _ = label(session, blobs, 30)
    session.change_label("ann", rows[0], "cat")
    session.delete_label(rows[1], "ann")
    session.add_class("dog")
    holding = session.next_example("ann")["example"]["row"]
    before = decisions(session, blobs), dict(session.cache.records), session.cache.classes
    again = opened(blobs, classes=())
    assert again.next_example("ann", holding)["example"]["row"] == holding
    np.testing.assert_allclose(decisions(again, blobs), before[0], atol=1e-7)
    assert (again.cache.records, again.cache.classes) == before[1:]
    again.add_label("ann", holding, blobs.truth[holding], None)
    assert again.undo("ann")["example"]["row"] == holding
    assert again.undo("ann")["example"]["row"] == rows[-1]  # labelled before the restart


def test_no_two_people_get_the_same_example(opened, blobs):
    session = opened(blobs)
    given, failures = [], []

    def work(person):
        try:
            response = session.next_example(person)
            for _ in range(20):
                row = response["example"]["row"]
                given.append(row)
                response = session.add_label(person, row, blobs.truth[row], 0.5)
        except Exception as error:  # noqa: BLE001
            failures.append(error)

    threads = [threading.Thread(target=work, args=(f"person {i}",)) for i in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert len(given) == len(set(given)) == 120
    assert len(session.cache.records) == 120
    np.testing.assert_allclose(decisions(session, blobs), expected(session, blobs), atol=1e-7)
    people = {person["name"]: person["labels"] for person in session.project()["people"]}
    assert people == {f"person {i}": 20 for i in range(6)}


def test_an_assigned_example_is_reserved(opened, blobs):
    session = opened(blobs)
    row = session.next_example("ann")["example"]["row"]
    assert session.next_example("ann")["example"]["row"] == row  # a reload
    assert session.next_example("bob", holding=row)["example"]["row"] != row
    with pytest.raises(AlreadyLabelledError):
        session.add_label("bob", row, "ape", 1.0)
    session.add_label("ann", row, "ape", 1.0)
    with pytest.raises(AlreadyLabelledError):
        session.add_label("bob", row, "bee", 1.0)
    assert session.cache.records[row].label == "ape"


def test_a_repeated_label_is_saved_once(opened, blobs):
    session = opened(blobs)
    row = session.next_example("ann")["example"]["row"]
    first = session.add_label("ann", row, "ape", 1.0)
    second = session.add_label("ann", row, "ape", 1.0)  # the page missed the first response
    assert first["example"]["row"] == second["example"]["row"] != row
    assert len(session.cache.records) == 1


def test_examples_are_released_when_people_leave(opened, blobs):
    session = opened(blobs)
    now = [0.0]
    session.assignments._clock = lambda: now[0]
    row = session.next_example("ann")["example"]["row"]
    assert row not in [session.next_example("bob")["example"]["row"] for _ in range(2)]
    now[0] = 3600.0
    session.next_example("cleo")
    assert session.assignments.holder(row) in {None, "cleo"}


def test_the_number_of_people_is_limited(opened, blobs):
    session = opened(blobs)
    now = [0.0]
    session.assignments._clock = lambda: now[0]
    for number in range(MAX_PEOPLE):
        session.mark_active(f"person {number}")
    for ask in (session.mark_active, session.next_example):
        with pytest.raises(InvalidRequestError, match=f"At most {MAX_PEOPLE} people can label at the same time"):
            ask("one more")
    session.mark_active("person 7")  # active people stay
    assert len(session.project()["people"]) == MAX_PEOPLE
    now[0] = 3600.0
    session.mark_active("one more")
    imported = [
        LabelRecord(blobs.key(row), "ape", f"{row}", "imported", blobs.digest(row)) for row in range(len(blobs))
    ]
    session.review.import_records(imported, "ann")
    people = session.project()["people"]
    assert len(people) == MAX_PEOPLE == len(blobs)
    assert {"name": "one more", "labels": 0, "here": True} in people


def test_every_fifth_is_drawn_at_random(opened, blobs):
    session = opened(blobs)
    label(session, blobs, 60)
    drawn = [answer.drawn for answer in session.cache.records.values()]
    first = drawn.index("chosen")
    assert set(drawn[:first]) == {"first"}
    kept = drawn.count("random") + drawn.count("wanted")
    assert kept == pytest.approx((60 - first) / 5, abs=1.5)
    guesses = [answer.guess for answer in session.cache.records.values()]
    assert guesses[:first].count(None) == first or first < 4
    assert None not in guesses[first:]


def test_learning_curve_and_progress(opened, blobs):
    session = opened(blobs)
    assert session.progress()["curve"] == []
    label(session, blobs, 120)
    session.learning.curve_estimator.wait()
    session.learning.curve_estimator._next_start = 0
    session.progress()
    session.learning.curve_estimator.wait()
    progress = session.progress()
    last = progress["curve"][-1]
    assert last["labels"] == 120
    assert last["low"] <= last["accuracy"] <= last["high"]
    held = [row for row in range(200) if row not in session.cache.records]
    true = np.mean(session.learning.model().predict(blobs.X[held]) == np.array(blobs.truth)[held])
    assert last["low"] <= true <= last["high"]
    assert progress["seconds"]["median"] == 1.0
    assert progress["model"]["labels"] == 120


def test_skipped_examples_are_shown_to_others_last(opened):
    pool = Blobs(n=6)
    session = opened(pool)
    seen = []
    response = session.next_example("ann")
    while response["example"]:
        seen.append(response["example"]["row"])
        response = session.skip("ann", seen[-1])
    assert sorted(seen) == list(range(6))
    others = []
    response = session.next_example("bob")
    while response["example"]:
        others.append(response["example"]["row"])
        response = session.add_label("bob", others[-1], pool.truth[others[-1]], None)
    assert sorted(others) == list(range(6))
    with pytest.raises(NotFoundError, match="nothing to undo"):
        session.undo("ann")


def test_labels_from_the_data_file(opened):
    pool = Blobs(known=range(50))
    session = opened(pool)
    assert len(session.cache.records) == 50
    assert {answer.drawn for answer in session.cache.records.values()} == {"imported"}
    session.delete_label(7, "ann")
    session.change_label("ann", 8, "cat")
    np.testing.assert_allclose(decisions(session, pool), expected(session, pool), atol=1e-7)
    assert opened(pool).cache.records[8].label == "cat"  # the data file does not override people


def test_labels_of_other_data_are_refused(opened):
    label(opened(Blobs()), Blobs(), 5)
    for other in (Blobs(seed=1), Blobs(n=3)):
        with pytest.raises(DataError, match="missing or have changed"):
            opened(other)


def test_labels_of_changed_examples_are_kept_but_not_learned(opened, blobs):
    session = opened(blobs)
    rows, _ = label(session, blobs, 20)
    changed = Blobs()
    changed.X = changed.X.copy()
    changed.X[rows[3]] += 1.0
    again = opened(changed)
    assert set(again.cache.records) == set(rows) - {rows[3]}
    assert [answer.key for answer in again.cache.unmatched.values()] == [changed.key(rows[3])]
    assert [answer.key for answer in again.export_records("csv")] == [changed.key(row) for row in rows]
    assert len(again.export_records("svm")) == 19
    shown = [entry["row"] for entry in again.history(0, 50)["entries"]]
    assert shown == [
        None if row == rows[3] else row for row in reversed(rows)
    ]  # the example is not the one that was labelled
    np.testing.assert_allclose(decisions(again, changed), expected(again, changed), atol=1e-7)
    again.next_example("ann", holding=rows[3])
    again.add_label("ann", rows[3], "cat", 1.0)  # the new content
    assert again.cache.records[rows[3]].label == "cat"
    assert not again.cache.unmatched
    assert opened(changed).cache.records[rows[3]].digest == changed.digest(rows[3])


def test_a_known_label_that_was_deleted_stays_deleted(opened):
    pool = Blobs(known=range(50))
    opened(pool).delete_label(7, "ann")
    again = opened(pool)
    assert 7 not in again.cache.records
    assert len(again.cache.records) == 49
    again.next_example("ann", holding=7)
    again.add_label("ann", 7, "bee", 1.0)
    assert opened(pool).cache.records[7].label == "bee"


def test_another_program_writes_to_the_database(opened, blobs, tmp_path):
    session = opened(blobs)
    rows, _ = label(session, blobs, 10)
    other = sorted(set(range(200)) - set(rows))[:3]
    with Store(tmp_path / "labels.sqlite", "test") as store:
        store.import_records(
            [LabelRecord(blobs.key(row), "cat", "bob", "imported", blobs.digest(row)) for row in other]
        )
    session.progress()
    assert set(other) < set(session.cache.records)
    assert len(session.export_records("csv")) == 13
    np.testing.assert_allclose(decisions(session, blobs), expected(session, blobs), atol=1e-7)


def test_skipped_examples_can_be_shown_again(opened):
    pool = Blobs(n=6)
    session = opened(pool)
    response = session.next_example("ann")
    while response["example"]:
        response = session.skip("ann", response["example"]["row"])
    assert response["project"]["skipped"] == 6
    response = opened(pool).unskip("ann")
    assert response["example"] is not None
    assert response["project"]["skipped"] == 0


def test_examples_shown_again_have_guesses(opened, blobs):
    session = opened(blobs)
    label(session, blobs, 30)
    assert session.undo("ann")["example"]["guesses"]
    held = session.next_example("ann")["example"]["row"]
    assert opened(blobs).next_example("ann", holding=held)["example"]["guesses"]


def test_advice_is_updated_when_idle(opened, blobs):
    session = opened(blobs)
    label(session, blobs, 30)
    for _ in range(100):
        if session.learning.worker.status()["support"] and session.learning.worker._advised_for == 30:
            break
        time.sleep(0.05)
    assert session.learning.worker._advised_for == 30


def test_classes(opened, blobs):
    session = opened(blobs)
    row = session.next_example("ann")["example"]["row"]
    with pytest.raises(InvalidRequestError, match="add the class first"):
        session.add_label("ann", row, "dog", 1.0)
    session.add_class("dog")
    session.add_label("ann", row, "dog", 1.0)
    with pytest.raises(InvalidRequestError, match="has labels"):
        session.remove_class("dog")
    session.add_class("emu")
    session.remove_class("emu")
    assert session.cache.classes == [*NAMES, "dog"]
    with pytest.raises(InvalidRequestError, match="two classes"):
        session.learning.model()


@pytest.mark.parametrize("row", [-1, 200, 10**9])
def test_rows_outside_the_pool(opened, blobs, row):
    session = opened(blobs)
    for call in (
        lambda: session.add_label("ann", row, "ape", 1.0),
        lambda: session.skip("ann", row),
        lambda: session.change_label("ann", row, "ape"),
        lambda: session.delete_label(row, "ann"),
    ):
        with pytest.raises(NotFoundError):
            call()
    assert session.next_example("ann", holding=row)["example"]["row"] in range(200)


@pytest.mark.parametrize("solver", ["incremental", "online"])
@pytest.mark.parametrize("strategy", ["boundary", "positive", "autoactive", "random"])
def test_all_strategies_and_solvers(opened, blobs, solver, strategy):
    session = opened(blobs, solver=solver, strategy=strategy, sample=20, kernel="laplacian")
    rows, response = label(session, blobs, 30)
    session.change_label("ann", rows[2], "bee")
    session.delete_label(rows[3], "ann")
    held = sorted(set(range(200)) - set(rows))
    model, known = session.learning.model(), [row for row in rows if row != rows[3]]
    labels = np.where(np.array(known) == rows[2], "bee", np.array(blobs.truth)[known])
    exact = IncrementalSVC(C=model.C, kernel="laplacian", gamma=model.gamma).fit(blobs.X[known], labels)
    truth = np.array(blobs.truth)[held]
    assert np.mean(model.predict(blobs.X[held]) == truth) > np.mean(exact.predict(blobs.X[held]) == truth) - 0.05
    assert response["example"]["guesses"][0]["share"] == response["example"]["sure"]


def test_positive_strategy_finds_a_class(opened):
    pool = Blobs(std=0.5)
    session = opened(pool, strategy="positive", target="cat")
    label(session, pool, 50)
    found = [answer.label for answer in session.cache.records.values()].count("cat")
    assert found > 30  # a third of all examples are


def test_importing_labels(opened, blobs):
    session = opened(blobs)
    rows, _ = label(session, blobs, 10)
    others = sorted(set(range(200)) - set(rows))[:2]
    imported = [
        LabelRecord(blobs.key(row), "cat", "file", "imported", blobs.digest(row)) for row in [*rows[:3], *others]
    ]
    before = [blobs.truth[row] for row in rows[:3]]
    counts = session.review.import_records(imported, "ann")
    assert (counts["new"], counts["changed"], counts["same"]) == (2, 3 - before.count("cat"), before.count("cat"))
    np.testing.assert_allclose(decisions(session, blobs), expected(session, blobs), atol=1e-7)
