"""Public sets by name, from a folder or fetched; the files here are small ones of the same form."""

from __future__ import annotations

import bz2
import gzip
import threading
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest
from scipy.sparse import issparse

from hinge.datasets import _download, _known
from hinge.datasets._download import DownloadError, cache_folder, fetch
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
    """A local server; `files` maps paths to bytes, `behaviour` changes how they are sent."""
    files: dict[str, bytes] = {}
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
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
    thread = threading.Thread(target=running.serve_forever)
    thread.start()
    running.files, running.asked = files, asked
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
def test_two_files(folders, monkeypatch, packing, pack):
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
    monkeypatch.setattr("hinge.datasets._assembly._N_INDICATORS", 5)
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
def test_another_version_is_refused(folders, monkeypatch, text, message):
    small(monkeypatch, "banana", n_train=3, n_test=2)
    (folders[0] / "banana").write_text(text)
    with pytest.raises(DataFileError, match=rf"{message}.*: it is damaged or another version; delete it and try again"):
        load_known("banana")


def test_sets_without_address(folders):
    with pytest.raises(
        FileNotFoundError, match=r"put rcv1-ccat.bz2 and rcv1-ccat.t.bz2 into the folder named by HINGE_"
    ):
        load_known("rcv1-ccat")


def test_folder_that_is_not_there(folders, monkeypatch):
    monkeypatch.setenv("HINGE_DATA", "/nowhere/at all")
    with pytest.raises(FileNotFoundError, match="HINGE_DATA must name a folder, got /nowhere/at all"):
        load_known("banana")


def test_files_are_fetched_once(folders, monkeypatch, server):
    server.files.update({"/x/a9a": b"1 1:1\n-1 2:1\n", "/x/a9a.t": b"1 1:1\n"})
    addresses = {"a9a": f"{server.address}/x/a9a", "a9a.t": f"{server.address}/x/a9a.t"}
    small(monkeypatch, "a9a", n_train=2, n_test=1, addresses=addresses)
    for _ in range(2):
        assert load_known("a9a").y_train.tolist() == [1, -1]
    assert server.asked == ["/x/a9a", "/x/a9a.t"]
    assert sorted(path.name for path in folders[1].iterdir()) == ["a9a", "a9a.t"]


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("/missing", r"could not be fetched \(.*404.*\); try again, or put file into the folder named by HINGE_DATA"),
        ("/short/file", "broke off after 4 of 14 bytes"),
        ("/elsewhere", "http://example.invalid/file is not fetched: only https is trusted"),
    ],
)
def test_failures_leave_nothing(tmp_path, server, path, message):
    server.files["/file"] = b"1234"
    with pytest.raises(DownloadError, match=message):
        fetch(server.address + path, tmp_path / "new" / "file")
    assert list((tmp_path / "new").iterdir()) == []


def test_too_large_and_interrupted(tmp_path, server, monkeypatch):
    server.files["/file"] = bytes(1000)
    monkeypatch.setattr(_download, "_LARGEST", 999)
    with pytest.raises(DownloadError, match="has more than"):
        fetch(f"{server.address}/file", tmp_path / "file")

    def interrupted(url, file):
        file.write(b"half")
        raise KeyboardInterrupt

    monkeypatch.setattr(_download, "_copy", interrupted)
    with pytest.raises(KeyboardInterrupt):
        fetch(f"{server.address}/file", tmp_path / "file")
    assert list(tmp_path.iterdir()) == []


def test_only_https_is_trusted(tmp_path):
    for address in ("http://example.invalid/file", "file:///etc/passwd", "ftp://127.0.0.1/file"):
        with pytest.raises(DownloadError, match="only https is trusted"):
            fetch(address, tmp_path / "file")
    for known in KNOWN.values():
        assert all(address.startswith("https://") for address in known.addresses.values())


def test_cache_folder(monkeypatch, tmp_path):
    monkeypatch.delenv("HINGE_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "hinge"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_folder() == tmp_path / ".cache" / "hinge"


@pytest.mark.slow
@pytest.mark.parametrize("name", KNOWN)
def test_the_real_files(data_folder, name):
    data, known = load_known(name), KNOWN[name]
    assert data.X_train.shape == (known.n_train, known.n_features)
    assert data.X_test.shape == (known.n_test, known.n_features)
    assert set(data.y_test) <= set(data.y_train) or name == "kddcup99"
    values = data.X_train.data if issparse(data.X_train) else data.X_train
    assert values.dtype == np.float32
    assert np.abs(values).max() <= (1 if name not in {"banana", "ijcnn1"} else 4)
