"""Results on disk: one CSV file per experiment, written after every cell, and a description of the run."""

from __future__ import annotations

import json
import platform
from datetime import UTC, datetime
from importlib.metadata import version
from typing import TYPE_CHECKING

from experiments.records import Record, Records, Scalar, normalize_value, read_records, write_records
from experiments.registry import PAPERS, share_measurement
from hinge.exceptions import ParameterError
from hinge.io.atomic import replacing

if TYPE_CHECKING:
    from pathlib import Path

    from experiments.experiment import Cell, CellResult
    from experiments.registry import Entry

METADATA_FILE = "metadata.json"
QUICK, FULL = "quick", "full"


class ResultStore:
    """The records of one experiment in a folder of results.

    Cells are identified by their keys. Cells that another experiment with the same measurement has stored in the folder
    count as measured. If the file holds records of cells that no longer exist, it is copied to `NAME.old.csv` before it
    is replaced.

    Parameters
    ----------
    folder : Path
        Folder of results; the records are in `folder/PAPER/EXPERIMENT.csv`.
    entry : Entry
        The experiment.
    quick : bool
        Whether to use the cells of a quick run.
    """

    def __init__(self, folder: Path, entry: Entry, *, quick: bool) -> None:
        self.folder = folder
        self._file = table_path(folder, entry.paper, entry.name)
        self.cells = list(entry.experiment.measurement.cells(quick))
        self._records: dict[int, list[Record]] = {}  # by the number of the cell
        for name in dict.fromkeys((entry.name, *PAPERS[entry.paper].experiments)):
            file = table_path(folder, entry.paper, name)
            if file.exists() and share_measurement(entry, name):
                self._load(read_records(file))

    @property
    def records(self) -> Records:
        """All records, in the order of the cells."""
        return Records(record for number in sorted(self._records) for record in self._records[number])

    @property
    def pending_cells(self) -> list[Cell]:
        """The cells that have not been measured."""
        return [cell for number, cell in enumerate(self.cells) if number not in self._records]

    def add(self, cell: Cell, result: CellResult) -> None:
        """Store the result of a cell."""
        results = result if isinstance(result, list) else [result]
        number = self.cells.index(cell)
        self._records[number] = [
            {name: normalize_value(value) for name, value in {**cell.key, **each}.items()} for each in results
        ]
        self._load(read_records(self._file))  # another process may have measured other cells in the meantime
        self.save()

    def save(self) -> None:
        """Write the records."""
        self._file.parent.mkdir(parents=True, exist_ok=True)
        if len(read_records(self._file)) > len(self.records):
            with replacing(self._file.with_suffix(".old.csv")) as unfinished:
                unfinished.write_bytes(self._file.read_bytes())
        write_records(self._file, self.records)

    def _load(self, records: Records) -> None:
        by_key: dict[tuple[Scalar | None, ...], list[Record]] = {}
        names = list(self.cells[0].key)  # the same for all cells
        for record in records:
            by_key.setdefault(tuple(record.get(name) for name in names), []).append(record)
        for number, cell in enumerate(self.cells):
            key = tuple(normalize_value(cell.key[name]) for name in names)
            if number not in self._records and key in by_key:
                self._records[number] = by_key[key]


def table_path(folder: Path, paper: str, name: str) -> Path:
    """Return the CSV file of an experiment."""
    return folder / paper / f"{name}.csv"


def prepare_folder(folder: Path, *, quick: bool) -> None:
    """Create a folder of results, or refuse one that holds results of the other kind of run."""
    folder.mkdir(parents=True, exist_ok=True)
    kind = QUICK if quick else FULL
    stored_kind = read_metadata(folder).get("run", kind)
    if not (folder / METADATA_FILE).exists() and any(folder.glob("*/*.csv")):
        raise ParameterError(
            f"{folder} holds tables but no {METADATA_FILE} that describes them; give --output another folder."
        )
    if stored_kind != kind:
        raise ParameterError(
            f"{folder} holds the results of a {stored_kind} run; give --output another folder for a {kind} one."
        )
    if not (folder / METADATA_FILE).exists():
        write_metadata(folder, run=kind)


def write_metadata(folder: Path, **facts: str) -> None:
    """Write which versions measured the results, and where and when."""
    metadata = read_metadata(folder) | {
        "hinge": version("hinge-svm"),
        "scikit-learn": version("scikit-learn"),
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}",
        "day": datetime.now(UTC).date().isoformat(),
    }
    with replacing(folder / METADATA_FILE) as unfinished:
        unfinished.write_text(json.dumps(metadata | facts, indent=1) + "\n", encoding="utf-8")


def read_metadata(folder: Path) -> dict[str, str]:
    """Return which versions measured the results of a folder, and where and when; empty for a new folder."""
    try:
        facts = json.loads((folder / METADATA_FILE).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except ValueError:
        facts = None
    if not isinstance(facts, dict):
        raise OSError(f"{folder / METADATA_FILE} is damaged; restore it, or give --output another folder.")
    return {str(name): str(value) for name, value in facts.items()}
