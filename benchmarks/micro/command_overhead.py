"""Overhead of the command line: `hinge train` on a compressed file, compared with reading it and calling `fit`."""

import os
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.data import data_folder
from benchmarks.micro import Section
from benchmarks.worker import timed
from hinge import OnlineSVC
from hinge.datasets import read

C, GAMMA = 100.0, 0.005


def measure(quick: bool) -> Section:  # noqa: ARG001  always quick
    """Train on a9a.bz2 with the command, then with `read` and `fit` and the same settings."""
    file = data_folder() / "a9a.bz2"
    reading, (X, y) = timed(partial(read, file, dense=True, dtype="float32"))
    fitting, _ = timed(OnlineSVC(C=C, gamma=GAMMA, random_state=0).fit, X, y)
    with tempfile.TemporaryDirectory() as folder:
        settings = ["--C", str(C), "--gamma", str(GAMMA), "-o", str(Path(folder) / "model.hinge")]
        whole, _, _ = run("train", str(file), *settings)
    return Section(
        "hinge train a9a.bz2, compared with reading the file and OnlineSVC.fit",
        ("read, s", "fit, s", "hinge train, s", "ratio"),
        [(f"{reading:.2f}", f"{fitting:.2f}", f"{whole:.2f}", f"{whole / (reading + fitting):.2f}")],
    )


def run(*arguments: str) -> tuple[float, float, str]:
    """Run the command `hinge`; return the seconds, the peak resident memory in megabytes, and its output."""
    start = time.perf_counter()
    process = subprocess.Popen([sys.executable, "-m", "hinge", *arguments], stdout=subprocess.PIPE, text=True)
    output = process.stdout.read() if process.stdout else ""
    usage: Any
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise subprocess.CalledProcessError(status, arguments)
    return time.perf_counter() - start, usage.ru_maxrss * 1024 / 1e6, output
