"""Acknowledged labels survive races, crashes, full disks and lost servers."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import textwrap
import threading
from contextlib import suppress

import pytest
import sqlalchemy

from hinge.web import _database
from hinge.web._labels import AlreadyLabelledError, InvalidRequestError, LabelRecord, StoreError
from hinge.web._store import Store


def answer(key="7", label="cat", person="ann", **others):
    return LabelRecord(key, label, person, "chosen", "0f3a", **others)


def race(n_threads, work):
    """Run a function in threads that start together; return their results."""
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


def test_one_of_eight_threads_wins_each_key(url):
    """Half of the threads use their own store, as another program would."""
    n_keys = 25

    def work(place):
        won = []
        with Store(url, "pets") if place % 2 else shared as store:
            for number in range(n_keys):
                with suppress(AlreadyLabelledError):
                    won.append(store.add(answer(str(number), f"class {number}", f"person {place}")))
                store.counts()
        return won

    with Store(url, "pets") as shared:
        shared.close = lambda: None  # leaving the block in one thread must not close it for the others
        won = [each for part in race(8, work) for each in part]
        assert sorted(int(each.key) for each in won) == list(range(n_keys))
        assert sorted(won, key=lambda each: each.number) == shared.records()
        assert len(shared.classes()) == n_keys
        del shared.close


def test_a_new_database_is_created_once(url):
    def work(place):
        with Store(url, "pets") as store:
            return store._project_id

    assert len(set(race(6, work))) == 1


CHILD = """
import sys
from hinge.web._labels import LabelRecord
from hinge.web._store import Store
url, start = sys.argv[1], int(sys.argv[2])
store = Store(url, "pets")
for number in range(start, start + 100_000):
    kept = store.add(LabelRecord(str(number), f"class {number % 50}", "ann", "chosen", "0f3a"))
    print(kept.key, flush=True)
    if number % 3 == 0:
        store.change(str(number), "changed", "bob")
        print("changed", number, flush=True)
