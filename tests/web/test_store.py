"""The database of labels: what was acknowledged stays, and what is refused leaves nothing behind."""

from __future__ import annotations

import os
import random
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import textwrap
import threading
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hinge._errors import HingeError, ParameterError
from hinge.web import _tables
from hinge.web._answer import shown
from hinge.web._store import Answer, MissingError, RefusedError, Store, StoreError, TakenError

sqlalchemy = pytest.importorskip("sqlalchemy")

PASSWORD = "s3cret/pass@word"  # noqa: S105
HOSTILE = [
    "'; DROP TABLE hinge_labels; --",
    "quotes \" and ' and `",
    "%s %(name)s :name ? $1 {0}",
    "\\",
    "🦆👩‍👩‍👧",
    "日本語",
    "<script>alert(1)</script>",
    "NULL",
    "x" * 100,
    "🦆" * 100,
]


def answer(key="7", label="cat", person="ann", **others):
    return Answer(key, label, person, "chosen", "0f3a", **others)


@pytest.fixture(scope="session")
def server():
    """A PostgreSQL server as a URL: the one of HINGE_POSTGRES, or one of our own."""
    if url := os.environ.get("HINGE_POSTGRES"):
        yield url
        return
    pytest.importorskip("psycopg")
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda each: int(each.parent.name.split(".")[0]))
    programs = str(folders[-1]) if folders else None
    initdb, control = (shutil.which(name, path=programs) for name in ("initdb", "pg_ctl"))
    if initdb is None or control is None:
        pytest.skip("set HINGE_POSTGRES to the URL of a database, or install PostgreSQL, to run this test")
    runner = []
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        runner = [shutil.which("runuser") or "runuser", "-u", "postgres", "--"]
        if not Path(runner[0]).exists() or subprocess.run([*runner, "true"], check=False).returncode:
            pytest.skip("PostgreSQL does not run as root, and there is no other user postgres")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        yield from cluster(Path(folder), runner, initdb, control)


def cluster(folder, runner, initdb, control):
    """Start a server in a folder, and stop it in the end."""
    secret = folder / "password"
    secret.write_text(PASSWORD)
    if runner:
        for path in (folder, secret):
            shutil.chown(path, "postgres")

    def run(*command):
        subprocess.run([*runner, *command], check=True, stdout=subprocess.DEVNULL, cwd=folder)

    data = str(folder / "data")
    run(initdb, "-D", data, "-U", "ann", "-A", "scram-sha-256", "--pwfile", str(secret), "-E", "UTF8", "--no-sync")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={folder}"
    run(control, "-D", data, "-w", "-l", str(folder / "log"), "-o", options, "start")
    try:
        yield f"postgresql://ann:{PASSWORD.replace('/', '%2F').replace('@', '%40')}@127.0.0.1:{port}/postgres"
    finally:
        run(control, "-D", data, "-w", "-m", "immediate", "stop")


@pytest.fixture
def schema(server):
    """A URL of an empty place on the server."""
    import psycopg

    name = f"hinge_test_{random.getrandbits(60):x}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA {name}")
    yield f"{server}{'&' if '?' in server else '?'}options=-csearch_path%3D{name}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"DROP SCHEMA {name} CASCADE")


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)])
def url(request, tmp_path):
    """A database that does not hold anything."""
    return str(tmp_path / "labels.db") if request.param == "sqlite" else request.getfixturevalue("schema")


@pytest.fixture
def store(url):
    with Store(url, "pets") as opened:
        yield opened


def test_a_label_comes_back_as_it_was(store, url):
    moment = datetime(2026, 3, 1, 23, 30, 1, 123456, tzinfo=timezone(timedelta(hours=-5)))
    given = answer(seconds=1.25, guess="dog", margin=-0.1, baseline="cow", labelled_at=moment)
    kept = store.record(given)
    assert kept == replace(given, number=kept.number)
    assert kept.number is not None
    with Store(url, "pets") as other:
        (found,) = other.answers()
        assert found == kept == other.find("7")
        assert found.labelled_at.tzinfo is UTC
        assert other.classes() == ["cat"]
        assert other.find("8") is None


