"""The command line, called as users call it but in this process."""

import csv
import io
import sys
from typing import NamedTuple

import numpy as np
import pytest

from hinge.cli import main


class Done(NamedTuple):
    """How a command ended."""

    code: int
    out: str
    err: str


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Work in a folder of its own, on a wide terminal."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "160")
    return tmp_path


@pytest.fixture
def run(capsys, monkeypatch):
    """Return a function that runs a command and returns exit code, standard output and standard error.

    `train` does not choose C and gamma unless the test says `tunes=True`: most tests have other subjects.
    """

    def call(*arguments, stdin=None, tunes=False):
        if arguments[:1] == ("train",) and not tunes:
            arguments = (*arguments, "--no-tune")
        if stdin is not None:
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        with pytest.raises(SystemExit) as ended:
            main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return Done(ended.value.code, captured.out, captured.err)

    return call


def people(n, seed=0):
    """Return rows of a made-up census: age, city, hours, income."""
    random = np.random.default_rng(seed)
    rows = []
    for _ in range(n):
        age, city, hours = int(random.integers(18, 80)), random.choice(["Rome", "Oslo", "Paris"]), random.normal(40, 10)
        rich = age + 20 * (city == "Oslo") + hours + random.normal(scale=5) > 95
        rows.append([age, city, round(hours, 2), ">50K" if rich else "<=50K"])
    return rows


def write_table(path, rows, header=("age", "city", "hours", "income")):
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        if header:
            writer.writerow(header)
        writer.writerows(rows)


@pytest.fixture
def census(folder):
    """Write census.csv and test.csv."""
    write_table(folder / "census.csv", people(600))
    write_table(folder / "test.csv", people(200, seed=1))
    return folder
