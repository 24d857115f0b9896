"""`hinge reproduce`: the experiments of the papers, measured anew."""

import importlib.util
import json
import os
from pathlib import Path
from typing import Annotated, Any, Self

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
from rich.table import Table

from hinge import papers
from hinge._terminal import Terminal
from hinge.cli._options import Json

STYLES = {"reproduced": "green", "differs": "red", "incomplete": "yellow"}

PaperName = Annotated[
    str | None, typer.Argument(metavar="[PAPER]", help=f"{', '.join(papers.PAPERS)}, or {papers.ALL}.")
]
Names = Annotated[list[str] | None, typer.Argument(metavar="[EXPERIMENT]...", help="Such as fig8. [every one]")]
Quick = Annotated[bool, typer.Option("--quick", help="Minutes: fewer rows, seeds and settings.")]
Output = Annotated[
    Path | None,
    typer.Option(
        metavar="FOLDER", file_okay=False, help="Tables, pictures, page. [reproduction, or reproduction-quick]"
    ),
]
Document = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Also write the verdicts of the folder as Markdown.")
]


def reproduce(
    paper: PaperName = None,
    experiment: Names = None,
    *,
    quick: Quick = False,
    output: Output = None,
    document: Document = None,
    json_only: Json = False,
) -> None:
    """Repeat the experiments of the papers behind this library.

    Without a paper, lists what there is. Each experiment leaves a table of raw results and a picture; one page shows
    them beside the papers' numbers, with verdicts. Interrupt as you like: the same command goes on where it was.

    Example: hinge reproduce lasvm fig8 --quick
    """
    if paper is None:
        _list(json_only=json_only)
        return
    entries = papers.find(paper, experiment or ())
    if importlib.util.find_spec("matplotlib") is None:
        raise ModuleNotFoundError("hinge reproduce draws pictures; install what it needs: pip install 'hinge[plot]'")
    if document is not None and not document.parent.is_dir():  # before hours of work, not after
        raise FileNotFoundError(f"There is no folder {document.parent} to write {document.name} to.")
    _require_data_folder()
    folder = output or Path("reproduction-quick" if quick else "reproduction")
    terminal = Terminal(quiet=json_only)
    if quick:
        terminal.print("A quick run: fewer rows, seeds and settings than in the papers; verdicts are a hint.")
    with _Bar(terminal) as bar:
        outcomes = papers.run(entries, folder, quick=quick, watcher=bar)
    everything = papers.known_outcomes(folder, outcomes)
    page = papers.write_page(folder, everything, papers.about(folder))
    if document is not None:
        papers.write_document(document, everything, papers.about(folder))
    _report(outcomes, page, json_only=json_only)
    if any(papers.FAILED in reason for outcome in outcomes for reason in outcome.missing):
        raise typer.Exit(1)


def _require_data_folder() -> None:
    """Refuse a wrong name at once, which would make every set a missing one."""
    given = os.environ.get("HINGE_DATA")
    if given and not Path(given).is_dir():
        raise FileNotFoundError(f"HINGE_DATA must name a folder, got {given}.")


class _Bar:
    """Shows how a run gets on: a bar for the experiment at work, a line for each that is done."""

    def __init__(self, terminal: Console) -> None:
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        self._progress = Progress(*columns, console=terminal, transient=True)
        self._task: TaskID | None = None
        self._title = ""

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._progress.stop()
        if kind is KeyboardInterrupt:
            self._progress.console.print("Interrupted. What was measured is kept; the same command goes on from here.")

    def begin(self, entry: papers.Entry, n_cells: int, n_measured: int) -> None:
        """Show a new bar."""
        self._title = str(entry)
        self._task = self._progress.add_task(self._title, total=n_cells, completed=n_measured)

    def measure(self, cell: papers.Cell) -> None:
        """Name the cell; in a line of its own where no bar can be shown."""
        text = f"{self._title}: {papers.describe(cell)}"
        if self._task is not None:
            self._progress.update(self._task, description=text)
        if not self._progress.console.is_terminal:
            self._progress.console.print(text, markup=False, highlight=False, soft_wrap=True)

    def measured(self) -> None:
        """Advance."""
        if self._task is not None:
            self._progress.advance(self._task)

    def missed(self, cell: papers.Cell, reason: str) -> None:
        """Say what is left out."""
        text = f"{self._title}: {papers.describe(cell)} skipped. {reason}"
        self._progress.console.print(text, markup=False)

    def end(self, outcome: papers.Outcome) -> None:
        """Put a line in the place of the bar."""
        if self._task is not None:
            self._progress.remove_task(self._task)
        held = sum(check.holds for check in outcome.checks)
        style = STYLES.get(outcome.verdict, "default")
        name = f"{outcome.entry!s:20}"
        self._progress.console.print(
            f"{name} [{style}]{outcome.verdict}[/] ({held} of {len(outcome.checks)} claims hold)", highlight=False
        )


def _list(*, json_only: bool) -> None:
    if json_only:
        typer.echo(json.dumps({name: list(paper.experiments) for name, paper in papers.PAPERS.items()}))
        return
    table = Table("paper", "experiments", "", show_lines=True)
    for name, paper in papers.PAPERS.items():
        table.add_row(name, " ".join(paper.experiments), paper.citation)
    Console().print(table)


def _report(outcomes: list[papers.Outcome], page: Path, *, json_only: bool) -> None:
    if json_only:
        typer.echo(json.dumps({"page": str(page), "experiments": [_summary(outcome) for outcome in outcomes]}))
        return
    table = Table("experiment", "what it shows", "verdict")
    for outcome in outcomes:
        style = STYLES.get(outcome.verdict, "default")
        verdict = f"[{style}]{outcome.verdict}[/]"
        table.add_row(str(outcome.entry), escape(outcome.entry.experiment.title), verdict)
    Console().print(table)
    typer.echo(f"Why, with tables and pictures: {page}")


def _summary(outcome: papers.Outcome) -> dict[str, Any]:
    return {
        "paper": outcome.entry.paper,
        "experiment": outcome.entry.name,
        "verdict": outcome.verdict,
        "reason": outcome.reason,
        "checks": [{"claim": check.claim, "holds": check.holds, "seen": check.seen} for check in outcome.checks],
    }
