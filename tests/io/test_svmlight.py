"""Svmlight text."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tracemalloc

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix, random_array, vstack
from sklearn.datasets import dump_svmlight_file

from hinge.io import DataFileError, Rows, open_source

COMPRESSORS = {"plain": bytes, "gzip": gzip.compress, "bzip2": bz2.compress, "xz": lzma.compress}


def text_of(X, y) -> bytes:
    buffer = io.BytesIO()
    dump_svmlight_file(X, y, buffer, zero_based=True)
    return buffer.getvalue()


def whole(path, n_rows=4096, **options):
    chunks = list(open_source(path, **options).chunks(n_rows))
    assert all(isinstance(chunk, Rows) for chunk in chunks)
    width = max(chunk.X.shape[1] for chunk in chunks)
    for chunk in chunks:
        chunk.X.resize(len(chunk), width)
    return vstack([chunk.X for chunk in chunks], format="csr"), np.concatenate([chunk.y for chunk in chunks])


@st.composite
def matrices(draw):
    n_rows, n_columns = draw(st.integers(1, 25)), draw(st.integers(1, 12))
    entries = st.floats(-1e300, 1e300, allow_subnormal=False) | st.just(0.0)
    values = draw(st.lists(entries, min_size=n_rows * n_columns, max_size=n_rows * n_columns))
    labels = draw(st.lists(st.integers(-9, 9), min_size=n_rows, max_size=n_rows))
    return csr_matrix(np.reshape(values, (n_rows, n_columns))), np.array(labels)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(matrices(), st.sampled_from(sorted(COMPRESSORS)), st.integers(1, 30))
def test_round_trip(tmp_path, matrix, compression, n_rows):
    X, y = matrix
    path = tmp_path / "rows.svm"
    path.write_bytes(COMPRESSORS[compression](text_of(X, y)))  # recognised by its contents, not by its name
    read, labels = whole(path, n_rows)
    read.resize(X.shape)
    # The writer keeps 16 digits; the same text gives the same numbers in chunks of any size.
    np.testing.assert_allclose(read.toarray(), X.toarray(), rtol=1e-15)
    np.testing.assert_array_equal(labels, y)
    assert labels.dtype == np.int64
    same, _ = whole(path, 4096)
    same.resize(X.shape)
    np.testing.assert_array_equal(read.toarray(), same.toarray())


def test_chunks_have_32_bit_indices_and_line_numbers(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"# made by hand\n\n1 1:2 4:1e-3 # a remark: 7:7\r\n\n-1\n+2.0 0:3")
    one, two, three = open_source(path).chunks(1)
    assert [chunk.first for chunk in (one, two, three)] == [3, 5, 6]
    assert one.X.indices.dtype == one.X.indptr.dtype == np.int32
    assert type(one.X) is csr_matrix
    assert one.X.toarray().tolist() == [[0, 2, 0, 0, 0.001]]
    assert [chunk.y.tolist() for chunk in (one, two, three)] == [[1], [-1], [2]]
    assert next(open_source(path).chunks()).first == 3


def test_fractional_labels_stay_floats(tmp_path):
    path = tmp_path / "a.svm"
    path.write_text("1.5 1:1\n2 1:1\n1e300 1:2\n")
    assert next(open_source(path).chunks()).y.tolist() == [1.5, 2.0, 1e300]


def test_large_indices_take_no_memory(tmp_path):
    path = tmp_path / "a.svm"
    path.write_text("1 2147483646:1\n")
    tracemalloc.start()
    chunk = next(open_source(path).chunks())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert chunk.X.shape == (1, 2**31 - 1)
    assert peak < 10 << 20


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("1,3 1:0.5", "must have one label, got '1,3'"),
        ("1:2 3:4", "must begin with a label that is a finite number, got '1:2'"),
        ("good 1:1", "must begin with a label that is a finite number, got 'good'"),
        ("nan 1:1", "must begin with a label that is a finite number, got 'nan'"),
        ("1_0 1:1", "must begin with a label that is a finite number, got '1_0'"),
        ("1 1:nan", "must hold finite numbers, got 'nan' for index 1"),
        ("1 1:2 2:-inf", "must hold finite numbers, got '-inf' for index 2"),
        ("1 1:1_0", "must hold finite numbers, got '1_0' for index 1"),
        ("1 1:", "must hold finite numbers, got '' for index 1"),
        ("1 2:1 1:1", "must have indices in ascending order, got 1 after 2"),
        ("1 2:1 2:1", "must have indices in ascending order, got 2 after 2"),
        ("1 -2:1", "must have indices of at least 0, got -2"),
        ("1 2147483647:1", "must have indices of at most 2147483646, got '2147483647'"),
        ("1 99999999999999999999999:1", "must have indices of at most 2147483646, got '9999"),
        ("1 x:1", "must hold index:value pairs after the label, got 'x:1'"),
        ("1 1.5:1", "must hold index:value pairs after the label, got '1.5:1'"),
        ("1 17", "must hold index:value pairs after the label, got '17'"),
        ("1 " + "z" * 100, r"got 'z{40}\.\.\.'"),
        ("1 1:\0", "has a null character"),
    ],
)
def test_bad_line_is_reported(tmp_path, line, message):
    path = tmp_path / "a.svm"
    path.write_text("# heading\n" + "1 1:1\n" * 9 + f"\n{line}\n" + "1 1:1\n" * 9)
    with pytest.raises(DataFileError, match=rf"^a\.svm, line 12 .*{message}.*[.?]$"):
        list(open_source(path).chunks(7))


@pytest.mark.parametrize("n_rows", [1, 5, 4096])
@pytest.mark.parametrize("number", [1, 8, 20])
def test_bad_line_is_found_in_blocks_of_any_size(tmp_path, number, n_rows):
    path = tmp_path / "a.svm"
    path.write_text("".join("1 1:x\n" if line == number else "1 1:1\n" for line in range(1, 21)))
    with pytest.raises(DataFileError, match=rf"^a\.svm, line {number} must hold finite numbers, got 'x'"):
        list(open_source(path).chunks(n_rows))


@pytest.mark.parametrize("compression", ["gzip", "bzip2", "xz"])
@pytest.mark.parametrize("damage", ["cut", "changed"])
def test_damaged_compression(tmp_path, compression, damage):
    path = tmp_path / "a.svm"
    X = random_array((2000, 20), density=0.5, random_state=np.random.default_rng(0), format="csr")
    data = bytearray(COMPRESSORS[compression](text_of(X, np.ones(2000))))
    if damage == "cut":
        del data[len(data) // 2 :]
    else:
        for place in range(len(data) // 2, len(data) // 2 + 50):
            data[place] ^= 0xFF
    path.write_bytes(data)
    with pytest.raises(DataFileError, match=rf"a\.svm is damaged or truncated: .* as {compression} |a\.svm, line"):
        list(open_source(path).chunks())


@pytest.mark.parametrize("compression", ["gzip", "bzip2", "xz"])
def test_concatenated_compressed_streams(tmp_path, compression):
    path = tmp_path / "a"
    pack = COMPRESSORS[compression]
    path.write_bytes(pack(b"1 1:1\n2 1") + pack(b":5\n3 1:3\n"))
    X, y = whole(path)
    assert y.tolist() == [1, 2, 3]
    assert X.toarray()[:, 1].tolist() == [1, 5, 3]


def test_memory_does_not_grow_with_the_file(tmp_path, monkeypatch):
    monkeypatch.setattr("hinge.io._bytes.PIECE", 1 << 14)
    line = b"1 " + b" ".join(b"%d:0.25" % index for index in range(1, 16)) + b"\n"
    peaks = []
    for n_lines in (3_000, 12_000):
        path = tmp_path / f"{n_lines}.gz"
        path.write_bytes(gzip.compress(line * n_lines, 1))
        tracemalloc.start()
        assert sum(map(len, open_source(path).chunks(200))) == n_lines
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.2 * peaks[0]


def test_lines_count_comments_and_blanks(tmp_path):
    (tmp_path / "rows.svm").write_text("# made by hand\n1 1:2\n\n# more\n0 1:3\n1 2:1 # here\n#\n0 1:1\n")
    (chunk,) = open_source(tmp_path / "rows.svm").chunks(100)
    assert [chunk.line(place) for place in range(len(chunk))] == [2, 5, 6, 8]
