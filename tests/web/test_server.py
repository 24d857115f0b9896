"""The real command in its own process: killed at any moment, terminated, given invalid options."""

from __future__ import annotations

import random
import signal
import socket
import subprocess
import tempfile
import threading
import time
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import httpx
import pytest

from .postgres import Cluster
from .serving import Person, Server, command, environment, exported, is_model_of

pytestmark = pytest.mark.slow
pytest.importorskip("fastapi", reason="the extra hinge-svm[label] is not installed")


def label_until(person, number, stop):
    """Label continuously, with labels that nobody else gives; repeat requests without a response."""
    row = None
    while not stop.is_set():
        try:
            row = person.next() if row is None else person.answer(row, str((row + number) % 10))
        except httpx.TransportError:
            time.sleep(0.05)


@contextmanager
def labelling(url):
    """Let six people label continuously; yield them."""
    stop, people = threading.Event(), [Person(url, f"person {number}") for number in range(6)]
    threads = [threading.Thread(target=label_until, args=(*each, stop)) for each in zip(people, count(), strict=False)]
    for thread in threads:
        thread.start()
    try:
        yield people
    finally:
        stop.set()
        for thread in threads:
            thread.join()
        for person in people:
            person.close()


def nothing_is_lost(server, people, folder):
    """Return whether the labels on the server are those that it acknowledged, and its model is theirs."""
    kept, saved = exported(server), {}
    for person in people:
        for row, label in person.acknowledged:
            assert saved.setdefault(row, label) == label  # nobody else was told that their label of this row was saved
    unacknowledged = {pair for person in people for pair in person.unacknowledged}
    assert len(saved) > 30
    assert saved.items() <= kept.items()
    assert kept.items() - saved.items() <= unacknowledged
    return is_model_of(server, kept, folder / "model.hinge")


def test_acknowledged_labels_survive_a_kill(tmp_path, url):
    rng = random.Random()
    with Server(tmp_path, "--database", url) as server:
        with labelling(server.url) as people:
            for _ in range(3):
                time.sleep(rng.uniform(0.5, 2.0))
                server.kill()
                server.start()
            time.sleep(1.0)
        assert nothing_is_lost(server, people, tmp_path)


@contextmanager
def temporary_cluster():
    """Start a PostgreSQL server that the test may kill."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        cluster = Cluster(Path(folder))
        try:
            yield cluster
        finally:
            cluster.stop()


@pytest.mark.parametrize("killed", ["database", "both"])
def test_acknowledged_labels_survive_a_kill_of_the_database(tmp_path, killed):
    rng = random.Random()
    with temporary_cluster() as cluster, Server(tmp_path, "--database", cluster.url) as server:
        with labelling(server.url) as people:
            for _ in range(3):
                time.sleep(rng.uniform(0.5, 2.0))
                cluster.kill()
                if killed == "both":
                    server.kill()
                cluster.start()
                if killed == "both":
                    server.start()
            time.sleep(2.0)
        assert nothing_is_lost(server, people, tmp_path)


def rejected(folder, *options):
    done = subprocess.run(
        command(*options), cwd=folder, env=environment(), capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.returncode, done.stdout) == (2, "")
    *before, sentence = done.stderr.splitlines()
    assert sentence.startswith("hinge: ")
    assert before in ([], ["digits: 1,797 images."])
    return sentence


def test_a_port_in_use(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        assert f"127.0.0.1, port {port}" in rejected(tmp_path, "--port", port)
    assert not list(tmp_path.iterdir())


def test_short_responses_are_sent_at_once():
    from hinge.web._server import _listen

    with _listen("127.0.0.1", 0) as listener, socket.create_connection(listener.getsockname()):
        connection, _ = listener.accept()
        with connection:
            assert connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_a_file_that_is_not_a_database(tmp_path):
    (tmp_path / "notes.txt").write_text("not a database\n" * 100)
    assert "notes.txt" in rejected(tmp_path, "--port", 0, "--database", "notes.txt")
    assert (tmp_path / "notes.txt").read_text() == "not a database\n" * 100


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("busy", [False, True])
def test_it_shuts_down_cleanly(tmp_path, number, busy):
    with Server(tmp_path) as server, socket.create_connection(("127.0.0.1", server.port)) as half:
        person = Person(server.url, "ann")
        row = person.answer(person.next(), "3")  # keeps its connection open
        if busy:  # a request that never ends
            half.sendall(b"POST /api/next HTTP/1.1\r\nHost: localhost\r\nX-Hinge-Person: bob\r\n")
            half.sendall(b"Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{")
            person.answer(row, "4")
        server.process.send_signal(number)
        _, complaints = server.process.communicate(timeout=60)
        person.close()
    assert server.process.returncode in (0, 130)
    assert complaints == "digits: 1,797 images.\n"
    assert not list(tmp_path.glob("*-wal"))  # nothing is left beside the database


def test_other_hosts_need_the_token(tmp_path):
    with Server(tmp_path, "--host", "0.0.0.0") as server:  # noqa: S104
        address, _, token = server.url.partition("?token=")
        assert len(token) > 20
        with httpx.Client(base_url=address, headers={"host": "label.example"}) as stranger:
            assert stranger.get("/api/project").status_code == 401
            assert stranger.get(f"/?token={token}").status_code == 307
        with httpx.Client(base_url=address) as friend:
            friend.get("/", params={"token": token})
            assert friend.get("/api/project").status_code == 200
