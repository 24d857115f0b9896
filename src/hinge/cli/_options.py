"""Arguments and options that several commands share."""

from pathlib import Path
from typing import Annotated

import typer

ModelFile = Annotated[Path, typer.Argument(metavar="MODEL", help="A file written by `hinge train` or `hinge.save`.")]
DataFile = Annotated[str, typer.Argument(metavar="DATA", help="A data file, or - for standard input.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
Missing = Annotated[str | None, typer.Option(metavar="error|fill", help="What to do about missing values.")]
Unknown = Annotated[str | None, typer.Option(metavar="error|ignore", help="What to do about unknown categories.")]
Header = Annotated[bool | None, typer.Option("--header/--no-header", help="The first line of a CSV file holds names.")]
Format = Annotated[
    str | None, typer.Option("--format", metavar="NAME", help="svmlight, csv, parquet or npz. [guessed]")
]


def names(text: str | None) -> tuple[str, ...]:
    """Return names separated by commas.

    Examples
    --------
    >>> names("age, city")
    ('age', 'city')
    """
    return tuple(name.strip() for name in (text or "").split(",") if name.strip())
