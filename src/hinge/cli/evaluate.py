"""`hinge evaluate`: how often a model is right about rows whose classes are known."""

import json
from collections import Counter
from dataclasses import replace
from typing import Annotated, Any

import numpy as np
import typer
from rich.console import Console
from rich.table import Table

from hinge.cli._material import ROWS_AT_A_TIME
from hinge.cli._models import require_classifier
from hinge.cli._options import DataFile, Format, Header, Json, Missing, ModelFile, Unknown
from hinge.cli._outliers import NORMAL, answers, in_words, roc_area
from hinge.cli._wrapping import normal_of, unwrapped
from hinge.exceptions import DataError, ParameterError
from hinge.io import open_source
from hinge.persistence import load
from hinge.tables import OneClassPreparation, Preparation

Normal = Annotated[str | None, typer.Option(metavar="LABEL", help="The label of normal rows (one-class).")]

MOST_SHOWN = 3  # classes whose confusions have a column each
MOST_LISTED = 5  # confusions named where there are more classes


def evaluate(
    model: ModelFile,
    data: DataFile,
    *,
    normal: Normal = None,
    missing: Missing = None,
    unknown: Unknown = None,
    data_format: Format = None,
    header: Header = None,
    json_only: Json = False,
) -> None:
    """Compare the answers of a model with the labels in DATA.

    Example: hinge evaluate income.hinge test.csv
    """
    estimator, preparation = unwrapped(load(model), missing=missing, unknown=unknown)
    require_classifier(estimator, model)
    preparation = _with_normal(preparation, normal)
    one_class = isinstance(preparation, OneClassPreparation)
    confusion: Counter[tuple[Any, Any]] = Counter()
    truths, scores = [], []
    source = open_source(data, format=data_format, header=header)
    for X, y in preparation.each_examples(source.chunks(ROWS_AT_A_TIME)):
        given, decisions = answers(estimator, X)
        truth = in_words(y > 0) if one_class else y
        confusion.update(zip(truth.tolist(), given.tolist(), strict=True))
        if decisions.shape[1] == 1:
            truths.append(truth == (NORMAL if one_class else estimator.classes_[-1]))
            scores.append(decisions[:, 0])
    result = _summarise(confusion)
    result["roc_area"] = roc_area(np.concatenate(truths), np.concatenate(scores)) if truths else None
    if one_class and normal_of(preparation) is None:
        _show_called(result, json_only=json_only)
    elif json_only:
        typer.echo(json.dumps(result | {"confusion": [[str(a), str(b), n] for (a, b), n in confusion.items()]}))
    else:
        _show(result, confusion, Console())


def _with_normal(preparation: Preparation, normal: str | None) -> Preparation:
    if normal is None:
        return preparation
    if not isinstance(preparation, OneClassPreparation):
        raise ParameterError("--normal must be left out: the model knows more than one class.")
    return replace(preparation, normal=normal)


def _show_called(result: dict[str, Any], *, json_only: bool) -> None:
    """Print the share of outliers, which is all there is to say where nobody knows what is normal."""
    if json_only:
        typer.echo(json.dumps({"rows": result["rows"], "called": result["error"]}))
    else:
        typer.echo(
            f"{result['rows']:,} rows, {result['error']:.2f} % called outliers; --normal names the label of normal rows"
        )


def _summarise(confusion: Counter[tuple[Any, Any]]) -> dict[str, Any]:
    rows = sum(confusion.values())
    if not rows:
        raise DataError("There must be rows to compare with, but every row has a missing value.")
    right = sum(number for (truth, answer), number in confusion.items() if truth == answer)
    labels = sorted({label for pair in confusion for label in pair})
    classes = {str(label): _of_class(confusion, label) for label in labels}
    return {"rows": rows, "error": 100.0 * (rows - right) / rows, "accuracy": right / rows, "classes": classes}


def _of_class(confusion: Counter[tuple[Any, Any]], label: Any) -> dict[str, Any]:
    rows = sum(number for (truth, _), number in confusion.items() if truth == label)
    given = sum(number for (_, answer), number in confusion.items() if answer == label)
    right = confusion[label, label]
    return {
        "rows": rows,
        "precision": right / given if given else None,
        "recall": right / rows if rows else None,
    }


def _show(result: dict[str, Any], confusion: Counter[tuple[Any, Any]], console: Console) -> None:
    area = "" if result["roc_area"] is None else f", area under the ROC curve {result['roc_area']:.4f}"
    console.print(f"{result['rows']:,} rows, error {result['error']:.2f} %{area}", style="bold", highlight=False)
    labels = sorted({label for pair in confusion for label in pair})
    shown = labels if len(labels) <= MOST_SHOWN else []
    table = Table()
    for head in ("class", "rows", "precision", "recall", *(f"taken for {label}" for label in shown)):
        table.add_column(head, justify="left" if head == "class" else "right")
    for label in labels:
        numbers = result["classes"][str(label)]
        cells = [str(label), f"{numbers['rows']:,}", _share(numbers["precision"]), _share(numbers["recall"])]
        table.add_row(*cells, *(f"{confusion[label, answer]:,}" for answer in shown))
    console.print(table)
    wrong = Counter({pair: number for pair, number in confusion.items() if pair[0] != pair[1]})
    if not shown and wrong:
        worst = (f"{truth} for {answer} ({number:,})" for (truth, answer), number in wrong.most_common(MOST_LISTED))
        console.print(f"Most often taken: {', '.join(worst)}", highlight=False, markup=False)


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
