"""A made-up paper with two figures that cost nothing to measure."""

from __future__ import annotations

import sys
from dataclasses import replace
from types import ModuleType

import pytest

from experiments.experiment import Cell, Check, Experiment, Measurement, Table
from experiments.registry import PAPERS, Paper

MEASURED: list[int] = []  # the cells that were measured, in order


def _run(number):
    if number == 4:
        raise FileNotFoundError("toys has no public address that is known here; put toys.bz2 somewhere.")
    if number == 6:
        raise ZeroDivisionError("no toys to share")
    if number == 5:
        raise KeyboardInterrupt
    MEASURED.append(number)
    return [{"place": place, "error": 0.1 * number + place / 3} for place in range(3)]


def _cells(numbers):
    return lambda quick: [
        Cell({"data": "toys", "number": n}, lambda n=n: _run(n)) for n in (numbers[:1] if quick else numbers)
    ]


def _tables(records):
    return [Table(("number", "paper", "ours"), [("1 < 2 | 3", "1.0", f"{records.mean('error'):.2f}")], title="Errors")]


def _draw(records, figure):
    figure.subplots().plot(*records.curve("place", "error"))


TOY = Experiment(
    title="Toys & <games>",
    claim="Toys get better.",
    setting="With our own toys.",
    quick="One toy only.",
    measurement=Measurement("toys", _cells((1, 2, 3))),
    tabulate=_tables,
    check=lambda records: [Check("errors stay small", records.mean("error") < 1, f"{records.mean('error'):.2f}")],
    draw=_draw,
)


@pytest.fixture
def toys(monkeypatch):
    """Return a function that replaces the five papers by the toy paper, with changes to its figures."""
    MEASURED.clear()

    def install(*, numbers=(1, 2, 3), **changes):
        first = replace(TOY, measurement=Measurement("toys", _cells(numbers)), **changes)
        for name in list(PAPERS):
            monkeypatch.delitem(PAPERS, name)
        monkeypatch.setitem(PAPERS, "toy", Paper("toy", "Toys, 2026", ("fig1", "fig2")))
        for name in ("fig1", "fig2"):
            module = ModuleType(f"experiments.toy.{name}")
            module.EXPERIMENT = first  # type: ignore[attr-defined]
            monkeypatch.setitem(sys.modules, "experiments.toy", ModuleType("experiments.toy"))
            monkeypatch.setitem(sys.modules, module.__name__, module)
        return MEASURED

    return install
