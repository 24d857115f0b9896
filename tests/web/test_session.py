"""What happens behind the page: labels, people, the model."""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest

from hinge import DataError, IncrementalSVC

pytest.importorskip("sqlalchemy", reason="the extra hinge[label] is not installed")

from hinge.web._answer import Answer, MissingError, RefusedError, TakenError
from hinge.web._desk import MOST_PEOPLE
from hinge.web._session import Session
from hinge.web._settings import SessionSettings
from hinge.web._store import Store

from .common import NAMES, Blobs

pytestmark = pytest.mark.usefixtures("patience")


@pytest.fixture
def opened(tmp_path):
    """Open sessions over one database, and close whatever is left open."""
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
    turn = session.turn(person)
    rows = []
    for _ in range(n):
        rows.append(turn["example"]["row"])
        turn = session.answer(person, rows[-1], pool.truth[rows[-1]], 1.0)
    return rows, turn


def decisions(session, pool):
    return session.model().decision_function(pool.X)


def expected(session, pool):
    rows = sorted(session.book.answers)
    labels = [session.book.answers[row].label for row in rows]
    return IncrementalSVC(**session.worker.parameters).fit(pool.X[rows], labels).decision_function(pool.X)


def test_the_model_is_that_of_the_labels_whatever_happened(opened, blobs):
    session = opened(blobs)
    rows, _ = label(session, blobs, 40)
    session.correct("ann", rows[3], "bee")
    session.correct("bob", rows[4], "cat")
    session.delete(rows[5])
    undone = session.undo("ann")["example"]
    assert undone["row"] == rows[-1]
    assert undone["before"] == blobs.truth[rows[-1]]
    session.skip("ann", undone["row"])
    assert sorted(session.book.answers) == sorted(set(rows) - {rows[5], rows[-1]})
    np.testing.assert_allclose(decisions(session, blobs), expected(session, blobs), atol=1e-7)
    assert session.model().kkt_violation() < 1e-8


def test_nothing_but_the_database_is_needed_to_go_on(opened, blobs):
    session = opened(blobs)
    rows, _ = label(session, blobs, 30)
    session.correct("ann", rows[0], "cat")
    session.delete(rows[1])
    session.add_class("dog")
    holding = session.turn("ann")["example"]["row"]
    before = decisions(session, blobs), dict(session.book.answers), session.book.classes
    again = opened(blobs, classes=())
    assert again.turn("ann", holding)["example"]["row"] == holding
    np.testing.assert_allclose(decisions(again, blobs), before[0], atol=1e-7)
    assert (again.book.answers, again.book.classes) == before[1:]
    again.answer("ann", holding, blobs.truth[holding], None)
    assert again.undo("ann")["example"]["row"] == holding
    assert again.undo("ann")["example"]["row"] == rows[-1]  # labelled before the restart


