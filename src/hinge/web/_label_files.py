"""Label files: writing CSV, Parquet and svmlight, reading CSV."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from datetime import datetime
from math import isfinite
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, cast

import numpy as np

from hinge._model.params import choice
from hinge.exceptions import DataError, quoted
from hinge.io import DataFileError, arrow
from hinge.io._bytes import PIECE, ByteStream
from hinge.io._delimited import CsvOptions, read_csv
from hinge.io._lines import LineBlocks
from hinge.io.atomic import replacing
from hinge.web._labels import InvalidRequestError, LabelRecord, check_label, check_person

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from hinge.io import Table
    from hinge.web.pools import Features, Pool

FORMATS = ("csv", "parquet", "svm")
COLUMNS = ("key", "label", "person", "seconds", "labelled_at", "changed_at", "drawn", "guess")
MAX_LINES = 1_000_000

_MAX_HEADER_BYTES = 100_000
_SPECIAL = re.compile(r'[",;|\s]')
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_FORMULA = re.compile(r"'*[=+\-@\t\r]")  # also with the apostrophes of earlier escapes


def write_labels(
    format: str,  # noqa: A002  the usual name
    records: Iterable[LabelRecord],
    pool: Pool,
    target: IO[bytes] | str | os.PathLike[str],
) -> None:
    r"""Write labels to a file or a stream.

    Parameters
    ----------
    format : {"csv", "parquet", "svm"}
        "csv" and "parquet" have one row per label, with its person, time and duration. "svm" is svmlight: the label
        and the features of the example. Labels that are not numbers are written as 0, 1, 2, ..., in alphabetical
        order, and comments at the start of the file list them.
    records : iterable of LabelRecord
        The labels.
    pool : Pool
        The examples; only "svm" uses them.
    target : path or binary stream
        A file is written completely or not at all.

    Notes
    -----
    Spreadsheets interpret a cell of a CSV file that starts with =, +, - or @ as a formula, so anybody who can name a
    class could run one there. Such cells are escaped with an apostrophe, unless they are plain numbers such as -1,
    which are harmless and common labels. `read_labels` removes the apostrophe again. Parquet does not need it.

    Examples
    --------
    >>> import io
    >>> from datetime import UTC, datetime
    >>> moment = datetime(2026, 5, 1, 12, tzinfo=UTC)
    >>> stream = io.BytesIO()
    >>> write_labels("csv", [LabelRecord("7", "-1", "ann", "chosen", "0f3a", 1.5, labelled_at=moment)], None, stream)
    >>> print(stream.getvalue().decode())
    key,label,person,seconds,labelled_at,changed_at,drawn,guess
    7,-1,ann,1.5,2026-05-01T12:00:00+00:00,,chosen,
    """
    choice("format", format, FORMATS)
    write = {"csv": _write_csv, "parquet": _write_parquet, "svm": _write_svm}[format]
    records = list(records)
    if isinstance(target, (str, os.PathLike)):
        with replacing(target) as unfinished, unfinished.open("wb") as file:
            write(records, pool, file)
    else:
        write(records, pool, target)


def read_labels(
    source: IO[bytes] | str | os.PathLike[str],
    pool: Pool,
    *,
    person: str = "import",
    name: str = "The file",
) -> list[LabelRecord]:
    r"""Read labels from a CSV file: all of them or, if a line is invalid, none.

    Parameters
    ----------
    source : path or binary stream
        UTF-8 text. The first line names the columns: `key` (or `row`, the row of the example in the pool, from 0) and
        `label`; `person` is optional. Files that `write_labels` wrote keep how, when and how quickly labels were given;
        other columns are ignored. Files may be compressed, streams must not be.
    pool : Pool
        The examples.
    person : str, default="import"
        The person recorded for lines without one.
    name : str, default="The file"
        The name of a stream in messages.

    Returns
    -------
    list of LabelRecord
        In the order of the file; repeated labels are returned once.

    Raises
    ------
    DataFileError
        A line is invalid; the message says which one and why.
    """
    if isinstance(source, (str, os.PathLike)):
        path = Path(source)
        stream, name = ByteStream(path, path.name), path.name
    else:
        stream = cast("ByteStream", _Upload(source))
    blocks = LineBlocks(stream, name)
    try:
        if len(blocks.look()) > _MAX_HEADER_BYTES:
            raise DataFileError(
                f"{name}, line 1 has more than {_MAX_HEADER_BYTES} bytes; it must contain the column names."
            )
        reader = _Reader(pool, name, person)
        for table in read_csv(blocks, 4096, CsvOptions(header=True, utf8_only=True)):
            reader.add(table)
        return reader.records()
    finally:
        blocks.close()


class _Upload:
    """Adapt a stream to the file readers. It stays open and is never decompressed: a small one could be endless."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream

    def read(self) -> bytes:
        return self._stream.read(PIECE)

    def ready(self) -> bool:
        return True

    def close(self) -> None:
        pass


