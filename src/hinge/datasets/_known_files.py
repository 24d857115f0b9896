"""Read the files of public data sets into arrays that are allocated once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_matrix

from hinge.io import DataFileError, Rows, Table, open_source

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from hinge.io import Chunk

# The KDD cup of 1999: 42 columns, the class last; protocol, service and flag are names, the others numbers.
_NAME_COLUMNS = (1, 2, 3)
_N_COLUMNS = 42
_N_NUMBERS = _N_COLUMNS - 1 - len(_NAME_COLUMNS)
_N_NAMES = 80  # distinct ones, in all three columns together
_TEST_EVERY = 5


def read_dense(path: Path, name: str, n_rows: int, n_features: int) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Return rows and labels of an svmlight file with indices from 1, which must have exactly this shape."""
    X = np.zeros((n_rows, n_features), dtype=np.float32)
    y = np.empty(n_rows, dtype=np.int64)
    for start, part, labels in _svmlight_parts(path, name, n_rows, n_features):
        rows = np.repeat(np.arange(start, start + len(labels)), np.diff(part.indptr))
        X[rows, part.indices - 1] = part.data
        y[start : start + len(labels)] = labels
    return X, y


def read_sparse(path: Path, name: str, n_rows: int, n_features: int) -> tuple[csr_matrix, NDArray[np.int64]]:
    """Return the same as `read_dense`, with rows of a CSR matrix."""
    data, indices, lengths = [], [], [np.zeros(1, dtype=np.int32)]
    y = np.empty(n_rows, dtype=np.int64)
    for start, part, labels in _svmlight_parts(path, name, n_rows, n_features):
        data.append(part.data.astype(np.float32))
        indices.append(part.indices - np.int32(1))
        lengths.append(np.diff(part.indptr))
        y[start : start + len(labels)] = labels
    indptr = np.cumsum(np.concatenate(lengths), dtype=np.int32)
    return csr_matrix((np.concatenate(data), np.concatenate(indices), indptr), shape=(n_rows, n_features)), y


def read_connections(
    path: Path, name: str, n_rows: int
) -> tuple[NDArray[np.float32], NDArray[np.str_], NDArray[np.float32], NDArray[np.str_]]:
    """Return training rows, training labels, test rows and test labels of the KDD cup of 1999.

    The 38 numbers come first: ln(1 + x), divided by the maximum of the file. One binary feature per name follows,
    column by column, names in alphabetical order. Every fifth row is for testing.
    """
    train = np.zeros((n_rows - n_rows // _TEST_EVERY, _N_NUMBERS + _N_NAMES), dtype=np.float32)
    test = np.zeros((n_rows // _TEST_EVERY, train.shape[1]), dtype=np.float32)
    codes = np.empty((n_rows, len(_NAME_COLUMNS)), dtype=np.uint8)
    code_of: list[dict[str, int]] = [{} for _ in _NAME_COLUMNS]
    labels = []
    for start, chunk in _checked_chunks(path, name, n_rows):
        columns = _columns(chunk, path, name)
        is_test = _is_test(np.arange(start, start + len(chunk)))
        values = _logarithms(columns, path, name)
        n_test = start // _TEST_EVERY
        _store_numbers(test, n_test, values[is_test])
        _store_numbers(train, start - n_test, values[~is_test])
        for place, column in enumerate(_NAME_COLUMNS):
            codes[start : start + len(chunk), place] = _encode(columns[column], code_of[place], path, name)
        labels.append(columns[-1].astype(str))
    if sum(map(len, code_of)) != _N_NAMES:
        raise _mismatch(path, f"{sum(map(len, code_of))} names", name, _N_NAMES)
    is_test = _is_test(np.arange(n_rows))
    y = np.concatenate(labels)
    _set_indicators(train, codes[~is_test], code_of)
    _set_indicators(test, codes[is_test], code_of)
    largest = np.maximum(train.max(axis=0), test.max(axis=0))
    largest[largest == 0] = 1
    train /= largest
    test /= largest
    return train, y[~is_test], test, y[is_test]


def _is_test(rows: NDArray[np.int64]) -> NDArray[np.bool_]:
    return np.equal(rows % _TEST_EVERY, _TEST_EVERY - 1)


def _store_numbers(target: NDArray[np.float32], start: int, values: NDArray[np.float64]) -> None:
    target[start : start + len(values), :_N_NUMBERS] = values


def _logarithms(columns: list[NDArray[np.object_]], path: Path, name: str) -> NDArray[np.float64]:
    numbers = [column for place, column in enumerate(columns[:-1]) if place not in _NAME_COLUMNS]
    try:
        values = np.column_stack([column.astype(np.float64) for column in numbers])
    except ValueError:
        raise _mismatch(path, "text in other columns", name, "numbers there") from None
    if not (values >= 0).all():
        raise _mismatch(path, "negative or missing numbers", name, "none")
    return np.log1p(values)


def _encode(texts: NDArray[np.object_], code_of: dict[str, int], path: Path, name: str) -> list[int]:
    codes = [code_of.setdefault(text, len(code_of)) for text in texts]
    if len(code_of) > _N_NAMES:
        raise _mismatch(path, f"more than {_N_NAMES} names", name, _N_NAMES)
    return codes


def _set_indicators(X: NDArray[np.float32], codes: NDArray[np.uint8], code_of: list[dict[str, int]]) -> None:
    first = _N_NUMBERS
    for place, numbers in enumerate(code_of):
        order = np.empty(len(numbers), dtype=np.int64)
        order[[numbers[text] for text in sorted(numbers)]] = np.arange(len(numbers))
        X[np.arange(len(X)), first + order[codes[:, place]]] = 1
        first += len(numbers)


def _columns(chunk: Chunk, path: Path, name: str) -> list[NDArray[np.object_]]:
    if not isinstance(chunk, Table) or len(chunk.columns) != _N_COLUMNS:
        raise _mismatch(path, "another number of columns", name, _N_COLUMNS)
    return list(chunk.columns.values())


def _svmlight_parts(
    path: Path, name: str, n_rows: int, n_features: int
) -> Iterator[tuple[int, csr_matrix, NDArray[np.int64]]]:
    """Yield the position of the first row, checked rows of an svmlight file, and their labels."""
    for start, chunk in _checked_chunks(path, name, n_rows):
        if not isinstance(chunk, Rows) or chunk.y is None or chunk.y.dtype.kind != "i":
            raise _mismatch(path, "labels that are not whole numbers", name, "whole ones")
        indices = chunk.X.indices
        if indices.size and not 1 <= indices.min() <= indices.max() <= n_features:
            raise _mismatch(path, f"indices from {indices.min()} to {indices.max()}", name, f"1 to {n_features}")
        yield start, chunk.X, chunk.y


def _checked_chunks(path: Path, name: str, n_rows: int) -> Iterator[tuple[int, Chunk]]:
    """Yield the position of the first row and the rows, and check how many there are."""
    count = 0
    file_format = "csv" if ".csv" in path.suffixes else "svmlight"
    for chunk in open_source(path, format=file_format, header=False).chunks():
        if count + len(chunk) > n_rows:
            raise _mismatch(path, f"more than {n_rows} rows", name, n_rows)
        yield count, chunk
        count += len(chunk)
    if count != n_rows:
        raise _mismatch(path, f"{count} rows", name, n_rows)


def _mismatch(path: Path, found: str, name: str, expected: object) -> DataFileError:
    return DataFileError(
        f"{path} has {found} where {name} has {expected}: it is damaged or another version; delete it and try again."
    )
