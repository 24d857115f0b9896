"""Format measurements as tables for the terminal, as Markdown, and as JSON."""

import json
import platform
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from importlib import metadata
from os import cpu_count
from pathlib import Path
from statistics import median
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks import summary
from benchmarks.models import MODELS
from benchmarks.tasks import TASKS
from benchmarks.worker import Measurement

COLUMNS = (
    "task",
    "model",
    "fit, s",
    "ratio",
    "processor, s",
    "ratio",
    "predict, s",
    "ratio",
    "test error, %",
    "support vectors",
    "kernel values, 1e6",
    "peak, MB",
    "above data, MB",
)
SHORT_COLUMNS = (
    "task",
    "model",
    "fit, s",
    "ratio",
    "CPU, s",
    "ratio",
    "predict",
    "ratio",
    "error",
    "SVs",
    "values, 1e6",
    "peak, MB",
    "extra",
)


def summarise(runs: Iterable[Measurement]) -> list[Measurement]:
    """Merge repeated runs: median times, largest memory; everything else is the same in each run."""
    groups: dict[tuple[str, str], list[Measurement]] = {}
    for run in runs:
        groups.setdefault((run.task, run.model), []).append(run)
    return [_merge(group) for group in groups.values()]


def rows(measurements: Sequence[Measurement]) -> list[tuple[str, ...]]:
    """Return the cells of the table; ratios are relative to hinge on the same task."""
    ours = {one.task: one for one in measurements if one.model == "hinge"}
    return [_row(one, ours.get(one.task)) for one in measurements]


def show(measurements: Sequence[Measurement], console: Console) -> None:
    """Print the table to the terminal, with short names."""
    cells = zip(measurements, rows(measurements), strict=True)
    short = [(one.task, one.model, *row[2:]) for one, row in cells]
    print_table("Fit and predict; ratio: time / time of hinge", SHORT_COLUMNS, short, console)


def print_table(title: str, columns: Sequence[str], cells: Iterable[Sequence[str]], console: Console) -> None:
    """Print a table whose first column is text and whose other columns are numbers."""
    table = Table(title=title, title_justify="left", header_style="bold", box=None, padding=(0, 1, 0, 0))
    for position, column in enumerate(columns):
        table.add_column(column, justify="left" if position == 0 or column == "model" else "right")
    for row in cells:
        table.add_row(*row)
    console.print(table)


def markdown(columns: Sequence[str], cells: Iterable[Sequence[str]]) -> str:
    """Return a table as Markdown."""
    rule = ["---" if position < 2 else "---:" for position in range(len(columns))]
    return "".join(f"| {' | '.join(line)} |\n" for line in (columns, rule, *cells))


def with_kept(measurements: Sequence[Measurement], folder: Path) -> list[Measurement]:
    """Return the measurements with those of other tasks in the folder, in the order of the tasks."""
    measured = {one.task for one in measurements}
    results = folder / "results.json"
    record = json.loads(results.read_text())["results"] if results.exists() else []
    kept = [Measurement(**one) for one in record if one["task"] not in measured]
    return sorted([*kept, *measurements], key=lambda one: list(TASKS).index(one.task))


def write(measurements: Sequence[Measurement], folder: Path, *, quick: bool) -> None:
    """Write `results.json`, `results.md` and the table of the README, `summary.md`."""
    folder.mkdir(parents=True, exist_ok=True)
    record = {"machine": machine(), "quick": quick, "results": [asdict(one) for one in measurements]}
    (folder / "results.json").write_text(json.dumps(record, indent=2) + "\n")
    (folder / "results.md").write_text(markdown(COLUMNS, rows(measurements)) + f"\n{describe_machine()}\n")
    (folder / "summary.md").write_text(
        markdown(summary.COLUMNS, summary.rows(measurements)) + f"\n{describe_machine()}\n"
    )


def machine() -> dict[str, Any]:
    """Return the date, machine and versions."""
    packages = ("hinge-svm", "scikit-learn", "scikit-learn-intelex", "numpy", "scipy")
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "processor": _processor(),
        "cores": cpu_count(),
        "python": platform.python_version(),
        "packages": {name: _version(name) for name in packages},
    }


def describe_machine() -> str:
    """Return one line about the machine and the versions."""
    facts = machine()
    versions = ", ".join(f"{name} {version}" for name, version in facts["packages"].items())
    return f"{facts['processor']}, {facts['cores']} cores, Python {facts['python']}, {versions}, {facts['date']}."


def _merge(group: list[Measurement]) -> Measurement:
    merged = asdict(group[0])
    for field in ("fit_seconds", "predict_seconds", "fit_processor_seconds"):
        values = [getattr(one, field) for one in group]
        merged[field] = None if None in values else median(values)
    for field in ("peak_memory", "extra_memory"):
        merged[field] = max(getattr(one, field) for one in group)
    return Measurement(**merged)


def _row(one: Measurement, ours: Measurement | None) -> tuple[str, ...]:
    evals = "-" if one.n_kernel_evals is None else f"{one.n_kernel_evals / 1e6:,.0f}"
    return (
        TASKS[one.task].title,
        MODELS[one.model].title,
        f"{one.fit_seconds:.2f}",
        _ratio(one.fit_seconds, ours.fit_seconds if ours else None),
        "-" if one.fit_processor_seconds is None else f"{one.fit_processor_seconds:.2f}",
        _ratio(one.fit_processor_seconds, ours.fit_processor_seconds if ours else None),
        f"{one.predict_seconds:.3f}",
        _ratio(one.predict_seconds, ours.predict_seconds if ours else None),
        f"{one.test_error:.2f}",
        f"{one.n_support:,}",
        evals,
        f"{one.peak_memory:,.0f}",
        f"{one.extra_memory:,.0f}",
    )


def _ratio(seconds: float | None, ours: float | None) -> str:
    return "-" if not ours or seconds is None else f"{seconds / ours:.1f}"


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "none"


def _processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
