"""`hinge bench`: the options. `_bench` does the work; it needs libraries that take a second to import."""

from typing import Annotated

import typer

from hinge.cli._interrupts import exit_on_interrupt
from hinge.cli._options import Json

Names = Annotated[list[str] | None, typer.Argument(metavar="[DATA]...", help="Data sets by name. [spirals waveform]")]
Repeats = Annotated[
    int, typer.Option(min=1, metavar="N", help="Runs per model; the fastest counts. [1]", show_default=False)
]


def bench(data: Names = None, *, repeats: Repeats = 1, json_only: Json = False) -> None:
    """Compare OnlineSVC with scikit-learn's SVC on this machine.

    All models get the same rows and parameters. scikit-learn-intelex runs too if it is installed.

    Example: hinge bench a9a mnist --repeats 3
    """
    with exit_on_interrupt():
        from hinge.cli._bench import run_bench  # noqa: PLC0415  see above

    run_bench(data, repeats=repeats, json_only=json_only)
