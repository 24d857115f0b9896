"""Somebody who labels in a browser: the real server in a thread, a project after the other."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import uvicorn

from benchmarks.micro.people import CLASSES, ask, kept_labels, write_digits
from hinge.web import SessionSettings, open_pool
from hinge.web._app import create_app
from hinge.web._session import Session
from hinge.web._store import Store

if TYPE_CHECKING:
    from benchmarks.soak.trouble import Trouble

N_LABELS = 150  # of a project
THOUGHT = 0.3  # seconds that somebody looks at an example


class Labelling(threading.Thread):
    """Labels digits until told to leave; every label that was called saved must be there at the end of a project."""

    def __init__(self, trouble: Trouble) -> None:
        super().__init__(daemon=True)
        self._trouble = trouble
        self.leaving = threading.Event()
        self.n_labels = 0

    def run(self) -> None:
        """Label one project after the other."""
        with TemporaryDirectory() as folder:
            data = Path(folder) / "digits.npz"
            truth = write_digits(data)
            while not self.leaving.is_set():
                with self._trouble.noted("labelling"), _served(data) as port:
                    self._label(port, truth)

    def _label(self, port: int, truth: list[str]) -> None:
        connection = HTTPConnection("127.0.0.1", port)
        saved: dict[int, str] = {}
        turn = ask(connection, "ann", "next", {})
        while len(saved) < N_LABELS and not self.leaving.wait(THOUGHT):
            row = int(turn["example"]["row"])
            turn = ask(connection, "ann", "answer", {"row": row, "label": truth[row], "seconds": THOUGHT})
            saved[row] = truth[row]
            self.n_labels += 1
            if self.n_labels % 10 == 0:
                turn = ask(connection, "ann", "undo", {})
                del saved[row]
        connection.close()
        if kept_labels(port) != saved:
            raise AssertionError("the labels of the page are not those that were given")


@contextmanager
def _served(data: Path) -> Iterator[int]:
    """Serve a new project in a thread of its own; yield the port."""
    with (
        TemporaryDirectory() as folder,
        socket.create_server(("127.0.0.1", 0)) as listener,
        Store(Path(folder) / "labels.sqlite", "soak") as store,
    ):
        session = Session(open_pool(str(data)), store, SessionSettings(seed=0), CLASSES.split(","))
        config = uvicorn.Config(create_app(session), log_level="critical", access_log=False, lifespan="off", ws="none")
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        try:
            yield listener.getsockname()[1]
        finally:
            server.should_exit = True
            thread.join()
            session.close()
