"""The file formats, and `open_source`, which opens a file of any of them.

To add a format, write its reader in a module of its own and add a line to `TEXT_FORMATS` or `FILE_FORMATS` below.
"""

from __future__ import annotations

import os
import stat
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from hinge.exceptions import ParameterError
from hinge.io._bytes import STANDARD_INPUT, ByteStream, require_file
from hinge.io._chunks import DataFileError
from hinge.io._delimited import CsvOptions, read_csv
from hinge.io._foreign import foreign_format, is_model_file
from hinge.io._lines import LineBlocks
from hinge.io._npz import NpzReader
from hinge.io._parquet import ParquetReader
from hinge.io._svmlight import looks_like_svmlight, read_svmlight

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

    from hinge.io._chunks import Chunk


class Reader(Protocol):
    """One pass over a file."""

    def chunks(self, n_rows: int) -> Iterator[Chunk]:
        """Yield the rows, at most `n_rows` at a time, without ever holding the whole file."""

    def share(self) -> float | None:
        """Return the fraction of the file that has been read."""

    def close(self) -> None:
        """Close the file."""


@dataclass(frozen=True)
class TextFormat:
    """A format of lines, which can also be read from a pipe and be compressed.

    Attributes
    ----------
    suffixes : tuple of str
        Endings of file names.
    read : callable
        Yields chunks of at most `n_rows` rows from blocks of lines. All get the options, which are for CSV.
    """

    suffixes: tuple[str, ...]
    read: Callable[[LineBlocks, int, CsvOptions], Iterator[Chunk]]


@dataclass(frozen=True)
class FileFormat:
    """A format that needs a file, since its table of contents is at the end.

    Attributes
    ----------
    suffixes : tuple of str
        Endings of file names.
    magic : bytes
        The first bytes of every such file.
    open : callable
        Starts a pass over a file.
    """

    suffixes: tuple[str, ...]
    magic: bytes
    open: Callable[[Path], Reader]


TEXT_FORMATS = {
    "svmlight": TextFormat((".svm", ".svmlight", ".libsvm"), lambda blocks, n_rows, _: read_svmlight(blocks, n_rows)),
    "csv": TextFormat((".csv", ".tsv"), read_csv),
}
FILE_FORMATS = {
    "parquet": FileFormat((".parquet",), b"PAR1", ParquetReader),
    "npz": FileFormat((".npz",), b"PK\x03\x04", NpzReader),
}
FORMATS = (*TEXT_FORMATS, *FILE_FORMATS)

BAD_ROWS = ("error", "skip")
_HINT = " --bad-rows skip leaves such rows out."
_COMPRESSED_SUFFIXES = (".gz", ".bz2", ".xz")
_FORMAT_OF_SUFFIX = {
    suffix: name
    for formats in (TEXT_FORMATS, FILE_FORMATS)
    for name, kind in formats.items()
    for suffix in kind.suffixes
}


