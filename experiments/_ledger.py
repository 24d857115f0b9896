"""What has been measured, kept on the disk after every cell."""

from __future__ import annotations

import json
import platform
from datetime import UTC, datetime
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from experiments._records import Record, Records, Scalar, normal, read_records, write_records
from experiments._registry import PAPERS, is_shared
from hinge.exceptions import ParameterError
from hinge.io.atomic import replacing

if TYPE_CHECKING:
    from pathlib import Path

    from experiments._experiment import Cell, Measured
    from experiments._registry import Entry

ABOUT = "about.json"
QUICK, FULL = "quick", "full"


class Ledger:
    """The records of one experiment in a folder.

    Cells are known by their keys. Those that an experiment with the same measurement has left in the folder count as
    measured. A table with lines that belong to no cell, as an older version may have left it, is first put aside.

    Parameters
    ----------
    folder : Path
        Where results go; the records are in `folder/PAPER/EXPERIMENT.csv`.
    entry : Entry
        The experiment.
    quick : bool
        Which cells it has.
    """

    def __init__(self, folder: Path, entry: Entry, *, quick: bool) -> None:
        self.folder = folder
        self._file = table(folder, entry.paper, entry.name)
        self.cells = list(entry.experiment.measurement.cells(quick))
        self._lines: dict[int, list[Record]] = {}
        everyone = {name: table(folder, entry.paper, name) for name in (entry.name, *PAPERS[entry.paper].experiments)}
        for name, file in everyone.items():
            if file.exists() and is_shared(entry, name):
                self._take(read_records(file))

    @property
    def records(self) -> Records:
        """All records, in the order of the cells."""
        return Records(line for number in sorted(self._lines) for line in self._lines[number])

    @property
    def open_cells(self) -> list[Cell]:
        """The cells that have not been measured."""
        return [cell for number, cell in enumerate(self.cells) if number not in self._lines]

    def add(self, cell: Cell, measured: Measured) -> None:
        """Keep what a cell has shown."""
        lines = measured if isinstance(measured, list) else [measured]
        number = self.cells.index(cell)
        self._lines[number] = [{name: normal(value) for name, value in {**cell.key, **line}.items()} for line in lines]
        self._take(read_records(self._file))  # another process may have measured others meanwhile
        self.save()

    def save(self) -> None:
        """Write the records."""
        self._file.parent.mkdir(parents=True, exist_ok=True)
        if len(read_records(self._file)) > len(self.records):
            with replacing(self._file.with_suffix(".old.csv")) as unfinished:
                unfinished.write_bytes(self._file.read_bytes())
        write_records(self._file, self.records)

    def _take(self, records: Records) -> None:
        found: dict[tuple[Scalar | None, ...], list[Record]] = {}
        names = list(self.cells[0].key)  # all cells have the same
        for line in records:
            found.setdefault(tuple(line.get(name) for name in names), []).append(line)
        for number, cell in enumerate(self.cells):
            key = tuple(normal(cell.key[name]) for name in names)
            if number not in self._lines and key in found:
                self._lines[number] = found[key]


def table(folder: Path, paper: str, name: str) -> Path:
    """Return where the records of an experiment are."""
    return folder / paper / f"{name}.csv"


def open_folder(folder: Path, *, quick: bool) -> None:
    """Make the folder of results, or refuse one that holds the other kind of run."""
    folder.mkdir(parents=True, exist_ok=True)
    kind = QUICK if quick else FULL
    before = _about(folder).get("run", kind)
    if not (folder / ABOUT).exists() and any(folder.glob("*/*.csv")):
        raise ParameterError(
            f"{folder} holds tables but no {ABOUT} that says what they are; give --output another folder."
        )
    if before != kind:
        raise ParameterError(
            f"{folder} holds the results of a {before} run; give --output another folder for a {kind} one."
        )
    if not (folder / ABOUT).exists():
        note(folder, run=kind)


def note(folder: Path, **facts: Any) -> None:
    """Write down what the results were measured with."""
    about = _about(folder) | {
        "hinge": version("hinge"),
        "scikit-learn": version("scikit-learn"),
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}",
        "day": datetime.now(UTC).date().isoformat(),
    }
    with replacing(folder / ABOUT) as unfinished:
        unfinished.write_text(json.dumps(about | facts, indent=1) + "\n", encoding="utf-8")


def about(folder: Path) -> dict[str, str]:
    """Return what the results of a folder were measured with."""
    return {name: str(value) for name, value in _about(folder).items()}


def _about(folder: Path) -> dict[str, Any]:
    try:
        facts = json.loads((folder / ABOUT).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except ValueError:
        facts = None
    if not isinstance(facts, dict):
        raise OSError(f"{folder / ABOUT} is damaged; restore it, or give --output another folder.")
    return facts
