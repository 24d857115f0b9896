"""The command `python -m experiments`: repeat the experiments of the papers."""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, Self

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
from rich.table import Table

from experiments.html_report import write_html_page
from experiments.markdown_report import write_report
from experiments.registry import ALL, PAPERS, find_experiments
from experiments.result_store import read_metadata
from experiments.runner import FAILED, describe_cell, run, stored_outcomes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from experiments.experiment import Cell
    from experiments.outcome import Outcome
    from experiments.registry import Entry

CELLS_FAILED, BAD_INPUT, INTERRUPTED = 1, 2, 130  # exit codes
OUTPUT = Path(__file__).parent / "output"
STYLES = {"reproduced": "green", "reproduced with changes": "green", "differs": "red", "incomplete": "yellow"}
DESCRIPTION = """\
Repeat the experiments of the papers behind Hinge. Without a paper, list them.

Each experiment stores a table of raw results and a picture; the page index.html shows them with the papers' numbers
and verdicts. Cells that the folder holds already are not measured again, so that an interrupted command continues
where it stopped. Data sets are read from the folder HINGE_DATA, or downloaded once.
"""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command. Bad input ends it with one sentence and exit code 2."""
    options = _parser().parse_intermixed_args(arguments)
    try:
        sys.exit(_list(options) if options.paper is None else _run(options))
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except (ValueError, OSError, ImportError) as error:
        _fail(str(error))


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="python -m experiments",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("paper", nargs="?", metavar="PAPER", help=f"{', '.join(PAPERS)}, or {ALL}")
    parser.add_argument("experiment", nargs="*", metavar="EXPERIMENT", help="such as fig8 (default: all of the paper)")
    parser.add_argument("--quick", action="store_true", help="minutes: fewer rows, seeds and settings")
    parser.add_argument(
        "--output",
        type=Path,
        metavar="DIR",
        help="folder of tables, pictures and page (default: experiments/output/full or quick)",
    )
    parser.add_argument("--document", type=Path, metavar="FILE", help="also write the verdicts as Markdown")
    parser.add_argument("--json", action="store_true", help="print only JSON")
    return parser


class _Parser(argparse.ArgumentParser):
    """A parser whose complaints are one sentence, without the usage."""

    def error(self, message: str) -> NoReturn:
        _fail(f"{message[:1].upper()}{message[1:]}; see {self.prog} --help.")


def _fail(message: str) -> NoReturn:
    print(message, file=sys.stderr)
    sys.exit(BAD_INPUT)


def _run(options: argparse.Namespace) -> int:
    """Run experiments and report; return the exit code."""
    entries = find_experiments(options.paper, options.experiment)
    _check_environment(options.document)
    folder = options.output or OUTPUT / ("quick" if options.quick else "full")
    console = Console(stderr=True, quiet=options.json)
    if options.quick:
        console.print("This is a quick run: fewer rows, seeds and settings; verdicts are indications.")
    with _ProgressDisplay(console) as display:
        outcomes = run(entries, folder, quick=options.quick, listener=display)
    all_outcomes = stored_outcomes(folder, outcomes)
    page = write_html_page(folder, all_outcomes, read_metadata(folder))
    if options.document is not None:
        write_report(options.document, all_outcomes, read_metadata(folder))
    _report(outcomes, page, json_only=options.json)
    failed = any(reason.startswith(FAILED) for outcome in outcomes for reason in outcome.missing)
    return CELLS_FAILED if failed else 0


def _check_environment(document: Path | None) -> None:
    """Refuse what would fail after hours of work, or make every data set a missing one."""
    if importlib.util.find_spec("matplotlib") is None:
        raise ModuleNotFoundError("The experiments draw pictures; install matplotlib: pip install 'hinge-svm[plot]'")
    if document is not None and not document.parent.is_dir():
        raise FileNotFoundError(f"There is no folder {document.parent} to write {document.name} to.")
    data_folder = os.environ.get("HINGE_DATA")
    if data_folder and not Path(data_folder).is_dir():
        raise FileNotFoundError(f"HINGE_DATA must name a folder, got {data_folder}.")


class _ProgressDisplay:
    """Shows a bar for the current experiment, and one line for each finished one."""

    def __init__(self, console: Console) -> None:
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        self._progress = Progress(*columns, console=console, transient=True)
        self._task: TaskID | None = None
        self._title = ""

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._progress.stop()
        if kind is KeyboardInterrupt:
            self._print("Interrupted. All finished cells are stored; run the same command again to continue.")

    def experiment_started(self, entry: Entry, n_cells: int, n_measured: int) -> None:
        """Show a new bar."""
        self._title = str(entry)
        self._task = self._progress.add_task(self._title, total=n_cells, completed=n_measured)

    def cell_started(self, cell: Cell) -> None:
        """Show the name of the cell: in the bar, or as a line where bars cannot be shown."""
        text = f"{self._title}: {describe_cell(cell)}"
        if self._task is not None:
            self._progress.update(self._task, description=escape(text))
        if not self._progress.console.is_terminal:
            self._print(text)

    def cell_finished(self) -> None:
        """Advance the bar."""
        if self._task is not None:
            self._progress.advance(self._task)

    def cell_skipped(self, cell: Cell, reason: str) -> None:
        """Say why a cell is skipped."""
        self._print(f"{self._title}: {describe_cell(cell)} skipped. {reason}")

    def experiment_finished(self, outcome: Outcome) -> None:
        """Replace the bar by a line with the verdict."""
        if self._task is not None:
            self._progress.remove_task(self._task)
        n_holding = sum(check.holds for check in outcome.checks)
        self._progress.console.print(
            f"{outcome.entry!s:20} {_styled(outcome.verdict)} ({n_holding} of {len(outcome.checks)} claims hold)",
            highlight=False,
        )

    def _print(self, text: str) -> None:
        self._progress.console.print(text, markup=False, highlight=False, soft_wrap=True)


def _list(options: argparse.Namespace) -> int:
    """Print the papers and their experiments; return the exit code."""
    if options.json:
        print(json.dumps({name: list(paper.experiments) for name, paper in PAPERS.items()}))
        return 0
    table = Table("paper", "experiments", "", show_lines=True)
    for name, paper in PAPERS.items():
        table.add_row(name, " ".join(paper.experiments), paper.citation)
    Console().print(table)
    return 0


def _report(outcomes: Sequence[Outcome], page: Path, *, json_only: bool) -> None:
    if json_only:
        print(json.dumps({"page": str(page), "experiments": [_summary(outcome) for outcome in outcomes]}))
        return
    table = Table("experiment", "what it shows", "verdict")
    for outcome in outcomes:
        table.add_row(str(outcome.entry), escape(outcome.entry.experiment.title), _styled(outcome.verdict))
    Console().print(table)
    print(f"Tables, pictures and explanations: {page}")


def _styled(verdict: str) -> str:
    return f"[{STYLES.get(verdict, 'default')}]{verdict}[/]"


def _summary(outcome: Outcome) -> dict[str, object]:
    return {
        "paper": outcome.entry.paper,
        "experiment": outcome.entry.name,
        "verdict": outcome.verdict,
        "reason": outcome.reason,
        "checks": [
            {"claim": check.claim, "holds": check.holds, "observed": check.observed} for check in outcome.checks
        ],
    }


if __name__ == "__main__":
    main()
