"""The text of a LIBSVM model file as plain arrays.

Nothing in the file is believed: numbers of lines and entries are counted, not reserved, and memory stays within a small
multiple of the size of the file.
"""

from __future__ import annotations

import math
import re
from array import array
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import IO, TYPE_CHECKING, NoReturn

import numpy as np
from scipy.sparse import csr_matrix

from hinge.export._errors import ExportError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

LONGEST_LINE = 1 << 26  # bytes
LONGEST_HEAD = 1 << 24  # of lines before the support vectors
MOST_COLUMNS = 1 << 24  # of a file alone; every column costs memory later, whether it is used or not
_LAST_COLUMN = (1 << 31) - 1

_WORDS = ("svm_type", "kernel_type", "degree", "gamma", "coef0", "nr_class", "total_sv", "rho", "label", "nr_sv")
_PASSED_OVER = ("probA", "probB", "prob_density_marks")  # what probabilities are computed from
_NUMBERS = re.compile(rb"[-+.:eE0-9 \t\r\n]*")  # all that lines of support vectors are made of
_TOKEN = re.compile(rb"\S+")
_WHOLE = re.compile(r"[-+]?[0-9]{1,18}")


@dataclass
class LibsvmFile:
    """A model file, taken apart.

    Attributes
    ----------
    path : Path
        Where it was.
    words : dict
        The lines of its head, each by its first word; split when asked for, since words take far more room.
    coefficients : ndarray of shape (n_support, n_classes - 1)
        The numbers at the beginning of each line of support vectors.
    vectors : CSR matrix of shape (n_support, n_features)
        The support vectors.
    """

    path: Path
    words: dict[str, str]
    coefficients: NDArray[np.float64] = field(init=False)
    vectors: csr_matrix = field(init=False)

    def refuse(self, complaint: str) -> NoReturn:
        """Raise the error that names this file."""
        refuse(self.path, complaint)

    def word(self, name: str) -> str:
        """Return the only value of a line of the head."""
        values = self.words.get(name, "").split()
        if len(values) != 1:
            self.refuse(f"{name} must have one value, got {len(values)}")
        return values[0]

    def whole(self, name: str) -> int:
        """Return a whole number of the head."""
        return self._whole(name, self.word(name))

    def wholes(self, name: str, count: int) -> list[int]:
        """Return as many whole numbers as a line of the head must have."""
        return [self._whole(name, value) for value in self._values(name, count)]

    def number(self, name: str) -> float:
        """Return a finite number of the head."""
        return self._number(name, self.word(name))

    def numbers(self, name: str, count: int) -> NDArray[np.float64]:
        """Return as many finite numbers as a line of the head must have."""
        return np.array([self._number(name, value) for value in self._values(name, count)])

    def _values(self, name: str, count: int) -> list[str]:
        values = self.words.get(name, "").split()
        if len(values) != count:
            self.refuse(f"{name} must have {count} values, got {len(values)}")
        return values

    def _whole(self, name: str, value: str) -> int:
        if not _WHOLE.fullmatch(value):
            self.refuse(f"{name} must be whole, got {value[:40]!r}")
        return int(value)

    def _number(self, name: str, value: str) -> float:
        try:
            found = float(value) if "_" not in value else math.nan
        except ValueError:
            found = math.nan
        if not math.isfinite(found):
            self.refuse(f"{name} must be a finite number, got {value[:40]!r}")
        return found


def refuse(path: Path, complaint: str) -> NoReturn:
    """Raise the error of a file that is not what it should be."""
    raise ExportError(f"{path} is not a LIBSVM model that can be read: {complaint}.")


def read_head(path: Path, file: IO[bytes]) -> LibsvmFile:
    """Return the lines before the support vectors."""
    words: dict[str, str] = {}
    while True:
        line = _line(path, file, LONGEST_HEAD)
        if not line:
            refuse(path, "it ends before the line SV")
        try:
            name, *rest = line.decode("ascii").split(maxsplit=1) or [""]
        except UnicodeDecodeError:
            refuse(path, "it is not text")
        if name == "SV":
            return LibsvmFile(path, words)
        if name not in _WORDS + _PASSED_OVER or name in words:
            refuse(path, f"{name[:40]!r} is no line of such a file, or stands there twice")
        words[name] = rest[0] if rest else ""


class Vectors:
    """The lines of support vectors, gathered one by one."""

    def __init__(self, path: Path, n_coefficients: int, n_features: int | None) -> None:
        self._path = path
        self._n_coefficients = n_coefficients
        self._n_features = n_features
        self._coefficients, self._data = array("d"), array("d")
        self._indices, self._starts = array("i"), array("q", [0])

    def read(self, file: IO[bytes], total: int) -> None:
        """Take all lines up to the end of the file."""
        while line := _line(self._path, file, LONGEST_LINE):
            count = len(self._starts)
            if count > total:
                refuse(self._path, f"total_sv promises {total} support vectors, and there are more")
            if not line.endswith(b"\n") or not _NUMBERS.fullmatch(line):
                refuse(self._path, f"line {count} of the support vectors is cut off or holds more than numbers")
            try:
                self._take(match.group() for match in _TOKEN.finditer(line))  # one by one: a list takes far more room
            except (ValueError, OverflowError):
                refuse(self._path, f"line {count} of the support vectors is no list of coefficients and index:value")
        if len(self._starts) - 1 != total:
            refuse(self._path, f"total_sv promises {total} support vectors, and there are {len(self._starts) - 1}")

    def _take(self, tokens: Iterator[bytes]) -> None:
        expected = len(self._coefficients) + self._n_coefficients
        self._coefficients.extend(map(float, islice(tokens, self._n_coefficients)))
        if len(self._coefficients) != expected:
            raise ValueError
        for token in tokens:
            index, _, value = token.partition(b":")
            self._indices.append(int(index))
            self._data.append(float(value))
        self._starts.append(len(self._indices))

    def into(self, record: LibsvmFile) -> None:
        """Check what was gathered and put it where it belongs."""
        coefficients, data = np.array(self._coefficients), np.array(self._data)
        indices, starts = np.array(self._indices, dtype=np.int32), np.array(self._starts, dtype=np.int64)
        if not (np.isfinite(coefficients).all() and np.isfinite(data).all()):
            record.refuse("a number is too large")
        falls = np.flatnonzero(indices[1:] <= indices[:-1]) + 1
        if len(indices) and (indices.min() < 1 or not np.isin(falls, starts).all()):
            record.refuse("the indices of features must count from 1 and rise along a line")
        columns = self._columns(record, int(indices.max(initial=1)))
        shape = (len(starts) - 1, columns)
        record.coefficients = coefficients.reshape(-1, self._n_coefficients)
        record.vectors = csr_matrix((data, indices - 1, starts), shape=shape)
        record.vectors.eliminate_zeros()

    def _columns(self, record: LibsvmFile, largest: int) -> int:
        if self._n_features is None:
            if largest > MOST_COLUMNS:
                record.refuse(f"a feature has the index {largest}; give n_features if that is meant")
            return largest
        if not largest <= self._n_features <= _LAST_COLUMN:
            record.refuse(f"a feature has the index {largest}, and n_features is {self._n_features}")
        return self._n_features


def _line(path: Path, file: IO[bytes], longest: int) -> bytes:
    line = file.readline(longest)
    if len(line) == longest:
        refuse(path, f"a line is longer than {longest} bytes")
    return line
