"""Run classifiers on streams and print a table: `python -m benchmarks.streams`."""

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console

from benchmarks.data import MissingDataError
from benchmarks.streams.models import MODELS
from benchmarks.streams.results import Result, ResultFile, summary, table
from benchmarks.streams.sources import REPORTED, SOURCES

_CHUNK = 500  # rows that are converted at a time, so that a long stream is never held as dictionaries


def main() -> None:
    """Read the options, run what is missing, print."""
    options = _options()
    console = Console()
    store = ResultFile(options.results)
    found = []
    for stream in options.streams:
        try:
            found += _run_stream(stream, options, store, console)
        except MissingDataError as reason:
            console.print(f"Skipped {stream}. {reason}")
    models = [name for name in MODELS if name in options.models]
    text = table(found, models)
    print(f"{text}\n{summary(found, models[0])}")
    if options.output:
        options.output.write_text(text)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.streams", description="Compare AdaptiveSVC with river's classifiers, row by row."
    )
    parser.add_argument("--streams", nargs="+", choices=SOURCES, default=list(REPORTED), metavar="STREAM")
    parser.add_argument("--models", nargs="+", choices=MODELS, default=list(MODELS), metavar="MODEL")
    parser.add_argument("--rows", type=int, default=10_000, help="largest number of rows per stream")
    parser.add_argument("--again", nargs="*", choices=MODELS, default=[], help="models to run even if results exist")
    parser.add_argument("--cached", action="store_true", help="run nothing, show stored results")
    parser.add_argument(
        "--results",
        type=Path,
        default=Path("~/.cache/hinge-benchmarks/streams.json").expanduser(),
        help="stored results",
    )
    parser.add_argument("--output", type=Path, help="Markdown file for the table")
    return parser.parse_args()


def _run_stream(stream: str, options: argparse.Namespace, store: ResultFile, console: Console) -> list[Result]:
    X, y = SOURCES[stream](options.rows)
    found = []
    for model in options.models:
        result = None if model in options.again else store.find(stream, model, len(y))
        if result is None and not options.cached:
            result = _measure(stream, model, X, y)
            store.add(result)
            console.print(f"{stream}, {model}: {result.accuracy:.4f}, {1e6 * result.seconds / len(y):.0f} us per row")
        if result is not None:
            found.append(result)
    return found


def _measure(stream: str, name: str, X: NDArray[np.float64], y: NDArray[Any]) -> Result:
    model = MODELS[name]()
    right, seconds = 0, 0.0
    for start in range(0, len(y), _CHUNK):
        rows = model.prepare(X[start : start + _CHUNK], y[start : start + _CHUNK])
        before = time.process_time()
        right += sum(model.run(rows))
        seconds += time.process_time() - before
    return Result(stream, name, len(y), right / len(y), seconds)


if __name__ == "__main__":
    main()