def test_labels_are_numbered_in_their_order(store):
    kept = [store.record(answer(str(place), "ab"[place % 2])) for place in (5, 3, 9)]
    store.delete("9")
    kept[2] = store.record(answer("1"))
    assert [each.number for each in kept] == sorted({each.number for each in kept})
    assert store.answers() == kept


def test_an_example_has_one_label(store):
    kept = store.record(answer())
    with pytest.raises(TakenError, match="'7' has a label already") as caught:
        store.record(answer(label="new", person="bob"))
    assert caught.value.key == "7"
    assert store.answers() == [kept]
    assert store.classes() == ["cat"]  # the class of what was refused is not added


def test_projects_do_not_see_each_other(store, url):
    with Store(url, " birds ") as birds:
        assert birds.project == "birds"
        birds.add_class("owl")
        birds.record(answer(label="duck"))
        store.record(answer(label="cat"))
        store.skip("1", "ann")
        store.delete("7")
        assert (store.classes(), store.counts(), store.history()) == (["cat"], {"cat": 0}, (0, []))
        assert (birds.classes(), birds.counts(), birds.skips()) == (["owl", "duck"], {"owl": 0, "duck": 1}, [])


def test_a_correction_keeps_how_the_label_came_about(store):
    kept = store.record(answer(seconds=2.0, guess="dog", margin=0.5, baseline="cow"))
    before = datetime.now(UTC)
    changed = store.correct("7", " dog ", " bob ")
    assert before <= changed.changed_at <= datetime.now(UTC)
    assert changed == replace(kept, label="dog", person="bob", changed_at=changed.changed_at) == store.find("7")
    assert store.counts() == {"cat": 0, "dog": 1}
    assert store.correct("7", "dog", "eve") == changed  # nothing to correct


def test_a_deleted_label_is_gone(store):
    kept = store.record(answer())
    assert store.delete("7") == kept
    assert store.answers() == []
    assert store.classes() == ["cat"]
    for attempt in (lambda: store.delete("7"), lambda: store.correct("7", "dog", "ann")):
        with pytest.raises(MissingError, match="'7' has no label"):
            attempt()
    assert store.classes() == ["cat"]
    assert store.record(answer()).number > kept.number


def test_nothing_of_a_deleted_label_stays_in_the_file(tmp_path):
    path = tmp_path / "labels.db"
    with Store(path, "pets") as store:
        store.record(answer("the key of somebody"))
        store.delete("the key of somebody")
    assert [each.name for each in tmp_path.iterdir()] == ["labels.db"]
    assert b"somebody" not in path.read_bytes()


def test_classes_keep_the_order_of_adding(store):
    assert store.add_class(" owl ")
    assert store.add_class("cat")
    assert not store.add_class("owl")
    store.record(answer(label="ant"))
    assert store.classes() == ["owl", "cat", "ant"]
    assert list(store.counts().items()) == [("owl", 0), ("cat", 0), ("ant", 1)]


def test_classes_go_when_they_have_no_labels(store):
    store.record(answer())
    store.add_class("owl")
    store.remove_class("owl")
    with pytest.raises(MissingError, match="no class 'owl'"):
        store.remove_class("owl")
    with pytest.raises(RefusedError, match="'cat' has labels"):
        store.remove_class("cat")
    store.delete("7")
    store.remove_class("cat")
    assert store.classes() == []


def test_there_are_not_too_many_classes(store, monkeypatch):
    monkeypatch.setattr("hinge.web._store.MOST_CLASSES", 3)
    for name in "abc":
        store.add_class(name)
    for attempt in (
        lambda: store.add_class("d"),
        lambda: store.record(answer(label="d")),
        lambda: store.bring([answer("1", "a"), answer("2", "d")]),
    ):
        with pytest.raises(RefusedError, match="at most 3 classes, got 4"):
            attempt()
    assert store.counts() == {"a": 0, "b": 0, "c": 0}


