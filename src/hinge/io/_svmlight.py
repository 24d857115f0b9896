"""Read svmlight text: `label index:value index:value ...`, one row per line.

Scikit-learn's parser reads blocks of whole lines. If it refuses a block, the offending line is searched for.
"""

from __future__ import annotations

import io
import re
from math import isfinite
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.datasets import load_svmlight_file

from hinge.io._chunks import DataFileError, Rows, is_number

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from hinge.io._lines import Block, LineBlocks

_LARGEST_INDEX = 2**31 - 2  # the number of columns must fit into 32 bits as well
_EXACT = 2.0**53  # float64 represents all smaller whole numbers exactly

_WORDS_CHECKED = 1000  # of the first line, to recognise the format

_PAIR = re.compile(rb"\d+:\S+")
_QUERY = re.compile(rb"qid:\S+")
_UNDERSCORE = re.compile(rb"^[^#\n]*_", re.MULTILINE)  # Python accepts 1_000 as a number; other programs do not


def looks_like_svmlight(line: bytes) -> bool:
    """Tell whether a line is a label followed by index:value pairs."""
    _, *pairs = line.partition(b"#")[0].split(maxsplit=_WORDS_CHECKED)[:_WORDS_CHECKED] or [b""]
    if pairs and _QUERY.fullmatch(pairs[0]):
        pairs = pairs[1:]
    return bool(pairs) and all(_PAIR.fullmatch(pair) and _is_finite(pair.partition(b":")[2]) for pair in pairs)


def read_svmlight(blocks: LineBlocks, n_rows: int) -> Iterator[Rows]:
    """Yield the rows of an svmlight file, at most `n_rows` at a time."""
    while (block := blocks.take(n_rows)) is not None:
        try:
            X, y = _parse(block.data)
        except (ValueError, OverflowError):
            raise _refusal(block, blocks.name) from None
        if len(y):
            lines = _lines_of_rows(block) if len(y) != block.n_lines else None
            yield Rows(X, _integers_if_whole(y), lines[0] if lines else block.first, indexed=True, lines=lines)


def _parse(data: bytes) -> tuple[csr_matrix, NDArray[np.float64]]:
    if b"_" in data and _UNDERSCORE.search(data):
        raise ValueError("underscore")
    X, y = load_svmlight_file(io.BytesIO(data), dtype=np.float64, zero_based=True)
    if not (np.isfinite(X.data).all() and np.isfinite(y).all()):
        raise ValueError("not finite")
    if X.shape[1] > _LARGEST_INDEX + 1:
        raise ValueError("too many columns")
    parts = (X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32))
    return csr_matrix(parts, shape=X.shape), y


def _integers_if_whole(y: NDArray[np.float64]) -> NDArray[np.float64] | NDArray[np.int64]:
    if (np.abs(y) < _EXACT).all() and (y == np.trunc(y)).all():
        return y.astype(np.int64)
    return y


def _lines_of_rows(block: Block) -> list[int]:
    """Return the numbers of the lines that hold rows; others are blank, or comments."""
    lines = enumerate(io.BytesIO(block.data), block.first)
    return [number for number, line in lines if line.partition(b"#")[0].strip()]


def _refusal(block: Block, name: str) -> DataFileError:
    """Return the error for a block that cannot be parsed; bisection finds the first bad line."""
    lines, first = block.data.splitlines(keepends=True), block.first
    if len(lines) != block.n_lines:  # other kinds of line ends inside
        lines = [line + b"\n" for line in block.data.split(b"\n")[: block.n_lines]]
    while len(lines) > 1:
        half = len(lines) // 2
        try:
            _parse(b"".join(lines[:half]))
        except (ValueError, OverflowError):
            lines = lines[:half]
        else:
            lines, first = lines[half:], first + half
    return DataFileError(f"{name}, line {first} {_reason(lines[0])}.")


def _reason(line: bytes) -> str:
    label, *pairs = line.partition(b"#")[0].split()
    if b"," in label:
        return f"must have one label, got {_shown(label)}; multi-label rows are not supported"
    if not _is_finite(label):
        return f"must begin with a label that is a finite number, got {_shown(label)}"
    previous = -1
    for pair in pairs[1:] if pairs and pairs[0].startswith(b"qid") else pairs:
        reason = _pair_reason(pair, previous)
        if reason:
            return reason
        previous = int(pair.partition(b":")[0])
    return "cannot be read as svmlight text"


def _pair_reason(pair: bytes, previous: int) -> str | None:
    text, _, value = pair.partition(b":")
    if b":" not in pair or not re.fullmatch(rb"[+-]?\d+", text):
        return f"must hold index:value pairs after the label, got {_shown(pair)}"
    index = int(text) if len(text) < 20 else _LARGEST_INDEX + 1
    if index < 0:
        return f"must have indices of at least 0, got {index}"
    if index > _LARGEST_INDEX:
        return f"must have indices of at most {_LARGEST_INDEX}, got {_shown(text)}"
    if index <= previous:
        return f"must have indices in ascending order, got {index} after {previous}"
    return None if _is_finite(value) else f"must hold finite numbers, got {_shown(value)} for index {index}"


def _is_finite(text: bytes) -> bool:
    return is_number(text) and isfinite(float(text))


def _shown(text: bytes) -> str:
    shown = text.decode("utf-8", errors="backslashreplace")
    return repr(shown if len(shown) <= 40 else f"{shown[:40]}...")
