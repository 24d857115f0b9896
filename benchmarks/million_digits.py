"""Learn a stream of deformed digits, up to 8.1 million: `python -m benchmarks.million_digits FOLDER --examples N`.

The model and a table of what it cost are saved after every piece of the stream, and a second call with the same folder
continues there: stop it with Ctrl-C, a shutdown or a full disk, and at most one piece is learned again. Examples are
those of the data set mnist-e, in an order that a seed decides within each piece; rows 0 to 59 999 are mnist itself.
"""

import argparse
import csv
import os
import resource
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import hinge
from benchmarks.data import data_folder
from benchmarks.worker import timed
from hinge import OnlineSVC

COLUMNS = (
    "examples",
    "test error, %",
    "support vectors",
    "learning, s",
    "learning, processor s",
    "making digits, s",
    "peak memory, MB",
)
PIECE = 20_000  # examples between two saved models


def main() -> None:
    """Read the options, continue where the folder says, learn, report."""
    options = _options()
    options.folder.mkdir(parents=True, exist_ok=True)
    data_folder()  # a clear message if there are no data
    stream = hinge.datasets.load("mnist-e")
    model, learning, processor, making = _begin(options)
    print(" | ".join(COLUMNS))
    for first in range(model.n_seen_ if learning else 0, options.examples, PIECE):
        last = min(first + PIECE, options.examples)
        seconds, (X, y) = timed(_piece, stream, first, last)
        making += seconds
        before = time.process_time()  # of all threads: what a busy machine does not change much
        learning += timed(partial(model.partial_fit, X, y, classes=stream.classes))[0]
        processor += time.process_time() - before
        error = 100.0 * float(np.mean(model.predict(stream.X_test) != stream.y_test))
        times = (learning, processor, making)
        _keep(options.folder, model, (last, error, len(model.support_), *times, _peak_megabytes()))
    if options.finish:
        _finish(options.folder, model, stream)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.million_digits", description="Learn deformed digits; stop and continue at will."
    )
    parser.add_argument("folder", type=Path, help="the model and the curve; continued if it holds them")
    parser.add_argument("--examples", type=int, default=1_000_000, help="where to stop, counted from the first ever")
    parser.add_argument("--C", type=float, default=10.0)
    parser.add_argument("--gamma", type=float, default=0.02)
    parser.add_argument("--cache-size", type=float, help="megabytes; default: what OnlineSVC takes by itself")
    parser.add_argument("--finish", action="store_true", help="solve for the support vectors at the end")
    return parser.parse_args()


def _begin(options: argparse.Namespace) -> tuple[Any, float, float, float]:
    """Return the model of the folder, or a new one, and the times so far: learning, its processor time, digits."""
    model_file = options.folder / "model.hinge"
    if model_file.exists():
        model = hinge.load(model_file)
        row = [row for row in _rows(options.folder) if int(row[0]) <= model.n_seen_][-1]
        return model, float(row[3]), float(row[4]), float(row[5])
    cache: dict[str, Any] = {} if options.cache_size is None else {"cache_size": options.cache_size}
    return OnlineSVC(C=options.C, gamma=options.gamma, random_state=0, **cache), 0.0, 0.0, 0.0


def _piece(stream: Any, first: int, last: int) -> Any:
    """Return the examples of a piece, in an order that depends on the piece alone."""
    return stream.take(np.random.RandomState(first).permutation(np.arange(first, last)))


def _rows(folder: Path) -> Iterator[list[str]]:
    with (folder / "curve.csv").open(newline="") as lines:
        yield from list(csv.reader(lines))[1:]


def _keep(folder: Path, model: Any, figures: tuple[Any, ...]) -> None:
    """Save the curve, then the model: after a stop between the two, the last line of the curve is written again."""
    line = [f"{value:.2f}" if isinstance(value, float) else str(value) for value in figures]
    known = [row for row in _rows(folder) if int(row[0]) < figures[0]] if (folder / "curve.csv").exists() else []
    temporary = folder / f"curve.{os.getpid()}.csv"
    with temporary.open("w", newline="") as lines:
        csv.writer(lines).writerows([COLUMNS, *known, line])
    temporary.replace(folder / "curve.csv")
    hinge.save(model, folder / "model.hinge")
    print(" | ".join(line), flush=True)


def _finish(folder: Path, model: Any, stream: Any) -> None:
    """Solve for the examples held; the saved model stays that of the stream."""
    seconds, _ = timed(model.finish)
    error = 100.0 * float(np.mean(model.predict(stream.X_test) != stream.y_test))
    print(f"finished in {seconds:.1f} s: {error:.2f} %, {len(model.support_):,} support vectors")
    hinge.save(model, folder / "finished.hinge")


def _peak_megabytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


if __name__ == "__main__":
    main()
