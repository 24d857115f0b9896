"""The real command in a process of its own: killed at any moment, ended politely, refused."""

from __future__ import annotations

import random
import signal
import socket
import subprocess
import threading
import time
from itertools import count

import httpx
import pytest

from .serving import Person, Server, command, environment, exported, is_model_of

pytestmark = pytest.mark.slow
pytest.importorskip("fastapi", reason="the extra hinge[label] is not installed")


def labels_until(person, number, stop):
    """Label all the time, with labels that nobody else gives; say everything again that was not answered."""
    row = None
    while not stop.is_set():
        try:
            row = person.next() if row is None else person.answer(row, str((row + number) % 10))
        except httpx.TransportError:
            time.sleep(0.05)


def test_no_acknowledged_label_is_lost_when_it_is_killed(tmp_path):
    chance, stop = random.Random(), threading.Event()
    with Server(tmp_path) as server:
        people = [Person(server.url, f"person {number}") for number in range(6)]
        threads = [
            threading.Thread(target=labels_until, args=(*each, stop)) for each in zip(people, count(), strict=False)
        ]
        for thread in threads:
            thread.start()
        for _ in range(3):
            time.sleep(chance.uniform(0.5, 2.0))
            server.kill()
            server.start()
        time.sleep(1.0)
        stop.set()
        for thread in threads:
            thread.join()
        kept = exported(server)
        said = {}
        for person in people:
            person.close()
            for row, label in person.acknowledged:
                assert said.setdefault(row, label) == label  # nobody else was told the same of that row
        doubtful = {pair for person in people for pair in person.doubtful}
        assert len(said) > 30
        assert said.items() <= kept.items()
        assert kept.items() - said.items() <= doubtful
        assert is_model_of(server, kept, tmp_path / "model.hinge")


def refused(folder, *options):
    done = subprocess.run(
        command(*options), cwd=folder, env=environment(), capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.returncode, done.stdout) == (2, "")
    *before, sentence = done.stderr.splitlines()
    assert sentence.startswith("hinge: ")
    assert before in ([], ["digits: 1,797 images."])
    return sentence


def test_a_port_that_is_taken(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        assert f"127.0.0.1, port {port}" in refused(tmp_path, "--port", port)
    assert not list(tmp_path.iterdir())


def test_short_answers_are_sent_at_once():
    from hinge.web._server import _listening

    with _listening("127.0.0.1", 0) as listener, socket.create_connection(listener.getsockname()):
        connection, _ = listener.accept()
        with connection:
            assert connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_a_file_that_is_no_database(tmp_path):
    (tmp_path / "notes.txt").write_text("not a database\n" * 100)
    assert "notes.txt" in refused(tmp_path, "--port", 0, "--database", "notes.txt")
    assert (tmp_path / "notes.txt").read_text() == "not a database\n" * 100


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("busy", [False, True])
def test_it_ends_politely(tmp_path, number, busy):
    with Server(tmp_path) as server, socket.create_connection(("127.0.0.1", server.port)) as half:
        person = Person(server.url, "ann")
        row = person.answer(person.next(), "3")  # keeps its connection
        if busy:  # somebody whose request never ends
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