def test_history_is_newest_first(store):
    for place in range(10):
        store.record(answer(str(place), "ab"[place % 2], ("ann", "bob")[place < 4]))

    def keys(*arguments, **wanted):
        total, entries = store.history(*arguments, **wanted)
        return total, "".join(entry.key for entry in entries)

    assert keys() == (10, "9876543210")
    assert keys(2, 3) == (10, "765")
    assert keys(9, 5) == (10, "0")
    assert keys(10, 5) == keys(0, 0) == (10, "")
    assert keys(0, 2, label="b") == (5, "97")
    assert keys(person="bob") == (4, "3210")
    assert keys(label="a", person="bob") == (2, "20")
    assert keys(label="none") == keys(person="none") == (0, "")


@pytest.mark.parametrize(("offset", "limit"), [(-1, 5), (0, -1), (2**70, 5), (0, 2**70), ("0", 5), (0, None)])
def test_history_wants_whole_numbers(store, offset, limit):
    with pytest.raises(ParameterError, match="must be a whole number"):
        store.history(offset, limit)


def test_skips_belong_to_persons(store, url):
    for key, person in [("1", "ann"), ("2", "bob"), ("1", "bob"), ("1", " ann ")]:
        store.skip(key, person)
    assert store.skips() == [("1", "ann"), ("2", "bob"), ("1", "bob")]
    store.unskip("1", "ann")
    store.unskip("1", "nobody")
    with Store(url, "pets") as other:
        assert other.skips() == [("2", "bob"), ("1", "bob")]


def test_bringing_leaves_what_is_there(store):
    kept = store.record(answer("1", "cat", guess="dog"))
    brought = [answer("1", "dog"), answer("2", "cow"), answer("3", "cat"), answer("2", "cow", "eve")]
    assert store.bring(brought) == (2, 0, 1)
    assert store.bring(brought) == (0, 0, 3)
    assert store.find("1") == kept
    assert store.classes() == ["cat", "cow"]  # that of a label that is not taken is not added
    assert [each.key for each in store.answers()] == ["1", "2", "3"]


def test_bringing_replaces_when_told_so(store):
    kept = store.record(answer("1", "cat", guess="dog"))
    assert store.bring(iter([answer("1", "dog", "eve"), answer("2", "cow")]), replace=True) == (1, 1, 0)
    found = store.find("1")
    assert found == replace(kept, label="dog", person="eve", changed_at=found.changed_at)
    assert found.changed_at is not None
    assert store.bring([], replace=True) == (0, 0, 0)


def test_bringing_is_all_or_nothing(store):
    for wrong in (answer("3", ""), answer("1", "dog"), replace(answer("3"), drawn="guessed")):
        with pytest.raises(RefusedError):
            store.bring([answer("1"), answer("2"), wrong])
    assert (store.answers(), store.classes()) == ([], [])


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_texts_are_only_texts(store, text):
    store.record(answer(text, text, text[:40], guess=text, baseline=text))
    store.skip(text, text[:40])
    store.add_class("other")
    total, (entry,) = store.history(label=text, person=text[:40])
    assert (total, entry) == (1, store.find(text))
    assert (entry.key, entry.label, entry.guess, entry.baseline) == (text, text, text, text)
    assert store.correct(text, "other", text[:40]).label == "other"
    store.unskip(text, text[:40])
    store.delete(text)
    store.remove_class(text)
    assert (store.classes(), store.answers(), store.skips()) == (["other"], [], [])


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(max_size=50), st.text(max_size=50), st.text(max_size=50))
def test_any_text_is_kept_or_refused(tmp_path, key, label, person):
    with Store(tmp_path / "labels.db", "pets") as store:
        try:
            kept = store.record(answer(key, label, person))
        except RefusedError:
            assert store.classes() == []
        else:
            assert store.answers() == [kept]
            assert (kept.key, kept.label, kept.person) == (key, label.strip(), person.strip())
            store.delete(key)
            store.remove_class(label)
        assert store.answers() == []


