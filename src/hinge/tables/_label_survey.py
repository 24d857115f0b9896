"""A pass over the labels of a file: whether they are classes or values, and how they are written."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from hinge.exceptions import quoted
from hinge.tables._answers import Answers
from hinge.tables._column_survey import ColumnSurvey, are_codes
from hinge.tables._columns import NumberColumn
from hinge.tables._labels import KINDS, MAX_CLASSES, alike, detect_kind, merge, parse_labels
from hinge.tables._numbers import PLAIN, is_written_number
from hinge.tables._values import and_more_rows, how_to_name, texts

if TYPE_CHECKING:
    from hinge.tables._column_survey import Hints
    from hinge.tables._labels import Labels
    from hinge.tables._values import LineOf, Values

_MIN_ROWS_TO_DETECT_ORDER = 1000
_MAX_WHOLE_CLASSES = 30  # more different whole numbers are values to predict, unless they count the classes ...
_MIN_ROWS_PER_CLASS = 5  # ... and there are so many rows of each
_MIN_NUMBERS = 0.9  # share of the rows whose labels are numbers that makes the others mistakes
_MAX_GROUPS = 5  # listed in a message


class LabelSurvey:
    """Collects the labels of a file, and decides what they are.

    Parameters
    ----------
    merge : bool
        Take labels for the same that differ only in upper and lower case, blanks, hyphens or underscores.
    regression : bool or None
        The labels are values to predict, not classes. None: decide by their number and kind.
    class_names : bool
        Numbers with fractions that are classes become names, which no reader takes for values to predict.

    Attributes
    ----------
    counts : Counter
        The number of rows of each label, as it is written; not of more than `MAX_CLASSES` labels.
    """

    def __init__(self, *, merge: bool, regression: bool | None, class_names: bool) -> None:
        self.counts: Counter[str] = Counter()
        self._merge, self._regression, self._class_names = merge, regression, class_names
        self._values = ColumnSurvey("the label", NumberColumn)  # if labels are values to predict
        self._found_kind = KINDS[0]
        self._n_rows = self._n_changes = 0
        self._unlabelled_line: int | None = None
        self._n_unlabelled = 0
        self._word: tuple[str, int] | None = None  # the first label that is no number, and its line

    def add(self, values: Values, line: LineOf) -> None:
        """Add the labels of the next rows."""
        kind = detect_kind(values)
        self._n_rows += len(values)
        self._n_changes += int(np.count_nonzero(values[1:] != values[:-1]))
        self._found_kind = max(self._found_kind, kind, key=KINDS.index) if self.counts else kind
        found = texts(values)
        if self._unlabelled_line is None and "" in found:
            self._unlabelled_line = line(found.index(""))
        self._n_unlabelled += found.count("")
        if kind == "text" and self._word is None:
            words = ((text, row) for row, text in enumerate(found) if text and not is_written_number(text))
            self._word = next(((text, line(row)) for text, row in words), None)
        if self._regression is not False and self._values.numbers.is_possible:
            self._values.add(values, line)
        if len(self.counts) <= MAX_CLASSES:
            self.counts.update(text for text in found if text)

    @property
    def classes(self) -> Labels:
        """The labels that occur, sorted."""
        raw = np.array(list(self.counts), dtype=object)
        labels = parse_labels(raw, self._class_kind, line=lambda row: row)
        return np.unique(merge(labels, self._alike()) if self._alike() else labels)

    @property
    def class_counts(self) -> dict[Any, int]:
        """The number of rows of each class."""
        counts: dict[Any, int] = {}
        for text, count in self.counts.items():
            raw = parse_labels(np.array([text], dtype=object), self._class_kind, line=lambda row: row)
            label = merge(raw, self._alike())[0] if self._alike() else raw[0]
            counts[label.item()] = counts.get(label.item(), 0) + count
        return counts

    @property
    def is_regression(self) -> bool:
        """The labels are values to predict: the user says so, or they are many different numbers."""
        if self._regression is not None or self._found_kind == "truth" or not self.counts:
            return bool(self._regression)
        if not self._values.numbers.is_possible or are_codes(self.counts):
            return False
        if self._found_kind != "whole":  # numbers with fractions or units; two of them are names of classes
            return len(self.counts) > 2
        if len(self.counts) <= _MAX_WHOLE_CLASSES:
            return False
        numbers = sorted(map(float, self.counts))
        counts_classes = numbers[0] in (0, 1) and numbers[-1] - numbers[0] == len(numbers) - 1
        return not counts_classes or self._n_rows < _MIN_ROWS_PER_CLASS * len(numbers)

    @property
    def is_sorted(self) -> bool:
        """The label rarely changes from one row to the next, unlike in random order."""
        return self._n_rows >= _MIN_ROWS_TO_DETECT_ORDER and self._n_changes < self._n_rows / 100

    @property
    def kind(self) -> str:
        """One of `KINDS`: what labels must be in rows like these."""
        return "number" if self.is_regression else self._class_kind

    @property
    def merged(self) -> tuple[str, ...]:
        """The labels that others are merged with."""
        return () if self.is_regression else self._alike()

    def answers(self, missing: str, hints: Hints) -> Answers:
        """Return how values to predict are written and scaled; for classes, that there are none."""
        if not self.is_regression:
            return Answers()
        column, statistics = self._values.to_column(missing, hints)
        style = column.style if isinstance(column, NumberColumn) else PLAIN
        return Answers.of_moments(float(statistics.mean[0]), float(statistics.deviation[0]), style)

    def notes(self) -> list[str]:
        """Return what the user should know about how labels were read."""
        if self.is_regression:
            what = f"{min(len(self.counts), MAX_CLASSES):,}{'+' * (len(self.counts) > MAX_CLASSES)} different numbers"
            chosen = f"The labels are {what}, so this is regression; --task classification makes each a class."
            return [chosen] if self._regression is None else []
        if self._class_names and self._found_kind == "number":
            found = f"{len(self.counts):,} different numbers"
            return [f"The labels are {found}, and each is a class; --task regression learns values."]
        if self._merge or self._found_kind != "text":
            return []
        groups = [
            "/".join(f"{quoted(label)} ({self.counts[label]:,})" for label in group) for group in alike(self.counts)
        ]
        more = ", ..." if len(groups) > _MAX_GROUPS else ""
        shown = f"{', '.join(groups[:_MAX_GROUPS])}{more}"
        return [f"Labels that differ only in their writing: {shown}; --merge-labels makes them one."] if groups else []

    def problems(self, column: str | None, missing: str) -> list[str]:
        """Return what is wrong with the labels of this column, in a sentence each; see `Preparation` for `missing`."""
        found = []
        if self._unlabelled_line is not None and missing != "drop":
            more = and_more_rows(self._n_unlabelled - 1)
            found.append(
                f"Every row must have a label, but line {self._unlabelled_line} has none{more}; add it or remove the "
                "line, or drop such rows (--missing drop)."
            )
        if self.is_regression:
            found += self._values.problems()
        elif self._word is not None and self._regression is None and self._are_values_with_words():
            text, line = self._word
            found.append(
                f"Labels must be either values or classes, got {quoted(text)} in line {line} among many different "
                f"numbers; correct it, name it if no label is meant ({how_to_name([text])}), remove such rows, or say "
                "--task classification."
            )
        elif len(self.counts) > MAX_CLASSES:
            where = f" in column {quoted(column)}; choose another label column." if column else "."
            found.append(f"Labels must be classes, at most {MAX_CLASSES} of them, got more{where}")
        return found

    @property
    def _class_kind(self) -> str:
        """The kind of labels that are classes."""
        is_name = (self._class_names and self._found_kind == "number") or are_codes(self.counts)
        return "text" if is_name else self._found_kind

    def _alike(self) -> tuple[str, ...]:
        """Return the labels that others are merged with."""
        is_text = self._merge and self._found_kind == "text"
        return tuple(sorted(group[0] for group in alike(self.counts))) if is_text else ()

    def _are_values_with_words(self) -> bool:
        """Tell whether nearly all labels are numbers, and these are too many to be classes."""
        numbers = [text for text in self.counts if is_written_number(text)]
        n_numbers = sum(self.counts[text] for text in numbers)
        is_most = n_numbers >= _MIN_NUMBERS * sum(self.counts.values())
        return len(numbers) > _MAX_WHOLE_CLASSES and is_most and not are_codes(numbers)
