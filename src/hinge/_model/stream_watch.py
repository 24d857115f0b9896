"""Recognise streams that spoil a model: classes that stay away, and the same rows again and again."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from hinge._model.types import is_sparse
from hinge._model.validation import TakenRows

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from hinge._model.types import Labels, Rows

_PAUSE = 100  # rows without a class: fewer hardly harm any model
_ONE_CLASS = 1000  # rows of one class at the beginning
_MAX_CHANCE = 1e-9  # that all rows of a class come so early in a shuffled stream
_PERIOD = 20  # look for classes that stay away every so many rows
_BLOCK = 1000  # rows among which repetitions are counted
_FEWER = 10  # by this factor fewer different rows than before count as repetitions


@dataclass
class Appearances:
    """How often a class has appeared, and the number of the row when it last did."""

    count: int
    last: int


@dataclass
class StreamWatch:
    """What a model remembers of its stream to notice that it is in bad shape; a few operations per row.

    Attributes
    ----------
    n_rows : int
        Number of rows seen since the model was created or loaded.
    has_warned : bool
        Whether the user was warned; once is enough.

    Examples
    --------
    >>> import numpy as np
    >>> watch = StreamWatch()
    >>> watch.find_pause(np.tile(["low", "high"], 500))
    >>> watch.find_pause(np.repeat("low", 2000))
    ('high', 100, 0.5)
    """

    n_rows: int = 0
    has_warned: bool = False
    _classes: dict[Hashable, Appearances] = field(default_factory=dict)
    _recent: deque[int] = field(default_factory=lambda: deque(maxlen=_BLOCK))
    _n_signed: int = 0
    _most_different: int = 0

    def start(self, labels: Labels) -> None:
        """Note the classes of a training set, whose order means nothing."""
        found, counts = np.unique(labels, return_counts=True)
        self.n_rows = len(labels)
        self._classes = {
            label: Appearances(int(count), self.n_rows - 1) for label, count in zip(found.tolist(), counts, strict=True)
        }

    @property
    def only_class(self) -> Hashable | None:
        """The class of all rows so far, if there are many of them and they have one class."""
        return next(iter(self._classes)) if len(self._classes) == 1 and self.n_rows >= _ONE_CLASS else None

    def find_pause(self, labels: Labels) -> tuple[Hashable, int, float] | None:
        """Note the labels of the next rows; return a class that stays away: label, rows since, and share before."""
        pause = None
        for label in labels.tolist():
            known = self._classes.get(label)
            if known is None:
                self._classes[label] = Appearances(1, self.n_rows)
            else:
                known.count += 1
                known.last = self.n_rows
            self.n_rows += 1
            if self.n_rows % _PERIOD == 0 and pause is None:
                pause = self._pause()
        return pause

    def _pause(self) -> tuple[Hashable, int, float] | None:
        for label, known in self._classes.items():
            length, before = self.n_rows - known.last - 1, known.last + 1
            if length >= _PAUSE and (before / self.n_rows) ** known.count < _MAX_CHANCE:
                return label, length, known.count / before
        return None

    def find_repetition(self, X: Rows) -> int | None:
        """Note the next rows; return the number of different ones among the last 1000 if it has fallen tenfold."""
        found = None
        for signature in _signatures(X.array() if type(X) is TakenRows else X):
            self._recent.append(signature)
            self._n_signed += 1
            if self._n_signed % _BLOCK == 0:
                n_different = len(set(self._recent))
                if n_different * _FEWER <= self._most_different:
                    found = n_different
                self._most_different = max(self._most_different, n_different)
        return found


def _signatures(X: Rows) -> Iterator[int]:
    """Yield a number per row; equal rows have equal numbers."""
    if not is_sparse(X):
        for row in X:
            yield hash(row.tobytes())
        return
    for start, stop in pairwise(X.indptr.tolist()):
        yield hash((X.indices[start:stop].tobytes(), X.data[start:stop].tobytes()))
