"""Read CSV text: named columns of texts, nothing converted."""

from __future__ import annotations

import csv
import io
from collections import Counter
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from hinge.exceptions import quoted
from hinge.io._chunks import DataFileError, Table, is_number
from hinge.io._encodings import TextDecoder
from hinge.io._layout import (
    MAX_TITLE_LINES,
    Layout,
    fields_of,
    find_table,
    guess_delimiter,
    is_ruler,
    looks_complete,
    separator_line,
)
from hinge.io._lines import LINE_BYTES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hinge.io._chunks import Values
    from hinge.io._lines import LineBlocks

MAX_COLUMNS = 1 << 16  # each takes memory of its own, even if it is empty

_MAX_REPEATED = 5  # names in a note

Record = tuple[int, list[str]]  # the line where it begins, and its fields (none if the line is blank)


@dataclass(frozen=True)
class CsvOptions:
    """How to read a CSV file; None means guess."""

    header: bool | None = None
    delimiter: str | None = None
    problems: list[str] | None = None  # collects what is wrong with lines, which are then skipped; None raises it
    notes: list[str] | None = None  # collects what the user should know about the file
    utf8_only: bool = False  # refuse texts in other encodings
    skips_null: bool = False  # lines with a null character are such problems, too
    hint: str = ""  # what to do about such lines


def read_csv(blocks: LineBlocks, n_rows: int, options: CsvOptions) -> Iterator[Table]:
    """Yield the rows of a CSV file, at most `n_rows` at a time."""
    layout = _find_layout(blocks, options)
    lines = _Lines(blocks, n_rows, n_skipped=layout.n_skipped, utf8_only=options.utf8_only)
    records = _records(lines, layout.delimiter)
    filled = (record for record in records if record[1])
    start = next(filled, None)
    if start is None:
        return
    if len(start[1]) > MAX_COLUMNS:
        raise DataFileError(
            f"{blocks.name} has {len(start[1])} columns; at most {MAX_COLUMNS} can be read from a table, so save "
            "its numbers as svmlight or npz."
        )
    waiting = [start]
    named = True if layout.named else options.header
    if named is None and not any(map(is_number, start[1])):
        waiting += [record for record in [next(filled, None)] if record is not None]
        named = _is_header(*(fields for _, fields in waiting))
    names = (
        _names(waiting.pop(0), blocks.name, options.notes) if named else [str(place) for place in range(len(start[1]))]
    )
    for numbers, rows in _batches(chain(waiting, records), lines, len(names), options):
        yield Table(_by_column(names, rows), numbers, bool(named))


def _find_layout(blocks: LineBlocks, options: CsvOptions) -> Layout:
    """Return where the table begins: in the first line if it and the second can be those of a table.

    Else, or if all lines further below have more columns, it begins there. If the user says whether there are names,
    they are in the first line.
    """
    lines = [_text(line) for line in blocks.look_at(1)]
    if not lines:
        return Layout(options.delimiter or ",")
    named = separator_line(lines[0])
    if named is not None:
        return Layout(options.delimiter or named, 1)
    usual = Layout(options.delimiter or guess_delimiter(_text(blocks.look())))
    if options.header is not None or options.utf8_only:
        return usual
    lines = [_text(line) for line in blocks.look_at(2)]
    parsed = [fields_of(line, usual.delimiter) for line in lines]
    if len(parsed) < 2:
        return usual
    lines = [_text(line) for line in blocks.look_at(MAX_TITLE_LINES)]
    found = find_table(lines, options.delimiter)
    if found is None or (looks_complete(*parsed) and not found.is_below(lines, len(parsed[0]))):
        return usual
    if found.is_title and options.notes is not None:
        above = "line 1 is" if found.n_skipped == 1 else f"lines 1 to {found.n_skipped} are"
        options.notes.append(
            f"{blocks.name}: {above} no part of the table, whose columns have their names in line "
            f"{found.n_skipped + 1}; --header reads the names from the first line."
        )
    return found


def _text(line: bytes) -> str:
    return line.decode("utf-8", errors="replace").rstrip("\r\n")


