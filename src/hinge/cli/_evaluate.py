"""What `hinge evaluate` does: how often a model is right about rows whose labels are known.

To add a column to the table of classes, add a line to `COLUMNS`; it appears in the JSON output too.
"""

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import typer
from rich.console import Console
from rich.table import Table

from hinge._terminal import Terminal
from hinge.cli._predictions import NORMAL, ROWS_PER_CHUNK, name_outliers, predict_rows, report_ignored
from hinge.cli._prepared import split
from hinge.cli._scores import ScoredRows
from hinge.cli._values import ValueScore
from hinge.exceptions import DataError, ParameterError, listed
from hinge.io import Source, open_source
from hinge.persistence import load
from hinge.streaming import Model, traits
from hinge.tables import Ignored, OneClassPreparation, Preparation

Confusion = Counter[tuple[Any, Any]]  # number of rows by (label, prediction)
Result = dict[str, Any]  # the JSON output

MAX_CONFUSION_COLUMNS = 3  # with more classes, only the most frequent confusions are listed
MAX_LISTED_CONFUSIONS = 5


@dataclass(frozen=True)
class ClassCounts:
    """Numbers of rows that concern one class: with its label, with its prediction, and with both."""

    labelled: int
    predicted: int
    correct: int


@dataclass(frozen=True)
class Column:
    """A column of the table of classes, and a key of each class in the JSON output."""

    name: str
    value: Callable[[ClassCounts], float | None]
    format: str


COLUMNS = (
    Column("rows", lambda counts: counts.labelled, "{:,}"),
    Column("precision", lambda counts: _ratio(counts.correct, counts.predicted), "{:.3f}"),
    Column("recall", lambda counts: _ratio(counts.correct, counts.labelled), "{:.3f}"),
    Column("F1", lambda counts: _ratio(2 * counts.correct, counts.labelled + counts.predicted), "{:.3f}"),
)


def run_evaluate(
    model: Path,
    data: str,
    *,
    normal: str | None,
    missing: str | None,
    unknown: str | None,
    data_format: str | None,
    header: bool | None,
    json_only: bool,
) -> None:
    """Compare predictions with labels; the arguments are those of the command."""
    estimator, preparation = split(load(model), missing=missing, unknown=unknown)
    preparation = _with_normal(preparation, normal)
    source = open_source(data, format=data_format, header=header)
    ignored = Ignored()
    if traits(estimator).task == "regression":
        _evaluate_values(estimator, preparation, source, ignored, json_only=json_only)
        return
    confusion, scores = _compare(estimator, preparation, source, ignored)
    report_ignored(ignored)
    result = _summarise(confusion) | scores.summarise()
    if not isinstance(preparation, OneClassPreparation):
        result["unknown_labels"] = _count_unknown(confusion, estimator, model)
    if isinstance(preparation, OneClassPreparation) and preparation.normal is None:
        _show_outlier_share(result, json_only=json_only)
    elif json_only:
        typer.echo(json.dumps(result | {"confusion": [[str(a), str(b), n] for (a, b), n in confusion.items()]}))
    else:
        _show(result, confusion, Console())


def _evaluate_values(
    estimator: Model, preparation: Preparation, source: Source, ignored: Ignored, *, json_only: bool
) -> None:
    """Compare predicted values with those in a file."""
    score = ValueScore()
    for X, y in preparation.iter_examples(source.chunks(ROWS_PER_CHUNK), ignored):
        score.add(y, predict_rows(estimator, X, preparation.answers)[0])
    report_ignored(ignored)
    _require_rows(score.n_rows)
    typer.echo(json.dumps(score.to_json()) if json_only else f"{score.n_rows:,} rows, {score.describe()}")


def _count_unknown(confusion: Confusion, estimator: Model, file: Path) -> int:
    """Say how many rows have labels that the model has never learned; raise an error if all of them do."""
    known = set(estimator.classes_.tolist())
    counts = Counter({label: 0 for label, _ in confusion if label not in known})
    for (label, _), number in confusion.items():
        if label in counts:
            counts[label] += number
    if not counts:
        return 0
    named = listed([str(label) for label, _ in counts.most_common()])
    if counts.total() == confusion.total():
        raise DataError(
            f"Some labels must be classes of {file} ({listed([str(label) for label in known])}), got only {named}; "
            "is this the right label column?"
        )
    said = f"{counts.total():,} rows have labels that the model has never learned, and count as errors: {named}."
    Terminal().print(said, highlight=False, markup=False, soft_wrap=True)
    return counts.total()


