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

from hinge._errors import ParameterError
from hinge._files import replacing
from hinge.cli._files import require_writable
from hinge.cli._material import ROWS_AT_A_TIME
from hinge.cli._models import class_names
from hinge.cli._options import DataFile, Format, Header, Json, Missing, ModelFile, Unknown
from hinge.cli._outliers import answers
from hinge.cli._wrapping import unwrapped
from hinge.io import open_source
from hinge.persistence import load

Output = Annotated[Path | None, typer.Option("--output", "-o", metavar="FILE", help="Where labels go; else printed.")]
Scores = Annotated[bool, typer.Option("--scores", help="Print decision values as well, as CSV.")]


def predict(
    model: ModelFile,
    data: DataFile,
    *,
    output: Output = None,
    scores: Scores = False,
    missing: Missing = None,
    unknown: Unknown = None,
    data_format: Format = None,
    header: Header = None,
    json_only: Json = False,
) -> None:
    """Print the class of each row of DATA, one a line: normal or outlier, if the model has one class.

    Rows from standard input are answered as they come.

    Example: hinge predict income.hinge new.csv --scores -o answers.csv
    """
    require_writable(output)
    if missing == "drop":
        raise ParameterError("--missing must be 'error' or 'fill' here, got 'drop': every row gets an answer.")
    estimator, preparation = unwrapped(load(model), missing=missing, unknown=unknown)
    source = open_source(data, format=data_format, header=header)
    with _opened(output) as file, closing(source.chunks(ROWS_AT_A_TIME)) as chunks:
        given = (answers(estimator, preparation.features(chunk)) for chunk in chunks)
        if json_only:
            _write_json(file, given, scores=scores)
        else:
            _write_lines(file, given, _heads(estimator) if scores else None)


def _heads(estimator: Any) -> list[str]:
    classes = class_names(estimator)
    return ["label", *(classes if len(classes) > 2 else ["score"])]


def _write_lines(file: TextIO, given: Iterator[tuple[NDArray[Any], NDArray[Any]]], heads: list[str] | None) -> None:
    table = csv.writer(file, lineterminator="\n")
    if heads is not None:
        table.writerow(heads)
    for labels, decisions in given:
        if heads is None:
            file.writelines(f"{label}\n" for label in labels.tolist())
        else:
            table.writerows([label, *row] for label, row in zip(labels.tolist(), decisions.tolist(), strict=True))
        file.flush()  # whoever waits at the other end of a pipe gets each answer at once


def _write_json(file: TextIO, given: Iterator[tuple[NDArray[Any], NDArray[Any]]], *, scores: bool) -> None:
    parts = list(given)
    result: dict[str, Any] = {"labels": [label for labels, _ in parts for label in labels.tolist()]}
    if scores:
        result["scores"] = [row for _, decisions in parts for row in decisions.tolist()]
    file.write(json.dumps(result) + "\n")


@contextmanager
def _opened(output: Path | None) -> Iterator[TextIO]:
    if output is None:
        yield sys.stdout
    else:
        with replacing(output) as unfinished, unfinished.open("w", encoding="utf-8", newline="") as file:
            yield file
