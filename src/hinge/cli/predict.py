"""`hinge predict`: the predicted class of each row of a file."""

import csv
import json
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Annotated, TextIO

import numpy as np
import typer
from numpy.typing import NDArray

from hinge.cli._files import require_writable
from hinge.cli._models import class_names
from hinge.cli._options import DataFile, Format, Header, Json, Missing, ModelFile, Unknown
from hinge.cli._predictions import ROWS_PER_CHUNK, predict_rows, report_ignored
from hinge.cli._prepared import split
from hinge.exceptions import ParameterError
from hinge.io import open_source
from hinge.io.atomic import replacing
from hinge.persistence import load
from hinge.streaming import Model, traits
from hinge.tables import Answers, Ignored, Labels, Matrix

Output = Annotated[
    Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write to this file instead of printing.")
]
Scores = Annotated[bool, typer.Option("--scores", help="Also print decision values, as CSV.")]
Probabilities = Annotated[bool, typer.Option("--probabilities", help="Also print class probabilities, as CSV.")]

Predictions = tuple[Labels, NDArray[np.float64]]  # labels or values, and scores or probabilities


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
    """Print the predicted class of each row of DATA, one per line.

    One-class models print normal or outlier, regressors print values. Rows from standard input are answered as they
    arrive.

    Example: hinge predict income.hinge new.csv --scores -o answers.csv
    """
    require_writable(output, model, data)
    if missing == "drop":
        raise ParameterError("--missing must be 'error' or 'fill' here, got 'drop': every row gets a prediction.")
    estimator, preparation = split(load(model), missing=missing, unknown=unknown)
    _check_columns(estimator, scores=scores, probabilities=probabilities)
    source = open_source(data, format=data_format, header=header)
    predictor = _predict_probabilities if probabilities else predict_rows
    ignored = Ignored()
    with _open_output(output) as file, closing(source.chunks(ROWS_PER_CHUNK)) as chunks:
        rows = (preparation.features(chunk, ignored) for chunk in chunks)
        predictions = (predictor(estimator, X, preparation.answers) for X in rows)
        if json_only:
            keys = (
                "values" if traits(estimator).task == "regression" else "labels",
                "probabilities" if probabilities else "scores",
            )
            _write_json(file, predictions, keys if scores or probabilities else keys[:1])
        elif scores or probabilities:
            _write_csv(file, predictions, ["label", *_column_names(estimator, probabilities=probabilities)])
        else:
            _write_labels(file, predictions)
    report_ignored(ignored)


def _check_columns(estimator: Model, *, scores: bool, probabilities: bool) -> None:
    """Raise an error for columns that a model does not have."""
    if scores and probabilities:
        raise ParameterError("--scores must be left out with --probabilities: only one of them can be printed.")
    if scores and traits(estimator).task == "regression":
        raise ParameterError("--scores must be left out: a regressor predicts values.")
    if probabilities and not hasattr(estimator, "predict_proba"):
        raise ParameterError("--probabilities needs a model trained with --model approximate --loss log_loss.")


def _predict_probabilities(estimator: Model, X: Matrix, answers: Answers) -> Predictions:
    return predict_rows(estimator, X, answers)[0], estimator.predict_proba(X)


def _column_names(estimator: Model, *, probabilities: bool) -> list[str]:
    classes = class_names(estimator)
    return classes if probabilities or len(classes) > 2 else ["score"]


def _write_labels(file: TextIO, predictions: Iterator[Predictions]) -> None:
    for labels, _ in predictions:
        file.write("".join(f"{label}\n" for label in labels.tolist()))
        file.flush()  # the reader of a pipe gets each prediction at once


def _write_csv(file: TextIO, predictions: Iterator[Predictions], header: list[str]) -> None:
    table = csv.writer(file, lineterminator="\n")
    table.writerow(header)
    for labels, scores in predictions:
        table.writerows([label, *row] for label, row in zip(labels.tolist(), scores.tolist(), strict=True))
        file.flush()


def _write_json(file: TextIO, predictions: Iterator[Predictions], keys: tuple[str, ...]) -> None:
    """Write one object, with the labels or values under the first key and the scores under the second."""
    chunks = list(predictions)
    result = {key: [entry for chunk in chunks for entry in chunk[place].tolist()] for place, key in enumerate(keys)}
    file.write(json.dumps(result) + "\n")


@contextmanager
def _open_output(output: Path | None) -> Iterator[TextIO]:
    if output is None:
        yield sys.stdout
    else:
        with replacing(output) as unfinished, unfinished.open("w", encoding="utf-8", newline="") as file:
            yield file
