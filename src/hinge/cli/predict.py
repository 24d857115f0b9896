"""`hinge predict`: the options. `_predict` does the work; it needs libraries that take a second to import."""

from pathlib import Path
from typing import Annotated

import typer

from hinge.cli._interrupts import exit_on_interrupt
from hinge.cli._options import BadRows, DataFile, Format, Header, Json, Missing, ModelFile, Unknown

Output = Annotated[
    Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write to this file instead of printing.")
]
Scores = Annotated[bool, typer.Option("--scores", help="Also print decision values, as CSV.")]
Probabilities = Annotated[bool, typer.Option("--probabilities", help="Also print class probabilities, as CSV.")]


def predict(
    model: ModelFile,
    data: DataFile,
    *,
    output: Output = None,
    scores: Scores = False,
    probabilities: Probabilities = False,
    missing: Missing = None,
    unknown: Unknown = None,
    data_format: Format = None,
    header: Header = None,
    bad_rows: BadRows = "error",
    json_only: Json = False,
) -> None:
    """Print the predicted class of each row of DATA, one per line.

    One-class models print normal or outlier, regressors print values. Rows from standard input are answered as they
    arrive.

    Example: hinge predict income.hinge new.csv --scores -o answers.csv
    """
    with exit_on_interrupt():
        from hinge.cli._predict import run_predict  # noqa: PLC0415  see above

    run_predict(
        model,
        data,
        output=output,
        scores=scores,
        probabilities=probabilities,
        missing=missing,
        unknown=unknown,
        data_format=data_format,
        header=header,
        bad_rows=bad_rows,
        json_only=json_only,
    )
