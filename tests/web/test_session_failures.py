"""The session under failures and concurrency: no label is lost, and there is always a next example."""

from __future__ import annotations

import random
import threading
from contextlib import suppress
from functools import partial

import numpy as np
import pytest

from hinge import IncrementalSVC

pytest.importorskip("sqlalchemy", reason="the extra hinge-svm[label] is not installed")

from hinge.web import _learning, _next_examples, _session, _worker
from hinge.web._labels import AlreadyLabelledError, InvalidRequestError, LabelRecord, NotFoundError, StoreError
from hinge.web._session import Session
from hinge.web._settings import SessionSettings
from hinge.web._store import Store

from .common import NAMES, Blobs


class Opened:
    """A session, its pool and its database."""

    def __init__(self, path, pool, classes=tuple(NAMES)):
        self.path, self.pool = path, pool
        self.store = Store(path, "test")
        self.session = Session(pool, self.store, SessionSettings(seed=0), classes)

    def close(self):
        self.session.close()
        self.store.close()

    def is_consistent(self):
        """Return whether the cache matches the database, and the model matches the labels."""
        self.session.learning.worker.wait(60)  # choosing a test example changes its record
        answers = self.session.cache.records
        assert list(answers.values()) == self.store.records()
        rows = sorted(answers)
        labels = [answers[row].label for row in rows]
        fresh = IncrementalSVC(**self.session.learning.worker.parameters).fit(self.pool.X[rows], labels)
        model = self.session.learning.model()
        assert model.classes_.tolist() == sorted(set(labels))
        np.testing.assert_allclose(
            model.decision_function(self.pool.X), fresh.decision_function(self.pool.X), atol=1e-7
        )
        return True


@pytest.fixture
def opened(tmp_path):
    every = []

    def open_session(pool=None, classes=tuple(NAMES)):
        every.append(Opened(tmp_path / "labels.sqlite", Blobs(100) if pool is None else pool, classes))
        return every[-1]

    yield open_session
    for each in every:
        each.close()


def label_all(session, choose, person="ann"):
    response, rows = session.next_example(person), []
    while response["example"]:
        rows.append(response["example"]["row"])
        response = session.add_label(person, rows[-1], choose(rows[-1]), None)
    return rows


@pytest.mark.parametrize("classes", [1, 2, 3])
@pytest.mark.parametrize("n", [2, 3, 20])
def test_pools_of_identical_examples_until_the_last_label(opened, n, classes):
    pool = Blobs(n)
    pool.X = np.ones((n, 2))
    page = opened(pool)
    assert sorted(label_all(page.session, lambda row: NAMES[row % classes])) == list(range(n))
    assert page.session.next_example("bob")["example"] is None
    assert page.session.learning.worker.wait(60)
    assert page.session.progress()["model"]["labels"] == n
    if classes == 1:
        with pytest.raises(InvalidRequestError, match="two classes"):
            page.session.learning.model()
    else:
        assert page.is_consistent()
    row = page.session.undo("ann")["example"]["row"]
    assert page.session.next_example("bob")["example"] is None
    assert page.session.skip("ann", row)["example"] is None
    assert page.session.next_example("bob")["example"]["row"] == row


def test_classes_that_look_like_numbers_are_names(opened):
    names = ["1", "1.0", "01", "nan", "None", "true"]
    page = opened(classes=names)
    label_all(page.session, lambda row: names[row % len(names)])
    assert page.is_consistent()


def test_nobody_waits_for_a_slow_model(opened, monkeypatch):
    monkeypatch.setattr(_learning, "_LEARN_TIMEOUT_S", 0.001)
    monkeypatch.setattr(_next_examples, "_CANDIDATE_TIMEOUT_S", 0.001)
    page = opened()
    session, proceed = page.session, threading.Event()
    learn = session.learning.worker.learner.tell
    monkeypatch.setattr(session.learning.worker.learner, "tell", lambda *given: proceed.wait() and learn(*given))
    try:
        rows = {person: label_all(session, page.pool.truth.__getitem__, person) for person in ("ann", "bob")}
        assert session.learning.worker.pending > 0
        assert sorted(rows["ann"] + rows["bob"]) == list(range(100))
        assert session.progress()["balance"]
        assert session.history(0, 1)["total"] == 100
        monkeypatch.setattr(_session, "MODEL_TIMEOUT_S", 0.001)
        assert session.change_label("ann", 7, "cat") is session.delete_label(8, "ann") is None
        with pytest.raises(InvalidRequestError, match="try again"):
            session.learning.model(timeout=0.001)
    finally:
        proceed.set()
        monkeypatch.undo()
    assert page.is_consistent()


