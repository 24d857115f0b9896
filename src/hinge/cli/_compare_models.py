"""What `hinge compare` does: two models predict the same rows, and a paired test tells how likely chance is.

Rows on which both models are right, or both wrong, say nothing about which one is better. Of the others, each model
would be right on half of them if there were no difference: the exact binomial test of McNemar. For values, a model is
better on a row if its absolute error is smaller (the sign test).
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import typer
from rich.console import Console
from rich.table import Table
from scipy.stats import binomtest

from hinge.cli._files import require_writable
from hinge.cli._predictions import chunks_of, name_outliers, predict_rows, report_ignored
from hinge.cli._prepared import split
from hinge.cli._values import ValueScore, short
from hinge.exceptions import DataError, ParameterError
from hinge.io import open_source
from hinge.persistence import load
from hinge.streaming import traits
from hinge.tables import Ignored, OneClassPreparation

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from hinge.io import Chunk
    from hinge.streaming import Model
    from hinge.tables import Labels, Preparation

SIGNIFICANT = 0.05


@dataclass
class Contestant:
    """A model, and how far its predictions are from the labels: 0 or 1 for classes, absolute errors for values."""

    name: str
    estimator: Model
    preparation: Preparation
    distances: list[NDArray[np.float64]] = field(default_factory=list)
    labels: list[Labels] = field(default_factory=list)
    values: ValueScore = field(default_factory=ValueScore)
    ignored: Ignored = field(default_factory=Ignored)

    @property
    def is_regression(self) -> bool:
        """The model predicts values."""
        return traits(self.estimator).task == "regression"

    def predict(self, chunk: Chunk) -> None:
        """Predict rows."""
        X, y = self.preparation.examples(chunk, self.ignored)
        predictions, _ = predict_rows(self.estimator, X, self.preparation.answers)
        labels = name_outliers(y) if isinstance(self.preparation, OneClassPreparation) else y
        self.labels.append(labels.astype(str) if not self.is_regression else labels)
        if self.is_regression:
            self.values.add(labels, predictions)
            self.distances.append(np.abs(predictions - labels))
        else:
            self.distances.append((predictions.astype(str) != self.labels[-1]).astype(np.float64))


def run_compare(
    files: tuple[Path, Path],
    data: str,
    policies: Mapping[str, str | None],
    source: Mapping[str, Any],
    *,
    plot: Path | None,
    json_only: bool,
) -> None:
    """Compare two models; the arguments are those of the command."""
    require_writable(plot, *files, data)
    contestants = [Contestant(str(file), *split(load(file), **policies)) for file in files]
    first, second = contestants
    if first.is_regression != second.is_regression:
        raise ParameterError("Both models must predict values, or both classes, to be compared.")
    for chunk in chunks_of(open_source(data, **source)):
        for contestant in contestants:
            contestant.predict(chunk)
    for contestant in contestants:
        report_ignored(contestant.ignored)
    result = _summarise(first, second)
    if plot is not None:
        from hinge.cli._compare_figure import draw_comparison  # noqa: PLC0415  imports matplotlib

        draw_comparison(plot, result, data)
        result["picture"] = str(plot)
    if json_only:
        typer.echo(json.dumps(result))
    else:
        _show(result, Console())


def _summarise(first: Contestant, second: Contestant) -> dict[str, Any]:
    """Return the results as values that JSON can hold."""
    distances = [np.concatenate(each.distances or [np.empty(0)]) for each in (first, second)]
    if len(distances[0]) != len(distances[1]):
        raise DataError("Both models must predict the same rows, but one drops more of them; choose --missing fill.")
    if not len(distances[0]):
        raise DataError("There must be rows to compare the models on, got none.")
    better, worse = (int(np.count_nonzero(a < b)) for a, b in (distances, distances[::-1]))
    decided = better + worse
    p_value = float(binomtest(better, decided).pvalue) if decided else 1.0
    rows = len(distances[0])
    models = [_describe(each, found) for each, found in zip((first, second), distances, strict=True)]
    return {"rows": rows, "models": models, "better": [better, worse], "same": rows - decided, "p_value": p_value}


def _describe(contestant: Contestant, distances: NDArray[np.float64]) -> dict[str, Any]:
    described: dict[str, Any] = {"file": contestant.name, "estimator": type(contestant.estimator).__name__}
    if contestant.is_regression:
        return described | contestant.values.to_json()
    labels = np.concatenate(contestant.labels)
    by_class = {str(label): 100 * float(distances[labels == label].mean()) for label in np.unique(labels)}
    return described | {"error": 100 * float(distances.mean()), "error_by_class": by_class}


def _show(result: dict[str, Any], console: Console) -> None:
    first, second = result["models"]
    is_values = "r2" in first
    table = Table("model", "estimator")
    columns = ("mean_absolute_error", "mean_squared_error", "r2") if is_values else ("error",)
    for name in (*(column.replace("_", " ") for column in columns), "better on"):
        table.add_column(name, justify="right")
    for model, better in zip((first, second), result["better"], strict=True):
        found = [model[name] for name in columns]
        cells = ["-" if value is None else short(value) if is_values else f"{value:.2f} %" for value in found]
        table.add_row(model["file"], model["estimator"], *cells, f"{better:,} rows")
    console.print(table)
    console.print(_conclusion(result), highlight=False, markup=False, soft_wrap=True)


def _conclusion(result: dict[str, Any]) -> str:
    """Say in one sentence what the test found."""
    better, worse = result["better"]
    if better == worse == 0:
        return f"{result['rows']:,} rows; the models are equally good on each of them."
    start = f"{result['rows']:,} rows, as good on {result['same']:,} of them"
    if result["p_value"] >= SIGNIFICANT:
        return f"{start}; the difference may be chance (p = {result['p_value']:.2g})."
    winner, loser = result["models"] if better > worse else result["models"][::-1]
    chance = f"and chance is unlikely (p = {result['p_value']:.2g})"
    if "r2" not in winner:
        return f"{start}; {winner['file']} is better, {chance}."
    contrary = winner["mean_absolute_error"] > loser["mean_absolute_error"]
    but = f" Its errors are larger where it is not: {loser['file']} has the smaller mean." if contrary else ""
    return f"{start}; {winner['file']} is nearer to the value on more rows, {chance}.{but}"
