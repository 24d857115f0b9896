"""Read data files into arrays, whole or in chunks."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, TypedDict, overload

from hinge._model.params import choice
from hinge.exceptions import DataError, ParameterError
from hinge.io import open_source
from hinge.tables import MISSING_POLICIES, Survey

if TYPE_CHECKING:
    import os
    from collections.abc import Collection, Iterator
    from typing import Unpack

    from hinge.io import Matrix, Values

_ROWS_PER_CHUNK = 4096


class _Options(TypedDict, total=False):
    """The parameters of `read` that do not change the type of its result."""

    format: str | None
    label: str | int | None
    header: bool | None
    delimiter: str | None
    bad_rows: str
    drop: Collection[str]
    categorical: Collection[str]
    missing: str
    dense: bool | None
    dtype: str


@overload
def read(
    path: str | os.PathLike[str], *, chunk_size: None = None, **options: Unpack[_Options]
) -> tuple[Matrix, Values]: ...
@overload
def read(
    path: str | os.PathLike[str], *, chunk_size: int, **options: Unpack[_Options]
) -> Iterator[tuple[Matrix, Values]]: ...
def read(
    path: str | os.PathLike[str],
    *,
    chunk_size: int | None = None,
    format: str | None = None,  # noqa: A002  the usual name
    label: str | int | None = None,
    header: bool | None = None,
    delimiter: str | None = None,
    bad_rows: str = "error",
    drop: Collection[str] = (),
    categorical: Collection[str] = (),
    missing: str = "error",
    dense: bool | None = None,
    dtype: str = "float64",
) -> tuple[Matrix, Values] | Iterator[tuple[Matrix, Values]]:
    r"""Read examples and labels from a file.

    The file is read twice in chunks, which takes little memory: once to find its columns, categories and number of
    features, and once for the rows.

    Parameters
    ----------
    path : path
        An svmlight (LIBSVM) or CSV file, plain or compressed by gzip, bzip2 or xz, a Parquet file, or an npz file with
        the arrays X and y.
    chunk_size : int, default=None
        Rows per chunk, at most; for files larger than memory. None reads all rows at once.
    format : {"svmlight", "csv", "parquet", "npz"}, default=None
        Format of the file; None guesses from its name, then from its first line.
    label : str or int, default=None
        Name or number (from 0; -1 is the last) of the label column of a table; None takes the column called label,
        class, target or y, else the last one.
    header : bool, default=None
        Whether the first line of a CSV file holds column names; None guesses from the first lines.
    delimiter : str, default=None
        The field separator of a CSV file; None takes whichever of , ; | and tab is most frequent in the first line.
    bad_rows : {"error", "skip"}, default="error"
        Raise an error for rows of a CSV file that have too few or too many fields or a null character, or leave them
        out with a warning.
    drop, categorical : collection of str, default=()
        Columns to leave out, and numeric columns to treat as categories. Columns of text are always categorical. Each
        category becomes a binary feature.
    missing : {"error", "drop", "fill"}, default="error"
        Raise an error for missing values, leave their rows out, or fill them in: with the mean (numbers) or with a
        category of their own (text).
    dense : bool, default=None
        Return dense rows or a CSR matrix. None returns CSR for svmlight files, and dense rows for other formats unless
        nearly all entries are zero.
    dtype : {"float64", "float32"}, default="float64"
        Type of the features.

    Returns
    -------
    X, y : tuple
        Features and labels; or, with `chunk_size`, an iterator of such pairs.

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
    source = open_source(path, format=format, header=header, delimiter=delimiter, bad_rows=bad_rows)
    if not source.repeatable:
        raise DataError(f"read needs a file that can be read twice, got {source.name}; save it to a file first.")
    survey = Survey(label=label, drop=drop, categorical=categorical, missing=missing)
    for _ in survey.scan(source.chunks(_ROWS_PER_CHUNK, problems=survey.problems, notes=survey.notes_of_file)):
        pass
    if dense is None and source.format == "svmlight":
        dense = False
    if (skipped := source.describe_skipped()) is not None:
        warnings.warn(skipped, UserWarning, stacklevel=2)
    preparation = survey.preparation(scale="none", dtype=dtype, dense=dense)
    if chunk_size is None:
        return preparation.all_examples(source.chunks(_ROWS_PER_CHUNK))
    return preparation.iter_examples(source.chunks(chunk_size))
