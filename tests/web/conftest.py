"""Databases for the tests: SQLite always, PostgreSQL for slow tests if it is available. Pages and a browser."""

from __future__ import annotations

import os
import random
import shutil
import tempfile
from pathlib import Path

import pytest

from .common import Blobs
from .postgres import Cluster

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


@pytest.fixture(scope="session")
def server():
    """The URL of a PostgreSQL server: that of HINGE_POSTGRES, or of a temporary one."""
    if url := os.environ.get("HINGE_POSTGRES"):
        yield url
        return
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        cluster = Cluster(Path(folder))
        try:
            yield cluster.url
        finally:
            cluster.stop()


@pytest.fixture(scope="module")
def browser():
    """A headless browser: that of the system, or Playwright's own."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    path = os.environ.get("HINGE_BROWSER") or next(filter(None, map(shutil.which, BROWSERS)), None)
    with playwright.sync_playwright() as driver:
        try:
            browser = driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
        except playwright.Error:
            pytest.skip("install Chromium (or set HINGE_BROWSER to its path) to run this test")
        yield browser
        browser.close()


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
        patched.setattr("hinge.web._learning._LEARN_TIMEOUT_S", 60.0)
        patched.setattr("hinge.web._next_examples._CANDIDATE_TIMEOUT_S", 60.0)
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
