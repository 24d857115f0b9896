"""Public data sets by name, from a folder or downloaded; the files here are small ones of the same format."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import sys
import threading
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import issparse

from hinge.datasets import _download, _known
from hinge.datasets._download import DownloadError, RemoteFile, download
from hinge.datasets._known import KNOWN, load_known
from hinge.io import DataFileError


@pytest.fixture
def folders(tmp_path, monkeypatch):
    data, cache = tmp_path / "data", tmp_path / "cache"
    data.mkdir()
    monkeypatch.setenv("HINGE_DATA", str(data))
    monkeypatch.setenv("HINGE_CACHE", str(cache))
    return data, cache


@pytest.fixture
def server():
    """A local server; `files` maps paths to bytes, /short promises ten bytes too many, /elsewhere redirects to http."""
    files: dict[str, bytes] = {}
    requested: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            requested.append(self.path)
            if self.path == "/elsewhere":
                self.send_response(302)
                self.send_header("Location", "http://example.invalid/file")
                self.end_headers()
            elif (body := files.get(self.path.removeprefix("/short"))) is None:
                self.send_error(404)
            else:
                self.send_response(200)
                self.send_header("Content-Length", str(len(body) + (10 if self.path.startswith("/short") else 0)))
                self.end_headers()
                self.wfile.write(body)

        def log_message(self, *arguments):
            pass

    running = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=running.serve_forever, args=(0.01,))
    thread.start()
    running.files, running.requested = files, requested
    running.address = f"http://127.0.0.1:{running.server_port}"
    yield running
    running.shutdown()
    thread.join()
    running.server_close()


def small(monkeypatch, name, **changes):
    monkeypatch.setitem(_known.KNOWN, name, replace(KNOWN[name], **changes))


@pytest.mark.parametrize(
    ("packing", "pack"), [("", bytes), (".bz2", bz2.compress), (".gz", gzip.compress)], ids=["plain", "bz2", "gz"]
)
def test_training_and_test_files(folders, monkeypatch, packing, pack):
    small(monkeypatch, "usps", n_train=3, n_test=2, n_features=4)
    (folders[0] / f"usps{packing}").write_bytes(pack(b"10 1:1 3:-0.5\n1 2:1\n2 4:1\n"))
    (folders[0] / f"usps.t{packing}").write_bytes(pack(b"10 1:1\n9 1:1\n"))
    data = load_known("usps")
    assert data.X_train.tolist() == [[1, 0, -0.5, 0], [0, 1, 0, 0], [0, 0, 0, 1]]
    assert data.X_train.dtype == data.X_test.dtype == np.float32
    assert data.y_train.tolist() == [9, 0, 1]  # some copies call the digits 1 to 10
    assert data.X_test.shape == (2, 4)
    assert (data.C, data.gamma) == (10, 2**-7)


def test_one_file_is_split(folders, monkeypatch):
    small(monkeypatch, "banana", n_train=3, n_test=2)
    (folders[0] / "banana").write_text("".join(f"1 1:{number} 2:2\n" for number in range(5)))
    data = load_known("banana")
    assert data.X_train[:, 0].tolist() == [0, 1, 2]
    assert data.X_test[:, 0].tolist() == [3, 4]


def test_sparse_rows(folders, monkeypatch):
    small(monkeypatch, "rcv1-ccat", n_train=3, n_test=1)
    (folders[0] / "rcv1-ccat").write_text("1 1:0.5 47236:2\n-1\n1 7:1\n")
    (folders[0] / "rcv1-ccat.t").write_text("1 1:1\n")
    data = load_known("rcv1-ccat")
    assert issparse(data.X_train)
    assert data.X_train.shape == (3, 47_236)
    assert data.X_train.dtype == np.float32
    assert data.X_train.indices.tolist() == [0, 47_235, 6]
    assert data.X_train.indptr.tolist() == [0, 2, 2, 3]


def test_network_connections(folders, monkeypatch):
    monkeypatch.setattr("hinge.datasets._known_files._N_NAMES", 5)
    small(monkeypatch, "kddcup99", n_train=5, n_test=1)
    rows = []
    for number, protocol in enumerate(["udp", "tcp", "udp", "icmp", "tcp", "udp"]):
        rows.append(f"{number},{protocol},http,SF," + ",".join(["0"] * 37) + f",kind{number}.\n")
    (folders[0] / "kddcup99-10pct.csv").write_text("".join(rows))
    data = load_known("kddcup99")
    assert data.X_train.shape == (5, 38 + 5)
    assert data.X_test.shape == (1, 38 + 5)
    np.testing.assert_allclose(data.X_train[:, 0], np.log1p([0, 1, 2, 3, 5]) / np.log1p(5), rtol=1e-6)
    assert data.X_train[:, 38:41].tolist() == [[0, 0, 1], [0, 1, 0], [0, 0, 1], [1, 0, 0], [0, 0, 1]]
    assert (data.X_train[:, 41:] == 1).all()
    assert data.X_test[0, 38:41].tolist() == [0, 1, 0]
    assert data.y_test.tolist() == ["kind4."]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 1:1\n", "has 1 rows where banana has 5"),
        ("1 1:1\n" * 6, "has more than 5 rows where banana has 5"),
        ("1 1:1 3:1\n" * 5, "has indices from 1 to 3 where banana has 1 to 2"),
        ("1 0:1\n" * 5, "has indices from 0 to 0 where banana has 1 to 2"),
        ("1.5 1:1\n" * 5, "has labels that are not whole numbers"),
    ],
)
def test_unexpected_content_is_refused(folders, monkeypatch, text, message):
    small(monkeypatch, "banana", n_train=3, n_test=2)
    (folders[0] / "banana").write_text(text)
    with pytest.raises(DataFileError, match=rf"{message}.*: it is damaged or another version; delete it and try again"):
        load_known("banana")


def test_set_without_public_address(folders):
    expected = "rcv1-ccat cannot be downloaded; put rcv1-ccat.bz2 and rcv1-ccat.t.bz2 into the folder named by HINGE_"
    with pytest.raises(FileNotFoundError, match=expected):
        load_known("rcv1-ccat")


def test_missing_data_folder(folders, monkeypatch):
    monkeypatch.setenv("HINGE_DATA", "/nowhere/at all")
    with pytest.raises(FileNotFoundError, match="HINGE_DATA must name a folder, got /nowhere/at all"):
        load_known("banana")


def remote(server, path, content=None):
    checksum = None if content is None else f"sha256:{hashlib.sha256(content).hexdigest()}"
    return RemoteFile(server.address + path, "file", checksum)


def test_files_are_downloaded_once(folders, monkeypatch, server):
    train, test = b"1 1:1\n-1 2:1\n", b"1 1:1\n"
    server.files.update({"/x/a9a": train, "/x/a9a.t": test})
    downloads = {
        "a9a": replace(remote(server, "/x/a9a", train), name="a9a"),
        "a9a.t": replace(remote(server, "/x/a9a.t"), name="a9a.t"),
    }
    small(monkeypatch, "a9a", n_train=2, n_test=1, downloads=downloads)
    for _ in range(2):
        assert load_known("a9a").y_train.tolist() == [1, -1]
    assert server.requested == ["/x/a9a", "/x/a9a.t"]
    assert sorted(path.name for path in folders[1].iterdir()) == ["a9a", "a9a.t"]


def test_downloads_are_silent(folders, server, capfd):
    server.files["/file"] = b"1234"
    assert download(remote(server, "/file")).read_bytes() == b"1234"
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("path", "message"),
    [
        (
            "/file",
            r"/file is not the expected file: its checksum differs from sha256:\w+; try again later, or put file",
        ),
        (
            "/missing",
            r"could not be downloaded \(.*404.*\); try again, or put file into the folder named by HINGE_DATA",
        ),
        ("/short/file", r"could not be downloaded \(.*4 bytes read, 10 more expected.*\); try again"),
        ("/elsewhere", "^http://example.invalid/file is not downloaded: only https addresses are trusted"),
    ],
)
def test_failed_download_leaves_nothing(folders, server, path, message):
    server.files["/file"] = b"1234"
    with pytest.raises(DownloadError, match=message) as caught:
        download(remote(server, path, b"other content"))
    assert "\n" not in str(caught.value)
    assert list(folders[1].iterdir()) == []


def test_damaged_cached_file_is_downloaded_again(folders, server):
    server.files["/file"] = b"1234"
    folders[1].mkdir()
    (folders[1] / "file").write_bytes(b"12")
    assert download(remote(server, "/file", b"1234")).read_bytes() == b"1234"


def test_oversized_and_interrupted_downloads_leave_nothing(folders, server, monkeypatch):
    server.files["/file"] = bytes(1000)
    with monkeypatch.context() as changed:
        changed.setattr(_download, "_MAX_BYTES", 999)
        with pytest.raises(DownloadError, match="has more than"):
            download(remote(server, "/file"))

    def interrupt(url, output_file, pooch):
        Path(output_file).write_bytes(b"half")
        raise KeyboardInterrupt

    monkeypatch.setattr("pooch.HTTPDownloader", lambda **_: interrupt)
    with pytest.raises(KeyboardInterrupt):
        download(remote(server, "/file"))
    assert list(folders[1].iterdir()) == []


@pytest.mark.parametrize("url", ["http://example.invalid/file", "file:///etc/passwd", "ftp://127.0.0.1/file"])
def test_only_https_is_trusted(folders, url):
    with pytest.raises(DownloadError, match="only https addresses are trusted"):
        download(RemoteFile(url, "file", None))


def test_addresses_of_known_sets():
    files = [file for known in KNOWN.values() for file in known.downloads.values()]
    assert files
    assert all(file.url.startswith("https://") for file in files)
    assert all(file.checksum is None or file.checksum.startswith(("sha256:", "md5:")) for file in files)


def test_cache_folder(folders, monkeypatch, server):
    monkeypatch.delenv("HINGE_CACHE")
    monkeypatch.setattr("pooch.os_cache", lambda project: folders[1] / project)
    server.files["/file"] = b"1234"
    assert download(remote(server, "/file")) == folders[1] / "hinge" / "file"


def test_without_pooch(folders, monkeypatch):
    monkeypatch.setitem(sys.modules, "pooch", None)
    with pytest.raises(
        ImportError, match=r"Downloading a9a needs pooch; install it with pip install 'hinge-svm\[datasets\]'"
    ):
        load_known("a9a")


@pytest.mark.slow
@pytest.mark.parametrize("name", KNOWN)
def test_real_files(data_folder, name):
    data, known = load_known(name), KNOWN[name]
    assert data.X_train.shape == (known.n_train, known.n_features)
    assert data.X_test.shape == (known.n_test, known.n_features)
    assert set(data.y_test) <= set(data.y_train) or name == "kddcup99"
    values = data.X_train.data if issparse(data.X_train) else data.X_train
    assert values.dtype == np.float32
    assert np.abs(values).max() <= (1 if name not in {"banana", "ijcnn1"} else 4)