class _Reader:
    """Converts the rows of tables into label records."""

    def __init__(self, pool: Pool, name: str, person: str) -> None:
        self._pool = pool
        self._name = name
        self._person = check_person(person)
        self._records: dict[int, tuple[int, LabelRecord]] = {}  # by row of the pool, with the line number
        self._columns: dict[str, str] | None = None

    def add(self, table: Table) -> None:
        """Convert the rows of a table."""
        if self._columns is None:
            self._columns = self._find_columns(table)
        if table.line(len(table) - 1) > MAX_LINES:
            raise DataFileError(f"{self._name} can have at most {MAX_LINES} lines and has more; split it.")
        cells = {name: table.columns[column].tolist() for name, column in self._columns.items()}
        for index, texts in enumerate(zip(*cells.values(), strict=True)):
            self._add_line(table.line(index), dict(zip(cells, texts, strict=True)))

    def records(self) -> list[LabelRecord]:
        """Return the records of all tables."""
        if self._columns is None:
            raise DataFileError(f"{self._name} has no rows; it needs the columns key (or row) and label.")
        return [record for _, record in self._records.values()]

    def _find_columns(self, table: Table) -> dict[str, str]:
        """Map the lower-case names of the needed columns to the columns of the file."""
        found: dict[str, str] = {}
        for column in table.columns:
            name = column.strip().lower()
            if name in found and name in {"key", "row", "label", "person"}:
                raise DataFileError(f"{self._name}, line 1 has more than one column {name!r}; remove or rename one.")
            found[name] = column
        if "label" not in found or not ("key" in found or "row" in found):
            listed = ", ".join(map(quoted, list(table.columns)[:8]))
            raise DataFileError(
                f"{self._name}, line 1 must contain the column names key (or row) and label, got {listed}; add them."
            )
        example = "key" if "key" in found else "row"
        # Other columns of these names may be anything, unless the file was written by `write_labels`.
        more = COLUMNS[3:] if {"labelled_at", "drawn"} <= found.keys() else ()
        return {name: found[name] for name in (example, "label", "person", *more) if name in found}

    def _add_line(self, line: int, texts: dict[str, str]) -> None:
        row = self._row(line, texts)
        try:
            label = check_label(_unescape_formula(texts["label"].strip()))
            given = _unescape_formula(texts.get("person", "").strip())
            person = check_person(given) if given else self._person
            key, digest = self._pool.key(row), self._pool.digest(row)
            record = replace(LabelRecord(key, label, person, "imported", digest), **_rest(texts)).checked()
        except (InvalidRequestError, ValueError) as error:
            raise DataFileError(f"{self._name}, line {line} is invalid: {str(error).rstrip('.')}.") from None
        if row not in self._records:
            self._records[row] = (line, record)
        elif (first := self._records[row])[1].label != label:
            raise DataFileError(
                f"{self._name}, line {line} has the label {quoted(label)} for an example that has the label "
                f"{quoted(first[1].label)} in line {first[0]}; remove one of them."
            )

    def _row(self, line: int, texts: dict[str, str]) -> int:
        if "key" in texts:
            text = texts["key"]
            row = self._pool.row_of(_unescape_formula(text))
            row = self._pool.row_of(text) if row is None else row  # a key that was not written by `write_labels`
            if row is None:
                raise DataFileError(f"{self._name}, line {line} has the key {quoted(text)}, which is not in the pool.")
            return row
        text = texts["row"].strip()
        if not re.fullmatch("[0-9]{1,18}", text) or int(text) >= len(self._pool):
            last = len(self._pool) - 1
            raise DataFileError(f"{self._name}, line {line} must have a row from 0 to {last}, got {quoted(text)}.")
        return int(text)


