"""What `hinge evaluate` does: how often a model is right about rows whose labels are known."""

import json
import statistics
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import typer
from rich.console import Console
from rich.table import Table

from hinge._terminal import Terminal
from hinge.cli._confusion import COLUMNS, Confusion, Result, labels_of, require_rows, summarise
from hinge.cli._files import require_writable
from hinge.cli._folds import Folds
from hinge.cli._predictions import NORMAL, OUTLIER, chunks_of, name_outliers, predict_rows, report_ignored
from hinge.cli._prepared import split
from hinge.cli._scores import ScoredRows
from hinge.cli._values import ValueScore
from hinge.exceptions import DataError, ParameterError, listed
from hinge.io import Source, open_source
from hinge.persistence import load
from hinge.streaming import Model, traits
from hinge.tables import Ignored, Labels, Matrix, OneClassPreparation, Preparation

MAX_CONFUSION_COLUMNS = 3  # with more classes, the confusions have a table of their own
MAX_CONFUSION_CLASSES = 12  # with more, only the most frequent ones are listed
MAX_LISTED_CONFUSIONS = 5


@dataclass
class Examples:
    """The rows of a file, each with a model that does not know it: the one in the file, or those of folds.

    Iterate over it for models, rows and labels.
    """

    model: Model
    preparation: Preparation
    source: Source
    folds: int | None
    ignored: Ignored = field(default_factory=Ignored)

    def __iter__(self) -> Iterator[tuple[Model, Matrix, Labels]]:
        chunks = chunks_of(self.source)
        if self.folds is not None:
            X, y = self.preparation.all_examples(chunks, self.ignored)
            is_values = traits(self.model).task == "regression"
            targets = self.preparation.answers.to_targets(y) if is_values else y
            for model, test in Folds(self.folds).models(self.model, X, targets):
                yield model, X[test], y[test]
        else:
            for X, y in self.preparation.iter_examples(chunks, self.ignored):
                yield self.model, X, y
        report_ignored(self.ignored)

    @property
    def is_one_class(self) -> bool:
        """The model tells outliers from normal rows."""
        return isinstance(self.preparation, OneClassPreparation)


def run_evaluate(
    model: Path,
    data: str,
    *,
    normal: str | None,
    missing: str | None,
    unknown: str | None,
    data_format: str | None,
    header: bool | None,
    bad_rows: str,
    folds: int | None,
    plot: Path | None,
    json_only: bool,
) -> None:
    """Compare predictions with labels; the arguments are those of the command."""
    require_writable(plot, model, data)
    estimator, preparation = split(load(model), missing=missing, unknown=unknown)
    source = open_source(data, format=data_format, header=header, bad_rows=bad_rows)
    examples = Examples(estimator, _with_normal(preparation, normal), source, folds)
    if folds is not None and examples.is_one_class:
        raise ParameterError("--cv must be left out: a one-class model does not learn from labels.")
    if traits(estimator).task == "regression":
        if plot is not None:
            raise ParameterError("--plot must be left out: there are pictures of classifiers only.")
        _evaluate_values(examples, json_only=json_only)
        return
    confusion, scores = _compare(examples, keep=plot is not None)
    result = summarise(confusion) | scores.summarise()
    if not examples.is_one_class:
        result["unknown_labels"] = 0 if folds else _count_unknown(confusion, estimator, model)
    if folds is not None:
        result |= {"cv": folds, "error_by_fold": scores.errors(), "error_deviation": statistics.stdev(scores.errors())}
    if plot is not None:
        from hinge.cli._evaluate_figure import draw_evaluation  # noqa: PLC0415  imports matplotlib

        draw_evaluation(plot, f"{model.name} on {data}", result, confusion, scores)
        result["picture"] = str(plot)
    if isinstance(examples.preparation, OneClassPreparation) and examples.preparation.normal is None:
        _show_outlier_share(result, json_only=json_only)
    elif json_only:
        typer.echo(json.dumps(result | {"confusion": [[str(a), str(b), n] for (a, b), n in confusion.items()]}))
    else:
        _show(result, confusion, Console())


def _evaluate_values(examples: Examples, *, json_only: bool) -> None:
    """Compare predicted values with those in a file."""
    score = ValueScore()
    for model, X, y in examples:
        score.add(y, predict_rows(model, X, examples.preparation.answers)[0])
    require_rows(score.n_rows)
    result = score.to_json() | ({} if examples.folds is None else {"cv": examples.folds})
    how = "" if examples.folds is None else f"{examples.folds}-fold cross-validation: "
    typer.echo(json.dumps(result) if json_only else f"{how}{score.n_rows:,} rows, {score.describe()}")


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


