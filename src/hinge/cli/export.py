"""`hinge export`: the options. `_export` does the work; it needs libraries that take a second to import."""

from pathlib import Path
from typing import Annotated

import typer

from hinge.cli._interrupts import exit_on_interrupt
from hinge.cli._options import EXPORT_FORMATS, EXPORT_SUFFIXES, Json, ModelFile

Output = Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help=f"Ends in {', '.join(EXPORT_SUFFIXES)}.")]
Target = Annotated[str | None, typer.Option("--to", metavar="|".join(EXPORT_FORMATS), help="For other file names.")]
Numbered = Annotated[bool, typer.Option("--number-classes", help="Write 0, 1, 2, ... for classes (LIBSVM).")]


def export(
    model: ModelFile,
    *,
    output: Output,
    target: Target = None,
    number_classes: Numbered = False,
    json_only: Json = False,
) -> None:
    """Write a model in ONNX or LIBSVM format.

    Example: hinge export income.hinge -o income.onnx
    """
    with exit_on_interrupt():
        from hinge.cli._export import run_export  # noqa: PLC0415  see above

    run_export(model, output=output, target=target, number_classes=number_classes, json_only=json_only)
