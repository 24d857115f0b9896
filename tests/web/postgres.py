"""A temporary PostgreSQL server."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

import pytest

PASSWORD = "s3cret/pass@word"  # noqa: S105


class Cluster:
    """A PostgreSQL server in a folder; the test is skipped if PostgreSQL cannot run here.

    The server is a child of this process, which therefore knows when a killed one is gone: PostgreSQL does not start
    while the process named in its lock file exists, even if nobody has collected its status yet.

    Attributes
    ----------
    url : str
        The URL of its database.
    """

    def __init__(self, folder):
        pytest.importorskip("psycopg")
        self._folder, self._data = folder, folder / "data"
        folders = sorted(
            Path("/usr/lib/postgresql").glob("*/bin"), key=lambda each: int(each.parent.name.split(".")[0])
        )
        programs = str(folders[-1]) if folders else None
        initdb, self._program = (shutil.which(name, path=programs) for name in ("initdb", "postgres"))
        if initdb is None or self._program is None:
            pytest.skip("set HINGE_POSTGRES to the URL of a database, or install PostgreSQL, to run this test")
        self._user = _user()
        secret = folder / "password"
        secret.write_text(PASSWORD)
        if self._user:
            for path in (folder, secret):
                shutil.chown(path, **self._user)
        options = ("-U", "ann", "-A", "scram-sha-256", "--pwfile", str(secret), "-E", "UTF8", "--no-sync")
        self._begin(initdb, "-D", str(self._data), *options).wait(timeout=60)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._port = free.getsockname()[1]
        password = PASSWORD.replace("/", "%2F").replace("@", "%40")
        self.url = f"postgresql://ann:{password}@127.0.0.1:{self._port}/postgres"
        self.start()

    def start(self):
        """Start the server; return when it answers.

        It refuses to start while processes of a killed one still use its memory, and is started again then.
        """
        end = time.monotonic() + 60
        self._begin_server()
        while not self._answers():
            assert time.monotonic() < end, (self._folder / "log").read_text()
            if self._process.poll() is not None:
                self._begin_server()
            time.sleep(0.1)

    def stop(self):
        """Stop the server without waiting for its clients."""
        self._process.send_signal(signal.SIGQUIT)
        self._process.wait(timeout=60)

    def kill(self):
        """Kill the server; the processes of its connections notice and end by themselves."""
        self._process.kill()
        self._process.wait(timeout=60)

    def _begin_server(self):
        settings = (f"port={self._port}", "listen_addresses=127.0.0.1", "unix_socket_directories=")
        options = [word for setting in settings for word in ("-c", setting)]
        self._process = self._begin(self._program, "-D", str(self._data), *options)

    def _begin(self, *command):
        with (self._folder / "log").open("a") as log:
            return subprocess.Popen(command, **self._user, stdout=log, stderr=log, cwd=self._folder)

    def _answers(self):
        import psycopg

        try:
            psycopg.connect(self.url, connect_timeout=5).close()
        except psycopg.OperationalError:
            return False
        return True


def _user():
    """Return the user and group of a server that must not run as root, as `subprocess` takes them."""
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        return {}
    import pwd

    try:
        entry = pwd.getpwnam("postgres")
    except KeyError:
        pytest.skip("PostgreSQL does not run as root, and there is no user postgres")
    return {"user": entry.pw_uid, "group": entry.pw_gid}