def test_closing_does_not_wait_for_a_slow_model(opened, monkeypatch):
    monkeypatch.setattr(_learning, "_LEARN_TIMEOUT_S", 0.001)
    monkeypatch.setattr(_next_examples, "_CANDIDATE_TIMEOUT_S", 0.001)
    monkeypatch.setattr(_worker, "EXIT_TIMEOUT_S", 0.001)
    page = opened(Blobs(20))
    proceed, learned = threading.Event(), []
    monkeypatch.setattr(
        page.session.learning.worker.learner, "tell", lambda *given: proceed.wait() and learned.append(given)
    )
    try:
        label_all(page.session, page.pool.truth.__getitem__)
        assert page.session.learning.worker.pending == 20
        page.session.close()
        assert page.session.delete_label(3, "ann") is None
    finally:
        proceed.set()
    page.session.learning.worker._thread.join()
    assert len(learned) == 1  # the running task; the others are cancelled
    monkeypatch.undo()
    assert opened(page.pool).is_consistent()


@pytest.mark.parametrize("method", ["ask", "advice", "tell", "forget"])
def test_a_model_that_fails_does_not_stop_the_labelling(opened, monkeypatch, method, caplog):
    def broken(*_, **__):
        raise FloatingPointError("a model went wrong")

    page = opened(Blobs(30))
    session = page.session
    with monkeypatch.context() as trouble:
        trouble.setattr(session.learning.worker.learner, method, broken)
        response = session.next_example("ann")
        for _ in range(10):
            response = session.add_label(
                "ann", response["example"]["row"], page.pool.truth[response["example"]["row"]], 1.0
            )
        session.undo("ann")
        session.learning.worker.wait(10)
    assert len(page.store.records()) == 9
    assert len(label_all(session, page.pool.truth.__getitem__)) == 21
    assert page.is_consistent()
    again = opened(page.pool)
    assert again.is_consistent()


def test_a_failed_request_can_be_repeated(opened, monkeypatch):
    page = opened()
    session = page.session
    first = session.next_example("ann")["example"]["row"]
    second = session.add_label("ann", first, "ape", None)["example"]["row"]
    session.skip("ann", second)

    def full(*_):
        raise StoreError("The disk is full; free some space.")

    for name in ("unskip", "delete"):
        with monkeypatch.context() as trouble:
            trouble.setattr(page.store, name, full)
            with pytest.raises(StoreError, match="full"):
                session.undo("ann")
        assert session.undo("ann")["example"]["row"] == (second if name == "unskip" else first)
    with pytest.raises(NotFoundError):
        session.undo("ann")


@pytest.mark.parametrize("method", ["records", "skips", "classes"])
def test_a_database_that_cannot_be_read_empties_nothing(opened, monkeypatch, method):
    page = opened(Blobs(20))
    label_all(page.session, lambda row: NAMES[row % 2])
    page.store.change(page.pool.key(3), "dog", "bob")  # by another program

    def broken(*_):
        raise StoreError("The database closed the connection.")

    with monkeypatch.context() as trouble:
        trouble.setattr(Store, method, broken)
        with pytest.raises(StoreError):
            page.session.export_records("csv")
        assert len(page.session.cache.records) == 20
        assert page.session.learning.model().classes_.tolist() == sorted(NAMES[:2])
    page.session.progress()  # reads again, although no label has been added
    assert page.session.cache.records[3].label == "dog"
    assert page.is_consistent()


def test_a_label_that_was_saved_without_an_answer_is_accepted(opened, monkeypatch):
    page = opened(Blobs(20))
    row = page.session.next_example("ann")["example"]["row"]
    add = Store.add

    def lost(store, record):
        add(store, record)
        raise StoreError("The database closed the connection.")

    with monkeypatch.context() as trouble:
        trouble.setattr(Store, "add", lost)
        with pytest.raises(StoreError):
            page.session.add_label("ann", row, NAMES[0], None)
    assert page.session.add_label("ann", row, NAMES[0], None)["saved"] == row
    assert page.session.undo("ann")["example"]["row"] == row
    assert page.store.records() == []


