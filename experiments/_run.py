"""Runs experiments: measures what is missing, then draws and judges."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from experiments._ledger import QUICK, Ledger, about, note, open_folder, table
from experiments._registry import PAPERS, find
from experiments._verdict import Outcome
from hinge.io.atomic import replacing

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from experiments._experiment import Cell
    from experiments._registry import Entry


FAILED = "It failed"


class Watcher(Protocol):
    """Who is told how a run gets on."""

    def begin(self, entry: Entry, n_cells: int, n_measured: int) -> None:
        """Hear that an experiment begins; some of its cells may have been measured before."""

    def measure(self, cell: Cell) -> None:
        """Hear which cell is measured next."""

    def measured(self) -> None:
        """Hear that it has been."""

    def missed(self, cell: Cell, reason: str) -> None:
        """Hear that it could not be."""

    def end(self, outcome: Outcome) -> None:
        """Hear what came out."""


def run(entries: Sequence[Entry], folder: Path, *, quick: bool, watcher: Watcher) -> list[Outcome]:
    """Measure, draw and judge experiments.

    Parameters
    ----------
    entries : sequence of Entry
        Which.
    folder : Path
        Where results are, and go: tables after every cell, so that a run that was interrupted goes on where it was.
    quick : bool
        Few rows, seeds and settings.
    watcher : Watcher
        Is told about the progress.

    Returns
    -------
    list of Outcome
        One an experiment.
    """
    open_folder(folder, quick=quick)
    outcomes = []
    for entry in entries:
        ledger = Ledger(folder, entry, quick=quick)
        watcher.begin(entry, len(ledger.cells), len(ledger.cells) - len(ledger.open_cells))
        missing = [reason for cell in ledger.open_cells if (reason := _measure(cell, ledger, watcher))]
        if len(ledger.records):
            ledger.save()  # cells that another experiment measured are in its own table as well
        outcome = Outcome(entry, ledger.records, missing)
        draw(outcome, picture(folder, entry))
        watcher.end(outcome)
        outcomes.append(outcome)
    return outcomes


def known_outcomes(folder: Path, just_now: Sequence[Outcome] = ()) -> list[Outcome]:
    """Return what the tables of a folder show, of all papers, measuring nothing.

    Parameters
    ----------
    folder : Path
        Where results are.
    just_now : sequence of Outcome
        What a run has shown, which knows why something is missing.
    """
    quick = about(folder).get("run") == QUICK
    new = {str(outcome.entry): outcome for outcome in just_now}
    outcomes = []
    for paper in PAPERS.values():
        for name in paper.experiments:
            if (place := f"{paper.name} {name}") in new:
                outcomes.append(new[place])
            elif table(folder, paper.name, name).exists():
                outcomes.append(_known(folder, *find(paper.name, [name]), quick=quick))
    return outcomes


def _known(folder: Path, entry: Entry, *, quick: bool) -> Outcome:
    ledger = Ledger(folder, entry, quick=quick)
    left = ledger.open_cells
    missing = [f"{len(left)} of {len(ledger.cells)} cells, the first: {describe(left[0])}"] if left else []
    return Outcome(entry, ledger.records, missing)


def draw(outcome: Outcome, file: Path) -> None:
    """Draw the picture of an experiment; nothing if there is nothing to show."""
    if not len(outcome.records):
        return
    from matplotlib.figure import Figure  # noqa: PLC0415  slow to import, and optional

    experiment = outcome.entry.experiment
    figure = Figure(figsize=experiment.size, layout="constrained", dpi=110)
    experiment.draw(outcome.records, figure)
    file.parent.mkdir(parents=True, exist_ok=True)
    with replacing(file) as unfinished:
        figure.savefig(unfinished, format="png")


def picture(folder: Path, entry: Entry) -> Path:
    """Return where the picture of an experiment is."""
    return folder / entry.paper / f"{entry.name}.png"


def describe(cell: Cell) -> str:
    """Return the key of a cell as people read it."""
    return ", ".join(f"{name} {value}" if not isinstance(value, str) else value for name, value in cell.key.items())


def _measure(cell: Cell, ledger: Ledger, watcher: Watcher) -> str:
    """Measure a cell; return why it could not be."""
    watcher.measure(cell)
    try:
        measured = cell.run()
    except Exception as error:  # noqa: BLE001  hours of other cells must not be lost to one
        # A data set that is not there, or cannot be fetched, speaks for itself.
        reason = str(error) if isinstance(error, OSError) else f"{FAILED} with {type(error).__name__}: {error}"
        watcher.missed(cell, reason)
        return reason
    ledger.add(cell, measured)
    note(ledger.folder)
    watcher.measured()
    return ""