def _compare(examples: Examples, *, keep: bool) -> tuple[Confusion, ScoredRows]:
    """Predict all rows; return the confusions, and what decision values and probabilities say."""
    confusion: Confusion = Counter()
    scored = ScoredRows(keep=keep)
    for model, X, y in examples:
        predictions, decisions = predict_rows(model, X, examples.preparation.answers)
        labels = name_outliers(y) if examples.is_one_class else y
        confusion.update(zip(labels.tolist(), predictions.tolist(), strict=True))
        scored.add_predictions(labels == predictions)
        if examples.is_one_class:
            scored.add_pair(labels == NORMAL, decisions[:, 0], (OUTLIER, NORMAL))
            continue
        scored.add_classes(y, model.classes_, decisions, X)
        if hasattr(model, "predict_proba"):
            scored.add_probabilities(y, model.classes_, model.predict_proba(X))
        if keep and hasattr(model, "predict_set"):
            scored.add_sets(y, model.classes_, model.predict_set(X))
    return confusion, scored


def _show_outlier_share(result: Result, *, json_only: bool) -> None:
    """Print the share of rows called outliers, which is all that can be said without labels."""
    if json_only:
        typer.echo(json.dumps({"rows": result["rows"], "called": result["error"]}))
    else:
        typer.echo(
            f"{result['rows']:,} rows, {result['error']:.2f} % called outliers; --normal names the label of normal rows"
        )


def _show(result: Result, confusion: Confusion, console: Console) -> None:
    start = f"{result['cv']}-fold cross-validation: " if "cv" in result else ""
    spread = f" (± {result['error_deviation']:.2f} between folds)" if "error_deviation" in result else ""
    said = [f"{start}{result['rows']:,} rows, error {result['error']:.2f} %{spread}"]
    said.append(f"balanced error {result['balanced_error']:.2f} %")  # the mean over classes
    if result["roc_area"] is not None:
        said.append(f"area under the ROC curve {result['roc_area']:.4f}")
        of_class = f" of class {rarer}" if (rarer := result["average_precision_class"]) is not None else ""
        said.append(f"average precision{of_class} {result['average_precision']:.4f}")
    console.print(", ".join(said), style="bold", highlight=False)
    if result["log_loss"] is not None:
        sure = f"log loss {result['log_loss']:.4f}, calibration error {100 * result['calibration_error']:.2f} %"
        console.print(f"Probabilities: {sure}", highlight=False)
    labels = labels_of(confusion)
    shown = labels if len(labels) <= MAX_CONFUSION_COLUMNS else []
    table = Table("class")
    for name in (*(column.name for column in COLUMNS), *(f"predicted as {label}" for label in shown)):
        table.add_column(name, justify="right")
    for label in labels:
        values = result["classes"][str(label)]
        cells = [_format(values[column.name], column.format) for column in COLUMNS]
        table.add_row(str(label), *cells, *(f"{confusion[label, prediction]:,}" for prediction in shown))
    console.print(table)
    if not shown:
        _show_confusion(confusion, labels, console)
    if "picture" in result:
        console.print(f"Picture: {result['picture']}", highlight=False, markup=False, soft_wrap=True)


def _show_confusion(confusion: Confusion, labels: list[Any], console: Console) -> None:
    """Print the pairs of labels and predictions as a table if there is room, and the most frequent mistakes."""
    table = Table("label", title="Predicted as", title_justify="left")
    for label in labels:
        table.add_column(str(label), justify="right")
    for label in labels:
        counts = [confusion[label, prediction] for prediction in labels]
        table.add_row(str(label), *(f"{count:,}" if count else "." for count in counts))
    wanted = console.measure(table, options=console.options.update(width=10_000)).maximum
    if len(labels) <= MAX_CONFUSION_CLASSES and wanted <= console.width:
        console.print(table)
    mistakes = Counter({pair: number for pair, number in confusion.items() if pair[0] != pair[1]})
    if mistakes:
        found = (f"{a} as {b} ({number:,})" for (a, b), number in mistakes.most_common(MAX_LISTED_CONFUSIONS))
        console.print(f"Most frequent mistakes: {', '.join(found)}", highlight=False, markup=False)


def _format(value: float | None, template: str) -> str:
    return "-" if value is None else template.format(value)