def _rest(texts: dict[str, str]) -> dict[str, Any]:
    """Return how, when and how quickly a label was given, from the columns that `write_labels` writes."""
    if "labelled_at" not in texts or not texts["labelled_at"].strip():
        return {}
    changed, seconds, guess = (texts.get(name, "").strip() for name in ("changed_at", "seconds", "guess"))
    return {
        "drawn": texts["drawn"].strip() or "imported",
        "labelled_at": datetime.fromisoformat(texts["labelled_at"].strip()),
        "changed_at": datetime.fromisoformat(changed) if changed else None,
        "seconds": float(seconds) if seconds else None,
        "guess": _unescape_formula(guess) or None,
    }


def _write_csv(records: Sequence[LabelRecord], _pool: Pool, file: IO[bytes]) -> None:
    file.write((",".join(COLUMNS) + "\r\n").encode())
    for record in records:
        cells = (_cell(getattr(record, name)) for name in COLUMNS)
        file.write((",".join(cells) + "\r\n").encode())


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, datetime):
        return value.isoformat()
    text = escape_formula(value) if isinstance(value, str) else str(value)
    # Also if there are spaces, because readers differ in whether they strip them.
    return '"' + text.replace('"', '""') + '"' if _SPECIAL.search(text) else text


def escape_formula(text: str) -> str:
    """Escape a text that a spreadsheet would interpret as a formula.

    Examples
    --------
    >>> [escape_formula(text) for text in ("=1+1", "-1", "'=1", "cat")]
    ["'=1+1", '-1', "''=1", 'cat']
    """
    return f"'{text}" if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else text


def _unescape_formula(text: str) -> str:
    """Undo `escape_formula`.

    Examples
    --------
    >>> [_unescape_formula(text) for text in ("'=1+1", "-1", "''=1", "cat", "'s-Hertogenbosch")]
    ['=1+1', '-1', "'=1", 'cat', "'s-Hertogenbosch"]
    """
    return text[1:] if text.startswith("'") and _FORMULA.match(text) else text


def _write_parquet(records: Sequence[LabelRecord], _pool: Pool, file: IO[bytes]) -> None:
    pyarrow, parquet = arrow("pyarrow"), arrow("pyarrow.parquet")
    timestamp = pyarrow.timestamp("us", tz="UTC")
    types = {"seconds": pyarrow.float64(), "labelled_at": timestamp, "changed_at": timestamp}
    columns = {
        name: pyarrow.array([getattr(record, name) for record in records], types.get(name, pyarrow.string()))
        for name in COLUMNS
    }
    parquet.write_table(pyarrow.table(columns), file)


def _write_svm(records: Sequence[LabelRecord], pool: Pool, file: IO[bytes]) -> None:
    rows = [_row_of(record, pool) for record in records]
    numbers = _label_numbers({record.label for record in records})
    if any(label != number for label, number in numbers.items()):
        file.writelines(f"# {number} is {label}\n".encode() for label, number in numbers.items())
    for record, row in zip(records, rows, strict=True):
        file.write(f"{numbers[record.label]}{_format_features(pool.X, row)}\n".encode())


def _row_of(record: LabelRecord, pool: Pool) -> int:
    row = pool.row_of(record.key)
    if row is None:
        raise DataError(f"{quoted(record.key)} has a label, but is not in the pool; export the labels as CSV.")
    return row


def _label_numbers(labels: set[str]) -> dict[str, str]:
    """Map each label to a number: itself if all labels are different numbers, else its rank among them.

    Examples
    --------
    >>> _label_numbers({"3", "-1"}) == {"3": "3", "-1": "-1"}, _label_numbers({"1", "1.0"})
    (True, {'1': '0', '1.0': '1'})
    """
    ordered = sorted(labels)
    if all(map(_NUMBER.fullmatch, ordered)):
        values = set(map(float, ordered))
        if len(values) == len(ordered) and all(map(isfinite, values)):
            return {label: label for label in ordered}
    return {label: str(rank) for rank, label in enumerate(ordered)}


def _format_features(X: Features, row: int) -> str:
    """Format the nonzero features, numbered from 1, with enough digits to restore them exactly."""
    if isinstance(X, np.ndarray):
        columns, values = np.arange(X.shape[1]), X[row]
    else:
        part = slice(X.indptr[row], X.indptr[row + 1])
        columns, values = X.indices[part], X.data[part]
    digits = 9 if X.dtype == np.float32 else 17
    entries = sorted(zip(columns.tolist(), values.tolist(), strict=True))
    return "".join(f" {column + 1}:{value:.{digits}g}" for column, value in entries if value)