"""


@pytest.mark.slow
def test_acknowledged_labels_survive_a_kill(url):
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
            found = {each.key: each for each in store.records()}
            assert sum(store.counts().values()) == len(found)
        for line in acknowledged:
            word, _, number = line.partition(" ")
            assert word in found if not number else found[number].label == "changed"
        assert len(found) <= sum(" " not in line for line in acknowledged) + start // 100_000 + 1


def limit(store, pragma):
    """Set an SQLite pragma for a store; return a function that removes it."""
    store.connections.engine.dispose()

    def apply(connection, *_):
        connection.execute(f"PRAGMA {pragma}")

    sqlalchemy.event.listen(store.connections.engine, "checkout", apply)
    return lambda: sqlalchemy.event.remove(store.connections.engine, "checkout", apply)


def test_a_full_disk_is_reported_and_nothing_is_lost(tmp_path):
    with Store(tmp_path / "labels.db", "pets") as store:
        kept = [store.add(answer("first"))]
        release = limit(store, "max_page_count=40")
        with pytest.raises(StoreError, match="has no space left on its disk; nothing was saved"):
            kept.extend(store.add(answer(f"{number}{'x' * 900}", f"class {number}")) for number in range(1000))
        assert store.records() == kept
        with pytest.raises(StoreError, match="no space left"):
            store.import_records([answer(f"more {number}") for number in range(2000)])
        assert store.records() == kept
        assert store.classes() == [each.label for each in kept]
        release()
        limit(store, "max_page_count=1000000")
        kept.append(store.add(answer("last")))
        assert store.records() == kept


def test_a_read_only_database_is_reported(tmp_path):
    with Store(tmp_path / "labels.db", "pets") as store:
        limit(store, "query_only=ON")
        with pytest.raises(StoreError, match="is read-only; nothing was saved"):
            store.add(answer())
        assert store.records() == []


def test_a_locked_database_is_waited_for_and_then_reported(tmp_path, monkeypatch):
    monkeypatch.setattr(_database, "LOCK_TIMEOUT_S", 0.05)
    path = tmp_path / "labels.db"
    with Store(path, "pets") as store:
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="has been locked by another program"):
            store.add(answer())
        assert store.records() == []  # readers do not wait
        with pytest.raises(StoreError, match="has been locked by another program"):
            Store(path, "birds")
        other.execute("ROLLBACK")
        other.close()
        store.add(answer())


def test_a_moved_file_is_noticed(tmp_path):
    """SQLite would continue to write to a file that no longer has a name."""
    path = tmp_path / "labels.db"
    with Store(path, "pets") as store:
        store.add(answer("1"))
        path.rename(tmp_path / "elsewhere.db")
        with pytest.raises(StoreError, match="has been moved or deleted"):
            store.add(answer("2"))
        (tmp_path / "elsewhere.db").rename(path)
        store.add(answer("2"))


def test_labels_wait_for_the_disk(tmp_path):
    with Store(tmp_path / "labels.db", "pets") as store, store._write() as connection:
        found = [connection.exec_driver_sql(f"PRAGMA {name}").scalar() for name in ("journal_mode", "synchronous")]
        assert found == ["wal", 2]
        assert connection.exec_driver_sql("PRAGMA foreign_keys").scalar() == 1


def test_a_closed_store_raises(store):
    store.close()
    store.close()
    for attempt in (store.records, lambda: store.add(answer())):
        with pytest.raises(StoreError, match="is closed"):
            attempt()


@pytest.mark.parametrize("content", [b"x", b"just a text\n", b"SQLite format 4" + bytes(5000), bytes(3)])
def test_a_file_that_is_not_a_database_is_rejected_unchanged(tmp_path, content):
    path = tmp_path / "labels.db"
    path.write_bytes(content)
    with pytest.raises(StoreError, match=r"labels.db is not an SQLite database; use another file"):
        Store(path, "pets")
    assert path.read_bytes() == content
    assert list(tmp_path.iterdir()) == [path]


def test_a_damaged_database_is_rejected(tmp_path):
    path = tmp_path / "labels.db"
    path.write_bytes(b"SQLite format 3\0" + b"garbage" * 2000)
    with pytest.raises(StoreError, match="is damaged or not a label database"):
        Store(path, "pets")


def test_a_database_of_another_program_is_rejected_unchanged(tmp_path):
    path = tmp_path / "labels.db"
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE bookmarks (address TEXT)")
    other.close()
    before = path.read_bytes()
    with pytest.raises(StoreError, match="a database of another program"):
        Store(path, "pets")
    assert path.read_bytes() == before


def test_a_database_of_another_version_is_rejected(url, monkeypatch):
    monkeypatch.setattr(_database, "VERSION", 99)
    Store(url, "pets").close()
    monkeypatch.undo()
    with pytest.raises(
        StoreError, match="has version 99 of the label tables, but this program needs version 3; export"
    ):
        Store(url, "pets")


def test_a_new_database_can_be_read_by_its_owner_only(tmp_path):
    with Store(tmp_path / "labels.db", "pets") as store:
        store.add_class("cat")
        assert {path.stat().st_mode & 0o777 for path in tmp_path.iterdir()} == {0o600}


def test_an_empty_file_becomes_a_database(tmp_path):
    path = tmp_path / "labels.db"
    path.touch()
    with Store(f"sqlite:///{path}", "pets") as store:
        assert store.records() == []


@pytest.mark.parametrize(
    ("url", "complaint"),
    [
        ("none/labels.db", "There is no folder"),
        (".", "is a folder; give the name of a file"),
        ("", "labels are stored on disk, so name a file"),
        ("sqlite://", "labels are stored on disk"),
        (":memory:", "labels are stored on disk"),
        ("a\0b", "labels are stored on disk"),
        ("sqlite:///labels.db?mode=ro", "must not have options"),
        ("mysql://ann:secret@host/labels", "got a URL of 'mysql'"),
        ("postgresql+asyncpg://ann:secret@host/labels", "got a URL of 'postgresql\\+asyncpg'"),
        ("postgresql://ann:secret@host:secret/labels", "is invalid; write it as postgresql://"),
        ("postgresql://ann:secret@rest-of-secret@host/labels", "The URL of the database is invalid"),
        ("postgresql://ann/secret@host/labels", "The URL of the database is invalid"),
        ("://secret", "The URL of the database is invalid"),
    ],
)
def test_invalid_urls(tmp_path, monkeypatch, url, complaint):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(StoreError, match=complaint) as caught:
        Store(url, "pets")
    assert "secret" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("project", ["", " ", "x" * 101, "two\nlines"])
def test_projects_need_a_name(tmp_path, project):
    with pytest.raises(InvalidRequestError, match="A project name"):
        Store(tmp_path / "labels.db", project)


def test_a_pipe_is_rejected_at_once(tmp_path):
    if not hasattr(os, "mkfifo"):
        pytest.skip("this system has no named pipes")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(StoreError, match="is a pipe or a device"):
        Store(tmp_path / "pipe", "pets")


def test_a_relative_path_does_not_follow_the_working_directory(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with Store("labels.db", "pets") as store:
        (tmp_path / "folder").mkdir()
        monkeypatch.chdir(tmp_path / "folder")
        store.connections.engine.dispose()
        store.add(answer())
    assert list((tmp_path / "folder").iterdir()) == []


def test_a_password_is_not_shown():
    pytest.importorskip("psycopg")
    location = _database.Location.of("postgresql://ann:secret@host/labels?password=secret&sslmode=require")
    messages = [repr(location), location.name, str(location.error(RuntimeError("secret\nand secret")))]
    assert "secret" not in "".join(messages)


def test_a_missing_sqlalchemy_is_reported(tmp_path):
    code = """
        import sys
        sys.modules["sqlalchemy"] = None
        import hinge.web._label_files  # does not need it
        import hinge.web._store
    """
    result = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=False)
    assert result.returncode == 1
    assert "install it with pip install 'hinge-svm[label]'." in result.stderr.splitlines()[-1]


def test_a_missing_psycopg_is_reported(monkeypatch):
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(ImportError, match=r"pip install 'hinge-svm\[postgres\]'"):
        Store("postgresql://host/labels", "pets")


def test_an_unreachable_server():
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
            store.add(answer())
        assert connection.execute(f"SELECT count(*) FROM {name}.labels").fetchone() == (0,)  # noqa: S608


@pytest.mark.slow
def test_a_lost_connection_is_reported_and_reopened(server, schema):
    import psycopg

    ours = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND usename = user"
    with psycopg.connect(server, autocommit=True) as other, Store(schema, "pets") as store:
        store.add(answer("1"))
        other.execute(ours)
        store.add(answer("2"))  # a connection lost between two transactions is replaced silently

        def interrupted():
            with store._write() as connection:
                connection.execute(sqlalchemy.text("UPDATE hinge_labels SET person = 'eve'"))
                other.execute(ours)
                connection.execute(sqlalchemy.text("SELECT 1"))

        with pytest.raises(StoreError, match=r"closed the connection|cannot be reached"):
            interrupted()
        assert [each.person for each in store.records()] == ["ann", "ann"]
        store.add(answer("3"))


@pytest.mark.slow
def test_a_lock_on_a_server_times_out(server, schema, monkeypatch):
    import psycopg

    monkeypatch.setattr(_database, "LOCK_TIMEOUT_S", 1)
    name = schema.rpartition("%3D")[2]
    with Store(schema, "pets") as store, psycopg.connect(server) as other:
        other.execute(f"LOCK TABLE {name}.hinge_labels")
        with pytest.raises(StoreError, match="has been locked by another program"):
            store.add(answer())
        other.rollback()
        store.add(answer())
