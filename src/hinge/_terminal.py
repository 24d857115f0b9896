"""Standard output and standard error that may be closed, full or no longer read by anyone."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import IO, TYPE_CHECKING, cast

from rich.console import Console

if TYPE_CHECKING:
    from collections.abc import Callable


class Terminal(Console):
    """A console on standard error for progress and notes.

    When standard error cannot be written, the console falls silent and the work continues.
    """

    def __init__(self, *, quiet: bool = False) -> None:
        # An active progress display may have replaced standard error by a proxy.
        self._stderr = getattr(sys.stderr, "rich_proxied_file", sys.stderr)
        guarded = None if self._stderr is None else cast("IO[str]", GuardedStream(self._stderr, self._fall_silent))
        super().__init__(file=guarded, stderr=True, quiet=quiet)

    def _fall_silent(self, _: Exception) -> None:
        self.quiet = True
        flush_or_discard(self._stderr)


class GuardedStream:
    """A text stream that passes its write errors to a handler.

    Parameters
    ----------
    stream : text stream
        The stream to write to.
    on_error : callable
        Called with the exception when a write or flush fails. It may raise another exception, or return to ignore it.
    """

    def __init__(self, stream: IO[str], on_error: Callable[[Exception], None]) -> None:
        self._stream, self._on_error = stream, on_error

    def __getattr__(self, name: str) -> object:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        """Write text, or call the handler."""
        self._try(lambda: self._stream.write(text))
        return len(text)

    def flush(self) -> None:
        """Flush the stream, or call the handler."""
        self._try(self._stream.flush)

    def _try(self, work: Callable[[], object]) -> None:
        try:
            work()
        except (OSError, ValueError) as error:
            if not self._is_write_error(error):
                raise
            self._on_error(error)

    def _is_write_error(self, error: Exception) -> bool:
        """Tell whether the stream raised an error; a signal handler may raise others, such as TimeoutError."""
        if isinstance(error, OSError):
            return error.errno is not None
        return isinstance(error, UnicodeError) or self._stream.closed


def flush_or_discard(stream: IO[str]) -> None:
    """Flush a stream, or discard its buffer if that fails: Python would try again at exit and print an error."""
    with suppress(ValueError):
        try:
            stream.flush()
        except OSError:
            _discard_buffer(stream)


def _discard_buffer(stream: IO[str]) -> None:
    """Flush a stream while its file descriptor points to the null device."""
    with suppress(OSError):
        descriptor = stream.fileno()
        original, null = os.dup(descriptor), os.open(os.devnull, os.O_WRONLY)
        try:
            os.dup2(null, descriptor)
            stream.flush()
        finally:
            os.dup2(original, descriptor)
            os.close(original)
            os.close(null)
