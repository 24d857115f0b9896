"""`hinge.datasets.read`: files of all formats give the same arrays."""

import bz2
import gzip
import lzma

import numpy as np
import pytest
from scipy.sparse import csr_matrix, issparse, save_npz
from sklearn.datasets import dump_svmlight_file

import hinge
from hinge.datasets import read

random = np.random.default_rng(0)
X = np.round(random.normal(size=(50, 4)) * (random.random((50, 4)) < 0.7), 3)
X[0] = 1.5  # the last column must not be empty
y = random.integers(0, 3, 50)
OPENERS = {"": open, ".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}


def write_csv(path, *, header):
    lines = ["a,b,c,d,class"] if header else []
    lines += [",".join(map(repr, map(float, row))) + f",{label}" for row, label in zip(X, y, strict=True)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


@pytest.mark.parametrize("suffix", OPENERS)
def test_svmlight(tmp_path, suffix):
    path = tmp_path / f"data.svm{suffix}"
    with OPENERS[suffix](path, "wb") as file:
        dump_svmlight_file(X, y, file, zero_based=False)
    read_X, read_y = read(path)
    assert issparse(read_X)
    np.testing.assert_allclose(read_X.toarray(), X)
    np.testing.assert_array_equal(read_y, y)
    np.testing.assert_allclose(read(path, dense=True)[0], X)


@pytest.mark.parametrize("header", [True, False])
def test_csv(tmp_path, header):
    path = tmp_path / "data.csv"
    write_csv(path, header=header)
    for label in ("class" if header else "4", 4, -1, None):
        read_X, read_y = read(path, label=label)
        np.testing.assert_allclose(read_X, X)
        np.testing.assert_array_equal(read_y, y)


def test_parquet(tmp_path):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    path = tmp_path / "data.parquet"
    pandas.DataFrame(X, columns=list("abcd")).assign(colour=["red", "blue"] * 25, y=y).to_parquet(path)
    read_X, read_y = read(path)
    np.testing.assert_allclose(read_X[:, :4], X)
    assert read_X[:2, 4:].tolist() == [[0, 1], [1, 0]]
    np.testing.assert_array_equal(read_y, y)


def test_npz(tmp_path):
    np.savez(tmp_path / "dense.npz", X=X, y=y)
    np.savez_compressed(tmp_path / "packed.npz", X=X.astype(np.float32), y=y.astype(str))
    np.testing.assert_array_equal(read(tmp_path / "dense.npz")[0], X)
    packed_X, packed_y = read(tmp_path / "packed.npz", dtype="float32")
    assert packed_X.dtype == np.float32
    assert packed_y.tolist() == y.tolist()  # texts that are whole numbers become integers
    save_npz(tmp_path / "bare.npz", csr_matrix(X))
    with pytest.raises(hinge.DataError, match="There must be labels"):
        read(tmp_path / "bare.npz")


@pytest.mark.parametrize("size", [1, 7, 50, 1000])
def test_chunks_add_up_to_the_file(tmp_path, size):
    path = tmp_path / "data.csv"
    write_csv(path, header=True)
    chunks = list(read(path, chunk_size=size))
    assert all(len(labels) <= size for _, labels in chunks)
    np.testing.assert_allclose(np.concatenate([rows for rows, _ in chunks]), X)
    np.testing.assert_array_equal(np.concatenate([labels for _, labels in chunks]), y)


def test_empty_chunks_are_skipped(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("a,y\n1,0\n,1\n,1\n2,1\n")
    assert [labels.tolist() for _, labels in read(path, missing="drop", chunk_size=1)] == [[0], [1]]


def test_chunks_through_partial_fit(tmp_path):
    path = tmp_path / "data.svm"
    dump_svmlight_file(X, y, str(path), zero_based=False)
    model = hinge.OnlineSVC()
    for rows, labels in read(path, chunk_size=10):
        model.partial_fit(rows, labels)
    assert model.n_seen_ == 50


def test_bad_parameters(tmp_path):
    path = tmp_path / "data.csv"
    write_csv(path, header=True)
    with pytest.raises(hinge.ParameterError, match="chunk_size must be at least 1"):
        read(path, chunk_size=0)
    with pytest.raises(hinge.ParameterError, match="missing must be one of"):
        read(path, missing="guess")
    with pytest.raises(hinge.ParameterError, match="dtype must be one of"):
        read(path, dtype="int8")
    with pytest.raises(FileNotFoundError, match="There is no file"):
        read(tmp_path / "nothing.csv")
