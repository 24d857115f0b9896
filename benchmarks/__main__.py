"""Run every model on every task and print a table: `python -m benchmarks [--quick]`."""

import argparse
from pathlib import Path

from rich.console import Console

from benchmarks import report
from benchmarks.data import MissingDataError, data_folder
from benchmarks.models import MODELS
from benchmarks.tasks import TASKS
from benchmarks.worker import Measurement, measure_in_process


def main() -> None:
    """Read the options, run, report."""
    options = _options()
    console = Console()
    try:
        data_folder()
    except MissingDataError as reason:
        console.print(f"Skipped. {reason}")
        return
    measurements: list[Measurement] = []
    for task in options.tasks:  # written after each: a run that is stopped keeps what it measured
        measurements += report.summarise(_run(task, options, console))
        everything = report.with_kept(measurements, options.output) if options.keep else measurements
        report.write(everything, options.output, quick=options.quick)
    report.show(measurements, console)
    console.print(f"{report.describe_machine()}\nWritten to {options.output}: results.json, results.md, summary.md.")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description="Compare hinge with other libraries on the same data."
    )
    parser.add_argument("--quick", action="store_true", help="subsamples: about a minute instead of about ten")
    parser.add_argument("--tasks", nargs="+", choices=TASKS, default=list(TASKS), metavar="TASK", help=" ".join(TASKS))
    parser.add_argument(
        "--models",
        nargs="+",
        choices=MODELS,
        metavar="MODEL",
        help=f"{' '.join(MODELS)}; default: the fast ones",
    )
    parser.add_argument("--repeats", type=int, default=1, help="runs of each model; the table shows median times")
    parser.add_argument("--keep", action="store_true", help="keep the results of other tasks in the folder")
    parser.add_argument("--output", type=Path, default=Path("benchmarks/results"), help="folder for the results")
    return parser.parse_args()


def _run(task: str, options: argparse.Namespace, console: Console) -> list[Measurement]:
    """Run one process after the other, so that each has the whole machine."""
    runs = []
    for _ in range(options.repeats):
        for model in _models(task, options):
            with console.status(f"{TASKS[task].title}: {MODELS[model].title}"):
                runs.append(measure_in_process(task, model, quick=options.quick))
    return runs


def _models(task: str, options: argparse.Namespace) -> list[str]:
    """Return the requested models, or ours and the peers that finish in reasonable time."""
    wanted = options.models or (list(MODELS) if options.quick else ["hinge", *TASKS[task].peers])
    return [name for name in wanted if MODELS[name].available]


if __name__ == "__main__":
    main()
