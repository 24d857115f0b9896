"""`hinge predict`: the class of each row of a file."""

import csv
import json
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Annotated, Any, TextIO

import typer
from numpy.typing import NDArray

from hinge.cli._files import require_writable
from hinge.cli._material import ROWS_AT_A_TIME
from hinge.cli._models import class_names, is_regression
from hinge.cli._options import DataFile, Format, Header, Json, Missing, ModelFile, Unknown
from hinge.cli._outliers import answers
from hinge.cli._wrapping import unwrapped
from hinge.exceptions import ParameterError
from hinge.io import open_source
from hinge.io.atomic import replacing
from hinge.persistence import load

Output = Annotated[Path | None, typer.Option("--output", "-o", metavar="FILE", help="Where labels go; else printed.")]
Scores = Annotated[bool, typer.Option("--scores", help="Print decision values as well, as CSV.")]
Probabilities = Annotated[bool, typer.Option("--probabilities", help="Print those of classes (log_loss), as CSV.")]


def predict(
    model: ModelFile,
    data: DataFile,
    *,
    output: Output = None,
    scores: Scores = False,
    probabilities: Probabilities = False,
    missing: Missing = None,
    unknown: Unknown = None,
    data_format: Format = None,
    header: Header = None,
    json_only: Json = False,
) -> None:
    """Print the class of each row of DATA, one a line: normal or outlier, if the model has one class.

    A regression prints values. Rows from standard input are answered as they come.

    Example: hinge predict income.hinge new.csv --scores -o answers.csv
    """
    require_writable(output, model, data)
    if missing == "drop":
        raise ParameterError("--missing must be 'error' or 'fill' here, got 'drop': every row gets an answer.")
    estimator, preparation = unwrapped(load(model), missing=missing, unknown=unknown)
    _require_fitting(estimator, scores=scores, probabilities=probabilities)
    source = open_source(data, format=data_format, header=header)
    ask = _chances if probabilities else answers
    with _opened(output) as file, closing(source.chunks(ROWS_AT_A_TIME)) as chunks:
        given = (ask(estimator, preparation.features(chunk)) for chunk in chunks)
        if json_only:
            names = ("values" if is_regression(estimator) else "labels", "probabilities" if probabilities else "scores")
            _write_json(file, given, names if scores or probabilities else names[:1])
        else:
            heads = ["label", *_heads(estimator, probabilities=probabilities)]
            _write_lines(file, given, heads if scores or probabilities else None)


def _require_fitting(estimator: Any, *, scores: bool, probabilities: bool) -> None:
    """Refuse what a model cannot say."""
    if scores and probabilities:
        raise ParameterError("--scores must be left out with --probabilities: each has columns of its own.")
    if scores and is_regression(estimator):
        raise ParameterError("--scores must be left out: a regression answers with values.")
    if probabilities and not hasattr(estimator, "predict_proba"):
        raise ParameterError("--probabilities needs a model trained with --model approximate --loss log_loss.")


def _chances(estimator: Any, X: Any) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return labels and probabilities of classes."""
    return answers(estimator, X)[0], estimator.predict_proba(X)


def _heads(estimator: Any, *, probabilities: bool) -> list[str]:
    classes = class_names(estimator)
    return classes if probabilities or len(classes) > 2 else ["score"]


def _write_lines(file: TextIO, given: Iterator[tuple[NDArray[Any], NDArray[Any]]], heads: list[str] | None) -> None:
    table = csv.writer(file, lineterminator="\n")
    if heads is not None:
        table.writerow(heads)
    for labels, decisions in given:
        if heads is None:
            file.write("".join(f"{label}\n" for label in labels.tolist()))
        else:
            table.writerows([label, *row] for label, row in zip(labels.tolist(), decisions.tolist(), strict=True))
        file.flush()  # whoever waits at the other end of a pipe gets each answer at once


def _write_json(file: TextIO, given: Iterator[tuple[NDArray[Any], NDArray[Any]]], names: tuple[str, ...]) -> None:
    """Write what is given, first the labels, under some names."""
    parts = list(given)
    result = {name: [entry for part in parts for entry in part[place].tolist()] for place, name in enumerate(names)}
    file.write(json.dumps(result) + "\n")


@contextmanager
def _opened(output: Path | None) -> Iterator[TextIO]:
    if output is None:
        yield sys.stdout
    else:
        with replacing(output) as unfinished, unfinished.open("w", encoding="utf-8", newline="") as file:
            yield file
