"""`hinge info`: what is in a model file."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from hinge.persistence import load

ModelFile = Annotated[Path, typer.Argument(help="A file written by `hinge train` or `hinge.save`.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]


def info(model: ModelFile, *, json_only: Json = False) -> None:
    """Show what is in a model file.

    Example: hinge info model.hinge
    """
    facts = _describe(model)
    if json_only:
        typer.echo(json.dumps(facts))
        return
    table = Table(show_header=False, title=str(model), title_justify="left", title_style="bold")
    for name, value in facts.items():
        table.add_row(name.replace("_", " "), f"{value:,}" if isinstance(value, int) else str(value))
    Console().print(table)


def _describe(file: Path) -> dict[str, Any]:
    """Return the facts as plain values."""
    model = load(file)
    changed = {name: str(value) for name, value in model.get_params().items() if value != _default(model, name)}
    return {
        "estimator": type(model).__name__,
        "parameters": ", ".join(f"{name}={value}" for name, value in changed.items()) or "all default",
        "classes": [str(label) for label in model.classes_],
        "features": int(model.n_features_in_),
        "support_vectors": len(model.support_),
        "examples_seen": int(model.n_seen_),
        "bytes": file.stat().st_size,
    }


def _default(model: Any, name: str) -> Any:
    return type(model)().get_params()[name]
