"""The figure of a comparison. Imported only when a plot is wanted, because it imports matplotlib."""

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from hinge.io.atomic import replacing

COLOURS = ("#2563eb", "#d97706", "#c9ced6")


def draw_comparison(file: Path, result: dict[str, Any], data: str) -> None:
    """Draw the errors of two models by class, and on how many rows each is better."""
    figure = Figure(figsize=(10, 4), layout="constrained", dpi=150, facecolor="white")
    figure.suptitle(f"{data}: {result['rows']:,} rows, p = {result['p_value']:.2g}", fontsize=12)
    left, right = figure.subplots(1, 2)
    first, second = result["models"]
    for shift, model, colour in ((-0.2, first, COLOURS[0]), (0.2, second, COLOURS[1])):
        errors = {"all": model["error"], **model["error_by_class"]} if "error" in model else _errors(model)
        left.bar(np.arange(len(errors)) + shift, list(errors.values()), 0.4, color=colour, label=model["file"])
        left.set_xticks(range(len(errors)), list(errors))
    left.set_title("Error, %, by class" if "error" in first else "Error", loc="left", fontsize=11, fontweight="bold")
    left.legend(frameon=False)
    counts = [*result["better"], result["same"]]
    right.barh([first["file"], second["file"], "no difference"], counts, color=COLOURS)
    right.invert_yaxis()
    right.set_title("Rows on which a model is better", loc="left", fontsize=11, fontweight="bold")
    for axes in (left, right):
        axes.spines[["top", "right"]].set_visible(False)
    with replacing(file) as unfinished:
        figure.savefig(unfinished, format=file.suffix.lstrip(".").lower() or "png")


def _errors(model: dict[str, Any]) -> dict[str, float]:
    return {"mean absolute": model["mean_absolute_error"], "root mean squared": model["mean_squared_error"] ** 0.5}
