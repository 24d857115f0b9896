"""`hinge evaluate`: the options. `_evaluate` does the work; it needs libraries that take a second to import."""

from pathlib import Path
from typing import Annotated

import typer

from hinge.cli._interrupts import exit_on_interrupt
from hinge.cli._options import BadRows, DataFile, Format, Header, Json, Missing, ModelFile, Unknown

Normal = Annotated[str | None, typer.Option(metavar="LABEL", help="The label of normal rows (one-class).")]
Folds = Annotated[
    int | None, typer.Option("--cv", metavar="K", help="Learn DATA again in K folds, with the settings of MODEL.")
]
Plot = Annotated[Path | None, typer.Option(metavar="FILE", help="Draw confusions, calibration, worst contradictions.")]


def evaluate(
    model: ModelFile,
    data: DataFile,
    *,
    normal: Normal = None,
    missing: Missing = None,
    unknown: Unknown = None,
    data_format: Format = None,
    header: Header = None,
    bad_rows: BadRows = "error",
    folds: Folds = None,
    plot: Plot = None,
    json_only: Json = False,
) -> None:
    """Compare the predictions of a model with the labels in DATA.

    Example: hinge evaluate income.hinge test.csv
    """
    with exit_on_interrupt():
        from hinge.cli._evaluate import run_evaluate  # noqa: PLC0415  see above

    run_evaluate(
        model,
        data,
        normal=normal,
        missing=missing,
        unknown=unknown,
        data_format=data_format,
        header=header,
        bad_rows=bad_rows,
        folds=folds,
        plot=plot,
        json_only=json_only,
    )
