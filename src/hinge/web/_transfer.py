"""Labels out of the database and in again: CSV, Parquet and svmlight."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from math import isfinite
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, cast

import numpy as np
from scipy.sparse import issparse

from hinge._model.params import choice
from hinge.exceptions import DataError, quoted
from hinge.io import DataFileError, arrow
from hinge.io._bytes import PIECE, ByteStream
from hinge.io._delimited import CsvOptions, read_csv
from hinge.io._lines import LineBlocks
from hinge.io.atomic import replacing
from hinge.web._answer import Answer, RefusedError, check_label, check_person

if TYPE_CHECKING:
    from hinge.io import Table
    from hinge.web.pools import Pool

FORMATS = ("csv", "parquet", "svm")
COLUMNS = ("key", "label", "person", "seconds", "labelled_at", "changed_at", "drawn", "guess")
MOST_LINES = 1_000_000

_LONGEST_HEADER = 100_000  # bytes
_SPECIAL = re.compile(r'[",;|\s]')
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_FORMULA = re.compile(r"'*[=+\-@\t\r]")  # with the marks of formulas that have been disarmed before


def write_labels(
    format: str,  # noqa: A002  everybody's name for it
    answers: Iterable[Answer],
    pool: Pool,
    target: IO[bytes] | str | os.PathLike[str],
) -> None:
    r"""Write labels to a file or a stream.

    Parameters
    ----------
    format : {"csv", "parquet", "svm"}
        "csv" and "parquet" have a row a label, with who gave it, when, and how long it took. "svm" is svmlight: the
        label and the features of the example. Labels that are not numbers are written as 0, 1, 2, ..., in alphabetical
        order, and comments at the beginning say which is which.
    answers : iterable of Answer
        The labels.
    pool : Pool
        The examples; only "svm" looks at them.
    target : path or binary stream
        A file appears complete or not at all.

    Notes
    -----
    A spreadsheet takes a cell of a CSV file that begins with =, +, - or @ for a formula, and whoever can name a class
    could run one there. Such cells get an apostrophe in front, unless they are plain numbers such as -1, which are
    harmless and the most usual labels of all. `read_labels` takes that apostrophe away again, so that nothing changes
    on the way; Parquet has no need of it.

    Examples
    --------
    >>> import io
    >>> from datetime import UTC, datetime
    >>> moment = datetime(2026, 5, 1, 12, tzinfo=UTC)
    >>> stream = io.BytesIO()
    >>> write_labels("csv", [Answer("7", "-1", "ann", "chosen", "0f3a", 1.5, labelled_at=moment)], None, stream)
    >>> print(stream.getvalue().decode())
    key,label,person,seconds,labelled_at,changed_at,drawn,guess
    7,-1,ann,1.5,2026-05-01T12:00:00+00:00,,chosen,
    """
    choice("format", format, FORMATS)
    write = {"csv": _write_csv, "parquet": _write_parquet, "svm": _write_svm}[format]
    listed = list(answers)
    if isinstance(target, (str, os.PathLike)):
        with replacing(target) as unfinished, unfinished.open("wb") as file:
            write(listed, pool, file)
    else:
        write(listed, pool, target)


def read_labels(
    source: IO[bytes] | str | os.PathLike[str],
    pool: Pool,
    *,
    person: str = "import",
    name: str = "The file",
) -> list[Answer]:
    r"""Read labels from a CSV file: all of them or, when something is wrong, none.

    Parameters
    ----------
    source : path or binary stream
        UTF-8 text. The first line names the columns: `key` (or `row`, the place of the example in the pool, from 0) and
        `label`; `person` if it is there; others are ignored. A stream is not unpacked, a file is.
    pool : Pool
        The examples.
    person : str, default="import"
        Who has labelled, where the file does not say.
    name : str, default="The file"
        What messages call a stream.

    Returns
    -------
    list of Answer
        In the order of the file; a label that comes twice is returned once.

    Raises
    ------
    DataFileError
        A line cannot be used; the message says which and why.
    """
    if isinstance(source, (str, os.PathLike)):
        path = Path(source)
        stream, name = ByteStream(path, path.name), path.name
    else:
        stream = cast("ByteStream", _Upload(source))
    blocks = LineBlocks(stream, name)
    try:
        if len(blocks.look()) > _LONGEST_HEADER:
            raise DataFileError(f"{name}, line 1 has more than {_LONGEST_HEADER} bytes; it must name the columns.")
        reader = _Reader(pool, name, person)
        for table in read_csv(blocks, 4096, CsvOptions(header=True)):
            reader.take(table)
        return reader.answers()
    finally:
        blocks.close()


class _Upload:
    """A stream as the readers of files see it. It stays open, and is never unpacked: a small one could be endless."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream

    def read(self) -> bytes:
        return self._stream.read(PIECE)

    def ready(self) -> bool:
        return True

    def close(self) -> None:
        pass


