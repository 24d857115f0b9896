"""`hinge compare`: the options. `_compare_models` does the work; it needs libraries that take a second to import."""

from pathlib import Path
from typing import Annotated

import typer

from hinge.cli._interrupts import exit_on_interrupt
from hinge.cli._options import BadRows, DataFile, Format, Header, Json, Missing, Unknown

First = Annotated[Path, typer.Argument(metavar="MODEL", help="A model file.")]
Second = Annotated[Path, typer.Argument(metavar="OTHER", help="Another one.")]
Plot = Annotated[Path | None, typer.Option(metavar="FILE", help="Draw which model is right where.")]


def compare(
    model: First,
    other: Second,
    data: DataFile,
    *,
    missing: Missing = None,
    unknown: Unknown = None,
    data_format: Format = None,
    header: Header = None,
    bad_rows: BadRows = "error",
    plot: Plot = None,
    json_only: Json = False,
) -> None:
    """Compare two models on the same rows of DATA, and tell whether the difference may be chance.

    Example: hinge compare old.hinge new.hinge test.csv
    """
    with exit_on_interrupt():
        from hinge.cli._compare_models import run_compare  # noqa: PLC0415  see above

    policies = {"missing": missing, "unknown": unknown}
    run_compare(
        (model, other),
        data,
        policies,
        {"format": data_format, "header": header, "bad_rows": bad_rows},
        plot=plot,
        json_only=json_only,
    )
