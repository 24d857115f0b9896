"""`hinge info`: what is in a model file."""

import json
from pathlib import Path
from typing import Any

import typer
from rich.console import Console
from rich.table import Table

from hinge.cli._models import class_names, is_approximate, is_detector, is_exact, n_parts
from hinge.cli._options import Json, ModelFile
from hinge.cli._wrapping import normal_of, unwrapped
from hinge.persistence import load
from hinge.tables import Column


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
        table.add_row(name.replace("_", " "), _text(value))
    Console().print(table)


def _describe(file: Path) -> dict[str, Any]:
    """Return the facts as plain values."""
    model, preparation = unwrapped(load(file))
    changed = {name: value for name, value in model.get_params().items() if value != _default(model, name)}
    columns = preparation.columns or ()
    return {
        "estimator": type(model).__name__,
        "parameters": changed,
        "kernel": model._state.kernel.describe(),
        **({"normal": normal_of(preparation)} if is_detector(model) else {"classes": class_names(model)}),
        "features": int(model.n_features_in_),
        "columns": [_column(column) for column in columns],
        "label": preparation.label,
        "scaling": preparation.scaling.words,
        **_parts(model),
        "examples_seen": int(model.n_seen_),
        **({"examples_held": model._state.native.n_retained} if is_exact(model) else {}),
        "bytes": file.stat().st_size,
    }


def _parts(model: Any) -> dict[str, int]:
    """Return what a model is made of: support vectors, or features and the landmarks that they refer to."""
    if not is_approximate(model):
        return {"support_vectors": n_parts(model)}
    landmarks = {"landmarks": len(model.support_)} if model.approximation == "nystroem" else {}
    return {"components": n_parts(model)} | landmarks


def _column(column: Column) -> str:
    return column.name if column.categories is None else f"{column.name} ({len(column.categories)} categories)"


def _text(value: Any) -> str:
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, dict):
        return ", ".join(f"{name}={entry}" for name, entry in value.items()) or "all default"
    return ", ".join(value) or "-" if isinstance(value, list) else str(value or "-")


def _default(model: Any, name: str) -> Any:
    return type(model)().get_params()[name]
