"""What `hinge info` does: what is in a model file."""

import json
from pathlib import Path
from typing import Any

import typer
from rich.console import Console
from rich.table import Table

from hinge.cli._models import class_names
from hinge.cli._prepared import normal_label, split
from hinge.cli._values import describe_choice
from hinge.persistence import load
from hinge.streaming import Model, kernel, model_size, traits

MAX_RUNS = 10  # shown, the latest ones


def run_info(
    model: Path,
    *,
    json_only: bool,
) -> None:
    """Print what is in a model file; the arguments are those of the command."""
    facts = _describe(model)
    if json_only:
        typer.echo(json.dumps(facts))
        return
    table = Table(show_header=False, title=str(model), title_justify="left", title_style="bold")
    runs = facts.pop("runs")
    for name, value in facts.items():
        table.add_row(name.replace("_", " "), _to_text(value))
    for run in runs[-MAX_RUNS:]:
        table.add_row("run", _describe_run(run))
    Console().print(table)


def _describe(file: Path) -> dict[str, Any]:
    """Return the facts as values that JSON can hold."""
    model, preparation = split(load(file))
    kind = traits(model)
    defaults = type(model)().get_params()
    columns = preparation.columns or ()
    return {
        "estimator": type(model).__name__,
        "parameters": {name: value for name, value in model.get_params().items() if value != defaults[name]},
        "kernel": kernel(model).describe(),
        **({"normal": normal_label(preparation)} if kind.task == "one-class" else {"classes": class_names(model)}),
        "features": int(model.n_features_in_),
        "columns": [column.describe() for column in columns],
        **({"missing_values": list(words)} if (words := preparation.missing_values) else {}),
        "label": preparation.label,
        **({"threshold": f"{threshold:.4g}"} if (threshold := preparation.answers.threshold) else {}),
        "scaling": preparation.scaling.description,
        **_size(model),
        "examples_seen": int(model.n_seen_),
        **({"examples_held": len(model.ids_)} if hasattr(model, "ids_") else {}),
        **({"drifts": len(model.drifts_)} if hasattr(model, "drifts_") else {}),
        "runs": getattr(model, "history_", []),
        "bytes": file.stat().st_size,
    }


def _describe_run(run: dict[str, Any]) -> str:
    errors = [
        f"{name.replace('_', ' ')} {run[name]:.2f} %" for name in ("error", "test_error") if run[name] is not None
    ]
    chosen = [describe_choice(run["tuning"])] if "tuning" in run else []
    return "; ".join([", ".join([f"{run['finished']}: {run['rows']:,} rows of {run['data']}", *errors]), *chosen])


def _size(model: Model) -> dict[str, int]:
    """Return the number of support vectors, or of features and the landmarks that they refer to."""
    if traits(model).size_unit == "support vectors":
        return {"support_vectors": model_size(model)}
    landmarks = {"landmarks": len(model.support_)} if getattr(model, "approximation", None) == "nystroem" else {}
    return {"components": model_size(model)} | landmarks


def _to_text(value: object) -> str:
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, dict):
        return ", ".join(f"{name}={entry}" for name, entry in value.items()) or "all default"
    return ", ".join(value) or "-" if isinstance(value, list) else str(value or "-")