@pytest.mark.parametrize(
    ("wrong", "complaint"),
    [
        ({"label": " "}, "A label must have 1 to 100 characters, got 0"),
        ({"label": "x" * 101}, "got 101"),
        ({"label": "two\nlines"}, "must not have control characters, got 'two\\\\nlines'"),
        ({"label": "\ud800"}, "must not have control characters"),
        ({"label": 7}, "must be text, got 7"),
        ({"person": "x" * 41}, "The name of a person must have 1 to 40 characters, got 41"),
        ({"person": "bell\a!"}, "must not have control characters"),
        ({"key": ""}, "must have 1 to 2000 bytes, got 0"),
        ({"key": "🦆" * 501}, "got 2004"),
        ({"key": "a\0b"}, "text that UTF-8 can express"),
        ({"key": "caf\udce9.png"}, "text that UTF-8 can express"),
        ({"key": 7}, "text that UTF-8 can express, got 7"),
        ({"drawn": "guessed"}, "one of chosen, random, imported, got 'guessed'"),
        ({"seconds": -1.0}, "seconds must be at least 0"),
        ({"seconds": float("nan")}, "seconds must be a finite number"),
        ({"margin": float("inf")}, "margin must be a finite number"),
        ({"guess": ""}, "1 to 100"),
        ({"baseline": "x" * 101}, "1 to 100"),
        ({"digest": ""}, "A digest must have"),
        ({"labelled_at": datetime(2026, 1, 1)}, "labelled_at must have a time zone"),  # noqa: DTZ001
    ],
)
def test_bad_answers_are_refused(store, wrong, complaint):
    with pytest.raises(RefusedError, match=complaint) as caught:
        store.record(replace(answer(), **wrong))
    assert isinstance(caught.value, HingeError)
    assert isinstance(caught.value, ValueError)
    assert store.answers() == []
    assert store.classes() == []


@pytest.mark.parametrize("bad", ["\ud800", "x\0"])
def test_no_question_stumbles_over_texts_that_cannot_be_kept(store, bad):
    for attempt in (
        lambda: store.find(bad),
        lambda: store.delete(bad),
        lambda: store.correct(bad, "cat", "ann"),
        lambda: store.correct("7", bad, "ann"),
        lambda: store.correct("7", "cat", bad),
        lambda: store.add_class(bad),
        lambda: store.remove_class(bad),
        lambda: store.history(label=bad),
        lambda: store.history(person=bad),
        lambda: store.skip(bad, "ann"),
        lambda: store.unskip("7", bad),
    ):
        with pytest.raises(RefusedError):
            attempt()


def test_what_is_shown_is_short_and_on_one_line():
    assert shown("x" * 1000).endswith("[...]")
    assert shown("a\u2028b\x1b[31m") == r"'a\u2028b\x1b[31m'"


