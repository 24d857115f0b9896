"""Measurements over time, written immediately, and their trend."""

from __future__ import annotations

import csv
import os
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks import memory

Record = dict[str, float]

MAX_GROWTH = 5.0  # MB per hour of allocated memory
WARM_UP = 0.5  # share of the time that is ignored: caches fill, new classes appear


class Records:
    """Rows of a CSV file, one per measurement.

    Parameters
    ----------
    file : path
        The CSV file.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self.all: list[Record] = []

    def add(self, record: Record) -> None:
        """Write a row."""
        with self._file.open("a" if self.all else "w", newline="") as stream:
            writer = csv.DictWriter(stream, list(record))
            if not self.all:
                writer.writeheader()
            writer.writerow({name: f"{value:.6g}" for name, value in record.items()})
        self.all.append(record)


def process_record() -> Record:
    """Return the measurements of this process."""
    files = Path("/proc/self/fd")
    return {
        "resident, MB": memory.resident(),
        "allocated, MB": memory.allocated(),
        "objects": float(sys.getallocatedblocks()),
        "open files": float(len(os.listdir(files))) if files.exists() else float("nan"),  # noqa: PTH208
        "threads": float(threading.active_count()),
    }


def slope(records: Sequence[Record], name: str = "allocated, MB") -> float:
    """Return the growth per hour of a measurement in the second half of the time."""
    later = [record for record in records if record["minutes"] >= WARM_UP * records[-1]["minutes"]]
    hours = np.array([record["minutes"] / 60 for record in later])
    values = np.array([record[name] for record in later])
    return float(np.polyfit(hours, values, 1)[0]) if len(later) > 1 else 0.0


def read(file: Path) -> list[Record]:
    """Read the records of an earlier run."""
    with file.open(newline="") as stream:
        return [{name: float(value) for name, value in line.items()} for line in csv.DictReader(stream)]
