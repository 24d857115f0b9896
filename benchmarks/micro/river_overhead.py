"""Processor time per row that `hinge.river` adds to `partial_fit` and `predict` with a prepared array.

The same stream is learned twice in one process, row by row in turn: as arrays that are ready for the model, and as
dictionaries; which goes first alternates. The model is small, since only the difference counts.
"""

import gc
from collections.abc import Callable, Iterator
from copy import deepcopy
from time import process_time
from typing import Any

import numpy as np

from benchmarks.micro import Section
from hinge import OnlineSVC
from hinge.river import HingeClassifier
from hinge.river._columns import read_entries

N_ROWS = 5000
Row = tuple[dict[str, Any], int]


def measure(quick: bool) -> Section:
    """Measure streams of plain numbers, of keys that come and go, of numbers and texts, and of words."""
    n_rows = 1000 if quick else N_ROWS
    streams: dict[str, Callable[[], Iterator[Row]]] = {
        "10 numbers": lambda: _numbers(10, 1.0),
        "50 numbers": lambda: _numbers(50, 1.0),
        "10 numbers, a third absent": lambda: _numbers(10, 2 / 3),
        "50 numbers, a third absent": lambda: _numbers(50, 2 / 3),
        "15 numbers and 5 texts": lambda: _texts(15, 5),
        "10 of 5 000 words (sparse)": lambda: _words(10, 5000),
    }
    return Section(
        f"hinge.river: µs of processor time per row, medians of {n_rows} rows (aim: at most 20 more)",
        ("stream", "partial_fit", "learn_one adds", "predict", "predict_one adds"),
        [(title, *(f"{value:.1f}" for value in _overheads(make(), n_rows))) for title, make in streams.items()],
    )


def _overheads(stream: Iterator[Row], n_rows: int) -> tuple[float, ...]:
    """Return medians in µs: `partial_fit`, what `learn_one` takes more, `predict`, what `predict_one` takes more."""
    wrapped = HingeClassifier(OnlineSVC(gamma=0.05, max_support=50, n_jobs=1))
    for _ in range(2000):  # features get their columns
        wrapped.learn_one(*next(stream))
    plain = deepcopy(wrapped)
    times: list[list[float]] = []
    gc.disable()
    while len(times) < n_rows:
        x, y = next(stream)
        known, row = wrapped._learner.columns.knows_all(read_entries(x).keys()), plain._learner.row(x)
        if known:  # otherwise both get a column first
            times.append(_times(wrapped, plain, x, y, row, swap=len(times) % 2 == 1))
        else:
            plain.learn_one(x, y)
            wrapped.learn_one(x, y)
    gc.enable()
    halves = [np.median(times[swap::2], axis=0) for swap in (0, 1)]
    learn, learn_one, predict, predict_one = np.mean(halves, axis=0).tolist()
    return learn, learn_one - learn, predict, predict_one - predict


def _times(
    wrapped: HingeClassifier, plain: HingeClassifier, x: dict[str, Any], y: int, row: Any, *, swap: bool
) -> list[float]:
    """Return µs of four calls for one row; `swap` lets the dictionaries go first, since the second call is quicker."""
    pairs = (
        ((plain.model_.partial_fit, row, [y]), (wrapped.learn_one, x, y)),
        ((plain.model_.predict, row), (wrapped.predict_one, x)),
    )
    found = []
    for pair in pairs:
        times = [_clock(*call) for call in (pair[::-1] if swap else pair)]
        found += times[::-1] if swap else times
    return found


def _clock(work: Callable[..., object], *arguments: Any) -> float:
    start = process_time()
    work(*arguments)
    return 1e6 * (process_time() - start)


def _numbers(n: int, share: float) -> Iterator[Row]:
    random = np.random.default_rng(0)
    names = [f"feature_{i}" for i in range(n)]
    while True:
        values, present = random.normal(size=n).tolist(), (random.random(n) < share).tolist()
        x = {name: value for name, value, is_there in zip(names, values, present, strict=True) if is_there}
        yield x, int(sum(values[:3]) > 0)


def _texts(n_numbers: int, n_texts: int) -> Iterator[Row]:
    random = np.random.default_rng(1)
    for x, y in _numbers(n_numbers, 1.0):
        kinds = random.integers(4, size=n_texts).tolist()
        yield x | {f"text_{i}": f"kind {kind}" for i, kind in enumerate(kinds)}, y


def _words(n: int, vocabulary: int) -> Iterator[Row]:
    random = np.random.default_rng(2)
    while True:
        words = (vocabulary * random.random(n) ** 3).astype(int).tolist()
        yield {f"word_{word}": 1 for word in words}, int(min(words) < 30)