def race(n_threads, work):
    """Run a function in threads that begin together; return what they return."""
    results, errors = [None] * n_threads, []
    start = threading.Barrier(n_threads)

    def run(place):
        try:
            start.wait()
            results[place] = work(place)
        except BaseException as error:  # noqa: BLE001
            errors.append(error)

    threads = [threading.Thread(target=run, args=(place,)) for place in range(n_threads)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    return results


def test_of_eight_threads_one_wins_each_key(url):
    """Half of the threads use a store of their own, as another program would."""
    n_keys = 25

    def work(place):
        won = []
        with Store(url, "pets") if place % 2 else shared as store:
            for number in range(n_keys):
                with suppress(TakenError):
                    won.append(store.record(answer(str(number), f"class {number}", f"person {place}")))
                store.counts()
        return won

    with Store(url, "pets") as shared:
        shared.close = lambda: None  # leaving the block in a thread must not end it for the others
        won = [each for part in race(8, work) for each in part]
        assert sorted(int(each.key) for each in won) == list(range(n_keys))
        assert sorted(won, key=lambda each: each.number) == shared.answers()
        assert len(shared.classes()) == n_keys
        del shared.close


def test_a_new_database_is_made_once(url):
    def work(place):
        with Store(url, "pets") as store:
            return store._project_id

    assert len(set(race(6, work))) == 1


CHILD = """
import sys
from hinge.web._store import Answer, Store
url, start = sys.argv[1], int(sys.argv[2])
store = Store(url, "pets")
for number in range(start, start + 100_000):
    kept = store.record(Answer(str(number), f"class {number % 50}", "ann", "chosen", "0f3a"))
    print(kept.key, flush=True)
    if number % 3 == 0:
        store.correct(str(number), "changed", "bob")
        print("changed", number, flush=True)
"""


@pytest.mark.slow
def test_what_was_acknowledged_survives_a_kill(url):
    chance = random.Random()  # a different moment in each run
    acknowledged = []
    for start in range(0, 400_000, 100_000):
        child = subprocess.Popen([sys.executable, "-c", CHILD, url, str(start)], stdout=subprocess.PIPE, text=True)
        lines = [child.stdout.readline() for _ in range(chance.randint(1, 150))]
        threading.Event().wait(chance.random() / 20)
        child.send_signal(signal.SIGKILL)
        lines += child.stdout.read().splitlines()
        child.stdout.close()
        assert child.wait() == -signal.SIGKILL
        acknowledged += [line.strip() for line in lines]
        with Store(url, "pets") as store:
            found = {each.key: each for each in store.answers()}
            assert sum(store.counts().values()) == len(found)
        for line in acknowledged:
            word, _, number = line.partition(" ")
            assert word in found if not number else found[number].label == "changed"
        assert len(found) <= sum(" " not in line for line in acknowledged) + start // 100_000 + 1


def limit(store, pragma):
    """Let a store work under a condition; None takes it away."""
    store._engine.dispose()

    def apply(connection, *_):
        connection.execute(f"PRAGMA {pragma}")

    sqlalchemy.event.listen(store._engine, "checkout", apply)
    return lambda: sqlalchemy.event.remove(store._engine, "checkout", apply)


def test_a_full_disk_is_said_and_nothing_is_lost(tmp_path):
    with Store(tmp_path / "labels.db", "pets") as store:
        kept = [store.record(answer("first"))]
        release = limit(store, "max_page_count=40")
        with pytest.raises(StoreError, match="has no room left on its disk; nothing was saved"):
            kept.extend(store.record(answer(f"{number}{'x' * 900}", f"class {number}")) for number in range(1000))
        assert store.answers() == kept
        with pytest.raises(StoreError, match="no room left"):
            store.bring([answer(f"more {number}") for number in range(2000)])
        assert store.answers() == kept
        assert store.classes() == [each.label for each in kept]
        release()
        limit(store, "max_page_count=1000000")
        kept.append(store.record(answer("last")))
        assert store.answers() == kept


def test_a_database_that_may_not_be_written_says_so(tmp_path):
    with Store(tmp_path / "labels.db", "pets") as store:
        limit(store, "query_only=ON")
        with pytest.raises(StoreError, match="may not be written; nothing was saved"):
            store.record(answer())
        assert store.answers() == []


def test_a_locked_database_is_waited_for_and_then_named(tmp_path, monkeypatch):
    monkeypatch.setattr(_tables, "PATIENCE", 0.05)
    path = tmp_path / "labels.db"
    with Store(path, "pets") as store:
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="is locked by another program"):
            store.record(answer())
        assert store.answers() == []  # reading does not wait
        with pytest.raises(StoreError, match="is locked by another program"):
            Store(path, "birds")
        other.execute("ROLLBACK")
        other.close()
        store.record(answer())


