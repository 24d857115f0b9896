"""What `hinge audit` does: exact leave-one-out predictions of a table, compared with its labels."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import typer
from rich.console import Console
from rich.table import Table
from scipy.sparse import issparse

from hinge.cli._predictions import chunks_of
from hinge.estimators import ESTIMATORS
from hinge.exceptions import DataError, ParameterError
from hinge.io import open_source
from hinge.tables import Survey

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from hinge.tables import Labels, Matrix


@dataclass(frozen=True)
class AuditOptions:
    """What the user asked for; see the options of the command."""

    label: str | None
    drop: tuple[str, ...]
    number: int
    cost: float
    gamma: float | str
    max_rows: int
    seed: int

    def __post_init__(self) -> None:
        for name, value, least in (("--number", self.number, 1), ("--max-rows", self.max_rows, 2)):
            if value < least:
                raise ParameterError(f"{name} must be at least {least}, got {value}.")


def run_audit(data: str, options: AuditOptions, source: Mapping[str, Any], *, json_only: bool) -> None:
    """Examine a data file; rows are counted from 1, without the header."""
    X, y = _read(data, options, source)
    chosen = _sample(len(y), options)
    model = ESTIMATORS["incremental"](C=options.cost, gamma=options.gamma)
    model.fit(X[chosen], y[chosen], ids=chosen + 1)
    suspects = model.suspects(len(chosen))
    result = {
        "rows": len(y),
        "examined": len(chosen),
        "contradicted": len(suspects),
        "by_class": _by_class(model, y[chosen], [each.label for each in suspects]),
        "suspects": [
            {"row": each.id, "label": each.label, "prediction": each.prediction, "margin": each.margin}
            for each in suspects[: options.number]
        ],
        "ambiguous": _ambiguous(X, y)[: options.number],
    }
    if json_only:
        typer.echo(json.dumps(result, default=str))
    else:
        _show(result, Console())


def _read(data: str, options: AuditOptions, source: Mapping[str, Any]) -> tuple[Matrix, Labels]:
    survey = Survey(label=options.label, drop=options.drop, missing="fill", regression=None)
    chunks = list(survey.scan(chunks_of(open_source(data, **source))))
    if survey.is_regression:
        raise DataError("Labels must be classes to be audited, but they look like values; name another --label.")
    X, y = survey.preparation(scale="auto", unknown="ignore", dtype="float64").all_examples(chunks)
    if len(np.unique(y)) < 2:
        raise DataError("There must be rows of at least two classes, got one; name another --label.")
    return X, y


def _sample(n_rows: int, options: AuditOptions) -> NDArray[np.int64]:
    """Return the rows to examine, in their order: all of them, or a random sample."""
    if n_rows <= options.max_rows:
        return np.arange(n_rows)
    return np.sort(np.random.default_rng(options.seed).permutation(n_rows)[: options.max_rows])


def _by_class(model: Any, labels: Labels, contradicted: list[Any]) -> dict[str, dict[str, float]]:
    """Return for each class its rows, how many are contradicted, and how much they shape the boundary.

    Support vectors are rows without which the boundary would be another; the influence of a class is its share of all
    coefficients, in percent.
    """
    found = np.array([str(label) for label in contradicted], dtype=object)
    totals = np.add.reduceat(np.abs(model.dual_coef_).sum(axis=0), np.cumsum([0, *model.n_support_[:-1]]))
    return {
        str(name): {
            "rows": int(np.count_nonzero(labels == name)),
            "contradicted": int(np.count_nonzero(found == str(name))),
            "support_vectors": int(count),
            "influence": 100.0 * float(total / totals.sum()),
        }
        for name, count, total in zip(model.classes_.tolist(), model.n_support_, totals, strict=True)
    }


def _ambiguous(X: Matrix, y: Labels) -> list[dict[str, Any]]:
    """Return groups of rows with equal values and different labels."""
    groups: defaultdict[bytes, list[int]] = defaultdict(list)
    for row in range(len(y)):
        values = X[row]
        key = values.indices.tobytes() + values.data.tobytes() if issparse(X) else values.tobytes()
        groups[key].append(row)
    return [
        {"rows": [row + 1 for row in rows], "labels": y[rows].tolist()}
        for rows in groups.values()
        if len(set(y[rows].tolist())) > 1
    ]


def _show(result: dict[str, Any], console: Console) -> None:
    table = Table("row", "label", "others say", "margin", title="Labels that the other rows contradict")
    for each in result["suspects"]:
        table.add_row(f"{each['row']:,}", str(each["label"]), str(each["prediction"]), f"{each['margin']:.2f}")
    if result["suspects"]:
        console.print(table)
    for group in result["ambiguous"]:
        rows, labels = ", ".join(map(str, group["rows"])), ", ".join(map(str, group["labels"]))
        console.print(f"Rows {rows} are equal, with labels {labels}.", highlight=False, markup=False, soft_wrap=True)
    sample = "" if result["examined"] == result["rows"] else f" (a random sample of {result['rows']:,})"
    summary = f"{result['contradicted']:,} of {result['examined']:,} rows{sample} are contradicted:"
    console.print(summary, highlight=False, markup=False, soft_wrap=True)
    classes = Table("class")
    for name in ("rows", "contradicted", "support vectors", "influence"):
        classes.add_column(name, justify="right")
    for name, counts in result["by_class"].items():
        values = (f"{counts[each]:,}" for each in ("rows", "contradicted", "support_vectors"))
        classes.add_row(name, *values, f"{counts['influence']:.1f} %")
    console.print(classes)
