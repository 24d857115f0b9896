"""Chunks of a file put together into the one array they are meant for: nothing is held twice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import csr_matrix

from hinge.io import DataFileError, Rows, Table, open_source

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

_NAMES = (1, 2, 3)  # columns of kddcup99 that hold names: protocol, service, flag
_N_COLUMNS = 42  # with the class, which is the last
_N_NUMBERS = _N_COLUMNS - 1 - len(_NAMES)
_N_INDICATORS = 80
_TEST_EVERY = 5


def dense_rows(path: Path, name: str, n_rows: int, n_features: int) -> tuple[NDArray[np.float32], NDArray[Any]]:
    """Return the rows and labels of an svmlight file that counts from 1, which must have exactly this shape."""
    X = np.zeros((n_rows, n_features), dtype=np.float32)
    y = np.empty(n_rows, dtype=np.int64)
    for start, part, labels in _numbered(path, name, n_rows, n_features):
        rows = np.repeat(np.arange(start, start + len(labels)), np.diff(part.indptr))
        X[rows, part.indices - 1] = part.data
        y[start : start + len(labels)] = labels
    return X, y


def sparse_rows(path: Path, name: str, n_rows: int, n_features: int) -> tuple[csr_matrix, NDArray[Any]]:
    """Return the same as a CSR matrix."""
    data, indices, lengths = [], [], [np.zeros(1, dtype=np.int32)]
    y = np.empty(n_rows, dtype=np.int64)
    for start, part, labels in _numbered(path, name, n_rows, n_features):
        data.append(part.data.astype(np.float32))
        indices.append(part.indices - np.int32(1))
        lengths.append(np.diff(part.indptr))
        y[start : start + len(labels)] = labels
    indptr = np.cumsum(np.concatenate(lengths), dtype=np.int32)
    return csr_matrix((np.concatenate(data), np.concatenate(indices), indptr), shape=(n_rows, n_features)), y


def network_rows(path: Path, name: str, n_rows: int) -> tuple[Any, NDArray[Any], Any, NDArray[Any]]:
    """Return training and test rows of the KDD cup of 1999 with their labels, which are texts.

    The 38 numbers come first: ln(1 + x), divided by the largest of the file. Indicators of the names follow, column
    by column, names in the order of the alphabet. Every fifth row is for testing.
    """
    train = np.zeros((n_rows - n_rows // _TEST_EVERY, _N_NUMBERS + _N_INDICATORS), dtype=np.float32)
    test = np.zeros((n_rows // _TEST_EVERY, train.shape[1]), dtype=np.float32)
    codes = np.empty((n_rows, len(_NAMES)), dtype=np.uint8)
    seen: list[dict[str, int]] = [{} for _ in _NAMES]
    labels = []
    for start, chunk in _counted(path, name, n_rows):
        columns = list(_table(chunk, path, name).columns.values())
        for_test = _for_test(np.arange(start, start + len(chunk)))
        values = _logarithms(columns, path, name)
        done = start // _TEST_EVERY
        _place(test, done, values[for_test])
        _place(train, start - done, values[~for_test])
        for place, column in enumerate(_NAMES):
            codes[start : start + len(chunk), place] = _numbers_of(columns[column], seen[place], path, name)
        labels.append(columns[-1].astype(str))
    if sum(map(len, seen)) != _N_INDICATORS:
        raise _mismatch(path, f"{sum(map(len, seen))} names", name, _N_INDICATORS)
    for_test = _for_test(np.arange(n_rows))
    y = np.concatenate(labels)
    _indicate(train, codes[~for_test], seen)
    _indicate(test, codes[for_test], seen)
    largest = np.maximum(train.max(axis=0), test.max(axis=0))
    largest[largest == 0] = 1
    train /= largest
    test /= largest
    return train, y[~for_test], test, y[for_test]


def _for_test(rows: NDArray[np.int64]) -> NDArray[np.bool_]:
    return np.equal(rows % _TEST_EVERY, _TEST_EVERY - 1)


def _place(target: NDArray[np.float32], start: int, values: NDArray[np.float64]) -> None:
    target[start : start + len(values), :_N_NUMBERS] = values


def _logarithms(columns: list[NDArray[Any]], path: Path, name: str) -> NDArray[np.float64]:
    numbers = [column for place, column in enumerate(columns[:-1]) if place not in _NAMES]
    try:
        values = np.column_stack([column.astype(np.float64) for column in numbers])
    except ValueError:
        raise _mismatch(path, "texts in other columns", name, "numbers there") from None
    if not (values >= 0).all():
        raise _mismatch(path, "negative or missing numbers", name, "none")
    return np.log1p(values)


def _numbers_of(texts: NDArray[Any], seen: dict[str, int], path: Path, name: str) -> list[int]:
    numbers = [seen.setdefault(text, len(seen)) for text in texts]
    if len(seen) > _N_INDICATORS:
        raise _mismatch(path, f"more than {_N_INDICATORS} names", name, _N_INDICATORS)
    return numbers


def _indicate(X: NDArray[np.float32], codes: NDArray[np.uint8], seen: list[dict[str, int]]) -> None:
    first = _N_NUMBERS
    for place, numbers in enumerate(seen):
        order = np.empty(len(numbers), dtype=np.int64)
        order[[numbers[text] for text in sorted(numbers)]] = np.arange(len(numbers))
        X[np.arange(len(X)), first + order[codes[:, place]]] = 1
        first += len(numbers)


def _table(chunk: Any, path: Path, name: str) -> Table:
    if not isinstance(chunk, Table) or len(chunk.columns) != _N_COLUMNS:
        raise _mismatch(path, "another number of columns", name, _N_COLUMNS)
    return chunk


def _numbered(path: Path, name: str, n_rows: int, n_features: int) -> Iterator[tuple[int, Any, NDArray[Any]]]:
    """Yield the place of the first row, checked rows of an svmlight file, and their labels."""
    for start, chunk in _counted(path, name, n_rows):
        if not isinstance(chunk, Rows) or chunk.y is None or chunk.y.dtype.kind != "i":
            raise _mismatch(path, "labels that are not whole numbers", name, "whole ones")
        indices = chunk.X.indices
        if indices.size and not 1 <= indices.min() <= indices.max() <= n_features:
            raise _mismatch(path, f"indices from {indices.min()} to {indices.max()}", name, f"1 to {n_features}")
        yield start, chunk.X, chunk.y


def _counted(path: Path, name: str, n_rows: int) -> Iterator[tuple[int, Any]]:
    count = 0
    kind = "csv" if ".csv" in path.suffixes else "svmlight"
    for chunk in open_source(path, format=kind, header=False).chunks():
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
