"""Predictions for all examples of a pool, with probabilities: as CSV, JSON lines or Parquet."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING

import numpy as np
from scipy.special import softmax

from hinge.io import arrow
from hinge.web._label_files import escape_formula

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from hinge.web._labels import LabelRecord
    from hinge.web.pools import Features, Model, Pool

FORMATS = ("csv", "jsonl", "parquet")
_PIECE_ROWS = 2000
_DIGITS = 5


@dataclass(frozen=True)
class Predictions:
    """The probability of each class for each row of a pool.

    Attributes
    ----------
    classes : list of str
        The classes.
    probabilities : ndarray of shape (n, n_classes)
        One row per example.
    """

    classes: list[str]
    probabilities: NDArray[np.float64]

    def best(self) -> list[str]:
        """Return the most probable class of each row."""
        return [self.classes[place] for place in self.probabilities.argmax(axis=1)]


def predict_pool(model: Model, X: Features, temperature: float) -> Predictions:
    """Compute calibrated probabilities (see `_calibration`), some thousand rows at a time."""
    pieces = []
    for start in range(0, X.shape[0], _PIECE_ROWS):
        scores = np.asarray(model.decision_function(X[start : start + _PIECE_ROWS]), dtype=np.float64)
        scores = np.column_stack([-scores, scores]) / 2 if scores.ndim == 1 else scores
        pieces.append(softmax(scores / temperature, axis=1))
    return Predictions([str(label) for label in model.classes_], np.concatenate(pieces))


def write_predictions(
    format: str,  # noqa: A002  the usual name
    predictions: Predictions,
    pool: Pool,
    records: Mapping[int, LabelRecord],
    file: IO[bytes],
) -> None:
    """Write one entry per example: key, label if it has one, prediction, and the probability of each class."""
    if format == "parquet":
        _write_parquet(predictions, pool, records, file)
        return
    write = _csv_lines if format == "csv" else _json_lines
    for line in write(predictions, pool, records):
        file.write(line.encode("utf-8", "surrogatepass"))


def _given(pool: Pool, records: Mapping[int, LabelRecord]) -> list[str | None]:
    return [records[row].label if row in records else None for row in range(len(pool))]


def _csv_lines(predictions: Predictions, pool: Pool, records: Mapping[int, LabelRecord]) -> Iterator[str]:
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    names = [escape_formula(f"p({name})") for name in predictions.classes]
    writer.writerow(["key", "label", "prediction", "probability", *names])
    for row, (best, given) in enumerate(zip(predictions.best(), _given(pool, records), strict=True)):
        shares = predictions.probabilities[row].round(_DIGITS).tolist()
        cells = [escape_formula(text) for text in (pool.key(row), given or "", best)]
        writer.writerow([*cells, max(shares), *shares])
        yield buffer.getvalue()
        buffer.seek(0)
        buffer.truncate()


def _json_lines(predictions: Predictions, pool: Pool, records: Mapping[int, LabelRecord]) -> Iterator[str]:
    for row, (best, given) in enumerate(zip(predictions.best(), _given(pool, records), strict=True)):
        view = pool.view(row)
        entry: dict[str, object] = {"key": pool.key(row)}
        if view["kind"] == "text":
            entry["text"] = view["text"]
        shares = predictions.probabilities[row].round(_DIGITS).tolist()
        entry |= {"label": given, "prediction": best, "probability": max(shares)}
        yield json.dumps({**entry, "probabilities": dict(zip(predictions.classes, shares, strict=True))}) + "\n"


def _write_parquet(predictions: Predictions, pool: Pool, records: Mapping[int, LabelRecord], file: IO[bytes]) -> None:
    pyarrow, parquet = arrow("pyarrow"), arrow("pyarrow.parquet")
    columns = {
        "key": pyarrow.array([pool.key(row) for row in range(len(pool))], pyarrow.string()),
        "label": pyarrow.array(_given(pool, records), pyarrow.string()),
        "prediction": pyarrow.array(predictions.best(), pyarrow.string()),
        "probability": pyarrow.array(predictions.probabilities.max(axis=1)),
    }
    shares = {
        f"p({name})": values for name, values in zip(predictions.classes, predictions.probabilities.T, strict=True)
    }
    parquet.write_table(pyarrow.table({**columns, **shares}), file)
