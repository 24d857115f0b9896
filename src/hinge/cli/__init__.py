"""The `hinge` command, one file a command. Nothing else in the package imports typer."""

import os
import signal
import sys
import threading
from contextlib import suppress
from importlib.metadata import version
from typing import Annotated, Any, NoReturn, TextIO, cast

import typer

from hinge._fit.progress import Guarded, clear
from hinge.cli import bench, evaluate, export, info, label, predict, train

__all__ = ["app", "main"]

FAILED, BAD_INPUT = 1, 2
OUT_OF_MEMORY = (
    "There is not enough memory for this; a smaller --cache-size, --max-support or --model approximate make a model "
    "that needs less."
)


class OutputError(OSError):
    """Standard output cannot be written."""


app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
_COMMANDS = (
    *(train.train, predict.predict, evaluate.evaluate, info.info),
    *(label.label, export.export, bench.bench),
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
    _hear_signals()
    _fill_gaps()
    output = sys.stdout
    sys.stdout = cast("TextIO", Guarded(output, _refuse))
    try:
        _run(arguments)
    except BrokenPipeError:  # whoever read has gone, and wants no more
        sys.exit(FAILED)
    except MemoryError:
        _fail(OUT_OF_MEMORY, FAILED)
    except OutputError as error:
        _fail(error, FAILED)
    except (ValueError, OSError, ImportError) as error:
        _fail(error, BAD_INPUT)
    finally:
        sys.stdout = output
        clear(sys.stdout)
        clear(sys.stderr)


def _run(arguments: list[str] | None) -> None:
    try:
        app(args=arguments)
    finally:
        sys.stdout.flush()  # here, where it can be told what goes wrong


def _refuse(error: Exception) -> NoReturn:
    if isinstance(error, BrokenPipeError):
        raise error
    raise OutputError(f"Standard output cannot be written: {getattr(error, 'strerror', None) or error}.") from None


def _fail(words: object, code: int) -> NoReturn:
    with suppress(OSError, ValueError):  # the exit code says it as well
        print(f"hinge: {words}", file=sys.stderr)  # noqa: T201
    sys.exit(code)


def _hear_signals() -> None:
    if threading.current_thread() is threading.main_thread():
        for name in ("SIGTERM", "SIGHUP"):  # a model is saved as at Ctrl-C, also when the terminal is closed
            number = getattr(signal, name, None)
            if number is not None and signal.getsignal(number) is not signal.SIG_IGN:  # nohup wants to go on
                signal.signal(number, _interrupt)


def _fill_gaps() -> None:
    """Put something in the place of streams that are closed.

    Else the next file that is opened would be taken for them, and get what is written there. What is put there can
    neither be read nor printed to, as those who try are told; what is said on the way goes nowhere.
    """
    for name, way, mode in (("stdin", os.O_WRONLY, "r"), ("stdout", os.O_RDONLY, "w"), ("stderr", os.O_WRONLY, "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, way), mode))


def _interrupt(*_: Any) -> NoReturn:
    raise KeyboardInterrupt
