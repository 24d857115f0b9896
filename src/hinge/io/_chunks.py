"""What readers yield: consecutive rows of a file, in one of two forms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Rows:
    """Rows of numbers.

    Attributes
    ----------
    X : float64 or float32 ndarray, or CSR matrix
        The numbers; column j is feature j of the file (of an svmlight file: index j, so that column 0 stays empty in
        files that count from 1). A CSR matrix may be narrower than those of other chunks of the same file.
    y : ndarray or None
        Labels, where the file has them; whole numbers are of an integer type.
    first : int
        Line (or row, where there are no lines) of the first of them in the file, counted from 1; for messages.
    """

    X: Any
    y: NDArray[Any] | None
    first: int

    def __len__(self) -> int:
        return int(self.X.shape[0])


@dataclass(frozen=True)
class Table:
    """Rows of named columns, the label among them, as they stand in the file.

    Attributes
    ----------
    columns : dict from name to ndarray
        In the order of the file. Of dtype object: texts, where missing ones are None or a text such as "" or "NA"; all
        columns of a CSV file are texts. Else: numbers, of any type, NaN where missing.
    first : int
        Line (or row, where there are no lines) of the first of them in the file, counted from 1; for messages.
    named : bool
        The names come from the file; else they are "0", "1", "2", ...
    """

    columns: dict[str, NDArray[Any]]
    first: int
    named: bool

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))


Chunk = Rows | Table
