"""Running of experiments: measure what is missing, then draw and judge."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from experiments.outcome import Outcome
from experiments.registry import PAPERS, find_experiments
from experiments.result_store import (
    QUICK,
    ResultStore,
    prepare_folder,
    read_metadata,
    table_path,
    write_metadata,
)
from hinge.io.atomic import replacing

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from experiments.experiment import Cell
    from experiments.registry import Entry

FAILED = "Failed"


class ProgressListener(Protocol):
    """Receives the progress of a run."""

    def experiment_started(self, entry: Entry, n_cells: int, n_measured: int) -> None:
        """Handle the start of an experiment; some of its cells may have been measured before."""

    def cell_started(self, cell: Cell) -> None:
        """Handle the start of a cell."""

    def cell_finished(self) -> None:
        """Handle the end of a cell."""

    def cell_skipped(self, cell: Cell, reason: str) -> None:
        """Handle a cell that could not be measured."""

    def experiment_finished(self, outcome: Outcome) -> None:
        """Handle the end of an experiment."""


def run(entries: Sequence[Entry], folder: Path, *, quick: bool, listener: ProgressListener) -> list[Outcome]:
    """Measure, draw and judge experiments.

    Parameters
    ----------
    entries : sequence of Entry
        The experiments.
    folder : Path
        Folder of results. Records are written after every cell, so that an interrupted run can be resumed.
    quick : bool
        Whether to use fewer rows, seeds and settings.
    listener : ProgressListener
        Receives the progress.

    Returns
    -------
    list of Outcome
        One outcome per experiment.
    """
    prepare_folder(folder, quick=quick)
    outcomes = []
    for entry in entries:
        store = ResultStore(folder, entry, quick=quick)
        listener.experiment_started(entry, len(store.cells), len(store.cells) - len(store.pending_cells))
        missing = [reason for cell in store.pending_cells if (reason := _measure(cell, store, listener))]
        if len(store.records):
            store.save()  # cells that another experiment measured belong into its own table as well
        outcome = Outcome(entry, store.records, missing)
        draw_picture(outcome, picture_path(folder, entry))
        listener.experiment_finished(outcome)
        outcomes.append(outcome)
    return outcomes


def stored_outcomes(folder: Path, new_outcomes: Sequence[Outcome] = ()) -> list[Outcome]:
    """Compute the outcomes of all results in a folder, without measuring anything.

    Parameters
    ----------
    folder : Path
        Folder of results.
    new_outcomes : sequence of Outcome
        Outcomes of a run that has just ended; they are returned as they are, since they say why cells are missing.
    """
    quick = read_metadata(folder).get("run") == QUICK
    new = {str(outcome.entry): outcome for outcome in new_outcomes}
    outcomes = []
    for paper in PAPERS.values():
        for name in paper.experiments:
            if (title := f"{paper.name} {name}") in new:
                outcomes.append(new[title])
            elif table_path(folder, paper.name, name).exists():
                outcomes.append(_stored_outcome(folder, *find_experiments(paper.name, [name]), quick=quick))
    return outcomes


def _stored_outcome(folder: Path, entry: Entry, *, quick: bool) -> Outcome:
    store = ResultStore(folder, entry, quick=quick)
    pending = store.pending_cells
    missing = [f"{len(pending)} of {len(store.cells)} cells, the first: {describe_cell(pending[0])}"] if pending else []
    return Outcome(entry, store.records, missing)


def draw_picture(outcome: Outcome, file: Path) -> None:
    """Draw the picture of an experiment, unless it has no records."""
    if not len(outcome.records):
        return
    from matplotlib.figure import Figure  # noqa: PLC0415  slow to import, and optional

    experiment = outcome.entry.experiment
    figure = Figure(figsize=experiment.size, layout="constrained", dpi=110)
    experiment.draw(outcome.records, figure)
    file.parent.mkdir(parents=True, exist_ok=True)
    with replacing(file) as unfinished:
        figure.savefig(unfinished, format="png")


def picture_path(folder: Path, entry: Entry) -> Path:
    """Return the file of the picture of an experiment."""
    return folder / entry.paper / f"{entry.name}.png"


def describe_cell(cell: Cell) -> str:
    """Format the key of a cell for a message."""
    return ", ".join(f"{name} {value}" if not isinstance(value, str) else value for name, value in cell.key.items())


def _measure(cell: Cell, store: ResultStore, listener: ProgressListener) -> str:
    """Measure a cell; return why it could not be measured, or an empty text."""
    listener.cell_started(cell)
    try:
        result = cell.run()
    except Exception as error:  # noqa: BLE001  one failure must not end a run of hours
        # The message of a data set that is missing, or cannot be fetched, needs no explanation.
        reason = str(error) if isinstance(error, OSError) else f"{FAILED} with {type(error).__name__}: {error}"
        listener.cell_skipped(cell, reason)
        return reason
    store.add(cell, result)
    write_metadata(store.folder)
    listener.cell_finished()
    return ""
