"""What readers yield: consecutive rows of a file, in one of two forms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Rows:
    """Rows of numbers.

    Attributes
    ----------
    X : float64 or float32 ndarray, or CSR matrix
        The numbers.
    y : ndarray or None
        Labels, where the file has them; whole numbers are of an integer type.
    first : int
        Line (or row, where there are no lines) of the first of them in the file, counted from 1; for messages.
    indexed : bool
        Column j holds what the file calls index j, as in svmlight files: column 0 stays empty where these count from
        1, and X may be narrower than in other chunks of the same file. Else column j is feature j.
    """

    X: Any
    y: NDArray[Any] | None
    first: int
    indexed: bool = False

    def __len__(self) -> int:
        return int(self.X.shape[0])

    def line(self, place: int) -> int:
        """Return the line (or row) of one of them in the file."""
        return self.first + place


@dataclass(frozen=True)
class Table:
    """Rows of named columns, the label among them, as they stand in the file.

    Attributes
    ----------
    columns : dict from name to ndarray
        In the order of the file. Of dtype object: texts, where missing ones are None or a text such as "" or "NA"; all
        columns of a CSV file are texts. Else: numbers, of any type, NaN where missing.
    lines : sequence of int
        Line (or row, where there are no lines) of each of them in the file, counted from 1; for messages.
    named : bool
        The names come from the file; else they are "0", "1", "2", ...
    """

    columns: dict[str, NDArray[Any]]
    lines: Sequence[int]
    named: bool

    def __len__(self) -> int:
        return len(self.lines)

    def line(self, place: int) -> int:
        """Return the line (or row) of one of them in the file."""
        return self.lines[place]

    def select(self, kept: NDArray[np.bool_]) -> Table:
        """Return some of the rows."""
        lines = [line for line, keep in zip(self.lines, kept.tolist(), strict=True) if keep]
        return Table({name: values[kept] for name, values in self.columns.items()}, lines, self.named)


Chunk = Rows | Table
