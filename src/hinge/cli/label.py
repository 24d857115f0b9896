"""`hinge label`: a page in the browser where people label the examples a model asks about."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.progress import Progress

from hinge._terminal import Terminal
from hinge.cli._options import parse_gamma, split_names
from hinge.exceptions import ParameterError

if TYPE_CHECKING:
    from rich.console import Console

    from hinge.web.pools import Pool

DEMONSTRATION = "digits"
EXPORT_SUFFIXES = (".csv", ".parquet", ".svm", ".hinge")
MAX_PORT = 65535
MAX_INSTRUCTIONS_BYTES = 200_000
_SHAPE = re.compile(r"(\d{1,4})x(\d{1,4})")

Data = Annotated[str, typer.Argument(help="A file, a folder of images or texts, or a known data set.")]
Classes = Annotated[str | None, typer.Option(metavar="NAMES", help="Classes to start with, separated by commas.")]
Show = Annotated[str, typer.Option(metavar="HOW", help="auto, image, text or table.", show_default=False)]
Text = Annotated[str | None, typer.Option(metavar="COLUMN", help="Column that holds the texts.")]
Shape = Annotated[str | None, typer.Option(metavar="HxW", help="Height and width of images that are rows: 28x28.")]
Known = Annotated[str | None, typer.Option(metavar="COLUMN", help="Existing labels: a column, label, or folder.")]
Database = Annotated[str | None, typer.Option(metavar="FILE", help="A file or URL. [NAME.labels.sqlite]")]
Project = Annotated[str | None, typer.Option(metavar="NAME", help="Project inside the database. [NAME]")]
Import = Annotated[Path | None, typer.Option("--import", metavar="FILE", help="Import labels from a CSV file.")]
Export = Annotated[Path | None, typer.Option(metavar="FILE", help="Write .csv, .parquet, .svm or .hinge; no page.")]
Host = Annotated[str, typer.Option(metavar="NAME", help="Address to listen on. [127.0.0.1]", show_default=False)]
Port = Annotated[int, typer.Option(metavar="N", help="Port to listen on. [8517]", show_default=False)]
Token = Annotated[str | None, typer.Option(metavar="TEXT", envvar="HINGE_TOKEN", help="Password of the page.")]
Browser = Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page.", show_default=False)]
Strategy = Annotated[str | None, typer.Option(metavar="HOW", help="boundary, positive, autoactive or random.")]
Target = Annotated[str | None, typer.Option(metavar="CLASS", help="The class that positive looks for.")]
CheckEvery = Annotated[int | None, typer.Option(metavar="N", help="Every N-th example is random. [5]")]
Sample = Annotated[int | None, typer.Option(metavar="N", help="Candidates for the next example. [1000]")]
Cost = Annotated[float | None, typer.Option("--C", metavar="X", help="Cost of an error. [10]")]
Gamma = Annotated[str | None, typer.Option(metavar="X", help="Kernel coefficient: a number, scale or auto.")]
Instructions = Annotated[Path | None, typer.Option(metavar="FILE", help="Markdown file to show to people who label.")]
Features = Annotated[str | None, typer.Option(metavar="FILE", help="Features of each example: .npy or .parquet.")]
Overlap = Annotated[float | None, typer.Option(metavar="PERCENT", help="Examples that several people label. [0]")]
OverlapPeople = Annotated[int | None, typer.Option(metavar="N", help="How many people label each of them. [2]")]
Encoder = Annotated[Path | None, typer.Option(metavar="FILE", help="ONNX network that computes features.")]
Solver = Annotated[str | None, typer.Option(metavar="NAME", help="incremental, or online for very many labels.")]
Kernel = Annotated[str | None, typer.Option(metavar="NAME", help="rbf, linear, poly, sigmoid or laplacian.")]


def label(
    data: Data = DEMONSTRATION,
    *,
    classes: Classes = None,
    show: Show = "auto",
    text: Text = None,
    shape: Shape = None,
    known: Known = None,
    database: Database = None,
    project: Project = None,
    import_file: Import = None,
    export: Export = None,
    host: Host = "127.0.0.1",
    port: Port = 8517,
    token: Token = None,
    browser: Browser = True,
    strategy: Strategy = None,
    target: Target = None,
    check_every: CheckEvery = None,
    sample: Sample = None,
    C: Cost = None,
    gamma: Gamma = None,
    kernel: Kernel = None,
    solver: Solver = None,
    instructions: Instructions = None,
    features: Features = None,
    encoder: Encoder = None,
    overlap: Overlap = None,
    overlap_people: OverlapPeople = None,
) -> None:
    """Open a page where people label the examples a model asks about.

    Every label is saved at once; run the command again to continue.

    Example: hinge label photos --classes cat,dog
    """
    from hinge import web  # noqa: PLC0415  needs optional libraries, which are slow to import

    serve = web.serve  # raises an error for a missing library before data are read
    given: dict[str, Any] = {"strategy": strategy, "target": target, "check_every": check_every, "sample": sample}
    given |= {"C": C, "gamma": parse_gamma(gamma), "kernel": kernel, "solver": solver}
    given |= {"overlap": overlap, "overlap_people": overlap_people}
    given["instructions"] = None if instructions is None else read_instructions(instructions)
    settings = web.SessionSettings(**{name: value for name, value in given.items() if value is not None})
    if not 0 <= port <= MAX_PORT:
        raise ParameterError(f"--port must be from 0 (any free port) to {MAX_PORT}, got {port}.")
    _check_files(import_file, export, data, database)
    terminal = Terminal()
    pool = _open_pool(data, terminal, show=show, text=text, shape=_parse_shape(shape), known=known, features=features)
    if encoder is not None:
        _encode(encoder, pool, terminal)
    where = (pool, database or f"{pool.name}.labels.sqlite", project or pool.name)
    if import_file is not None:
        new, changed, same = web.import_labels(*where, import_file)
        _print(terminal, f"{import_file}: {new:,} new labels, {changed:,} changed, {same:,} unchanged.")
    if export is not None:
        count = web.export(*where, export, settings)
        typer.echo(f"{export}: {count:,} labels.")
        return
    if classes is None and data == DEMONSTRATION:
        classes = "0,1,2,3,4,5,6,7,8,9"
    begin: dict[str, Any] = {"classes": split_names(classes), "host": host, "port": port, "token": token}
    serve(*where, **begin, open_browser=browser, settings=settings)


def read_instructions(path: Path) -> str:
    """Read a text file of instructions."""
    from hinge.web.pools import read_text  # noqa: PLC0415

    if not path.is_file():
        raise FileNotFoundError(f"There is no file {path} of instructions.")
    if path.stat().st_size > MAX_INSTRUCTIONS_BYTES:
        raise ParameterError(f"--instructions must have at most {MAX_INSTRUCTIONS_BYTES} bytes; shorten {path}.")
    return read_text(path, path.name)


def _open_pool(data: str, terminal: Console, **options: Any) -> Pool:
    """Open the examples, and print what they are."""
    from hinge.web.pools import open_pool  # noqa: PLC0415

    with Progress(console=terminal, transient=True, disable=not terminal.is_terminal) as progress:
        task = progress.add_task(f"reading {data}", total=1.0)
        pool = open_pool(data, watch=lambda done: progress.update(task, completed=done or 0.0), **options)
    known = f", {len(pool.known):,} of them with a label" if pool.known else ""
    kind = {"image": "images", "text": "texts", "table": "rows"}[pool.kind]
    _print(terminal, f"{pool.name}: {len(pool):,} {kind}{known}.")
    for note in pool.notes:
        _print(terminal, note)
    return pool


def _encode(encoder: Path, pool: Pool, terminal: Console) -> None:
    """Add the features that a network computes; the bar shows how many examples are done."""
    from hinge.web.pools import encode  # noqa: PLC0415

    with Progress(console=terminal, transient=True, disable=not terminal.is_terminal) as progress:
        task = progress.add_task(f"encoding {len(pool):,} examples", total=1.0)
        pool.add_features(
            "encoder", encode(encoder, pool, watch=lambda done: progress.update(task, completed=done or 0.0))
        )


def _print(terminal: Console, sentence: str) -> None:
    terminal.print(sentence, highlight=False, markup=False, soft_wrap=True)


def _parse_shape(text: str | None) -> tuple[int, int] | None:
    """Parse height and width.

    Examples
    --------
    >>> _parse_shape("28x20"), _parse_shape(None)
    ((28, 20), None)
    """
    if text is None:
        return None
    found = _SHAPE.fullmatch(text.strip().lower())
    if found is None:
        raise ParameterError(f"--shape must be the height and width of the images, such as 28x28, got {text!r}.")
    return int(found[1]), int(found[2])


def _check_files(import_file: Path | None, export: Path | None, *others: str | None) -> None:
    """Check the files of labels before the work starts."""
    if import_file is not None and not import_file.is_file():
        raise FileNotFoundError(f"There is no file {import_file} to import labels from.")
    if export is not None and export.suffix.lower() not in EXPORT_SUFFIXES:
        raise ParameterError(
            f"--export must name a file that ends in {', '.join(EXPORT_SUFFIXES[:-1])} (labels) or "
            f"{EXPORT_SUFFIXES[-1]} (the model), got {export.name!r}."
        )
    from hinge.cli._files import require_writable  # noqa: PLC0415  imports NumPy

    require_writable(export, import_file, *others)
