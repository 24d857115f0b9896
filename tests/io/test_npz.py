"""NumPy's npz files."""

from __future__ import annotations

import io
import tracemalloc
import zipfile

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy.sparse import csr_matrix, random_array, save_npz, vstack

from hinge.io import DataFileError, Rows, open_source


def whole(path, n_rows=4096):
    chunks = list(open_source(path).chunks(n_rows))
    assert all(isinstance(chunk, Rows) and len(chunk) <= n_rows for chunk in chunks)
    assert [chunk.first for chunk in chunks] == [1 + n_rows * place for place in range(len(chunks))]
    y = None if chunks[0].y is None else np.concatenate([chunk.y for chunk in chunks])
    return [chunk.X for chunk in chunks], y


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    arrays.arrays(
        st.sampled_from(["float64", "float32", "float16", ">f8", "int8", "uint16", "bool"]),
        st.tuples(st.integers(1, 20), st.integers(1, 5)),
    ),
    st.booleans(),
    st.booleans(),
    st.integers(1, 25),
)
def test_dense_rows(tmp_path, X, fortran, packed, n_rows):
    path = tmp_path / "a.npz"
    y = np.array([f"class {place}" for place in range(len(X))])
    (np.savez_compressed if packed else np.savez)(path, X=np.asfortranarray(X) if fortran else X, y=y)
    parts, labels = whole(path, n_rows)
    read = np.concatenate(parts)
    assert read.dtype == (np.float32 if X.dtype == np.float32 else np.float64)
    np.testing.assert_array_equal(read, X)
    np.testing.assert_array_equal(labels, y)


@pytest.mark.parametrize("n_rows", [1, 7, 100, 1000])
def test_sparse_rows(tmp_path, n_rows):
    path = tmp_path / "a.npz"
    X = csr_matrix(random_array((230, 40), density=0.1, random_state=np.random.default_rng(1), format="csr"))
    save_npz(path, X)
    parts, y = whole(path, n_rows)
    assert y is None
    assert parts[0].indices.dtype == parts[0].indptr.dtype == np.int32
    assert (vstack(parts) != X).nnz == 0


def test_memory_does_not_grow_with_the_file(tmp_path):
    path = tmp_path / "a.npz"
    np.savez_compressed(path, X=np.zeros((40_000, 100)), y=np.zeros(40_000, dtype=np.int64))
    tracemalloc.start()
    source = open_source(path)
    assert sum(map(len, source.chunks(1000))) == 40_000
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 6 << 20  # of 32 MB
    assert source.share_read() == 1


def header(shape, descr="<f8"):
    text = repr({"descr": descr, "fortran_order": False, "shape": shape}).encode()
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text


def parts(**changes):
    X = csr_matrix(np.eye(3))
    return {"data": X.data, "indices": X.indices, "indptr": X.indptr, "shape": np.array(X.shape)} | changes


@pytest.mark.parametrize(
    ("contents", "message"),
    [
        ({"Z": np.ones(3)}, "must hold an array X"),
        ({"X": np.array([[None]], dtype=object)}, r"array X must hold .* got type object"),
        ({"X": np.ones((2, 2), dtype=complex)}, r"array X must hold .* got type complex128"),
        ({"X": np.ones(3)}, r"array X must have 2 dimension\(s\), got shape \(3,\)"),
        ({"X": np.ones((3, 2)), "y": np.ones(2)}, "must have one label per row, got 2 for 3 rows"),
        ({"X": np.ones((0, 2))}, "has no rows"),
        ({"X": header((10**15, 3))}, "array X is damaged: it has 0 bytes where its shape asks for"),
        ({"X": header((-1, -3))}, r"array X must have 2 dimension\(s\), got shape \(-1, -3\)"),
        ({"X": header((1, 2), descr="nonsense")}, "array X is damaged: its header cannot be read"),
        ({"X": b"\x93NUMPY\x01\x00\xff\xff"}, "array X is damaged: its header cannot be read"),
        ({"X": b"nothing"}, "array X is damaged: its header cannot be read"),
        (parts(indices=np.array([0, 1, 3])), "indices must lie between 0 and 2"),
        (parts(indices=np.array([0, -1, 2])), "indices must lie between 0 and 2"),
        (parts(indptr=np.array([0, 2, 1, 3])), "indptr must rise from 0"),
        (parts(indptr=np.array([0, 1, 2, 9])), "indptr must rise from 0"),
        (parts(indptr=np.array([1, 1, 2, 3])), "indptr must rise from 0"),
        (parts(indptr=np.array([0, 1, 2, 2])), "indptr must end at 3, got 2"),
        (parts(indptr=np.array([0, 3])), "do not match"),
        (parts(shape=np.array([3, 2**40])), r"between 0 and 2\*\*31 - 1 columns"),
        (parts(format=np.array(b"csc")), "must hold a CSR matrix, got csc"),
    ],
)
def test_refusals_are_one_sentence(tmp_path, contents, message):
    path = tmp_path / "a.npz"
    with zipfile.ZipFile(path, "w") as archive:
        for name, value in contents.items():
            data = value
            if not isinstance(value, bytes):
                buffer = io.BytesIO()
                np.save(buffer, value)
                data = buffer.getvalue()
            archive.writestr(f"{name}.npy", data)
    with pytest.raises(DataFileError, match=rf"^a\.npz.*{message}.*\.$"):
        list(open_source(path).chunks())


@pytest.mark.parametrize("keep", [0, 3, 200, 3000])
def test_damaged_archives(tmp_path, keep):
    path = tmp_path / "a.npz"
    np.savez_compressed(path, X=np.random.default_rng(0).normal(size=(100, 8)))
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(DataFileError, match=r"^a\.npz is damaged or not an npz file"):
        list(open_source(path).chunks())


def test_damaged_contents(tmp_path):
    path = tmp_path / "a.npz"
    np.savez_compressed(path, X=np.random.default_rng(0).normal(size=(1000, 8)))
    data = bytearray(path.read_bytes())
    data[5000:5050] = bytes(50)
    path.write_bytes(data)
    with pytest.raises(DataFileError, match=r"^a\.npz is damaged or not an npz file"):
        list(open_source(path).chunks())
