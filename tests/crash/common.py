"""Processes that are killed, and disks that fill up."""

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

UNFINISHED = ".hinge-*.tmp"
CHANCE = random.Random()  # a different moment in each run


def started(work):
    """Fork a process that does some work over and over; return its number when it has begun."""
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


def ended(child):
    """Kill a process, and tell that it was still at work."""
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    assert status == signal.SIGKILL, "it ended by itself, so something went wrong in it"


def kill_during(work, longest):
    """Kill a process that does some work, at a random moment."""
    child = started(work)
    time.sleep(longest * CHANCE.random())
    ended(child)


def model(seed, n=200):
    """Return a model that is known by its size and its decisions."""
    X = np.random.default_rng(seed).normal(size=(n, 20))
    return OnlineSVC(C=100, random_state=0).fit(X, (X[:, 0] > X[:, 1] * X[:, 2]).astype(int))


def age(folder, seconds=3600):
    """Make unfinished files old."""
    for file in folder.glob(UNFINISHED):
        os.utime(file, (time.time() - seconds,) * 2)


@contextmanager
def mounted(folder, size="1m"):
    """Make a folder a disk of its own, with little room; the value tells it to become read-only."""
    folder.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", folder], check=False)  # noqa: S607
    if done.returncode != 0:
        pytest.skip("only root can make small disks")

    def lock():
        subprocess.run(["mount", "-o", "remount,ro", folder], check=True)  # noqa: S607

    try:
        yield lock
    finally:
        subprocess.run(["umount", "-l", folder], check=True)  # noqa: S607


def fill(folder, but=0):
    """Write to a disk until it is full, and make some room again."""
    ballast = folder / "ballast"
    with ballast.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(4096))
        except OSError:
            pass
        file.truncate(max(0, file.tell() - but))