class _Lines:
    """Lines for the parser; `left` is how many more can be read without waiting."""

    def __init__(self, blocks: LineBlocks, n_rows: int, *, n_skipped: int, utf8_only: bool) -> None:
        self.name = blocks.name
        self.n_skipped = n_skipped
        self.left = 0
        self.ended = False
        self.record_bytes = 0  # of the lines of the current record
        self._blocks = blocks
        self._text = TextDecoder(blocks.name, utf8_only=utf8_only)
        self.n_rows = n_rows

    def __iter__(self) -> Iterator[str]:
        to_skip = self.n_skipped
        while (block := self._blocks.take(self.n_rows)) is not None:
            self.left = block.n_lines
            for line in io.StringIO(self._text.decode(block), newline="\n"):
                self.left -= 1
                if to_skip:
                    to_skip -= 1
                    continue
                self.record_bytes += len(line)
                if self.record_bytes > LINE_BYTES:  # endless lines inside quotation marks
                    raise DataFileError(
                        f"{self.name} has a record of more than {LINE_BYTES >> 20} MB; is a quotation mark missing?"
                    )
                yield line
        self.ended = True


def _records(lines: _Lines, delimiter: str) -> Iterator[Record]:
    parser = csv.reader(lines, delimiter=delimiter, skipinitialspace=True)
    begin = first = 1 + lines.n_skipped
    try:
        for fields in parser:
            if lines.ended:  # complete records are returned with their last line
                raise DataFileError(f"{lines.name} ends inside quotation marks; the record begins at line {begin}.")
            lines.record_bytes = 0
            is_drawn = fields and not fields[0].strip("-=_+|: ") and is_ruler(fields)
            yield begin, [] if is_drawn else fields
            begin = first + parser.line_num
    except csv.Error as error:
        if "new-line character" in str(error):
            reason = "has line ends of a single CR, as old Macs wrote them; save the file with usual line ends."
        elif "field limit" in str(error):
            reason = f"has a field of more than {csv.field_size_limit()} characters; is a quotation mark missing?"
        else:
            reason = f"cannot be read as CSV ({error})."
        raise DataFileError(f"{lines.name}, line {begin} {reason}") from None


def _is_header(first: list[str], second: list[str] | None = None) -> bool:
    """Tell whether a first record without numbers holds names: numbers follow below, or all fields are distinct."""
    if any(name and is_number(below) for name, below in zip(first, second or [], strict=False)):
        return True
    return len(set(first)) == len(first) and "" not in first


def _names(start: Record, file: str, notes: list[str] | None) -> list[str]:
    """Return the names of the columns.

    A column without a name is called "column" and its number. A name that other columns had before gets a number, as
    in pandas: "size", "size.1", "size.2".
    """
    line, fields = start
    names = [field or f"column {place}" for place, field in enumerate(fields)]
    taken, times, found = set(names), Counter[str](), []
    for name in names:
        unique = name
        while times[name] and unique in taken:
            unique = f"{name}.{times[name]}"
            times[name] += unique in taken
        times[name] += 1
        taken.add(unique)
        found.append(unique)
    repeated = [(name, unique) for name, unique in zip(names, found, strict=True) if name != unique]
    if repeated and notes is not None:
        named = ", ".join(f"{quoted(name)} again as {quoted(unique)}" for name, unique in repeated[:_MAX_REPEATED])
        more = f" and {len(repeated) - _MAX_REPEATED:,} more" if len(repeated) > _MAX_REPEATED else ""
        notes.append(f"{file}, line {line} repeats names of columns: {named}{more}.")
    return found


def _batches(
    records: Iterator[Record], lines: _Lines, width: int, options: CsvOptions
) -> Iterator[tuple[list[int], list[list[str]]]]:
    """Yield together, with their lines, the records that can be read without waiting."""
    rows: list[list[str]] = []
    numbers: list[int] = []
    for line, fields in records:
        problem = _problem(fields, width, looks_for_null=options.skips_null)
        if problem is None:
            numbers.append(line)
            rows.append(fields)
        elif fields and fields != [""]:  # else a blank line
            sentence = f"{lines.name}, line {line} has {problem}."
            if options.problems is None:
                raise DataFileError(f"{sentence}{options.hint}")
            options.problems.append(sentence)
        if rows and (not lines.left or len(rows) == lines.n_rows):  # a record may extend into the next block
            yield numbers, rows
            numbers, rows = [], []
    if rows:
        yield numbers, rows


def _problem(fields: list[str], width: int, *, looks_for_null: bool) -> str | None:
    """Return what is wrong with a record, None if it is right."""
    if len(fields) != width:
        return f"{len(fields)} field{'s' if len(fields) > 1 else ''}; {width} expected, as in the first row"
    return "a null character" if looks_for_null and any("\0" in field for field in fields) else None


def _by_column(columns: list[str], rows: list[list[str]]) -> dict[str, Values]:
    return {name: np.array(texts, dtype=object) for name, texts in zip(columns, zip(*rows, strict=True), strict=True)}