def test_a_file_that_is_taken_away_is_noticed(tmp_path):
    """SQLite would go on writing to a file that has no name any more."""
    path = tmp_path / "labels.db"
    with Store(path, "pets") as store:
        store.record(answer("1"))
        path.rename(tmp_path / "elsewhere.db")
        with pytest.raises(StoreError, match="has been moved or deleted"):
            store.record(answer("2"))
        (tmp_path / "elsewhere.db").rename(path)
        store.record(answer("2"))


def test_labels_wait_for_the_disk(tmp_path):
    with Store(tmp_path / "labels.db", "pets") as store, store._write() as connection:
        found = [connection.exec_driver_sql(f"PRAGMA {name}").scalar() for name in ("journal_mode", "synchronous")]
        assert found == ["wal", 2]
        assert connection.exec_driver_sql("PRAGMA foreign_keys").scalar() == 1


def test_a_closed_store_says_so(store):
    store.close()
    store.close()
    for attempt in (store.answers, lambda: store.record(answer())):
        with pytest.raises(StoreError, match="has been closed"):
            attempt()


@pytest.mark.parametrize("content", [b"x", b"just a text\n", b"SQLite format 4" + bytes(5000), bytes(3)])
def test_a_file_of_something_else_is_refused_and_left_alone(tmp_path, content):
    path = tmp_path / "labels.db"
    path.write_bytes(content)
    with pytest.raises(StoreError, match=r"labels.db is not an SQLite database; name another file"):
        Store(path, "pets")
    assert path.read_bytes() == content
    assert list(tmp_path.iterdir()) == [path]


def test_a_damaged_database_is_refused(tmp_path):
    path = tmp_path / "labels.db"
    path.write_bytes(b"SQLite format 3\0" + b"garbage" * 2000)
    with pytest.raises(StoreError, match="is damaged or not a database of labels"):
        Store(path, "pets")


def test_a_database_of_another_program_is_refused_and_left_alone(tmp_path):
    path = tmp_path / "labels.db"
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE bookmarks (address TEXT)")
    other.close()
    before = path.read_bytes()
    with pytest.raises(StoreError, match="a database of another program"):
        Store(path, "pets")
    assert path.read_bytes() == before


def test_a_database_of_another_version_is_refused(url, monkeypatch):
    monkeypatch.setattr(_tables, "VERSION", 2)
    Store(url, "pets").close()
    monkeypatch.undo()
    with pytest.raises(StoreError, match="holds labels of version 2, and this program reads version 1; use the hinge"):
        Store(url, "pets")


def test_an_empty_file_becomes_a_database(tmp_path):
    path = tmp_path / "labels.db"
    path.touch()
    with Store(f"sqlite:///{path}", "pets") as store:
        assert store.answers() == []


@pytest.mark.parametrize(
    ("url", "complaint"),
    [
        ("none/labels.db", "There is no folder"),
        (".", "is a folder; give the name of a file"),
        ("", "labels are kept on a disk, so name a file"),
        ("sqlite://", "labels are kept on a disk"),
        (":memory:", "labels are kept on a disk"),
        ("a\0b", "labels are kept on a disk"),
        ("sqlite:///labels.db?mode=ro", "must not have options"),
        ("mysql://ann:secret@host/labels", "got a URL of 'mysql'"),
        ("postgresql+asyncpg://ann:secret@host/labels", "got a URL of 'postgresql\\+asyncpg'"),
        ("postgresql://ann:secret@host:secret/labels", "cannot be read; it must be like postgresql://"),
        ("://secret", "cannot be read"),
    ],
)
def test_urls_that_make_no_sense(tmp_path, monkeypatch, url, complaint):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(StoreError, match=complaint) as caught:
        Store(url, "pets")
    assert "secret" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("project", ["", " ", "x" * 101, "two\nlines"])