class Source:
    """A file or a pipe as chunks of rows; created by `open_source`.

    Attributes
    ----------
    name : str
        Name of the file without its folder, or "standard input".
    format : str
        One of `FORMATS`.
    repeatable : bool
        The rows can be read more than once; false for standard input and pipes.
    skipped : list of str
        What is wrong with the rows that the last pass left out, with `bad_rows="skip"`.
    """

    def __init__(
        self,
        name: str,
        format: str,  # noqa: A002
        repeatable: bool,
        start: Callable[[], Reader],
        *,
        skips: bool = False,
    ) -> None:
        self.name = name
        self.format = format
        self.repeatable = repeatable
        self.skipped: list[str] = []
        self._start, self._skips = start, skips
        self._started = False
        self._reader: Reader | None = None

    def __repr__(self) -> str:
        return f"<Source {self.name}, {self.format}>"

    def chunks(
        self, n_rows: int = 4096, *, problems: list[str] | None = None, notes: list[str] | None = None
    ) -> Generator[Chunk, None, None]:
        """Read the rows from the beginning.

        Parameters
        ----------
        n_rows : int
            Rows per chunk, at most. Chunks have fewer rows if rows are very long, and if the writer of a pipe pauses:
            rows that have arrived are not held back. Memory does not depend on the length of the file.
        problems : list of str, default=None
            Collects what is wrong with lines of a CSV file that have too few or too many fields, and skips these lines.
            None raises an error at the first one.
        notes : list of str, default=None
            Collects what the user should know about the file, such as lines above the table that are skipped.

        Yields
        ------
        Rows or Table
            Consecutive rows.
        """
        if n_rows < 1:
            raise ParameterError(f"n_rows must be at least 1, got {n_rows!r}.")
        if self._started and not self.repeatable:
            raise DataFileError(f"{self.name} has been read already and can be read only once; save it to a file.")
        self._started = True
        return self._chunks(n_rows, problems, notes)

    def describe_skipped(self) -> str | None:
        """Return a sentence about the rows that the last pass left out; None if there are none."""
        if not self.skipped:
            return None
        number = len(self.skipped)
        rows = "1 row was left out" if number == 1 else f"{number:,} rows were left out, the first"
        return f"{rows} because {self.skipped[0]}"

    def share_read(self) -> float | None:
        """Return the fraction of the file that the current pass has read, or None if it is unknown.

        For text it is the fraction of the bytes on disk, for the other formats that of the rows.
        """
        return self._reader.share() if self._reader is not None else None

    def _chunks(self, n_rows: int, problems: list[str] | None, notes: list[str] | None) -> Generator[Chunk, None, None]:
        reader = self._reader = self._start()
        if self._skips:
            problems = self.skipped = []
        if isinstance(reader, TextReader):
            reader.problems, reader.notes = problems, notes
        empty = True
        try:
            for chunk in reader.chunks(n_rows):
                empty = False
                yield chunk
        finally:
            reader.close()
        if empty and not problems:
            raise DataFileError(f"{self.name} has no rows.")


class TextReader:
    """One pass over lines of text."""

    def __init__(self, blocks: LineBlocks, format: TextFormat, options: CsvOptions) -> None:  # noqa: A002
        self._blocks = blocks
        self._format = format
        self._options = options
        self.problems: list[str] | None = None
        self.notes: list[str] | None = None

    def chunks(self, n_rows: int) -> Iterator[Chunk]:
        """Yield the rows, at most `n_rows` at a time."""
        options = replace(self._options, problems=self.problems, notes=self.notes)
        self._blocks.allows_null, self._blocks.hint = options.skips_null, options.hint
        return self._format.read(self._blocks, n_rows, options)

    def share(self) -> float | None:
        """Return the fraction of the bytes on disk that has been read."""
        return self._blocks.share()

    def close(self) -> None:
        """Close the file."""
        self._blocks.close()


