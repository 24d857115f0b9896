"""One door to all formats: `open_source`."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from hinge.exceptions import ParameterError
from hinge.io._bytes import STANDARD_INPUT, ByteStream, require_file
from hinge.io._delimited import CsvOptions, read_csv
from hinge.io._errors import DataFileError
from hinge.io._lines import LineBlocks
from hinge.io._npz import NpzReader
from hinge.io._parquet import ParquetReader
from hinge.io._svmlight import looks_like_svmlight, read_svmlight

if TYPE_CHECKING:
    from hinge.io._chunks import Chunk

FORMATS = ("svmlight", "csv", "parquet", "npz")

_PACKED = (".gz", ".bz2", ".xz")
_SUFFIXES = {
    ".csv": "csv",
    ".tsv": "csv",
    ".parquet": "parquet",
    ".npz": "npz",
    ".svm": "svmlight",
    ".svmlight": "svmlight",
    ".libsvm": "svmlight",
}
_SCATTERED = ("parquet", "npz")  # have their table of contents at the end
_MAGIC = {b"PAR1": "parquet", b"PK\x03\x04": "npz"}


class Reader(Protocol):
    """One pass over a file."""

    def chunks(self, n_rows: int) -> Iterator[Chunk]:
        """Yield the rows, at most `n_rows` at a time."""

    def share(self) -> float | None:
        """Return the share of the file that has been read."""

    def close(self) -> None:
        """Close the file."""


class Source:
    """A file, or what comes through a pipe, as chunks of rows; `open_source` makes these.

    Attributes
    ----------
    name : str
        Name of the file without its folder, or "standard input".
    format : str
        "svmlight", "csv", "parquet" or "npz".
    repeatable : bool
        The rows can be gone through more than once; not so for the standard input and for pipes.
    """

    def __init__(self, name: str, format: str, repeatable: bool, start: Callable[[], Reader]) -> None:  # noqa: A002
        self.name = name
        self.format = format
        self.repeatable = repeatable
        self._start = start
        self._started = False
        self._reader: Reader | None = None

    def __repr__(self) -> str:
        return f"<Source {self.name}, {self.format}>"

    def chunks(self, n_rows: int = 4096) -> Generator[Chunk, None, None]:
        """Go through the rows from the beginning.

        Parameters
        ----------
        n_rows : int
            Rows a chunk, at most; there are fewer where rows are very long, and where the writer of a pipe pauses:
            rows that have arrived are not held back. Memory does not depend on the length of the file.

        Yields
        ------
        Rows or Table
            Consecutive rows.
        """
        if n_rows < 1:
            raise ParameterError(f"n_rows must be at least 1, got {n_rows!r}.")
        if self._started and not self.repeatable:
            raise DataFileError(f"The rows of {self.name} have been read and do not come again; save them to a file.")
        self._started = True
        return self._chunks(n_rows)

    def share_read(self) -> float | None:
        """Return how much of the file has been read in the present pass, between 0 and 1; None if that is not known.

        For text it is the share of the bytes on disk, for the other formats that of the rows.
        """
        return self._reader.share() if self._reader is not None else None

    def _chunks(self, n_rows: int) -> Generator[Chunk, None, None]:
        reader = self._reader = self._start()
        empty = True
        try:
            for chunk in reader.chunks(n_rows):
                empty = False
                yield chunk
        finally:
            reader.close()
        if empty:
            raise DataFileError(f"{self.name} has no rows.")


class TextReader:
    """One pass over svmlight or CSV text."""

    def __init__(self, blocks: LineBlocks, format: str, options: CsvOptions) -> None:  # noqa: A002
        self._blocks = blocks
        self._format = format
        self._options = options

    def chunks(self, n_rows: int) -> Iterator[Chunk]:
        """Yield the rows, at most `n_rows` at a time."""
        if self._format == "csv":
            yield from read_csv(self._blocks, n_rows, self._options)
        else:
            yield from read_svmlight(self._blocks, n_rows)

    def share(self) -> float | None:
        """Return the share of the bytes on disk that has been read."""
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
) -> Source:
    r"""Open a data file of any size.

    Parameters
    ----------
    path : str or path
        The file; "-" is the standard input. Text may be packed with gzip, bzip2 or xz, whatever its name.
    format : {"svmlight", "csv", "parquet", "npz"} or None
        None finds out: from the name, or else from the first line.
    header : bool or None
        Whether the first row of a CSV file holds the names of the columns. None: it does if its fields are distinct
        and none of them is empty or a number.
    delimiter : str or None
        What separates the fields of a CSV file. None: a tab in .tsv files, else whichever of , ; tab and | is most
        frequent in the first line.

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
    if os.fspath(path) == STANDARD_INPUT:
        return _flowing(None, "standard input", format, CsvOptions(header, delimiter))
    path = Path(path)
    regular = stat.S_ISREG(require_file(path).st_mode)
    suffix = _suffix(path)
    options = CsvOptions(header, "\t" if delimiter is None and suffix == ".tsv" else delimiter)
    format = format or _SUFFIXES.get(suffix)  # noqa: A001
    return (_resting if regular else _flowing)(path, path.name, format, options)


def _suffix(path: Path) -> str:
    name = Path(path.name.lower())
    return Path(name.stem).suffix if name.suffix in _PACKED else name.suffix


def _resting(path: Path, name: str, format: str | None, options: CsvOptions) -> Source:  # noqa: A002
    """Return the source of a file that lies still and can be opened as often as needed."""
    if format is None:
        with closing(_blocks(path, name)) as blocks:
            format = _guess(blocks)  # noqa: A001
    if format == "parquet":
        return Source(name, format, True, lambda: ParquetReader(path))
    if format == "npz":
        return Source(name, format, True, lambda: NpzReader(path))
    return Source(name, format, True, lambda: TextReader(_blocks(path, name), format, options))


def _flowing(path: Path | None, name: str, format: str | None, options: CsvOptions) -> Source:  # noqa: A002
    """Return the source of bytes that come once; the first line is waited for if it has to tell the format."""
    blocks = _blocks(path, name)
    try:
        known = format or _guess(blocks)
        if known in _SCATTERED:
            raise DataFileError(f"{name} cannot be read as {known} while it arrives; save it to a file first.")
    except BaseException:
        blocks.close()
        raise
    return Source(name, known, False, lambda: TextReader(blocks, known, options))


def _blocks(path: Path | None, name: str) -> LineBlocks:
    return LineBlocks(ByteStream(path, name), name)


def _guess(blocks: LineBlocks) -> str:
    line = blocks.look()
    if not line:
        raise DataFileError(f"{blocks.name} is empty.")
    for magic, format in _MAGIC.items():  # noqa: A001
        if line.startswith(magic):
            return format
    return "svmlight" if looks_like_svmlight(line) else "csv"
