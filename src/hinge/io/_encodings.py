"""Text that is not UTF-8: UTF-16, which spreadsheets save as "Unicode text", and Windows-1252 or Latin-1."""

from __future__ import annotations

import codecs
from typing import TYPE_CHECKING

from hinge.io._chunks import DataFileError

if TYPE_CHECKING:
    from collections.abc import Callable

    from hinge.io._lines import Block

_MARKS = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
_MIN_ZEROS = 0.4  # of the first bytes, if text is UTF-16 without a byte order mark: every other byte, or nearly so
_LATIN = str.maketrans({byte: bytes([byte]).decode("cp1252", errors="ignore") or chr(byte) for byte in range(128, 160)})


class Utf16Bytes:
    """Bytes of UTF-16 text as UTF-8; other bytes as they are.

    Parameters
    ----------
    read : callable
        Returns the next bytes of the file; empty at the end.
    name : str
        The name for messages.
    """

    def __init__(self, read: Callable[[], bytes], name: str) -> None:
        self._read, self._name = read, name
        self._started = False
        self._decoder: codecs.IncrementalDecoder | None = None

    def read(self) -> bytes:
        """Return the next bytes; empty at the end."""
        while True:
            data = self._read()
            if not self._started:
                data = self._begin(data)
            if self._decoder is None:
                return data
            try:
                text = self._decoder.decode(data, final=not data)
            except UnicodeDecodeError:
                raise DataFileError(f"{self._name} is not valid UTF-16 text; save the file as UTF-8.") from None
            if text or not data:  # a single byte may be half a character
                return text.encode("utf-8", errors="surrogatepass")

    def _begin(self, data: bytes) -> bytes:
        """Choose the decoder by the first bytes, and return them without their mark."""
        self._started = True
        encoding = next((name for mark, name in _MARKS.items() if data.startswith(mark)), None)
        if encoding is not None:
            data = data[2:]
        else:
            encoding = _guess_utf16(data[:1024])
        if encoding is not None:
            self._decoder = codecs.getincrementaldecoder(encoding)()
        return data


def _guess_utf16(data: bytes) -> str | None:
    """Return the kind of UTF-16 text that begins with these bytes, judged by where the zeros of ASCII characters are.

    Examples
    --------
    >>> _guess_utf16("a,b".encode("utf-16-le")), _guess_utf16("a,b".encode("utf-16-be")), _guess_utf16(b"a,b")
    ('utf-16-le', 'utf-16-be', None)
    """
    even, odd = data[::2].count(0), data[1::2].count(0)
    least = _MIN_ZEROS * len(data)
    if not odd and even > least:
        return "utf-16-be"
    return "utf-16-le" if not even and odd > least else None


class TextDecoder:
    """Decodes blocks of lines as UTF-8, or as Windows-1252 from the first block on that has other characters.

    Accented letters of Windows-1252 and Latin-1 are hardly ever valid UTF-8; a text that has valid ones too is damaged
    UTF-8. The few bytes that Windows-1252 does not define are those of Latin-1. With `utf8_only`, other texts raise
    DataFileError.
    """

    def __init__(self, name: str, *, utf8_only: bool = False) -> None:
        self._name = name
        self._is_ascii = not utf8_only  # a text in another encoding has none but ASCII characters before
        self._is_latin = False

    def decode(self, block: Block) -> str:
        """Return the text of a block."""
        if self._is_latin:
            return block.data.decode("latin-1").translate(_LATIN)
        try:
            text = block.data.decode("utf-8")
        except UnicodeDecodeError as error:
            if self._is_ascii and block.data.decode("utf-8", errors="ignore").isascii():
                self._is_latin = True
                return self.decode(block)
            line = block.first + block.data.count(b"\n", 0, error.start)
            byte = block.data[error.start]
            raise DataFileError(
                f"{self._name}, line {line} is not UTF-8 text (byte {byte:#04x}); save the file as UTF-8."
            ) from None
        self._is_ascii = self._is_ascii and text.isascii()
        return text
