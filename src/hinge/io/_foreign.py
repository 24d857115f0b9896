"""Recognise files that are certainly not data files, to say what they are instead of what is wrong with line 1."""

from __future__ import annotations

import zipfile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_HEAD = 4096  # bytes that are looked at
_BEGINNINGS = {
    b"%PDF": "a PDF document; export its table as CSV",
    b"\xd0\xcf\x11\xe0": "an Excel workbook of the old format; save it as CSV",
    b"SQLite format 3\0": "an SQLite database; export the table as CSV",
    b"\x89PNG": "an image",
    b"\xff\xd8\xff": "an image",
    b"<!doctype": "a web page; was the address of the page saved instead of its table?",
    b"<html": "a web page; was the address of the page saved instead of its table?",
    b"<?xml": "an XML document; export its table as CSV",
    b'{"': "a JSON document; convert it to CSV, with pandas.read_json for example",
    b"[{": "a JSON document; convert it to CSV, with pandas.read_json for example",
    b"\x80\x02": "a Python pickle, which may run any code when it is read; save the data as CSV or npz",
    b"\x80\x03": "a Python pickle, which may run any code when it is read; save the data as CSV or npz",
    b"\x80\x04": "a Python pickle, which may run any code when it is read; save the data as CSV or npz",
    b"\x80\x05": "a Python pickle, which may run any code when it is read; save the data as CSV or npz",
}
_ARCHIVED = {
    "xl/": "an Excel workbook; save it as CSV",
    "word/": "a Word document; save its table as CSV",
    "content.xml": "an OpenDocument file; save its table as CSV",
}


def is_model_file(path: Path) -> bool:
    """Tell whether a file looks like a model of this package."""
    head = _head(path)
    return head[8:9] == b"{" and b'"__metadata__":{"hinge":' in head.replace(b" ", b"")


def foreign_format(path: Path) -> str | None:
    """Say what a file is that holds neither data nor a model, and what to do about it; None if it may hold data."""
    head = _head(path)
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    found = next((words for magic, words in _BEGINNINGS.items() if start[: len(magic)].lower() == magic.lower()), None)
    if found is None and head.startswith(b"PK\x03\x04"):
        return _archived_format(path)
    return found


def looks_like_text(path: Path) -> bool:
    """Tell whether a file begins with text: no control characters, and mostly plain letters, digits and signs."""
    head = _head(path)
    n_plain = sum(32 <= byte < 127 or byte in b"\t\n\r\f" for byte in head)
    return 2 * n_plain > len(head) and not any(byte < 32 and byte not in b"\t\n\r\f" for byte in head)


def _archived_format(path: Path) -> str | None:
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
    except (OSError, ValueError, zipfile.BadZipFile, NotImplementedError):
        return None
    return next((words for part, words in _ARCHIVED.items() if any(name.startswith(part) for name in names)), None)


def _head(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(_HEAD)
    except OSError:
        return b""