def test_projects_need_a_name(tmp_path, project):
    with pytest.raises(RefusedError, match="The name of a project"):
        Store(tmp_path / "labels.db", project)


def test_a_pipe_is_refused_at_once(tmp_path):
    if not hasattr(os, "mkfifo"):
        pytest.skip("this system has no named pipes")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(StoreError, match="is a pipe or a device"):
        Store(tmp_path / "pipe", "pets")


def test_a_path_stays_where_it_was(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with Store("labels.db", "pets") as store:
        (tmp_path / "folder").mkdir()
        monkeypatch.chdir(tmp_path / "folder")
        store._engine.dispose()
        store.record(answer())
    assert list((tmp_path / "folder").iterdir()) == []


def test_sqlalchemy_is_asked_for(tmp_path):
    code = """
        import sys
        sys.modules["sqlalchemy"] = None
        import hinge.web._transfer  # has no need of it
        import hinge.web._store
    """
    result = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=False)
    assert result.returncode == 1
    assert "install it with pip install 'hinge[label]'." in result.stderr.splitlines()[-1]


def test_psycopg_is_asked_for(monkeypatch):
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(ImportError, match=r"pip install 'hinge\[label\]' 'psycopg\[binary\]'"):
        Store("postgresql://host/labels", "pets")


def test_a_server_that_does_not_answer():
    pytest.importorskip("psycopg")
    with pytest.raises(StoreError, match=r"The database labels on 127.0.0.1 cannot be reached \(.*try again") as caught:
        Store("postgresql://ann:secret@127.0.0.1:1/labels", "pets")
    assert "secret" not in str(caught.value)
    assert caught.value.__cause__ is None


@pytest.mark.slow
def test_a_wrong_password_is_not_repeated(server):
    with pytest.raises(StoreError) as caught:
        Store(server.replace("ann:s3cret", "ann:wr0ng"), "pets")
    assert "\n" not in str(caught.value)
    assert "wr0ng" not in str(caught.value)
    assert "s3cret" not in str(caught.value)
    with pytest.raises(StoreError) as caught:
        Store(server.replace("/postgres", "/none"), "pets")
    assert "The database none on" in str(caught.value)


@pytest.mark.slow
def test_tables_of_others_stay_on_a_server(server, schema):
    import psycopg

    name = schema.rpartition("%3D")[2]
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE TABLE {name}.labels (id int)")
        with Store(schema, "pets") as store:
            store.record(answer())
        assert connection.execute(f"SELECT count(*) FROM {name}.labels").fetchone() == (0,)  # noqa: S608


@pytest.mark.slow
def test_a_lost_connection_is_said_and_made_again(server, schema):
    import psycopg

    ours = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND usename = user"
    with psycopg.connect(server, autocommit=True) as other, Store(schema, "pets") as store:
        store.record(answer("1"))
        other.execute(ours)
        store.record(answer("2"))  # one that was lost between two questions is not noticed

        def interrupted():
            with store._write() as connection:
                connection.execute(sqlalchemy.text("UPDATE hinge_labels SET person = 'eve'"))
                other.execute(ours)
                connection.execute(sqlalchemy.text("SELECT 1"))

        with pytest.raises(StoreError, match=r"has ended the connection|cannot be reached"):
            interrupted()
        assert [each.person for each in store.answers()] == ["ann", "ann"]
        store.record(answer("3"))


@pytest.mark.slow
def test_a_lock_on_a_server_is_not_waited_for_endlessly(server, schema, monkeypatch):
    import psycopg

    monkeypatch.setattr(_tables, "PATIENCE", 1)
    name = schema.rpartition("%3D")[2]
    with Store(schema, "pets") as store, psycopg.connect(server) as other:
        other.execute(f"LOCK TABLE {name}.hinge_labels")
        with pytest.raises(StoreError, match="is locked by another program"):
            store.record(answer())
        other.rollback()
        store.record(answer())