class _Reader:
    """Turns rows of a table into answers."""

    def __init__(self, pool: Pool, name: str, person: str) -> None:
        self._pool = pool
        self._name = name
        self._person = check_person(person)
        self._found: dict[int, tuple[int, Answer]] = {}  # by row, with the line
        self._columns: dict[str, str] | None = None

    def take(self, table: Table) -> None:
        """Read some rows."""
        if self._columns is None:
            self._columns = self._meanings(table)
        if table.line(len(table) - 1) > MOST_LINES:
            raise DataFileError(f"{self._name} must have at most {MOST_LINES} lines, got more; cut it into pieces.")
        parts = {meaning: table.columns[column].tolist() for meaning, column in self._columns.items()}
        for place, texts in enumerate(zip(*parts.values(), strict=True)):
            self._take(table.line(place), dict(zip(parts, texts, strict=True)))

    def answers(self) -> list[Answer]:
        """Return what has been read."""
        if self._columns is None:
            raise DataFileError(f"{self._name} has no rows; it must have columns key (or row) and label.")
        return [answer for _, answer in self._found.values()]

    def _meanings(self, table: Table) -> dict[str, str]:
        """Return which of the columns are wanted, under their names in lower case."""
        found: dict[str, str] = {}
        for column in table.columns:
            meaning = column.strip().lower()
            if meaning in found and meaning in {"key", "row", "label", "person"}:
                raise DataFileError(f"{self._name}, line 1 names more than one column {meaning!r}; one is enough.")
            found[meaning] = column
        if "label" not in found or not ("key" in found or "row" in found):
            listed = ", ".join(map(quoted, list(table.columns)[:8]))
            raise DataFileError(
                f"{self._name}, line 1 must name the columns key (or row) and label, got {listed}; add these names."
            )
        example = "key" if "key" in found else "row"
        return {meaning: found[meaning] for meaning in (example, "label", "person") if meaning in found}

    def _take(self, line: int, texts: dict[str, str]) -> None:
        row = self._row(line, texts)
        try:
            label = check_label(_armed(texts["label"].strip()))
            given = _armed(texts.get("person", "").strip())
            person = check_person(given) if given else self._person
        except RefusedError as error:
            raise DataFileError(f"{self._name}, line {line} cannot be used: {error}") from None
        if row not in self._found:
            answer = Answer(self._pool.key(row), label, person, "imported", self._pool.digest(row))
            self._found[row] = (line, answer)
        elif (first := self._found[row])[1].label != label:
            raise DataFileError(
                f"{self._name}, line {line} says {quoted(label)} of an example that line {first[0]} says "
                f"{quoted(first[1].label)} of; leave one of them out."
            )

    def _row(self, line: int, texts: dict[str, str]) -> int:
        if "key" in texts:
            text = texts["key"]
            row = self._pool.row_of(_armed(text))
            row = self._pool.row_of(text) if row is None else row  # a key of its own, not written by `write_labels`
            if row is None:
                raise DataFileError(f"{self._name}, line {line} names {quoted(text)}, which is not among the examples.")
            return row
        text = texts["row"].strip()
        if not re.fullmatch("[0-9]{1,18}", text) or int(text) >= len(self._pool):
            last = len(self._pool) - 1
            raise DataFileError(f"{self._name}, line {line} must have a row from 0 to {last}, got {quoted(text)}.")
        return int(text)


