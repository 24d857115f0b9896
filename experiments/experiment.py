"""The parts of an experiment: cells, a measurement, tables, checks.

Each table or figure of a paper is repeated in three independent steps. Cells are measured, each one once. Their results
are stored as records in a CSV file. Tables, pictures and verdicts are computed from the records alone. A run can
therefore be interrupted and resumed, and a picture can be drawn again without measuring anything.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from matplotlib.figure import Figure

    from experiments.records import Record, Records, Scalar

CellResult: TypeAlias = "Record | list[Record]"


@dataclass(frozen=True)
class Cell:
    """One thing to measure.

    Attributes
    ----------
    key : mapping from str to scalar
        Identifies the cell; its names are the first columns of the CSV file.
    run : callable
        Measures the cell and returns one record, or several (a curve), without the key. Raises OSError if a data set
        is missing.
    """

    key: Mapping[str, Scalar]
    run: Callable[[], CellResult]


@dataclass(frozen=True)
class Measurement:
    """The cells that one or more experiments need.

    Attributes
    ----------
    name : str
        Experiments of one paper whose measurements have the same name share their cells.
    cells : callable
        Takes whether the run is quick and returns the cells, cheap ones first. It must be cheap itself: all work
        belongs into `Cell.run`.
    """

    name: str
    cells: Callable[[bool], Iterable[Cell]]


@dataclass(frozen=True)
class Table:
    """A table of text that shows the paper's numbers next to ours."""

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    title: str = ""


@dataclass(frozen=True)
class Check:
    """A claim of the paper, whether our records support it, and the observed numbers."""

    claim: str
    holds: bool
    observed: str


@dataclass(frozen=True)
class Experiment:
    """A table or figure of a paper.

    Attributes
    ----------
    title : str
        What it shows, as a headline.
    claim : str
        What the paper reports, in one or two sentences.
    setting : str
        How the experiment is repeated here, and where it differs from the paper.
    quick : str
        What a quick run leaves out.
    measurement : Measurement
        The cells.
    tabulate : callable
        Computes tables from the records.
    check : callable
        Computes checks from the records; the experiment is reproduced, perhaps with changes, if all of them hold.
    draw : callable
        Draws the records on an empty figure, in the layout of the paper.
    size : pair of float
        Width and height of the figure in inches.
    incomparable : str
        Why our numbers cannot be compared with the paper's, if they cannot.
    changes : str
        Which setting, data or claim of the paper had to be adapted, in one sentence, even if all checks hold. Empty if
        the checks are the paper's words under its own settings, or the nearest ones to what it states, with tolerances
        that were fixed before the run.
    explanation : str
        What is known about differences beyond noise.
    """

    title: str
    claim: str
    setting: str
    quick: str
    measurement: Measurement
    tabulate: Callable[[Records], Sequence[Table]]
    check: Callable[[Records], Sequence[Check]]
    draw: Callable[[Records, Figure], None]
    size: tuple[float, float] = (7.0, 4.5)
    incomparable: str = ""
    changes: str = ""
    explanation: str = ""