def test_no_two_people_get_the_same_example(opened, blobs):
    session = opened(blobs)
    given, failures = [], []

    def work(person):
        try:
            turn = session.turn(person)
            for _ in range(20):
                row = turn["example"]["row"]
                given.append(row)
                turn = session.answer(person, row, blobs.truth[row], 0.5)
        except Exception as error:  # noqa: BLE001
            failures.append(error)

    threads = [threading.Thread(target=work, args=(f"person {i}",)) for i in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert len(given) == len(set(given)) == 120
    assert len(session.book.answers) == 120
    np.testing.assert_allclose(decisions(session, blobs), expected(session, blobs), atol=1e-7)
    people = {person["name"]: person["labels"] for person in session.project()["people"]}
    assert people == {f"person {i}": 20 for i in range(6)}


def test_an_example_in_front_of_somebody_is_theirs(opened, blobs):
    session = opened(blobs)
    row = session.turn("ann")["example"]["row"]
    assert session.turn("ann")["example"]["row"] == row  # a reload
    assert session.turn("bob", holding=row)["example"]["row"] != row
    with pytest.raises(TakenError):
        session.answer("bob", row, "ape", 1.0)
    session.answer("ann", row, "ape", 1.0)
    with pytest.raises(TakenError):
        session.answer("bob", row, "bee", 1.0)
    assert session.book.answers[row].label == "ape"


def test_an_answer_that_comes_twice_is_written_once(opened, blobs):
    session = opened(blobs)
    row = session.turn("ann")["example"]["row"]
    first = session.answer("ann", row, "ape", 1.0)
    second = session.answer("ann", row, "ape", 1.0)  # the page did not hear of the first
    assert first["example"]["row"] == second["example"]["row"] != row
    assert len(session.book.answers) == 1


def test_places_are_cleared_when_people_leave(opened, blobs):
    session = opened(blobs)
    now = [0.0]
    session.desk._clock = lambda: now[0]
    row = session.turn("ann")["example"]["row"]
    assert row not in [session.turn("bob")["example"]["row"] for _ in range(2)]
    now[0] = 3600.0
    session.turn("cleo")
    assert session.desk.holder(row) in {None, "cleo"}


def test_names_are_bounded(opened, blobs):
    session = opened(blobs)
    now = [0.0]
    session.desk._clock = lambda: now[0]
    for number in range(MOST_PEOPLE):
        session.greet(f"person {number}")
    for ask in (session.greet, session.turn):
        with pytest.raises(RefusedError, match=f"At most {MOST_PEOPLE} people may label at a time"):
            ask("one more")
    session.greet("person 7")  # who is here stays
    assert len(session.project()["people"]) == MOST_PEOPLE
    now[0] = 3600.0
    session.greet("one more")
    imported = [Answer(blobs.key(row), "ape", f"{row}", "imported", blobs.digest(row)) for row in range(len(blobs))]
    session.bring(imported)
    people = session.project()["people"]
    assert len(people) == MOST_PEOPLE == len(blobs)
    assert {"name": "one more", "labels": 0, "here": True} in people


def test_every_fifth_is_drawn_at_random(opened, blobs):
    session = opened(blobs)
    label(session, blobs, 60)
    drawn = [answer.drawn for answer in session.book.answers.values()]
    first = drawn.index("chosen")
    assert set(drawn[:first]) == {"random"}
    assert drawn[first:].count("random") == pytest.approx((60 - first) / 5, abs=1.5)
    guesses = [answer.guess for answer in session.book.answers.values()]
    assert guesses[:first].count(None) == first or first < 4
    assert None not in guesses[first:]


def test_the_curve_and_the_advice(opened, blobs):
    session = opened(blobs)
    assert session.progress()["curve"] == []
    label(session, blobs, 120)
    session.auditor.wait()
    session.auditor._again_at = 0
    session.progress()
    session.auditor.wait()
    progress = session.progress()
    last = progress["curve"][-1]
    assert last["labels"] == 120
    assert last["low"] <= last["accuracy"] <= last["high"]
    held = [row for row in range(200) if row not in session.book.answers]
    true = np.mean(session.model().predict(blobs.X[held]) == np.array(blobs.truth)[held])
    assert last["low"] - 0.1 <= true <= last["high"] + 0.1
    assert progress["random"][-1]["labels"] == 120
    drawn = [answer.drawn for answer in session.book.answers.values()].count("random")
    assert progress["random"][progress["random_from"] - 1]["labels"] == drawn  # what follows is extrapolated
    assert progress["seconds"]["median"] == 1.0
    assert progress["model"]["labels"] == 120


def test_skipped_examples_come_to_others_last(opened):
    pool = Blobs(n=6)
    session = opened(pool)
    seen = []
    turn = session.turn("ann")
    while turn["example"]:
        seen.append(turn["example"]["row"])
        turn = session.skip("ann", seen[-1])
    assert sorted(seen) == list(range(6))
    others = []
    turn = session.turn("bob")
    while turn["example"]:
        others.append(turn["example"]["row"])
        turn = session.answer("bob", others[-1], pool.truth[others[-1]], None)
    assert sorted(others) == list(range(6))
    with pytest.raises(MissingError, match="take back"):
        session.undo("ann")


def test_labels_that_came_with_the_data(opened):
    pool = Blobs(known=range(50))
    session = opened(pool)
    assert len(session.book.answers) == 50
    assert {answer.drawn for answer in session.book.answers.values()} == {"imported"}
    session.delete(7)
    session.correct("ann", 8, "cat")
    np.testing.assert_allclose(decisions(session, pool), expected(session, pool), atol=1e-7)
    assert opened(pool).book.answers[8].label == "cat"  # the data do not overrule people


def test_labels_of_other_data_are_refused(opened):
    label(opened(Blobs()), Blobs(), 5)
    for other in (Blobs(seed=1), Blobs(n=3)):
        with pytest.raises(DataError, match="not there or have another content"):
            opened(other)


def test_labels_of_a_few_examples_that_are_gone_are_kept_aside(opened, blobs):
    session = opened(blobs)
    rows, _ = label(session, blobs, 20)
    changed = Blobs()
    changed.X = changed.X.copy()
    changed.X[rows[3]] += 1.0
    again = opened(changed)
    assert set(again.book.answers) == set(rows) - {rows[3]}
    assert [answer.key for answer in again.book.aside.values()] == [changed.key(rows[3])]
    assert [answer.key for answer in again.exported("csv")] == [changed.key(row) for row in rows]
    assert len(again.exported("svm")) == 19
    shown = [entry["row"] for entry in again.history(0, 50)["entries"]]
    assert shown == [
        None if row == rows[3] else row for row in reversed(rows)
    ]  # what stands there is not what was seen
    np.testing.assert_allclose(decisions(again, changed), expected(again, changed), atol=1e-7)
    again.turn("ann", holding=rows[3])
    again.answer("ann", rows[3], "cat", 1.0)  # what stands there now
    assert again.book.answers[rows[3]].label == "cat"
    assert not again.book.aside
    assert opened(changed).book.answers[rows[3]].digest == changed.digest(rows[3])


def test_a_known_label_that_was_deleted_stays_deleted(opened):
    pool = Blobs(known=range(50))
    opened(pool).delete(7)
    again = opened(pool)
    assert 7 not in again.book.answers
    assert len(again.book.answers) == 49
    again.turn("ann", holding=7)
    again.answer("ann", 7, "bee", 1.0)
    assert opened(pool).book.answers[7].label == "bee"


def test_another_program_writes_to_the_database(opened, blobs, tmp_path):
    session = opened(blobs)
    rows, _ = label(session, blobs, 10)
    other = sorted(set(range(200)) - set(rows))[:3]
    with Store(tmp_path / "labels.sqlite", "test") as store:
        store.bring([Answer(blobs.key(row), "cat", "bob", "imported", blobs.digest(row)) for row in other])
    session.progress()
    assert set(other) < set(session.book.answers)
    assert len(session.exported("csv")) == 13
    np.testing.assert_allclose(decisions(session, blobs), expected(session, blobs), atol=1e-7)


def test_skipped_examples_can_be_shown_again(opened):
    pool = Blobs(n=6)
    session = opened(pool)
    turn = session.turn("ann")
    while turn["example"]:
        turn = session.skip("ann", turn["example"]["row"])
    assert turn["project"]["skipped"] == 6
    turn = opened(pool).unskip("ann")
    assert turn["example"] is not None
    assert turn["project"]["skipped"] == 0


def test_what_is_shown_again_is_thought_about(opened, blobs):
    session = opened(blobs)
    label(session, blobs, 30)
    assert session.undo("ann")["example"]["guesses"]
    held = session.turn("ann")["example"]["row"]
    assert opened(blobs).turn("ann", holding=held)["example"]["guesses"]


def test_advice_comes_when_all_is_quiet(opened, blobs):
    session = opened(blobs)
    label(session, blobs, 30)
    for _ in range(100):
        if session.worker.about()["support"] and session.worker._advised_for == 30:
            break
        time.sleep(0.05)
    assert session.worker._advised_for == 30


def test_classes(opened, blobs):
    session = opened(blobs)
    row = session.turn("ann")["example"]["row"]
    with pytest.raises(RefusedError, match="add the class first"):
        session.answer("ann", row, "dog", 1.0)
    session.add_class("dog")
    session.answer("ann", row, "dog", 1.0)
    with pytest.raises(RefusedError, match="has labels"):
        session.remove_class("dog")
    session.add_class("emu")
    session.remove_class("emu")
    assert session.book.classes == [*NAMES, "dog"]
    with pytest.raises(RefusedError, match="two classes"):
        session.model()


@pytest.mark.parametrize("row", [-1, 200, 10**9])
def test_rows_that_are_not_there(opened, blobs, row):
    session = opened(blobs)
    for call in (
        lambda: session.answer("ann", row, "ape", 1.0),
        lambda: session.skip("ann", row),
        lambda: session.correct("ann", row, "ape"),
        lambda: session.delete(row),
    ):
        with pytest.raises(MissingError):
            call()
    assert session.turn("ann", holding=row)["example"]["row"] in range(200)


@pytest.mark.parametrize("solver", ["incremental", "online"])
@pytest.mark.parametrize("strategy", ["boundary", "positive", "autoactive", "random"])
def test_any_settings(opened, blobs, solver, strategy):
    session = opened(blobs, solver=solver, strategy=strategy, sample=20, kernel="laplacian")
    rows, turn = label(session, blobs, 30)
    session.correct("ann", rows[2], "bee")
    session.delete(rows[3])
    held = sorted(set(range(200)) - set(rows))
    assert np.mean(session.model().predict(blobs.X[held]) == np.array(blobs.truth)[held]) > 0.5
    assert turn["example"]["guesses"][0]["share"] == turn["example"]["sure"]


def test_a_class_is_hunted(opened):
    pool = Blobs(std=0.5)
    session = opened(pool, strategy="positive", target="cat")
    label(session, pool, 50)
    found = [answer.label for answer in session.book.answers.values()].count("cat")
    assert found > 30  # where a third of all are


def test_bringing_labels(opened, blobs):
    session = opened(blobs)
    rows, _ = label(session, blobs, 10)
    others = sorted(set(range(200)) - set(rows))[:2]
    brought = [Answer(blobs.key(row), "cat", "file", "imported", blobs.digest(row)) for row in [*rows[:3], *others]]
    before = [blobs.truth[row] for row in rows[:3]]
    new, changed, same = session.bring(brought)
    assert (new, changed, same) == (2, 3 - before.count("cat"), before.count("cat"))
    np.testing.assert_allclose(decisions(session, blobs), expected(session, blobs), atol=1e-7)