def _write_csv(answers: Sequence[Answer], _pool: Pool, file: IO[bytes]) -> None:
    file.write((",".join(COLUMNS) + "\r\n").encode())
    for answer in answers:
        cells = (_cell(getattr(answer, name)) for name in COLUMNS)
        file.write((",".join(cells) + "\r\n").encode())


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, datetime):
        return value.isoformat()
    text = _disarmed(value) if isinstance(value, str) else str(value)
    # Spaces too: readers differ in whether they belong to the text.
    return '"' + text.replace('"', '""') + '"' if _SPECIAL.search(text) else text


def _disarmed(text: str) -> str:
    """Return a text that no spreadsheet takes for a formula.

    Examples
    --------
    >>> [_disarmed(text) for text in ("=1+1", "-1", "'=1", "cat")]
    ["'=1+1", '-1', "''=1", 'cat']
    """
    return f"'{text}" if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else text


def _armed(text: str) -> str:
    """Return what `_disarmed` was given.

    Examples
    --------
    >>> [_armed(text) for text in ("'=1+1", "-1", "''=1", "cat", "'s-Hertogenbosch")]
    ['=1+1', '-1', "'=1", 'cat', "'s-Hertogenbosch"]
    """
    return text[1:] if text.startswith("'") and _FORMULA.match(text) else text


def _write_parquet(answers: Sequence[Answer], _pool: Pool, file: IO[bytes]) -> None:
    pyarrow, parquet = arrow("pyarrow"), arrow("pyarrow.parquet")
    moment = pyarrow.timestamp("us", tz="UTC")
    types = {"seconds": pyarrow.float64(), "labelled_at": moment, "changed_at": moment}
    columns = {
        name: pyarrow.array([getattr(answer, name) for answer in answers], types.get(name, pyarrow.string()))
        for name in COLUMNS
    }
    parquet.write_table(pyarrow.table(columns), file)


def _write_svm(answers: Sequence[Answer], pool: Pool, file: IO[bytes]) -> None:
    rows = [_row_of(answer, pool) for answer in answers]
    numbers = _numbers({answer.label for answer in answers})
    if any(label != number for label, number in numbers.items()):
        file.writelines(f"# {number} is {label}\n".encode() for label, number in numbers.items())
    for answer, row in zip(answers, rows, strict=True):
        file.write(f"{numbers[answer.label]}{_features(pool.X, row)}\n".encode())


def _row_of(answer: Answer, pool: Pool) -> int:
    row = pool.row_of(answer.key)
    if row is None:
        raise DataError(f"{quoted(answer.key)} has a label, but is not among the examples; export the labels as CSV.")
    return row


def _numbers(labels: set[str]) -> dict[str, str]:
    """Return what to write for each label: itself if all are different numbers, else its place among them.

    Examples
    --------
    >>> _numbers({"3", "-1"}) == {"3": "3", "-1": "-1"}, _numbers({"1", "1.0"})
    (True, {'1': '0', '1.0': '1'})
    """
    listed = sorted(labels)
    if all(map(_NUMBER.fullmatch, listed)):
        values = set(map(float, listed))
        if len(values) == len(listed) and all(map(isfinite, values)):
            return {label: label for label in listed}
    return {label: str(place) for place, label in enumerate(listed)}


def _features(X: Any, row: int) -> str:
    """Return the features that are not zero, counted from 1, with as many digits as tell all numbers apart."""
    if issparse(X):
        part = slice(X.indptr[row], X.indptr[row + 1])
        columns, values = X.indices[part], X.data[part]
    else:
        columns, values = np.arange(X.shape[1]), X[row]
    digits = 9 if X.dtype == np.float32 else 17
    entries = sorted(zip(columns.tolist(), values.tolist(), strict=True))
    return "".join(f" {column + 1}:{value:.{digits}g}" for column, value in entries if value)
