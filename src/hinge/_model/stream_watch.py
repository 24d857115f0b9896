"""Recognise streams that spoil a model: classes that stay away, repeated or sorted rows, rows of another scale."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from hinge._model.types import is_sparse

if TYPE_CHECKING:
    from collections.abc import Hashable

    from numpy.typing import NDArray

    from hinge._model.types import Array, Labels, Rows

_ONE_CLASS = 1000  # rows of one class at the beginning
_MAX_CHANCE = 1e-9  # that all rows of a class come so early in a shuffled stream
_PERIOD = 20  # look for classes that stay away every so many rows
_BLOCK = 1000  # rows among which repetitions are counted, and whose variance and order are examined
_FEWER = 10  # by this factor fewer different rows than before count as repetitions
_MIN_CHANGES = 100  # rows of a block in which a sorted feature changes: a counter of days is not a sorted stream


@dataclass(frozen=True)
class StreamRisks:
    """What spoils a model that learns rows in the order of a stream; docs/guide/bad-streams.md has the measurements.

    Attributes
    ----------
    pause : int or None
        Number of rows without a class from which on the model suffers; None if it does not.
    repetition : bool
        Whether repeated rows displace what the model knows of others.
    sorted_rows : bool
        Whether the model suffers from rows that are sorted by a feature.
    one_class_first : bool
        Whether the model suffers from a beginning with one class only.
    fixed_scale : bool
        Whether the first rows decide the scale of features for good.
    """

    pause: int | None = None
    repetition: bool = False
    sorted_rows: bool = False
    one_class_first: bool = False
    fixed_scale: bool = True


NO_RISKS = StreamRisks()
ONLINE_RISKS = StreamRisks(pause=100, sorted_rows=True)  # of models that keep support vectors only


@dataclass
class Appearances:
    """How often a class has appeared, and the number of the row when it last did."""

    count: int
    last: int


@dataclass(frozen=True)
class Pause:
    """A class that stays away: its label, the rows since, and its share of the rows before."""

    label: Hashable
    length: int
    share: float


@dataclass
class ClassWatch:
    """Which classes a stream has had, and when.

    Attributes
    ----------
    min_pause : int
        Shorter absences do not count as a pause.
    pause : Pause or None
        The first class found to stay away far longer than chance allows.

    Examples
    --------
    >>> import numpy as np
    >>> watch = ClassWatch(min_pause=100)
    >>> watch.note(np.tile(["low", "high"], 500))
    >>> watch.note(np.repeat("low", 2000))
    >>> watch.pause
    Pause(label='high', length=100, share=0.5)
    """

    min_pause: int
    pause: Pause | None = None
    n_rows: int = 0
    _classes: dict[Hashable, Appearances] = field(default_factory=dict)

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

    def note(self, labels: Labels) -> None:
        """Note the labels of the next rows."""
        length = max(self.min_pause // 2, _PERIOD)
        for start in range(0, len(labels), length):
            part = labels[start : start + length]
            stop = self.n_rows + len(part)
            if len(part) > _PERIOD and all(stop - known.last <= self.min_pause for known in self._classes.values()):
                self._note_at_once(part)  # too few rows for a pause
            else:
                self._note_one_by_one(part)

    def _note_at_once(self, labels: Labels) -> None:
        found, from_end, counts = np.unique(labels[::-1], return_index=True, return_counts=True)
        self.n_rows += len(labels)
        for label, places, count in zip(found.tolist(), from_end.tolist(), counts.tolist(), strict=True):
            known = self._classes.setdefault(label, Appearances(0, 0))
            known.count += count
            known.last = self.n_rows - 1 - places

    def _note_one_by_one(self, labels: Labels) -> None:
        for label in labels.tolist():
            known = self._classes.setdefault(label, Appearances(0, 0))
            known.count += 1
            known.last = self.n_rows
            self.n_rows += 1
            if self.n_rows % _PERIOD == 0 and self.pause is None:
                self.pause = self._find_pause()

    def _find_pause(self) -> Pause | None:
        for label, known in self._classes.items():
            length, before = self.n_rows - known.last - 1, known.last + 1
            if length >= self.min_pause and (before / self.n_rows) ** known.count < _MAX_CHANCE:
                return Pause(label, length, known.count / before)
        return None


@dataclass
class RepetitionWatch:
    """How many rows of a stream are different.

    Attributes
    ----------
    n_different : int or None
        Number of different rows among 1000, once it has fallen tenfold.
    """

    n_different: int | None = None
    _block: NDArray[np.uint64] = field(default_factory=lambda: np.zeros(_BLOCK, dtype=np.uint64))
    _n_rows: int = 0
    _most_different: int = 0
    _weights: NDArray[np.uint64] = field(default_factory=lambda: np.zeros((0, 2), dtype=np.uint64))

    def note(self, X: Rows) -> None:
        """Note the next rows."""
        signatures = _signature(X) if X.shape[0] == 1 else self._signatures(X)
        while len(signatures):
            n_taken = min(len(signatures), _BLOCK - self._n_rows)
            self._block[self._n_rows : self._n_rows + n_taken] = signatures[:n_taken]
            signatures = signatures[n_taken:]
            self._n_rows += n_taken
            if self._n_rows == _BLOCK:
                self._end_block()

    def _end_block(self) -> None:
        found = len(np.unique(self._block))
        if found * _FEWER <= self._most_different:
            self.n_different = found
        self._most_different = max(self._most_different, found)
        self._n_rows = 0

    def _signatures(self, X: Rows) -> NDArray[np.uint64]:
        """Return a number per row, the sum of its bits times random numbers, which differs if rows do."""
        if len(self._weights) < X.shape[1]:
            self._weights = np.random.default_rng(0).integers(1 << 63, size=(X.shape[1], 2), dtype=np.uint64)
        values = X.data if is_sparse(X) else np.ascontiguousarray(X)
        n_words = values.itemsize // 4
        words, weights = values.view(np.uint32), self._weights[: X.shape[1], :n_words]
        if not is_sparse(X):
            dense_sums: NDArray[np.uint64] = np.einsum("ij,j->i", words, weights.ravel())
            return dense_sums
        products = (words.reshape(-1, n_words) * weights[X.indices]).sum(axis=1)
        # a number more, because the last row may be empty
        sums: NDArray[np.uint64] = np.add.reduceat(np.append(products, np.uint64(0)), X.indptr[:-1])
        sums[X.indptr[:-1] == X.indptr[1:]] = 0
        return sums


def _signature(X: Rows) -> list[int]:
    """Return the number of a single row; faster than the sums above."""
    row = (X.indices.tobytes(), X.data.tobytes()) if is_sparse(X) else X.tobytes()
    return [hash(row) % (1 << 64)]


@dataclass
class OrderWatch:
    """Whether the rows of a stream are sorted by a feature; dense rows only.

    Attributes
    ----------
    feature : int or None
        The column of a feature that never fell, or never rose, in 1000 rows, and changed often.

    Examples
    --------
    >>> import numpy as np
    >>> watch = OrderWatch()
    >>> watch.note(np.column_stack([np.sin(np.arange(1500)), -np.arange(1500)]))
    >>> watch.feature
    1
    """

    feature: int | None = None
    _n_rows: int = 0
    _last: Array = field(default_factory=lambda: np.zeros(0))
    _rises: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, dtype=np.bool_))
    _falls: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, dtype=np.bool_))
    _n_changes: NDArray[np.intp] = field(default_factory=lambda: np.zeros(0, dtype=np.intp))

    def note(self, X: Array) -> None:
        """Note the next rows; once no feature is sorted, the rest of a block of 1000 rows costs nothing."""
        start = 0
        while start < len(X) and self.feature is None:
            rows = X[start : start + _BLOCK - self._n_rows]
            if self._n_rows == 0:
                self._start_block(rows[0])
            if self._rises.any() or self._falls.any():
                self._compare(rows)
            self._n_rows += len(rows)
            start += len(rows)
            if self._n_rows == _BLOCK:
                self._end_block()

    def _start_block(self, row: Array) -> None:
        self._last = row
        self._rises, self._falls = np.ones((2, len(row)), dtype=np.bool_)
        self._n_changes = np.zeros(len(row), dtype=np.intp)

    def _compare(self, rows: Array) -> None:
        before = np.vstack([self._last, rows[:-1]])
        self._rises &= (before <= rows).all(axis=0)
        self._falls &= (before >= rows).all(axis=0)
        self._n_changes += np.count_nonzero(before != rows, axis=0)
        self._last = rows[-1].copy()

    def _end_block(self) -> None:
        is_sorted = (self._rises | self._falls) & (self._n_changes >= _MIN_CHANGES)
        self.feature = int(np.argmax(is_sorted)) if is_sorted.any() else None
        self._n_rows = 0


@dataclass
class ScaleWatch:
    """The variance of the last complete block of 1000 rows; None before there is one, or if its rows seem equal.

    Examples
    --------
    >>> import numpy as np
    >>> watch = ScaleWatch()
    >>> watch.note(np.tile([[0.0], [2.0]], (600, 1)))
    >>> watch.variance
    1.0
    """

    variance: float | None = None
    _n_rows: int = 0
    _n_entries: int = 0
    _sum: float = 0.0
    _squares: float = 0.0
    _lowest: float = np.inf
    _highest: float = -np.inf

    def note(self, X: Rows) -> None:
        """Note the next rows."""
        values = X.data if is_sparse(X) else X
        self._n_rows += X.shape[0]
        self._n_entries += X.shape[0] * X.shape[1]
        total, squares = float(np.add.reduce(values, axis=None, dtype=np.float64)), float(np.vdot(values, values))
        self._sum += total
        self._squares += squares
        mean_square = squares / X.shape[0]
        self._lowest, self._highest = min(self._lowest, mean_square), max(self._highest, mean_square)
        if self._n_rows >= _BLOCK:
            mean = self._sum / self._n_entries
            differ = X.shape[0] >= _BLOCK or self._highest > (1 + 1e-6) * self._lowest
            self.variance = max(self._squares / self._n_entries - mean * mean, 0.0) if differ else None
            self._n_rows, self._n_entries, self._sum, self._squares = 0, 0, 0.0, 0.0
            self._lowest, self._highest = np.inf, -np.inf


class StreamWatch:
    """What a model remembers of its stream to notice that it is in bad shape; a few operations per row.

    Parameters
    ----------
    risks : StreamRisks
        Only what may spoil the model is watched.

    Attributes
    ----------
    has_warned : bool
        Whether the user was warned; once is enough.
    n_behind : int
        Number of rows after which the model was far from its optimum, minus those after which it was near.
    """

    def __init__(self, risks: StreamRisks) -> None:
        self.risks = risks
        self.has_warned = False
        self.n_behind = 0
        needs_classes = risks.pause is not None or risks.one_class_first
        self.classes = ClassWatch(risks.pause or _ONE_CLASS) if needs_classes else None
        self.repetition = RepetitionWatch() if risks.repetition else None
        self.order = OrderWatch() if risks.sorted_rows else None
        self.scale = ScaleWatch()

    def needs_rows(self, *, sparse: bool) -> bool:
        """Return whether dense or sparse rows are watched, not only their labels."""
        return self.repetition is not None or (self.order is not None and not sparse)

    def note_labels(self, labels: Labels) -> None:
        """Note the labels of the next rows."""
        if self.classes is not None:
            self.classes.note(labels)

    def note_rows(self, X: Rows, *, follows_scale: bool) -> None:
        """Note the next rows; whether the model's gamma followed the scale of earlier ones."""
        if self.repetition is not None:
            self.repetition.note(X)
        if self.order is not None and not is_sparse(X):
            self.order.note(X)
        if follows_scale:
            self.scale.note(X)
