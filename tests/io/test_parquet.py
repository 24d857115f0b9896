"""Parquet files."""

from __future__ import annotations

import sys
from decimal import Decimal

import numpy as np
import pytest

from hinge.io import DataFileError, Table, open_source

pa = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")


def write(tmp_path, columns, **options):
    path = tmp_path / "a.parquet"
    parquet.write_table(pa.table(columns), path, **options)
    return path


def read(path, n_rows=4096):
    chunks = list(open_source(path).chunks(n_rows))
    assert all(isinstance(chunk, Table) and chunk.named and len(chunk) <= n_rows for chunk in chunks)
    return {name: np.concatenate([chunk.columns[name] for chunk in chunks]) for name in chunks[0].columns}


@pytest.mark.parametrize(
    ("values", "kind", "expected"),
    [
        (["a", None, "b"], pa.string(), ["a", None, "b"]),
        (["a", None, "b"], pa.large_string(), ["a", None, "b"]),
        (["a", None, "b"], pa.dictionary(pa.int8(), pa.string()), ["a", None, "b"]),
        ([None, None], pa.null(), [None, None]),
        ([*map(str, range(128))], pa.dictionary(pa.int8(), pa.string()), [*map(str, range(128))]),
    ],
)
def test_texts(tmp_path, values, kind, expected):
    column = read(write(tmp_path, {"x": pa.array(values, kind)}))["x"]
    assert column.dtype == object
    assert column.tolist() == expected


@pytest.mark.parametrize(
    ("values", "kind", "dtype"),
    [
        ([1, 2, 3], pa.int16(), "int16"),
        ([1, None, 3], pa.int64(), "float64"),
        ([1.5, None], pa.float32(), "float32"),
        ([1.5, 2.5], pa.float16(), "float16"),
        ([Decimal("1.25"), None], pa.decimal128(5, 2), "float64"),
        ([7, 8, None, 7], pa.dictionary(pa.int8(), pa.int64()), "float64"),
    ],
)
def test_numbers(tmp_path, values, kind, dtype):
    column = read(write(tmp_path, {"x": pa.array(values, kind)}))["x"]
    assert column.dtype == dtype
    np.testing.assert_array_equal(column, [np.nan if value is None else float(value) for value in values])


@pytest.mark.parametrize("n_rows", [1, 7, 64, 4096])
def test_chunks_add_up_to_the_file(tmp_path, n_rows):
    random = np.random.default_rng(0)
    columns = {"number": random.normal(size=200), "text": random.choice(["a", "b"], 200)}
    path = write(tmp_path, columns, row_group_size=50)
    result = read(path, n_rows)
    for name, column in columns.items():
        np.testing.assert_array_equal(result[name], column)
    source = open_source(path)
    assert [chunk.line(0) for chunk in source.chunks(40)][:2] == [1, 41]
    assert source.share_read() == 1


@pytest.mark.parametrize("kind", [pa.list_(pa.int8()), pa.binary()])
def test_other_types_are_refused(tmp_path, kind):
    path = write(tmp_path, {"good": [1], "bad": pa.array([None], kind)})
    with pytest.raises(DataFileError, match=r"^a\.parquet, column 'bad' holds values of type .*\.$"):
        list(open_source(path).chunks())


def test_truth_values_and_dates_are_texts(tmp_path):
    columns = {"yes": pa.array([True, None]), "day": pa.array([0, 1], pa.date32())}
    table = read(write(tmp_path, columns))
    assert table["yes"].tolist() == ["True", None]
    assert table["day"].tolist() == ["1970-01-01", "1970-01-02"]


def test_files_without_rows_and_repeated_names(tmp_path):
    with pytest.raises(DataFileError, match=r"^a\.parquet has no rows\.$"):
        read(write(tmp_path, {"x": pa.array([], pa.int8())}))
    path = tmp_path / "b.parquet"
    parquet.write_table(pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["x", "x"]), path)
    with pytest.raises(DataFileError, match=r"^b\.parquet has more than one column 'x'"):
        read(path)


def test_damaged_files(tmp_path):
    path = write(tmp_path, {"x": np.random.default_rng(0).normal(size=5000)})
    data = path.read_bytes()
    for damaged in (b"", b"PAR1", data[: len(data) // 2], data[:500] + bytes(2000) + data[2500:4]):
        path.write_bytes(damaged)
        with pytest.raises(DataFileError, match=r"^a\.parquet is damaged or not a Parquet file \(.*\)\.$"):
            list(open_source(path).chunks())


def test_without_pyarrow(tmp_path, monkeypatch):
    path = write(tmp_path, {"x": [1]})
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(
        ImportError, match=r"^Parquet files need pyarrow; install it with pip install 'hinge-svm\[parquet\]'"
    ):
        list(open_source(path).chunks())
