"""A temporary PostgreSQL server."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
from pathlib import Path

import pytest

PASSWORD = "s3cret/pass@word"  # noqa: S105


class Cluster:
    """A PostgreSQL server in a folder; the test is skipped if PostgreSQL cannot run here.

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
        initdb, self._control = (shutil.which(name, path=programs) for name in ("initdb", "pg_ctl"))
        if initdb is None or self._control is None:
            pytest.skip("set HINGE_POSTGRES to the URL of a database, or install PostgreSQL, to run this test")
        self._runner = _runner()
        secret = folder / "password"
        secret.write_text(PASSWORD)
        if self._runner:
            for path in (folder, secret):
                shutil.chown(path, "postgres")
        options = ("-U", "ann", "-A", "scram-sha-256", "--pwfile", str(secret), "-E", "UTF8", "--no-sync")
        self._run(initdb, "-D", str(self._data), *options)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._port = free.getsockname()[1]
        self.start()
        password = PASSWORD.replace("/", "%2F").replace("@", "%40")
        self.url = f"postgresql://ann:{password}@127.0.0.1:{self._port}/postgres"

    def start(self):
        options = f"-p {self._port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={self._folder}"
        log = str(self._folder / "log")
        self._run(self._control, "-D", str(self._data), "-w", "-l", log, "-o", options, "start")

    def stop(self):
        self._run(self._control, "-D", str(self._data), "-w", "-m", "immediate", "stop")

    def _run(self, *command):
        subprocess.run([*self._runner, *command], check=True, stdout=subprocess.DEVNULL, cwd=self._folder)


def _runner():
    """Return the words before a command that must not run as root."""
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        return []
    runner = [shutil.which("runuser", path=f"{os.environ['PATH']}:/usr/sbin:/sbin") or "runuser"]
    runner += ["-u", "postgres", "--"]
    if not Path(runner[0]).exists() or subprocess.run([*runner, "true"], check=False).returncode:
        pytest.skip("PostgreSQL does not run as root, and there is no user postgres")
    return runner
