"""Columns of sentences: the words that occur in them, weighted by tf-idf.

A word that occurs in m of n rows has the weight log((1 + n) / (1 + m)) + 1. The features of a row are the numbers of
times its words occur, multiplied by their weights, and divided by the length of the vector.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from hinge.tables._columns import Column
from hinge.tables._values import Cells, Entries, texts

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_WORDS = 500  # features of a column
MIN_ROWS_OF_WORD = 2
_MAX_COUNTED = 200_000  # words held while a file is read
_WORD = re.compile(r"\w\w+")


def words_of(text: str) -> list[str]:
    """Return the words of a text in lower case: two or more letters or digits.

    Examples
    --------
    >>> words_of("Screen broken, a REFUND please!")
    ['screen', 'broken', 'refund', 'please']
    """
    return _WORD.findall(text.lower())


@dataclass(frozen=True)
class TextColumn(Column):
    """A column of sentences, with one feature per word.

    Attributes
    ----------
    words : tuple of str
        The words that count.
    weights : tuple of float
        Their weights.
    """

    words: tuple[str, ...]
    weights: tuple[float, ...]

    needs_value = False  # a missing text has no words

    @property
    def features(self) -> list[str]:
        """The names of the features: column: word."""
        return [f"{self.name}: {word}" for word in self.words]

    @property
    def width(self) -> int:
        """One feature per word."""
        return len(self.words)

    def entries(self, cells: Cells) -> Entries:
        """Return the weights of the words of each row; a missing text has none."""
        rows: list[int] = []
        features: list[int] = []
        values: list[float] = []
        for row, text in enumerate(texts(cells.values)):
            counts = Counter(code for word in words_of(text) if (code := self._index.get(word)) is not None)
            weighted = {code: count * self.weights[code] for code, count in counts.items()}
            length = math.hypot(*weighted.values())
            rows += [row] * len(weighted)
            features += weighted
            values += [value / length for value in weighted.values()]
        return np.array(rows, dtype=np.intp), np.array(features, dtype=np.intp), np.array(values, dtype=np.float64)

    @cached_property
    def _index(self) -> dict[str, int]:
        return {word: code for code, word in enumerate(self.words)}

    def describe(self) -> str:
        """Return the name and the number of words."""
        return f"{self.name} (text, {len(self.words)} words)"


class WordSurvey:
    """Counts in how many rows of a column each word occurs."""

    def __init__(self) -> None:
        self.n_rows = self.n_words = 0
        self._n_rows_of: Counter[str] = Counter()

    def add(self, found: Iterable[str]) -> None:
        """Add the texts of rows."""
        for text, times in Counter(found).items():
            words = words_of(text)
            self.n_rows += times
            self.n_words += times * len(words)
            for word in set(words):
                self._n_rows_of[word] += times
        if len(self._n_rows_of) > _MAX_COUNTED:  # rare words hardly become frequent later
            self._n_rows_of = Counter(dict(self._n_rows_of.most_common(_MAX_COUNTED // 2)))

    @property
    def words_per_row(self) -> float:
        """The mean number of words in a row."""
        return self.n_words / max(self.n_rows, 1)

    def to_column(self, name: str) -> TextColumn:
        """Return the column: the words that occur in most rows, but at least in two and not in all."""
        usable = [(count, word) for word, count in self._n_rows_of.items() if MIN_ROWS_OF_WORD <= count < self.n_rows]
        chosen = sorted(usable, key=lambda pair: (-pair[0], pair[1]))[:MAX_WORDS]
        ordered = sorted((word, count) for count, word in chosen)
        weights = tuple(math.log((1 + self.n_rows) / (1 + count)) + 1 for _, count in ordered)
        return TextColumn(name, tuple(word for word, _ in ordered), weights)
