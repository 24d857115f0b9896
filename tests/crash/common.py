"""Kill processes, and fill disks."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from contextlib import contextmanager

import numpy as np
import pytest

from hinge import OnlineSVC

TEMPORARY = ".hinge-*.tmp"
RANDOM = random.Random()  # another moment in each run


def start(work):
    """Fork a process that repeats some work; return its id when it has started."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(writing, b"!")
            with open(os.devnull, "w") as nowhere:  # noqa: PTH123
                os.dup2(nowhere.fileno(), 1)
                os.dup2(nowhere.fileno(), 2)
            while True:
                work()
        finally:
            os._exit(1)
    os.close(writing)
    os.read(reading, 1)
    os.close(reading)
    return child


def kill(child):
    """Kill a process, and check that it was still working."""
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    assert status == signal.SIGKILL, "it ended by itself, so its work has failed"


def kill_during(work, longest):
    """Kill a process at a random moment of its work."""
    child = start(work)
    time.sleep(longest * RANDOM.random())
    kill(child)


def model(seed, n=200):
    """Return a model that its size and decisions identify."""
    X = np.random.default_rng(seed).normal(size=(n, 20))
    return OnlineSVC(C=100, random_state=0).fit(X, (X[:, 0] > X[:, 1] * X[:, 2]).astype(int))


def age(folder, seconds=3600):
    """Make temporary files old."""
    for file in folder.glob(TEMPORARY):
        os.utime(file, (time.time() - seconds,) * 2)


@contextmanager
def mounted(folder, size="1m"):
    """Mount a small disk; the value is a function that makes it read-only."""
    folder.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", folder], check=False)  # noqa: S607
    if done.returncode != 0:
        pytest.skip("only root can mount disks")

    def make_read_only():
        subprocess.run(["mount", "-o", "remount,ro", folder], check=True)  # noqa: S607

    try:
        yield make_read_only
    finally:
        subprocess.run(["umount", "-l", folder], check=True)  # noqa: S607


def fill(folder, but=0):
    """Fill a disk except for `but` bytes."""
    ballast = folder / "ballast"
    with ballast.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(4096))
        except OSError:
            pass
        file.truncate(max(0, file.tell() - but))
