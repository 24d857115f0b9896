"""Measurements on the way: written at once, and what they say in the end."""

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

FLAT = 5.0  # MB an hour that memory in use may rise and still be called flat
WARM = 0.5  # share of the time that is not looked at: caches and heaps fill, classes come


class Records:
    """Lines of a CSV file, one for each look at the process.

    Parameters
    ----------
    file : path
        Where they go.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self.all: list[Record] = []

    def add(self, record: Record) -> None:
        """Write a line."""
        with self._file.open("a" if self.all else "w", newline="") as stream:
            writer = csv.DictWriter(stream, list(record))
            if not self.all:
                writer.writeheader()
            writer.writerow({name: f"{value:.6g}" for name, value in record.items()})
        self.all.append(record)


def of_the_process() -> Record:
    """Return what the system says about this process."""
    files = Path("/proc/self/fd")
    return {
        "resident, MB": memory.resident(),
        "in use, MB": memory.in_use(),
        "objects": float(sys.getallocatedblocks()),
        "open files": float(len(os.listdir(files))) if files.exists() else float("nan"),  # noqa: PTH208
        "threads": float(threading.active_count()),
    }


def slope(records: Sequence[Record], name: str = "in use, MB") -> float:
    """Return how fast something rises in the second half of the time, per hour."""
    warm = [record for record in records if record["minutes"] >= WARM * records[-1]["minutes"]]
    hours = np.array([record["minutes"] / 60 for record in warm])
    values = np.array([record[name] for record in warm])
    return float(np.polyfit(hours, values, 1)[0]) if len(warm) > 1 else 0.0


def read(file: Path) -> list[Record]:
    """Read the lines of an earlier run."""
    with file.open(newline="") as stream:
        return [{name: float(value) for name, value in line.items()} for line in csv.DictReader(stream)]
