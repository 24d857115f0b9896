"""A simulated person who labels one project after another: the real server in a thread."""

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

from benchmarks.micro.people import CLASSES, ask, stored_labels, write_digits
from hinge.web import SessionSettings, open_pool
from hinge.web._app import create_app
from hinge.web._session import Session
from hinge.web._store import Store

if TYPE_CHECKING:
    from benchmarks.soak.error_log import ErrorLog

N_LABELS = 150  # per project
THINKING_S = 0.3  # per example


class Labelling(threading.Thread):
    """Labels digits until stopped; every acknowledged label must be on the server at the end of a project."""

    def __init__(self, errors: ErrorLog) -> None:
        super().__init__(daemon=True)
        self._errors = errors
        self.stopping = threading.Event()
        self.n_labels = 0

    def run(self) -> None:
        """Label one project after another."""
        with TemporaryDirectory() as folder:
            data = Path(folder) / "digits.npz"
            truth = write_digits(data)
            while not self.stopping.is_set():
                with self._errors.recording("labelling"), _served(data) as port:
                    self._label(port, truth)

    def _label(self, port: int, truth: list[str]) -> None:
        connection = HTTPConnection("127.0.0.1", port)
        saved: dict[int, str] = {}
        example = ask(connection, "ann", "next", {})["example"]
        while len(saved) < N_LABELS and not self.stopping.wait(THINKING_S):
            if example is None:
                raise AssertionError("there is no example left to label")
            row = example["row"]
            label = {"row": row, "label": truth[row], "seconds": THINKING_S}
            example = ask(connection, "ann", "answer", label)["example"]
            saved[row] = truth[row]
            self.n_labels += 1
            if self.n_labels % 10 == 0:
                example = ask(connection, "ann", "undo", {})["example"]
                del saved[row]
        connection.close()
        if stored_labels(port) != saved:
            raise AssertionError("the labels on the server differ from the acknowledged ones")


@contextmanager
def _served(data: Path) -> Iterator[int]:
    """Serve a new project in its own thread; yield the port."""
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
