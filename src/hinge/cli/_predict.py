"""What `hinge predict` does: the predicted class of each row of a file."""

import csv
import json
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TextIO

import numpy as np
from numpy.typing import NDArray

from hinge.cli._files import is_stream, require_writable
from hinge.cli._models import class_names
from hinge.cli._predictions import chunks_of, predict_rows, report_ignored
from hinge.cli._prepared import split
from hinge.exceptions import ParameterError
from hinge.io import open_source
from hinge.io.atomic import replacing
from hinge.persistence import load
from hinge.streaming import Model, traits
from hinge.tables import Answers, Ignored, Labels, Matrix

Predictions = tuple[Labels, NDArray[np.float64]]  # labels or values, and scores or probabilities


def run_predict(
    model: Path,
    data: str,
    *,
    output: Path | None,
    scores: bool,
    probabilities: bool,
    missing: str | None,
    unknown: str | None,
    data_format: str | None,
    header: bool | None,
    bad_rows: str,
    json_only: bool,
) -> None:
    """Write the prediction of each row; the arguments are those of the command."""
    require_writable(output, model, data)
    if missing == "drop":
        raise ParameterError("--missing must be 'error' or 'fill' here, got 'drop': every row gets a prediction.")
    loaded = load(model)
    estimator, preparation = split(loaded, missing=missing, unknown=unknown)
    _check_columns(estimator, scores=scores, probabilities=probabilities)
    if (examples := _examples(data, loaded)) is not None:
        predictor = _predict_probabilities if probabilities else predict_rows
        with _open_output(output) as file:
            columns = _column_names(estimator, probabilities=probabilities) if scores or probabilities else []
            _write_named(file, examples[0], predictor(estimator, examples[1], preparation.answers), columns)
        return
    source = open_source(data, format=data_format, header=header, bad_rows=bad_rows)
    predictor = _predict_probabilities if probabilities else predict_rows
    ignored = Ignored()
    with _open_output(output) as file, closing(chunks_of(source)) as chunks:
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


def _examples(data: str, model: Model) -> tuple[list[str], Matrix] | None:
    """Return the names and the features of a folder of images or texts, or of a file of texts; None for other data."""
    n_features = getattr(model, "n_features_in_", None)
    if n_features is None or not (Path(data).is_dir() or data.lower().endswith(".txt")):
        return None
    try:
        from hinge.web.pools import new_examples  # noqa: PLC0415  needs optional libraries
    except ImportError:
        return None
    return new_examples(data, int(n_features))


def _write_named(file: TextIO, names: list[str], predictions: Predictions, columns: list[str]) -> None:
    """Write CSV with the name of each example, its label and, if there are columns, scores or probabilities."""
    table = csv.writer(file, lineterminator="\n")
    table.writerow(["example", "label", *columns])
    labels, scores = predictions
    more = scores.reshape(len(names), -1).tolist() if columns else [[]] * len(names)
    table.writerows([name, label, *row] for name, label, row in zip(names, labels.tolist(), more, strict=True))


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
    elif is_stream(output):
        with output.open("w", encoding="utf-8", newline="") as file:
            yield file
    else:
        with replacing(output) as unfinished, unfinished.open("w", encoding="utf-8", newline="") as file:
            yield file
