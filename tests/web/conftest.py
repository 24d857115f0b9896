"""Databases for the tests: SQLite always, PostgreSQL for slow tests if it is available."""

from __future__ import annotations

import os
import random
import shutil
import socket
import subprocess
import tempfile
from pathlib import Path

import pytest

from .common import Blobs

PASSWORD = "s3cret/pass@word"  # noqa: S105


@pytest.fixture(scope="session")
def server():
    """The URL of a PostgreSQL server: that of HINGE_POSTGRES, or of a temporary one."""
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
        runner = [shutil.which("runuser", path=f"{os.environ['PATH']}:/usr/sbin:/sbin") or "runuser"]
        runner += ["-u", "postgres", "--"]
        if not Path(runner[0]).exists() or subprocess.run([*runner, "true"], check=False).returncode:
            pytest.skip("PostgreSQL does not run as root, and there is no user postgres")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        yield from cluster(Path(folder), runner, initdb, control)


def cluster(folder, runner, initdb, control):
    """Start a server in a folder, and stop it at the end."""
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
    """The URL of an empty schema on the server."""
    import psycopg

    name = f"hinge_test_{random.getrandbits(60):x}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA {name}")
    yield f"{server}{'&' if '?' in server else '?'}options=-csearch_path%3D{name}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"DROP SCHEMA {name} CASCADE")


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)])
def url(request, tmp_path):
    """The URL of an empty database."""
    return str(tmp_path / "labels.db") if request.param == "sqlite" else request.getfixturevalue("schema")


@pytest.fixture
def store(url):
    from hinge.web._store import Store

    with Store(url, "pets") as opened:
        yield opened


@pytest.fixture
def blobs():
    """A small pool without a file."""
    return Blobs()


@pytest.fixture(scope="module")
def long_timeouts():
    """Wait for the model, however slow the machine is, so that the candidates are reproducible."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("hinge.web._session._LEARN_TIMEOUT_S", 60.0)
        patched.setattr("hinge.web._session._CANDIDATE_TIMEOUT_S", 60.0)
        yield


@pytest.fixture
def open_page(tmp_path):
    """Open labelling pages with one database; all are closed at the end."""
    from .pages import Page

    pages = []

    def opened(pool=None, token=None):
        pages.append(Page(tmp_path, Blobs(60) if pool is None else pool, token))
        return pages[-1]

    yield opened
    for each in pages:
        each.close()


@pytest.fixture
def page(open_page):
    return open_page()


@pytest.fixture(scope="module")
def shared_page(tmp_path_factory):
    """A page with a few labels, for requests that change nothing."""
    from .pages import Page, Pictures

    page = Page(tmp_path_factory.mktemp("shared"), Pictures(60))
    page.label(3)
    yield page
    page.close()


@pytest.fixture
def unchanged(shared_page):
    """The shared page, which a test must leave unchanged."""
    before = shared_page.state()
    yield shared_page
    assert shared_page.state() == before
