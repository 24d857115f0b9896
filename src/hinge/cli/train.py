"""`hinge train`: learn example by example, compare with SVC, write the model and a picture."""

import importlib.util
import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from hinge import datasets
from hinge.cli._learn import Exact, Learned, Settings, learn, solve
from hinge.cli._report import show, summarise
from hinge.persistence import save

DEFAULT_PICTURE = Path("train.png")
INTERRUPTED = 130

DataName = Annotated[str, typer.Argument(help=f"Bundled data: {', '.join(datasets.names())}.")]
Epochs = Annotated[int, typer.Option(min=1, help="Passes over the training rows.")]
Cost = Annotated[float | None, typer.Option("--C", help="Cost of an error. Default: what suits the data.")]
Gamma = Annotated[float | None, typer.Option(help="Parameter of the RBF kernel. Default: what suits the data.")]
Output = Annotated[Path, typer.Option("--output", "-o", help="File for the model.")]
Plot = Annotated[Path | None, typer.Option(help=f"File for the picture. Default: {DEFAULT_PICTURE}.")]
Compare = Annotated[bool, typer.Option(help="Train scikit-learn's SVC as well.")]
Seed = Annotated[int, typer.Option(min=0, help="Seed of data, order and model.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]


def train(
    data: DataName = "spirals",
    *,
    epochs: Epochs = 1,
    C: Cost = None,
    gamma: Gamma = None,
    output: Output = Path("model.hinge"),
    plot: Plot = None,
    compare: Compare = True,
    seed: Seed = 0,
    json_only: Json = False,
) -> None:
    """Learn from a stream of examples, testing on each before learning it, and compare with scikit-learn's SVC.

    Example: hinge train digits --epochs 2 -o digits.hinge --plot digits.png
    """
    picture = _picture_file(plot)
    _require_folders(output, picture)
    dataset = datasets.load(data, random_state=seed)
    settings = Settings(
        C=dataset.C if C is None else C, gamma=dataset.gamma if gamma is None else gamma, epochs=epochs, seed=seed
    )
    terminal = Console(stderr=True, quiet=json_only)
    learned = learn(dataset, settings, terminal)
    save(learned.model, output)
    if learned.interrupted:
        terminal.print(f"Stopped after {learned.model.n_seen_:,} examples; the model so far is in {output}.")
        raise typer.Exit(INTERRUPTED)
    exact = solve(dataset, settings, terminal) if compare else None
    _draw(picture, dataset, learned, exact)
    summary = summarise(dataset, settings, learned, exact) | {"model": str(output), "picture": picture and str(picture)}
    if json_only:
        typer.echo(json.dumps(summary))
    else:
        show(summary, Console())


def _picture_file(wanted: Path | None) -> Path | None:
    """Return where the picture goes: nowhere when nobody asked for it and matplotlib is not installed."""
    if importlib.util.find_spec("matplotlib") is not None:
        return wanted or DEFAULT_PICTURE
    if wanted is None:
        return None
    raise ModuleNotFoundError("--plot needs matplotlib; install it with: pip install 'hinge[plot]'")


def _require_folders(*files: Path | None) -> None:
    """Complain before the work is done, not after it."""
    for file in files:
        if file is not None and not file.absolute().parent.is_dir():
            raise NotADirectoryError(f"There is no folder {file.parent} for {file.name}.")


def _draw(file: Path | None, dataset: datasets.Dataset, learned: Learned, exact: Exact | None) -> None:
    if file is not None:
        from hinge.cli._picture import draw  # noqa: PLC0415  matplotlib is optional and slow to import

        draw(file, dataset, learned, exact)
