"""Parser of LIBSVM model files.

The file is not trusted: memory is allocated for what has been read, not for what the header promises, and stays within
a small multiple of the file size.
"""

from __future__ import annotations

import math
import re
from array import array
from dataclasses import dataclass, field
from itertools import islice
from typing import IO, TYPE_CHECKING, NoReturn

import numpy as np
from scipy.sparse import csr_matrix

from hinge.exceptions import ExportError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

MAX_LINE_BYTES = 1 << 26
MAX_HEADER_LINE_BYTES = 1 << 24
MAX_COLUMNS = 1 << 24  # unless n_features is given; every column costs memory later, used or not
_LAST_COLUMN = (1 << 31) - 1

_FIELDS = ("svm_type", "kernel_type", "degree", "gamma", "coef0", "nr_class", "total_sv", "rho", "label", "nr_sv")
_IGNORED_FIELDS = ("probA", "probB", "prob_density_marks")  # parameters of probability estimates
_NUMBERS = re.compile(rb"[-+.:eE0-9 \t\r\n]*")  # all characters of a line of support vectors
_TOKEN = re.compile(rb"\S+")
_INTEGER = re.compile(r"[-+]?[0-9]{1,18}")


@dataclass
class LibsvmFile:
    """A parsed model file.

    Attributes
    ----------
    path : Path
        The path of the file.
    header : dict
        The lines before the support vectors, by their first word; they are split on access to save memory.
    coefficients : ndarray of shape (n_support, n_classes - 1)
        The coefficients at the start of each support vector line.
    vectors : CSR matrix of shape (n_support, n_features)
        The support vectors.
    """

    path: Path
    header: dict[str, str]
    coefficients: NDArray[np.float64] = field(init=False)
    vectors: csr_matrix = field(init=False)

    def refuse(self, complaint: str) -> NoReturn:
        """Raise ExportError for this file."""
        refuse(self.path, complaint)

    def word(self, name: str) -> str:
        """Return the only value of a header field."""
        values = self.header.get(name, "").split()
        if len(values) != 1:
            self.refuse(f"{name} must have one value, got {len(values)}")
        return values[0]

    def integer(self, name: str) -> int:
        """Return the only value of a header field as an integer."""
        return self._as_integer(name, self.word(name))

    def integers(self, name: str, count: int) -> list[int]:
        """Return the values of a header field, which must be `count` integers."""
        return [self._as_integer(name, value) for value in self._values(name, count)]

    def number(self, name: str) -> float:
        """Return the only value of a header field as a finite number."""
        return self._as_number(name, self.word(name))

    def numbers(self, name: str, count: int) -> NDArray[np.float64]:
        """Return the values of a header field, which must be `count` finite numbers."""
        return np.array([self._as_number(name, value) for value in self._values(name, count)])

    def _values(self, name: str, count: int) -> list[str]:
        values = self.header.get(name, "").split()
        if len(values) != count:
            self.refuse(f"{name} must have {count} values, got {len(values)}")
        return values

    def _as_integer(self, name: str, value: str) -> int:
        if not _INTEGER.fullmatch(value):
            self.refuse(f"{name} must be an integer, got {value[:40]!r}")
        return int(value)

    def _as_number(self, name: str, value: str) -> float:
        try:
            found = float(value) if "_" not in value else math.nan
        except ValueError:
            found = math.nan
        if not math.isfinite(found):
            self.refuse(f"{name} must be a finite number, got {value[:40]!r}")
        return found


def refuse(path: Path, complaint: str) -> NoReturn:
    """Raise ExportError for a file that cannot be read as a model."""
    raise ExportError(f"{path} is not a LIBSVM model that can be read: {complaint}.")


def read_header(path: Path, file: IO[bytes]) -> LibsvmFile:
    """Read the lines before the support vectors."""
    header: dict[str, str] = {}
    while True:
        line = _read_line(path, file, MAX_HEADER_LINE_BYTES)
        if not line:
            refuse(path, "it ends before the line SV")
        try:
            name, *rest = line.decode("ascii").split(maxsplit=1) or [""]
        except UnicodeDecodeError:
            refuse(path, "it is not text")
        if name == "SV":
            return LibsvmFile(path, header)
        if name not in _FIELDS + _IGNORED_FIELDS or name in header:
            refuse(path, f"the field {name[:40]!r} is unknown, or appears twice")
        header[name] = rest[0] if rest else ""


class SupportVectorParser:
    """Collects the lines of support vectors one by one."""

    def __init__(self, path: Path, n_coefficients: int, n_features: int | None) -> None:
        self._path = path
        self._n_coefficients = n_coefficients
        self._n_features = n_features
        self._coefficients, self._data = array("d"), array("d")
        self._indices, self._starts = array("i"), array("q", [0])

    def read(self, file: IO[bytes], total: int) -> None:
        """Read all lines up to the end of the file."""
        while line := _read_line(self._path, file, MAX_LINE_BYTES):
            count = len(self._starts)
            if count > total:
                refuse(self._path, f"total_sv is {total}, but there are more support vectors")
            if not line.endswith(b"\n") or not _NUMBERS.fullmatch(line):
                refuse(self._path, f"line {count} of the support vectors is cut off or is not all numbers")
            try:
                # An iterator, since a list of tokens takes far more memory.
                self._parse_line(match.group() for match in _TOKEN.finditer(line))
            except (ValueError, OverflowError):
                refuse(self._path, f"line {count} of the support vectors is not a list of coefficients and index:value")
        if len(self._starts) - 1 != total:
            refuse(self._path, f"total_sv is {total}, but there are {len(self._starts) - 1} support vectors")

    def _parse_line(self, tokens: Iterator[bytes]) -> None:
        expected = len(self._coefficients) + self._n_coefficients
        self._coefficients.extend(map(float, islice(tokens, self._n_coefficients)))
        if len(self._coefficients) != expected:
            raise ValueError
        for token in tokens:
            index, _, value = token.partition(b":")
            self._indices.append(int(index))
            self._data.append(float(value))
        self._starts.append(len(self._indices))

    def store(self, record: LibsvmFile) -> None:
        """Check the support vectors and store them in a record."""
        coefficients, data = np.array(self._coefficients), np.array(self._data)
        indices, starts = np.array(self._indices, dtype=np.int32), np.array(self._starts, dtype=np.int64)
        if not (np.isfinite(coefficients).all() and np.isfinite(data).all()):
            record.refuse("a number is too large")
        falls = np.flatnonzero(indices[1:] <= indices[:-1]) + 1
        if len(indices) and (indices.min() < 1 or not np.isin(falls, starts).all()):
            record.refuse("the feature indices must start at 1 and increase along a line")
        n_columns = self._count_columns(record, int(indices.max(initial=1)))
        shape = (len(starts) - 1, n_columns)
        record.coefficients = coefficients.reshape(-1, self._n_coefficients)
        record.vectors = csr_matrix((data, indices - 1, starts), shape=shape)
        record.vectors.eliminate_zeros()

    def _count_columns(self, record: LibsvmFile, largest: int) -> int:
        if self._n_features is None:
            if largest > MAX_COLUMNS:
                record.refuse(f"a feature has the index {largest}; set n_features if this is intended")
            return largest
        if not largest <= self._n_features <= _LAST_COLUMN:
            record.refuse(f"a feature has the index {largest}, but n_features is {self._n_features}")
        return self._n_features


def _read_line(path: Path, file: IO[bytes], max_bytes: int) -> bytes:
    line = file.readline(max_bytes)
    if len(line) == max_bytes:
        refuse(path, f"a line is longer than {max_bytes} bytes")
    return line
