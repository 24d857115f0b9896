"""The `hinge` command, one file a command. Nothing else in the package imports typer."""

import sys

import typer

from hinge.cli import info, train

__all__ = ["app", "main"]

BAD_INPUT = 2
INTERRUPTED = 130

app = typer.Typer(
    help="Kernel support vector machines that keep learning.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command("train")(train.train)
app.command("info")(info.info)


@app.callback()
def _commands() -> None:
    """Kernel support vector machines that keep learning."""


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; bad input becomes one sentence and exit code 2, Ctrl-C exit code 130."""
    try:
        app(args=arguments)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except (ValueError, OSError, ImportError) as error:
        print(f"hinge: {error}", file=sys.stderr)  # noqa: T201
        sys.exit(BAD_INPUT)