def _with_normal(preparation: Preparation, normal: str | None) -> Preparation:
    if normal is None:
        return preparation
    if not isinstance(preparation, OneClassPreparation):
        raise ParameterError("--normal must be left out: the model knows more than one class.")
    return replace(preparation, normal=normal)


def _compare(
    estimator: Model, preparation: Preparation, source: Source, ignored: Ignored
) -> tuple[Confusion, ScoredRows]:
    """Predict all rows; return the confusions, and what decision values and probabilities say."""
    is_one_class = isinstance(preparation, OneClassPreparation)
    positive = NORMAL if is_one_class else estimator.classes_[-1]
    confusion: Confusion = Counter()
    scored = ScoredRows()
    for X, y in preparation.iter_examples(source.chunks(ROWS_PER_CHUNK), ignored):
        predictions, decisions = predict_rows(estimator, X, preparation.answers)
        labels = name_outliers(y) if is_one_class else y
        confusion.update(zip(labels.tolist(), predictions.tolist(), strict=True))
        if decisions.shape[1] == 1:
            scored.add_decisions(labels == positive, decisions[:, 0])
        if hasattr(estimator, "predict_proba"):
            scored.add_probabilities(y, estimator.classes_, estimator.predict_proba(X))
    return confusion, scored


def _summarise(confusion: Confusion) -> Result:
    rows = confusion.total()
    _require_rows(rows)
    correct = sum(number for (label, prediction), number in confusion.items() if label == prediction)
    classes = {str(label): _summarise_class(confusion, label) for label in _labels(confusion)}
    recalls = [values["recall"] for values in classes.values() if values["recall"] is not None]
    return {
        "rows": rows,
        "error": 100.0 * (rows - correct) / rows,
        "balanced_error": 100.0 * (1 - sum(recalls) / len(recalls)),
        "accuracy": correct / rows,
        "balanced_accuracy": sum(recalls) / len(recalls),
        "classes": classes,
    }


def _require_rows(number: int) -> None:
    if not number:
        raise DataError("There must be rows without missing values to compare with, but every row has one.")


def _summarise_class(confusion: Confusion, label: object) -> Result:
    counts = ClassCounts(
        labelled=sum(number for (truth, _), number in confusion.items() if truth == label),
        predicted=sum(number for (_, prediction), number in confusion.items() if prediction == label),
        correct=confusion[label, label],
    )
    return {column.name: column.value(counts) for column in COLUMNS}


def _labels(confusion: Confusion) -> list[Any]:
    return sorted({label for pair in confusion for label in pair})


def _ratio(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _show_outlier_share(result: Result, *, json_only: bool) -> None:
    """Print the share of rows called outliers, which is all that can be said without labels."""
    if json_only:
        typer.echo(json.dumps({"rows": result["rows"], "called": result["error"]}))
    else:
        typer.echo(
            f"{result['rows']:,} rows, {result['error']:.2f} % called outliers; --normal names the label of normal rows"
        )


def _show(result: Result, confusion: Confusion, console: Console) -> None:
    area = "" if result["roc_area"] is None else f", area under the ROC curve {result['roc_area']:.4f}"
    balanced = f", balanced error {result['balanced_error']:.2f} %"  # the mean over classes
    console.print(
        f"{result['rows']:,} rows, error {result['error']:.2f} %{balanced}{area}", style="bold", highlight=False
    )
    if result["log_loss"] is not None:
        sure = f"log loss {result['log_loss']:.4f}, calibration error {100 * result['calibration_error']:.2f} %"
        console.print(f"Probabilities: {sure}", highlight=False)
    labels = _labels(confusion)
    shown = labels if len(labels) <= MAX_CONFUSION_COLUMNS else []
    table = Table("class")
    for name in (*(column.name for column in COLUMNS), *(f"predicted as {label}" for label in shown)):
        table.add_column(name, justify="right")
    for label in labels:
        values = result["classes"][str(label)]
        cells = [_format(values[column.name], column.format) for column in COLUMNS]
        table.add_row(str(label), *cells, *(f"{confusion[label, prediction]:,}" for prediction in shown))
    console.print(table)
    mistakes = Counter({pair: number for pair, number in confusion.items() if pair[0] != pair[1]})
    if not shown and mistakes:
        listed = (f"{a} as {b} ({number:,})" for (a, b), number in mistakes.most_common(MAX_LISTED_CONFUSIONS))
        console.print(f"Most frequent mistakes: {', '.join(listed)}", highlight=False, markup=False)


def _format(value: float | None, template: str) -> str:
    return "-" if value is None else template.format(value)
