"""What all formats share: how files are opened, recognised, read and closed; and pipes."""

from __future__ import annotations

import bz2
import gzip
import io
import os
import subprocess
import sys
import threading
from types import SimpleNamespace

import pytest

from hinge.exceptions import ParameterError
from hinge.io import DataFileError, open_source


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("a9a", "-1 3:1 11:1\n", "svmlight"),
        ("a9a.t", "# heading\n\n-1 3:1 11:1\n", "svmlight"),
        ("a.txt", "1 qid:3 1:2\n", "svmlight"),
        ("a.data", "1 2:3,4\n", "csv"),
        ("a.data", "5.1,3.5,setosa\n", "csv"),
        ("a.txt", "1\n", "csv"),
        ("a.svm.gz", "1\n", "svmlight"),
        ("a.CSV.xz", "1 2:3\n", "csv"),
        ("a.libsvm", "1 2:3\n", "svmlight"),
        ("a.tsv", "1 2:3\n", "csv"),
    ],
)
def test_format_is_recognised(tmp_path, name, text, expected):
    path = tmp_path / name
    path.write_text(text)
    source = open_source(path)
    assert (source.name, source.format, source.repeatable) == (name, expected, True)
    assert open_source(str(path), format="svmlight").format == "svmlight"


def test_missing_files_and_folders(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"^There is no file .*nowhere\.csv\.$"):
        open_source(tmp_path / "nowhere.csv")
    with pytest.raises(IsADirectoryError, match=r"is a folder; give the path of a file in it\.$"):
        open_source(tmp_path)
    path = tmp_path / "a.csv"
    path.write_text("1,2\n")
    source = open_source(path)
    path.unlink()
    with pytest.raises(FileNotFoundError, match=r"^There is no file"):
        list(source.chunks())


@pytest.mark.parametrize(
    ("name", "data"),
    [
        *((name, data) for name in ("a", "a.svm", "a.csv") for data in (b"", b"\n\n")),
        *((name, b"# nothing\n") for name in ("a", "a.svm")),  # CSV has no comments
    ],
)
def test_files_without_rows(tmp_path, name, data):
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(DataFileError, match=rf"^{name} (is empty|has no rows)\.$"):
        list(open_source(path).chunks())


def test_wrong_options(tmp_path):
    with pytest.raises(ParameterError, match="format must be one of svmlight, csv, parquet, npz, got 'xls'"):
        open_source(tmp_path, format="xls")
    with pytest.raises(ParameterError, match="delimiter must be one character"):
        open_source(tmp_path, delimiter="ab")
    path = tmp_path / "a.csv"
    path.write_text("1,2\n")
    with pytest.raises(ParameterError, match="n_rows must be at least 1, got 0"):
        open_source(path).chunks(0)


def test_files_can_be_read_again_and_report_progress(tmp_path):
    path = tmp_path / "a.csv.gz"
    lines = "".join(f"{number},{number * 7919 % 10007}\n" for number in range(100_000))
    path.write_bytes(gzip.compress(lines.encode()))
    source = open_source(path)
    assert source.share_read() is None
    for _ in range(2):
        shares = [source.share_read() for _ in source.chunks(1000)]
        assert shares == sorted(shares)
        assert 0 < shares[0] < 0.5
        assert source.share_read() == 1


def test_files_are_closed(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("1,2\n" * 100)
    source = open_source(path)
    before = set(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else set()  # noqa: PTH112, PTH208
    chunks = source.chunks(10)
    next(chunks)
    chunks.close()
    list(source.chunks())
    after = set(os.listdir("/proc/self/fd")) if before else set()  # noqa: PTH208
    assert after <= before


def test_standard_input_is_read_once(monkeypatch):
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(bz2.compress(b"1 2:3\n" * 5))))
    source = open_source("-")
    assert (source.name, source.format, source.repeatable) == ("standard input", "svmlight", False)
    assert [len(chunk) for chunk in source.chunks(3)] == [3, 2]
    assert not sys.stdin.buffer.closed
    with pytest.raises(DataFileError, match=r"^standard input has been read already and can be read only once"):
        source.chunks()


@pytest.mark.parametrize("given", [None, "npz", "parquet"])
def test_file_formats_are_not_read_from_pipes(monkeypatch, given):
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b"PK\x03\x04\0\0" if not given else b"")))
    with pytest.raises(DataFileError, match=r"^standard input cannot be read as (npz|parquet), which needs a file"):
        open_source("-", format=given)


COUNT = """
import time
from hinge.io import open_source
for chunk in open_source("-").chunks(1000):
    print(len(chunk), chunk.line(0), flush=True)
"""


@pytest.fixture
def reader():
    process = subprocess.Popen([sys.executable, "-c", COUNT], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    yield process
    process.stdin.close()
    process.stdout.close()
    process.wait()


@pytest.mark.parametrize("row", [b"1 1:5\n", b"a,5\n"])
def test_rows_of_a_slow_pipe_are_not_held_back(reader, row):
    reader.stdin.write(row + row[:3])  # half a row stays where it is
    reader.stdin.flush()
    assert reader.stdout.readline() == b"1 1\n"  # comes before anything more is written
    reader.stdin.write(row[3:])
    reader.stdin.flush()
    assert reader.stdout.readline() == b"1 2\n"
    reader.stdin.write(row * 5)
    reader.stdin.flush()
    assert reader.stdout.readline() == b"5 3\n"


def test_fast_pipe_gives_full_chunks(reader):
    lengths = []
    thread = threading.Thread(target=lambda: lengths.extend(int(line.split()[0]) for line in reader.stdout))
    thread.start()
    reader.stdin.write(b"1 " + b" ".join(b"%d:1" % index for index in range(100)) + b"\n")
    reader.stdin.write((b"1 " + b" ".join(b"%d:1" % index for index in range(100)) + b"\n") * 9_999)
    reader.stdin.close()
    thread.join()
    assert sum(lengths) == 10_000
    assert max(lengths) == 1000


def test_named_pipe(tmp_path):
    path = tmp_path / "rows.csv"
    os.mkfifo(path)

    def write():
        with path.open("wb") as file:
            file.write(b"a,b\n1,2\n")
            file.flush()
            first_came.wait(timeout=60)
            file.write(b"3,4\n")

    first_came = threading.Event()
    thread = threading.Thread(target=write)
    thread.start()
    source = open_source(path)
    assert not source.repeatable
    sizes = []
    for chunk in source.chunks():
        sizes.append(len(chunk))
        first_came.set()
    assert sizes == [1, 1]
    assert source.share_read() is None
    thread.join()
