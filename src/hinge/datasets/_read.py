"""Data files as arrays, whole or in chunks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hinge._model.params import choice
from hinge.exceptions import DataError, ParameterError
from hinge.io import open_source
from hinge.tables import MISSING_POLICIES, Survey

if TYPE_CHECKING:
    import os
    from collections.abc import Collection

_ROWS_AT_A_TIME = 4096


def read(
    path: str | os.PathLike[str],
    *,
    chunk_size: int | None = None,
    format: str | None = None,  # noqa: A002  everybody's name for it
    label: str | int | None = None,
    header: bool | None = None,
    delimiter: str | None = None,
    drop: Collection[str] = (),
    categorical: Collection[str] = (),
    missing: str = "error",
    dense: bool | None = None,
    dtype: str = "float64",
) -> Any:
    r"""Read examples and labels from a file.

    A file is gone through twice in chunks, which takes little memory: once to find its columns, categories and number
    of features, and once to read the rows.

    Parameters
    ----------
    path : path
        An svmlight (LIBSVM) or CSV file, plain or compressed by gzip, bzip2 or xz, a Parquet file, or an npz file with
        the arrays X and y.
    chunk_size : int, default=None
        Yield at most so many rows at a time, so that files larger than memory can be read; None reads all of them.
    format : {"svmlight", "csv", "parquet", "npz"}, default=None
        What the file is; None looks at its name, then at its first line.
    label : str or int, default=None
        Name or number (from 0; -1 is the last) of the label column of a table; None takes a column called label, class,
        target or y, else the last.
    header : bool, default=None
        A CSV file begins with the names of its columns; None looks at the first line.
    delimiter : str, default=None
        What separates the fields of a CSV file; None takes the one of , ; | and tab that the first line has most of.
    drop, categorical : collection of str, default=()
        Columns to leave out, and columns of numbers that are categories. Columns of text always are categories; each
        category becomes a feature of 0 and 1.
    missing : {"error", "drop", "fill"}, default="error"
        Refuse missing values, leave their rows out, or take the mean (numbers) or a category of its own (text).
    dense : bool, default=None
        Return dense rows or a CSR matrix; None returns what the file holds: CSR for svmlight, dense rows for others
        unless nearly all of their entries are zero.
    dtype : {"float64", "float32"}, default="float64"
        Precision.

    Returns
    -------
    X, y : tuple
        Examples and labels; or, with `chunk_size`, an iterator of such pairs.

    Examples
    --------
    >>> from hinge.datasets import read
    >>> with open("fruit.csv", "w") as file:
    ...     _ = file.write("colour,weight,fruit\ngreen,150,pear\nyellow,120,banana\n")
    >>> X, y = read("fruit.csv", label="fruit")
    >>> X.tolist(), y.tolist()
    ([[1.0, 0.0, 150.0], [0.0, 1.0, 120.0]], ['pear', 'banana'])
    >>> [len(y) for X, y in read("fruit.csv", label="fruit", chunk_size=1)]
    [1, 1]
    """
    choice("missing", missing, MISSING_POLICIES)
    choice("dtype", dtype, ("float64", "float32"))
    if chunk_size is not None and chunk_size < 1:
        raise ParameterError(f"chunk_size must be at least 1, got {chunk_size}; None reads all rows at once.")
    source = open_source(path, format=format, header=header, delimiter=delimiter)
    if not source.repeatable:
        raise DataError(f"read needs a file that can be read twice, got {source.name}; write it to a file first.")
    survey = Survey(label=label, drop=drop, categorical=categorical, missing=missing)
    for _ in survey.scan(source.chunks(_ROWS_AT_A_TIME)):
        pass
    if dense is None and source.format == "svmlight":
        dense = False
    preparation = survey.preparation(scale="none", dtype=dtype, dense=dense)
    if chunk_size is None:
        return preparation.all_examples(source.chunks(_ROWS_AT_A_TIME))
    return preparation.iter_examples(source.chunks(chunk_size))
