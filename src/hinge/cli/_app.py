"""The list of commands, and how each run of the program ends: output, signals, errors, exit codes."""

import importlib
import os
import signal
import sys
import threading
from contextlib import suppress
from types import FrameType
from typing import Annotated, Any, NoReturn, TextIO, cast

import typer
from typer.core import TyperGroup
from typer.main import get_command

import hinge
from hinge._terminal import GuardedStream, flush_or_discard
from hinge.cli._help import sectioned
from hinge.cli._interrupts import exit_on_interrupt

# The modules of this package that hold a function of their own name, and the first line of its docstring.
COMMANDS = {
    "train": "Train a model on DATA, example by example, and save it.",
    "predict": "Print the predicted class of each row of DATA, one per line.",
    "evaluate": "Compare the predictions of a model with the labels in DATA.",
    "compare": "Compare two models on the same rows of DATA, and tell whether the difference may be chance.",
    "audit": "List the rows of DATA whose labels are probably wrong.",
    "info": "Show what is in a model file.",
    "label": "Open a page where people label the examples a model asks about.",
    "export": "Write a model in ONNX or LIBSVM format.",
    "bench": "Compare OnlineSVC with scikit-learn's SVC on this machine.",
}

FAILED, BAD_INPUT = 1, 2
PIPE_CLOSED = 141  # what shells report of programs that end so
OUT_OF_MEMORY = "There is not enough memory; try a smaller --cache-size or --max-support, or --model approximate."


class OutputError(OSError):
    """Standard output cannot be written."""


class PipeClosedError(Exception):
    """The reader of standard output has ended. Typer would turn a BrokenPipeError into exit code 1."""


class CommandGroup(TyperGroup):
    """The commands; the module of a command is imported when that command runs.

    Some versions of typer use click and others a copy of it, so that click's types cannot be named here.
    """

    def list_commands(self, ctx: object) -> list[str]:  # noqa: ARG002
        """Return the names of the commands in the order of the help page."""
        return list(COMMANDS)

    def get_command(self, ctx: object, cmd_name: str) -> Any:  # noqa: ARG002
        """Import a command."""
        if cmd_name in COMMANDS and cmd_name not in self.commands:
            with exit_on_interrupt():
                module = importlib.import_module(f"hinge.cli.{cmd_name}")
            single = typer.Typer(add_completion=False, rich_markup_mode=None)
            style = sectioned(getattr(module, "SECTIONS", {}))
            single.command(cls=style)(getattr(module, cmd_name))
            self.commands[cmd_name] = get_command(single)
        return self.commands.get(cmd_name)

    def format_commands(self, ctx: object, formatter: Any) -> None:  # noqa: ARG002
        """Write the list of commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


app = typer.Typer(
    cls=CommandGroup,
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"hinge {hinge.__version__}")
        raise typer.Exit


Version = Annotated[bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version.")]


@app.callback()
def _hinge(*, show_version: Version = False) -> None:
    """Kernel support vector machines that keep learning.

    Example: hinge train data.csv --label income
    """


def run(arguments: list[str] | None) -> None:
    """Run a command; see `hinge.cli.main`. Typer turns Ctrl-C into exit code 130."""
    _handle_signals()
    _replace_closed_streams()
    output = sys.stdout
    sys.stdout = cast("TextIO", GuardedStream(output, _raise_output_error))
    try:
        _run_and_flush(arguments)
    except (BrokenPipeError, PipeClosedError):  # the reader of the output has ended, and needs no message
        sys.exit(PIPE_CLOSED)
    except MemoryError:
        _fail(OUT_OF_MEMORY, FAILED)
    except OutputError as error:
        _fail(error, FAILED)
    except (ValueError, OSError, ImportError) as error:
        _fail(error, BAD_INPUT)
    finally:
        sys.stdout = output
        flush_or_discard(sys.stdout)
        flush_or_discard(sys.stderr)


def _run_and_flush(arguments: list[str] | None) -> None:
    try:
        app(args=arguments)
    finally:
        sys.stdout.flush()  # here, where an error can still be reported


def _raise_output_error(error: Exception) -> NoReturn:
    if isinstance(error, BrokenPipeError):
        raise PipeClosedError from None
    raise OutputError(f"Standard output cannot be written: {getattr(error, 'strerror', None) or error}.") from None


def _fail(message: object, code: int) -> NoReturn:
    with suppress(OSError, ValueError):  # the exit code still tells
        print(f"hinge: {message}", file=sys.stderr)  # noqa: T201
    sys.exit(code)


def _handle_signals() -> None:
    """Treat SIGTERM and SIGHUP as Ctrl-C, so that training saves its model; `nohup` keeps ignoring SIGHUP."""
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, _interrupt)


def _replace_closed_streams() -> None:
    """Open the null device in place of closed standard streams.

    Otherwise the next file that is opened would take their file descriptor and receive their output. The replacements
    of standard input and output raise an error when they are used; the replacement of standard error discards its text.
    """
    for name, flag, mode in (("stdin", os.O_WRONLY, "r"), ("stdout", os.O_RDONLY, "w"), ("stderr", os.O_WRONLY, "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, flag), mode))


def _interrupt(_number: int, _frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt
