"""What an experiment of a paper is made of.

A paper's table or figure is repeated in three steps that know nothing of each other: cells are measured, each once;
their records are kept as lines of a table; tables, pictures and verdicts are made from the records alone. So a run can
be interrupted and continued, and a picture be drawn again without measuring anything.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from matplotlib.figure import Figure

    from experiments._records import Record, Records, Scalar

Measured: TypeAlias = "Record | list[Record]"


@dataclass(frozen=True)
class Cell:
    """One thing to measure.

    Attributes
    ----------
    key : mapping from str to scalar
        What tells it from the other cells; the first columns of its lines in the table.
    run : callable
        Measures it: one record, or several (a curve), without the key. A data set that is not there raises OSError.
    """

    key: Mapping[str, Scalar]
    run: Callable[[], Measured]


@dataclass(frozen=True)
class Measurement:
    """The cells behind one or several figures.

    Attributes
    ----------
    name : str
        Experiments of a paper that name the same measurement share its cells.
    cells : callable
        Given whether the run is a quick one, the cells, cheap ones first. Nothing heavy happens before `Cell.run`.
    """

    name: str
    cells: Callable[[bool], Iterable[Cell]]


@dataclass(frozen=True)
class Table:
    """The paper's numbers beside ours, as text."""

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    title: str = ""


@dataclass(frozen=True)
class Check:
    """One claim of the paper, whether our records bear it out, and the figures that say so."""

    claim: str
    holds: bool
    seen: str


@dataclass(frozen=True)
class Experiment:
    """A table or figure of a paper.

    Attributes
    ----------
    title : str
        What it shows, in the words of a headline.
    claim : str
        What the paper reports, in a sentence or two.
    setting : str
        How it is repeated here, and where that departs from the paper.
    quick : str
        What a quick run leaves out.
    measurement : Measurement
        Its cells.
    tabulate : callable
        Records to tables.
    check : callable
        Records to checks; the experiment is reproduced if all of them hold.
    draw : callable
        Draws the records on an empty figure, in the layout of the paper.
    size : pair of float
        Width and height of the figure in inches.
    incomparable : str
        Why our numbers cannot be compared with the paper's, if they cannot.
    explanation : str
        Where numbers differ beyond noise: what was tried to explain it.
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
    explanation: str = ""
