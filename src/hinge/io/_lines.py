"""Split text into blocks of whole lines. Blocks are cut at positions of line ends, never line by line."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hinge.io._chunks import DataFileError

if TYPE_CHECKING:
    from hinge.io._bytes import ByteStream

LINE_BYTES = 1 << 24  # the longest line; its words take up to twenty times as much memory
BLOCK_BYTES = 1 << 23  # a block of this size gets no more lines

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_EMPTY = np.empty(0, dtype=np.int64)
_COMMENT_OR_BLANK = re.compile(rb"\s*(#|$)")


@dataclass(frozen=True)
class Block:
    """Whole lines.

    Attributes
    ----------
    data : bytes
        The lines with their line ends.
    first : int
        Number of the first line in the file, counted from 1.
    n_lines : int
        Number of lines.
    """

    data: bytes
    first: int
    n_lines: int


class LineBlocks:
    """Split a stream of bytes into blocks of whole lines.

    Parameters
    ----------
    stream : ByteStream
        The bytes.
    name : str
        The name for messages.

    Attributes
    ----------
    allows_null : bool
        Null characters are for the reader to refuse.
    hint : str
        What else to say about a null character.
    """

    def __init__(self, stream: ByteStream, name: str) -> None:
        self.name = name
        self.allows_null = False
        self.hint = ""
        self._stream = stream
        self._pending: list[bytes] = []  # lines that `look` has read and `take` has not returned
        self._n_pending = 0
        self._first_line: bytes | None = None
        self._line = 1
        self._piece = b""
        self._start = 0  # where the lines of the piece begin that were not returned
        self._ends = _EMPTY  # where the lines of the piece end
        self._next = 0  # the first of these that was not returned
        self._tail: list[bytes] = []  # the beginning of a line whose end has not arrived
        self._tail_bytes = 0

    def take(self, n_lines: int) -> Block | None:
        """Return the next lines, at least one and at most `n_lines`; None at the end.

        Fewer are returned if the writer of a pipe pauses, or if lines are very long.
        """
        block = self._take(n_lines)
        if block is not None and not self.allows_null and b"\0" in block.data:
            line = block.first + block.data.count(b"\n", 0, block.data.index(b"\0"))
            raise DataFileError(f"{self.name}, line {line} has a null character; is it a text file?{self.hint}")
        return block

    def look(self) -> bytes:
        """Return the first line that is neither blank nor a comment, without consuming it; empty if there is none.

        Lines are read one by one, so that a slow pipe need not have sent more than this one.
        """
        if self._first_line is not None:
            return self._first_line
        seen: list[bytes] = []
        size, first, line = 0, self._line, b""
        while not line and size < BLOCK_BYTES and (block := self._take(1)) is not None:
            seen.append(block.data)
            size += len(block.data)
            line = b"" if _COMMENT_OR_BLANK.match(block.data) else block.data
        self._pending, self._n_pending, self._line = seen, len(seen), first
        self._first_line = line
        return line

    def look_at(self, n_lines: int) -> list[bytes]:
        """Return the first lines without consuming them: fewer than `n_lines` if more would have to be awaited."""
        first = self._line
        block = self._take(max(n_lines, self._n_pending))
        if block is None:
            return []
        self._pending, self._n_pending, self._line = [block.data], block.n_lines, first
        return block.data.splitlines(keepends=True)[:n_lines]

    def share(self) -> float | None:
        """Return the fraction of the bytes on disk that has been read."""
        return self._stream.share()

    def close(self) -> None:
        """Close the file."""
        self._stream.close()

    def _take(self, n_lines: int) -> Block | None:
        parts, found, size = self._pending, self._n_pending, 0
        self._pending, self._n_pending = [], 0
        while found < n_lines and size < BLOCK_BYTES:
            if self._next < len(self._ends):
                count = min(n_lines - found, len(self._ends) - self._next)
                size += self._append_lines(count, parts)
                found += count
            elif found and not self._stream.ready():
                break
            elif not self._read(self._line + found):
                if self._tail:  # the last line has no end
                    parts += self._tail
                    self._tail, self._tail_bytes = [], 0
                    found += 1
                break
        return self._block(b"".join(parts), found) if found else None

    def _append_lines(self, count: int, parts: list[bytes]) -> int:
        end = int(self._ends[self._next + count - 1])
        parts += self._tail
        parts.append(self._piece[self._start : end])
        size = self._tail_bytes + end - self._start
        self._tail, self._tail_bytes = [], 0
        self._start, self._next = end, self._next + count
        return size

    def _read(self, line: int) -> bool:
        """Read one more piece; the rest of the previous one is the beginning of line number `line`."""
        if self._start < len(self._piece):
            self._tail.append(self._piece[self._start :])
            self._tail_bytes += len(self._tail[-1])
        self._piece, self._start, self._ends, self._next = self._stream.read(), 0, _EMPTY, 0
        if self._piece:
            self._ends = np.flatnonzero(np.frombuffer(self._piece, dtype=np.uint8) == ord("\n")) + 1
        if self._tail_bytes > LINE_BYTES:
            raise DataFileError(f"{self.name}, line {line} has more than {LINE_BYTES >> 20} MB; is it a text file?")
        return bool(self._piece)

    def _block(self, data: bytes, n_lines: int) -> Block:
        first = self._line
        self._line += n_lines
        if first == 1:
            data = data.removeprefix(_BYTE_ORDER_MARK)
        return Block(data, first, n_lines)
