"""Data frames of any library that River accepts, to and from arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from river.utils import dataframe

from hinge.river._columns import read_entries, require_finite

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from hinge.river._columns import Entries

    Frame: TypeAlias = Any  # pandas.DataFrame, polars.DataFrame, ...
    Series: TypeAlias = Any


def read_frame(frame: Frame, *, dense: bool) -> tuple[list[Hashable], NDArray[np.float64] | None, Sequence[Entries]]:
    """Return the names of the columns, and the rows: as one matrix if all are numbers, else as entries.

    Parameters
    ----------
    frame : data frame
        The rows; null, None and NaN are missing values, which are NaN in the matrix.
    dense : bool
        Whether a matrix is wanted; otherwise rows are always returned as entries.
    """
    table = dataframe.into_frame(frame)
    names: list[Hashable] = list(table.columns)
    is_numeric = all(dtype.is_numeric() or str(dtype) == "Boolean" for dtype in table.schema.values())
    if dense and is_numeric and names and len(table):
        values = dataframe.to_numpy(table)
        require_finite(names, values)
        return names, values, []
    columns = []
    for each in table.iter_columns():
        pairs = zip(each.to_list(), each.is_null().to_list(), strict=True)
        columns.append([None if is_missing else value for value, is_missing in pairs])
    rows = zip(*columns, strict=True) if names else [()] * len(table)
    return names, None, [read_entries(dict(zip(names, row, strict=True))) for row in rows]


def series_like(frame: Frame, values: Sequence[Any] | NDArray[Any]) -> Series:
    """Return values as a series of the library, and with the index, of a data frame."""
    return dataframe.to_native_series(values, name=None, like=dataframe.into_frame(frame))


def frame_like(frame: Frame, values: NDArray[np.float64], columns: Sequence[Hashable]) -> Frame:
    """Return a matrix as a data frame of the library, and with the index, of another one."""
    table = dataframe.into_frame(frame)
    if not columns:
        return table.drop(table.columns).to_native()
    return dataframe.to_native_frame(dict(zip(columns, values.T, strict=True)), like=table)


def count_rows(frame: Frame) -> int:
    """Count the rows of a data frame."""
    return len(dataframe.into_frame(frame))
