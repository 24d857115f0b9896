"""Run the mixed traffic and report: `python -m benchmarks.soak [--minutes 60] [--output FOLDER]`."""

from __future__ import annotations

import argparse
import tempfile
import time
import warnings
from pathlib import Path

from rich.console import Console

from benchmarks.report import print_table
from benchmarks.soak.figure import ACCURACY, draw
from benchmarks.soak.records import MAX_GROWTH, Record, Records, slope
from benchmarks.soak.workload import Workload

RECORD_INTERVAL_S = 10.0
SAVE_EVERY, COMPARE_EVERY = 6, 12  # records
COUNTS = ("examples", "predictions", "saved", "refused", "queries", "labels")
PROCESSOR_SHARE = 0.5  # of one processor


def main() -> None:
    """Read the options, run, report."""
    options = _options()
    options.output.mkdir(parents=True, exist_ok=True)
    records = Records(options.output / "soak.csv")
    warnings.simplefilter("error")
    with tempfile.TemporaryDirectory() as folder:
        workload = Workload(Path(folder))
        _run(workload, records, 60 * options.minutes)
        workload.close()
    draw(records.all, options.output / "soak.png")
    (options.output / "errors.txt").write_text("\n".join(workload.errors.texts))
    _report(records.all)
    if records.all[-1]["errors"] or slope(records.all) >= MAX_GROWTH:
        raise SystemExit(1)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.soak", description="Mixed traffic for an hour.")
    parser.add_argument("--minutes", type=float, default=60.0, help="duration")
    parser.add_argument(
        "--output", type=Path, default=Path("benchmarks/results"), help="folder for soak.csv, soak.png and errors.txt"
    )
    return parser.parse_args()


def _run(workload: Workload, records: Records, seconds: float) -> None:
    """Make steps until the time is over, using at most a share of one processor."""
    begun, busy = time.monotonic(), time.process_time()
    interval = min(RECORD_INTERVAL_S, seconds / 24)
    n_records = 0
    while (passed := time.monotonic() - begun) < seconds:
        workload.step()
        if passed >= n_records * interval:
            n_records += 1
            if n_records % SAVE_EVERY == 0:
                workload.save()
            if n_records % COMPARE_EVERY == 0:
                workload.compare()
            records.add(workload.record(passed / 60))
        ahead = (time.process_time() - busy) / PROCESSOR_SHARE - (time.monotonic() - begun)
        time.sleep(max(0.0, min(1.0, ahead)))


def _report(records: list[Record]) -> None:
    console, last = Console(), records[-1]
    rows = [
        *((name, _change(records, name)) for name in ("resident, MB", "allocated, MB", "objects")),
        ("allocated memory", "flat" if slope(records) < MAX_GROWTH else "growing"),
        ("open files, threads", f"{last['open files']:.0f}, {last['threads']:.0f}"),
        *((name, f"{last[name]:,.0f}") for name in COUNTS),
        ("exact model", f"violation {_worst(records, 'violation')}, from new {_worst(records, 'difference')}"),
        *((name, f"{last[name]:.3f}") for name in last if name.startswith(ACCURACY)),
        ("errors", f"{last['errors']:.0f}"),
    ]
    print_table(f"{last['minutes']:.0f} minutes of mixed traffic", ("", ""), rows, console)


def _change(records: list[Record], name: str) -> str:
    first, last = records[0][name], records[-1][name]
    return f"{first:,.0f} at the start, {last:,.0f} at the end, {slope(records, name):+,.1f} per hour later"


def _worst(records: list[Record], name: str) -> str:
    return f"{max(record[name] for record in records):.1e}"


if __name__ == "__main__":
    main()