def test_another_program_writes_to_the_database(opened):
    page = opened()
    session, pool = page.session, page.pool
    row = session.next_example("ann")["example"]["row"]
    other = (row + 1) % 100
    with Store(page.path, "test") as elsewhere:
        for each in (row, other):
            elsewhere.add(LabelRecord(pool.key(each), "cat", "zoe", "imported", pool.digest(each)))
        with pytest.raises(AlreadyLabelledError):
            session.add_label("ann", row, "ape", None)
        assert session.next_example("ann")["example"]["row"] not in {row, other}
        assert session.project()["labelled"] == 2
        label = next(each for each in range(100) if each not in {row, other})
        session.next_example("bob", holding=label)
        session.add_label("bob", label, "bee", None)
        assert page.is_consistent()
        elsewhere.delete(pool.key(label))
        with pytest.raises(NotFoundError):
            session.undo("bob")
        with pytest.raises(NotFoundError):
            session.change_label("ann", label, "cat")
        session.delete_label(row, "ann")
        elsewhere.delete(pool.key(other))
        with pytest.raises(NotFoundError):
            session.delete_label(other, "ann")
    assert session.project()["labelled"] == 0
    assert session.learning.worker.wait(60)
    assert not session.learning.worker.learner.labels


def run_concurrently(*works):
    """Run functions in concurrent threads; return the errors they raised."""
    failures = []

    def run(work):
        try:
            work()
        except Exception as error:  # noqa: BLE001
            failures.append(error)

    threads = [threading.Thread(target=run, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return failures


def label_correctly(page, person, n=25):
    response = page.session.next_example(person)
    for _ in range(n):
        row = response["example"]["row"]
        try:
            response = page.session.add_label(person, row, page.pool.truth[row], 1.0)
        except AlreadyLabelledError:  # imported in the meantime
            response = page.session.next_example(person)


def label_skip_and_undo(page, person, n=25):
    response = page.session.next_example(person)
    for place in range(n):
        row = response["example"]["row"]
        try:
            response = page.session.add_label(person, row, "bee", 1.0) if place % 3 else page.session.skip(person, row)
            response = page.session.undo(person) if place % 2 else response
        except (AlreadyLabelledError, NotFoundError):
            response = page.session.next_example(person)


def change_and_delete(page, seed, n=40):
    choice = random.Random(seed)
    for _ in range(n):
        key = choice.choice([answer.key for answer in page.session.export_records("csv")] or ["blob 0"])
        with suppress(NotFoundError):  # already deleted by somebody else
            if choice.random() < 0.5:
                page.session.delete_label(page.pool.row_of(key), "ann")
            else:
                page.session.change_label("zoe", page.pool.row_of(key), choice.choice(NAMES.tolist()))


def import_labels(page):
    for start in range(0, len(page.pool), 30):
        rows = range(start, start + 10)
        page.session.review.import_records(
            [LabelRecord(page.pool.key(row), "cat", "file", "imported", page.pool.digest(row)) for row in rows], "ann"
        )


def read_everything(page, n=20):
    for _ in range(n):
        page.session.progress()
        page.session.history(0, 50)
        page.session.project()


def test_all_requests_at_the_same_time(opened):
    page = opened(Blobs(300))
    people = [partial(label_correctly, page, person) for person in ("ann", "bob", "cleo")]
    others = [
        partial(label_skip_and_undo, page, "eve"),
        partial(change_and_delete, page, 0),
        partial(change_and_delete, page, 1),
    ]
    assert run_concurrently(*people, *others, partial(import_labels, page), partial(read_everything, page)) == []
    assert page.is_consistent()


def test_closing_while_people_label(opened):
    page = opened(Blobs(300))
    session, saved = page.session, {}
    begun = threading.Barrier(4)

    def keep_labelling(person):
        response = session.next_example(person)
        begun.wait()
        for _ in range(20):
            row = response["example"]["row"]
            response = session.add_label(person, row, page.pool.truth[row], 1.0)
            saved[row] = page.pool.truth[row]
            if row % 2:
                session.change_label(person, row, "cat")
                saved[row] = "cat"

    def close():
        begun.wait()
        session.close()

    assert run_concurrently(*(partial(keep_labelling, name) for name in ("ann", "bob", "cleo")), close) == []
    assert session.cache.labels() == saved
    assert len(saved) == 60
    page.store.close()
    with pytest.raises(StoreError, match="closed"):
        session.add_label("ann", next(row for row in range(300) if row not in saved), "cat", None)
    assert opened(page.pool).is_consistent()
