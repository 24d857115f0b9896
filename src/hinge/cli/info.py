"""`hinge info`: the options. `_info` does the work; it needs libraries that take a second to import."""

from hinge.cli._interrupts import exit_on_interrupt
from hinge.cli._options import Json, ModelFile


def info(model: ModelFile, *, json_only: Json = False) -> None:
    """Show what is in a model file.

    Example: hinge info model.hinge
    """
    with exit_on_interrupt():
        from hinge.cli._info import run_info  # noqa: PLC0415  see above

    run_info(model, json_only=json_only)