def open_source(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,  # noqa: A002
    header: bool | None = None,
    delimiter: str | None = None,
    bad_rows: str = "error",
) -> Source:
    r"""Open a data file of any size.

    Parameters
    ----------
    path : str or path
        The file; "-" is standard input. Text may be compressed with gzip, bzip2 or xz, whatever its name.
    format : {"svmlight", "csv", "parquet", "npz"} or None
        None guesses from the name, otherwise from the first line.
    header : bool or None
        Whether the first row of a CSV file holds column names. None: it does if its fields are distinct and none of
        them is empty or a number.
    delimiter : str or None
        The field separator of a CSV file. None: a tab in .tsv files, otherwise whichever of , ; tab and | is most
        frequent in the first line.
    bad_rows : {"error", "skip"}
        What to do about rows of a CSV file that have too few or too many fields, or a null character. "skip" leaves
        them out; `Source.describe_skipped` says how many.

    Returns
    -------
    Source
        The rows, in chunks.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from hinge.io import open_source
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "rows.svm"
    ...     _ = path.write_text("1 1:0.5 3:2\n-1 2:1\n1 1:4\n")
    ...     for chunk in open_source(path).chunks(n_rows=2):
    ...         print(chunk.y, chunk.X.shape)
    [ 1 -1] (2, 4)
    [1] (1, 2)
    """
    if format is not None and format not in FORMATS:
        raise ParameterError(f"format must be one of {', '.join(FORMATS)}, got {format!r}.")
    if delimiter is not None and (len(delimiter) != 1 or delimiter in '"\r\n'):
        raise ParameterError(f"delimiter must be one character and not a quotation mark, got {delimiter!r}.")
    if bad_rows not in BAD_ROWS:
        raise ParameterError(f"bad_rows must be one of {', '.join(BAD_ROWS)}, got {bad_rows!r}.")
    options = CsvOptions(header, delimiter, skips_null=bad_rows == "skip", hint=_HINT)
    if os.fspath(path) == STANDARD_INPUT:
        return _open_pipe(None, "standard input", format, options)
    path = Path(path)
    is_file = stat.S_ISREG(require_file(path).st_mode)
    if is_file:
        _refuse_foreign(path)
    suffix = _suffix(path)
    options = replace(options, delimiter="\t" if delimiter is None and suffix == ".tsv" else delimiter)
    format = format or _FORMAT_OF_SUFFIX.get(suffix)  # noqa: A001
    return (_open_file if is_file else _open_pipe)(path, path.name, format, options)


def _suffix(path: Path) -> str:
    name = Path(path.name.lower())
    return Path(name.stem).suffix if name.suffix in _COMPRESSED_SUFFIXES else name.suffix


def _refuse_foreign(path: Path) -> None:
    """Raise an error that says what a file is, if it certainly holds no data."""
    if is_model_file(path):
        raise DataFileError(f"{path.name} is a model, not data; name a data file.")
    words = foreign_format(path)
    if words is not None:
        raise DataFileError(f"{path.name} is {words}{'' if words.endswith('?') else '.'}")


def _open_file(path: Path, name: str, format: str | None, options: CsvOptions) -> Source:  # noqa: A002
    """Return the source of a file, which can be opened as often as needed."""
    if format is None:
        with closing(_open_lines(path, name)) as blocks:
            format = _guess_format(blocks)  # noqa: A001
    _check_skipping(format, options)
    if format in FILE_FORMATS:
        start = FILE_FORMATS[format].open
        return Source(name, format, True, lambda: start(path))
    text_format = TEXT_FORMATS[format]
    start_text = lambda: TextReader(_open_lines(path, name), text_format, options)  # noqa: E731
    return Source(name, format, True, start_text, skips=options.skips_null)


def _open_pipe(path: Path | None, name: str, format: str | None, options: CsvOptions) -> Source:  # noqa: A002
    """Return the source of a pipe; waits for the first line if the format is not given."""
    blocks = _open_lines(path, name)
    try:
        found = format or _guess_format(blocks)
        if found in FILE_FORMATS:
            raise DataFileError(
                f"{name} cannot be read as {found}, which needs a file on disk; save it to a file first."
            )
        _check_skipping(found, options)
    except BaseException:
        blocks.close()
        raise
    reader = TextReader(blocks, TEXT_FORMATS[found], options)
    return Source(name, found, False, lambda: reader, skips=options.skips_null)


def _check_skipping(format: str, options: CsvOptions) -> None:  # noqa: A002
    if options.skips_null and format != "csv":
        raise ParameterError(f"Bad rows can be skipped in CSV files only, got a file of the format {format}.")


def _open_lines(path: Path | None, name: str) -> LineBlocks:
    return LineBlocks(ByteStream(path, name), name)


def _guess_format(blocks: LineBlocks) -> str:
    line = blocks.look()
    if not line:
        raise DataFileError(f"{blocks.name} is empty.")
    for name, file_format in FILE_FORMATS.items():
        if line.startswith(file_format.magic):
            return name
    return "svmlight" if looks_like_svmlight(line) else "csv"
