"""The `hinge` command: one module or subpackage per command, named like the command.

`_app` has the list of commands and turns errors into exit codes. This package imports nothing but the standard library
until a command runs, so that Ctrl-C is handled from the start. Nothing outside this package imports typer.
"""

from hinge.cli._interrupts import exit_on_interrupt

__all__ = ["main"]


def main(arguments: list[str] | None = None) -> None:
    """Run the command line.

    Parameters
    ----------
    arguments : list of str, default=None
        The arguments without the name of the program; None for those of the process.

    Raises
    ------
    SystemExit
        Always: code 0 after success, 1 after a failure, 2 for invalid input, 130 after Ctrl-C.
    """
    with exit_on_interrupt():
        from hinge.cli._app import run  # noqa: PLC0415  importing typer takes time
    run(arguments)
