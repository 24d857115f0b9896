"""What all readers share: the chunks they yield, the error they raise, and what counts as a number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from numpy.typing import NDArray

from hinge.exceptions import HingeError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

Matrix: TypeAlias = Any  # rows of a float array or of a CSR matrix; SciPy has no types
Values: TypeAlias = NDArray[Any]  # a column: texts, or numbers of any type


class DataFileError(HingeError, ValueError):
    """A file cannot be read as rows of data: it is damaged, empty, or of another format."""


@dataclass(frozen=True)
class Rows:
    """Consecutive rows of numbers.

    Attributes
    ----------
    X : float64 or float32 ndarray, or CSR matrix
        The numbers.
    y : ndarray or None
        Labels, if the file has them; whole numbers have an integer type.
    first : int
        Line (or row, for formats without lines) of the first row in the file, counted from 1; for messages.
    indexed : bool
        Column j holds what the file calls index j, as in svmlight files: column 0 stays empty if the file counts from
        1, and X may be narrower than in other chunks of the same file. Otherwise column j is feature j.
    lines : sequence of int or None
        Line of each row; None: the rows are in consecutive lines.
    """

    X: Matrix
    y: Values | None
    first: int
    indexed: bool = False
    lines: Sequence[int] | None = None

    def __len__(self) -> int:
        return int(self.X.shape[0])

    def line(self, place: int) -> int:
        """Return the line (or row) of the file that holds row `place` of this chunk."""
        return self.first + place if self.lines is None else self.lines[place]


@dataclass(frozen=True)
class Table:
    """Consecutive rows of named columns, including the label, as they stand in the file.

    Attributes
    ----------
    columns : dict from name to ndarray
        In the order of the file. An array of dtype object holds texts; a missing one is None or a text such as "" or
        "NA". All columns of a CSV file are texts. Other arrays hold numbers of any type; a missing one is NaN.
    lines : sequence of int
        Line (or row, for formats without lines) of each row in the file, counted from 1; for messages.
    named : bool
        The names come from the file; otherwise they are "0", "1", "2", ...
    """

    columns: dict[str, Values]
    lines: Sequence[int]
    named: bool

    def __len__(self) -> int:
        return len(self.lines)

    def line(self, place: int) -> int:
        """Return the line (or row) of the file that holds row `place` of this chunk."""
        return self.lines[place]

    def select(self, mask: NDArray[np.bool_]) -> Table:
        """Return the rows for which the mask is true."""
        lines = [line for line, selected in zip(self.lines, mask.tolist(), strict=True) if selected]
        return Table({name: values[mask] for name, values in self.columns.items()}, lines, self.named)


Chunk = Rows | Table


def is_number(text: str | bytes) -> bool:
    """Tell whether a text is a number, NaN and infinity included. Python alone would accept 1_000.

    Examples
    --------
    >>> is_number("1e3"), is_number(b"-.5"), is_number("1_000"), is_number("")
    (True, True, False, False)
    """
    try:
        float(text)
    except ValueError:
        return False
    return "_" not in text if isinstance(text, str) else b"_" not in text
