"""Runs the traffic and tells what came of it: `python -m benchmarks.soak [--minutes 60] [--output FOLDER]`."""

from __future__ import annotations

import argparse
import tempfile
import time
import warnings
from pathlib import Path

from rich.console import Console

from benchmarks.report import print_table
from benchmarks.soak.mixture import Mixture
from benchmarks.soak.picture import ACCURACY, draw
from benchmarks.soak.records import FLAT, Record, Records, slope

TICK = 10.0  # seconds between two looks at the process
SAVE_EVERY, COMPARE_EVERY = 6, 12  # ticks
SHARE = 0.5  # of one processor


def main() -> None:
    """Read the options, run, report."""
    options = _options()
    options.output.mkdir(parents=True, exist_ok=True)
    records = Records(options.output / "soak.csv")
    warnings.simplefilter("error")
    with tempfile.TemporaryDirectory() as folder:
        mixture = Mixture(Path(folder))
        _run(mixture, records, 60 * options.minutes)
        mixture.close()
    draw(records.all, options.output / "soak.png")
    (options.output / "errors.txt").write_text("\n".join(mixture.trouble.texts))
    _report(records.all)
    if records.all[-1]["errors"] or slope(records.all) >= FLAT:
        raise SystemExit(1)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.soak", description="Mixed traffic for an hour.")
    parser.add_argument("--minutes", type=float, default=60.0, help="how long")
    parser.add_argument(
        "--output", type=Path, default=Path("benchmarks/results"), help="folder for soak.csv, soak.png and errors.txt"
    )
    return parser.parse_args()


def _run(mixture: Mixture, records: Records, seconds: float) -> None:
    """Make steps until the time is over; use no more than a share of one processor."""
    begun, busy = time.monotonic(), time.process_time()
    tick = min(TICK, seconds / 24)
    n_ticks = 0
    while (passed := time.monotonic() - begun) < seconds:
        mixture.step()
        if passed >= n_ticks * tick:
            n_ticks += 1
            if n_ticks % SAVE_EVERY == 0:
                mixture.save()
            if n_ticks % COMPARE_EVERY == 0:
                mixture.compare()
            records.add(mixture.record(passed / 60))
        ahead = (time.process_time() - busy) / SHARE - (time.monotonic() - begun)
        time.sleep(max(0.0, min(1.0, ahead)))


def _report(records: list[Record]) -> None:
    console, last = Console(), records[-1]
    rows = [
        *((name, _course(records, name)) for name in ("resident, MB", "in use, MB", "objects")),
        ("memory in use", "flat" if slope(records) < FLAT else "it grows"),
        ("open files, threads", f"{last['open files']:.0f}, {last['threads']:.0f}"),
        *((name, f"{last[name]:,.0f}") for name in ("examples", "asked", "saved", "refused", "dialogue", "labels")),
        ("exact model", f"violation {_worst(records, 'violation')}, from afresh {_worst(records, 'difference')}"),
        *((name, f"{last[name]:.3f}") for name in last if name.startswith(ACCURACY)),
        ("errors", f"{last['errors']:.0f}"),
    ]
    print_table(f"{last['minutes']:.0f} minutes of mixed traffic", ("", ""), rows, console)


def _course(records: list[Record], name: str) -> str:
    first, last = records[0][name], records[-1][name]
    return f"{first:,.0f} at first, {last:,.0f} in the end, {slope(records, name):+,.1f} an hour after half of the time"


def _worst(records: list[Record], name: str) -> str:
    return f"{max(record[name] for record in records):.1e}"


if __name__ == "__main__":
    main()
