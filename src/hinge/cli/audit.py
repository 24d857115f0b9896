"""`hinge audit`: the options. `_audit` does the work; it needs libraries that take a second to import."""

from typing import Annotated

import typer

from hinge.cli._interrupts import exit_on_interrupt
from hinge.cli._options import BadRows, DataFile, Format, Header, Json, parse_gamma, split_names

Label = Annotated[str | None, typer.Option(metavar="COLUMN", help="Column of the labels. [the last]")]
Drop = Annotated[str | None, typer.Option(metavar="COLUMNS", help="Columns to leave out, separated by commas.")]
Number = Annotated[int, typer.Option("-n", "--number", metavar="N", help="How many rows to list at most.")]
Cost = Annotated[float, typer.Option("--C", metavar="NUMBER", help="Cost of errors: smaller finds more suspects.")]
Gamma = Annotated[str, typer.Option(metavar="NUMBER", help="Kernel coefficient, or scale.")]
MaxRows = Annotated[int, typer.Option(metavar="N", help="Examine a random sample of this size if there are more.")]
Seed = Annotated[int, typer.Option(metavar="N", help="Seed of that sample.")]


def audit(
    data: DataFile,
    label: Label = None,
    drop: Drop = None,
    *,
    number: Number = 20,
    cost: Cost = 1.0,
    gamma: Gamma = "scale",
    max_rows: MaxRows = 5000,
    seed: Seed = 0,
    data_format: Format = None,
    header: Header = None,
    bad_rows: BadRows = "error",
    json_only: Json = False,
) -> None:
    """List the rows of DATA whose labels are probably wrong.

    Every row is predicted by an exact model of all other rows; the worst contradictions come first. Rows with equal
    values and different labels are listed too. Rows are counted from 1, without the header; missing values are filled.

    Example: hinge audit customers.csv --label churned
    """
    with exit_on_interrupt():
        from hinge.cli._audit import AuditOptions, run_audit  # noqa: PLC0415  see above

    options = AuditOptions(
        label=label,
        drop=split_names(drop),
        number=number,
        cost=cost,
        gamma=parse_gamma(gamma) or "scale",
        max_rows=max_rows,
        seed=seed,
    )
    run_audit(data, options, {"format": data_format, "header": header, "bad_rows": bad_rows}, json_only=json_only)
