"""What the pairs of labels and predictions of a data file say about a classifier.

To add a column to the table of classes, add a line to `COLUMNS`; it appears in the JSON output too.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hinge.exceptions import DataError

Confusion = Counter[tuple[Any, Any]]  # number of rows by (label, prediction)
Result = dict[str, Any]  # the JSON output


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


def summarise(confusion: Confusion) -> Result:
    """Return the measures that only need labels and predictions, with those of each class."""
    rows = confusion.total()
    require_rows(rows)
    correct = sum(number for (label, prediction), number in confusion.items() if label == prediction)
    classes = {str(label): _summarise_class(confusion, label) for label in labels_of(confusion)}
    recalls = [values["recall"] for values in classes.values() if values["recall"] is not None]
    return {
        "rows": rows,
        "error": 100.0 * (rows - correct) / rows,
        "balanced_error": 100.0 * (1 - sum(recalls) / len(recalls)),
        "accuracy": correct / rows,
        "balanced_accuracy": sum(recalls) / len(recalls),
        "macro_F1": macro(classes, "F1"),
        "classes": classes,
    }


def require_rows(number: int) -> None:
    """Raise DataError unless there is a row."""
    if not number:
        raise DataError("There must be rows without missing values to compare with, but every row has one.")


def _summarise_class(confusion: Confusion, label: object) -> Result:
    counts = ClassCounts(
        labelled=sum(number for (truth, _), number in confusion.items() if truth == label),
        predicted=sum(number for (_, prediction), number in confusion.items() if prediction == label),
        correct=confusion[label, label],
    )
    return {column.name: column.value(counts) for column in COLUMNS}


def labels_of(confusion: Confusion) -> list[Any]:
    """Return all labels and predictions in order."""
    return sorted({label for pair in confusion for label in pair})


def _ratio(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def macro(classes: Result, name: str) -> float | None:
    """Return the mean of a measure over the classes, as far as these have it."""
    values = [each[name] for each in classes.values() if each[name] is not None]
    return sum(values) / len(values) if values else None
