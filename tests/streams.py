"""Streams that cannot be written."""

from __future__ import annotations

import os
from contextlib import contextmanager

BROKEN = ["full", "left"]  # a full disk, and a pipe that nobody reads any more


@contextmanager
def broken(kind):
    """Open a stream that cannot be written; at the end, nothing may be left in it that could not be."""
    if kind == "full":
        stream = open("/dev/full", "w")  # noqa: PTH123, SIM115
    else:
        reading, writing = os.pipe()
        os.close(reading)
        stream = os.fdopen(writing, "w")
    with stream:
        yield stream
