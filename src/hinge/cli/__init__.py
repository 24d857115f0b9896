"""The `hinge` command, one file a command. Nothing else in the package imports typer."""

import signal
import sys
import threading
from importlib.metadata import version
from typing import Annotated, Any, NoReturn

import typer

from hinge.cli import bench, evaluate, export, info, label, predict, reproduce, train

__all__ = ["app", "main"]

BAD_INPUT = 2

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
_COMMANDS = (
    *(train.train, predict.predict, evaluate.evaluate, info.info),
    *(label.label, export.export, reproduce.reproduce, bench.bench),
)
for command in _COMMANDS:
    app.command()(command)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"hinge {version('hinge')}")
        raise typer.Exit


Version = Annotated[bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version.")]


@app.callback()
def _commands(*, show_version: Version = False) -> None:
    """Kernel support vector machines that keep learning.

    Example: hinge train data.csv --label income && hinge predict model.hinge new.csv
    """


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; bad input becomes one sentence and exit code 2. Typer ends Ctrl-C with exit code 130."""
    if threading.current_thread() is threading.main_thread():
        for name in ("SIGTERM", "SIGHUP"):  # a model is saved as at Ctrl-C, also when the terminal is closed
            number = getattr(signal, name, None)
            if number is not None and signal.getsignal(number) is not signal.SIG_IGN:  # nohup wants to go on
                signal.signal(number, _interrupt)
    try:
        app(args=arguments)
    except (ValueError, OSError, ImportError) as error:
        print(f"hinge: {error}", file=sys.stderr)  # noqa: T201
        sys.exit(BAD_INPUT)


def _interrupt(*_: Any) -> NoReturn:
    raise KeyboardInterrupt
