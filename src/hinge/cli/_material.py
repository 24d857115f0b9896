"""What `hinge train` learns from: rows in memory, or rows that pass by.

A file is surveyed first. If its rows turn out to fit into memory they are kept and shuffled as a whole; else the file
is read again for each pass, and rows are shuffled within a chunk. Standard input comes once and in its own order; its
first rows decide how all are prepared.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from scipy.sparse import issparse

from hinge._model.params import choice
from hinge.cli._models import is_detector, is_exact
from hinge.cli._wrapping import label_kind
from hinge.io import Table
from hinge.tables import (
    MISSING_POLICIES,
    SCALINGS,
    UNKNOWN_POLICIES,
    OneClassPreparation,
    OneClassSurvey,
    Preparation,
    Survey,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hinge.datasets import Dataset
    from hinge.io import Chunk, Source

Examples = tuple[Any, "NDArray[Any]"]

ROWS_AT_A_TIME = 4096
MOST_KEPT = 1 << 25  # bytes of a file's rows that are kept in memory
FIRST_ROWS = 1000  # of standard input settle how all are prepared
_TEXT_BYTES = 60  # of a text in memory


@dataclass(frozen=True)
class Wishes:
    """What the user wants done to the rows; see `Survey` and `Preparation`."""

    label: str | None = None
    drop: tuple[str, ...] = ()
    categorical: tuple[str, ...] = ()
    missing: str | None = None
    unknown: str | None = None
    scale: str | None = None
    normal: str | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        choice("missing", self.missing or "error", MISSING_POLICIES)
        choice("unknown", self.unknown or "error", UNKNOWN_POLICIES)
        choice("scale", self.scale or "auto", SCALINGS)

    def survey(self, model: Any) -> Survey:
        """Return a survey for a model that has seen nothing yet."""
        known: dict[str, Any] = {"label": self.label, "drop": self.drop, "categorical": self.categorical}
        known["missing"] = self.missing or "error"
        return OneClassSurvey(normal=self.normal, **known) if is_detector(model) else Survey(**known)

    def settle(self, survey: Survey, model: Any) -> Preparation:
        """Return the preparation for the rows of a survey, in the precision that a model keeps."""
        dtype = "float64" if is_exact(model) else "float32"
        return survey.preparation(scale=self.scale or "auto", unknown=self.unknown or "error", dtype=dtype)


@dataclass(kw_only=True)
class Material(ABC):
    """Examples to learn, already prepared.

    Attributes
    ----------
    name : str
        Of the data.
    preparation : Preparation
        What was done to the rows.
    n_rows : int or None
        Rows of one pass, if known.
    classes : ndarray or None
        All labels, if known.
    """

    name: str
    preparation: Preparation
    n_rows: int | None = None
    classes: NDArray[Any] | None = None

    in_order = False

    @property
    def one_class(self) -> bool:
        """The model learns without labels: those here are +1 for rows that count as normal, -1 for others.

        Such rows come in the order of the file, as the one thing that an order changes is who leaves a window.
        """
        return isinstance(self.preparation, OneClassPreparation)

    @property
    def repeatable(self) -> bool:
        """The examples can be gone through more than once."""
        return True

    @abstractmethod
    def chunks(self, epoch: int) -> Iterator[Examples]:
        """Yield the examples of one pass."""

    @abstractmethod
    def share(self) -> float | None:
        """Return how much of the present pass has been given out, from 0 to 1, if known."""


@dataclass(kw_only=True)
class Kept(Material):
    """Examples in memory, in a new order at each pass."""

    X: Any
    y: NDArray[Any]
    seed: int = 0
    _given: int = 0

    def chunks(self, epoch: int) -> Iterator[Examples]:
        """Yield the examples of one pass."""
        random = np.random.default_rng([self.seed, epoch])
        order = np.arange(len(self.y)) if self.one_class else random.permutation(len(self.y))
        self._given = 0
        for start in range(0, len(order), ROWS_AT_A_TIME):
            rows = order[start : start + ROWS_AT_A_TIME]
            self._given += len(rows)
            yield self.X[rows], self.y[rows]

    def share(self) -> float | None:
        """Return how much of the present pass has been given out."""
        return self._given / len(self.y)


@dataclass(kw_only=True)
class Passing(Material):
    """Examples of a file, read again for each pass and shuffled within a chunk; those of a pipe come as they are."""

    source: Source
    seed: int = 0
    in_order: bool = False  # sorted by class, as it seems
    first: Examples | None = None  # read already, from what cannot be read twice
    rest: Iterator[Chunk] | None = None

    @property
    def repeatable(self) -> bool:
        """The examples can be gone through more than once."""
        return self.source.repeatable

    def chunks(self, epoch: int) -> Iterator[Examples]:
        """Yield the examples of one pass."""
        if self.first is not None:
            yield self.first
        random = np.random.default_rng([self.seed, epoch])
        chunks = self.rest if self.rest is not None else self.source.chunks(ROWS_AT_A_TIME)
        for X, y in self.preparation.each_examples(chunks):
            shuffled = self.source.repeatable and not self.one_class
            order = random.permutation(len(y)) if shuffled else slice(None)
            yield X[order], y[order]

    def share(self) -> float | None:
        """Return how much of the present pass has been given out."""
        return self.source.share_read() if self.source.repeatable else None


def plain_preparation(dataset: Dataset) -> Preparation:
    """Return what is done to the rows of a data set: nothing."""
    X = dataset.X_train
    return Preparation(X.shape[1], label_kind=label_kind(dataset.y_train), dense=not issparse(X), dtype=X.dtype.name)


def of_dataset(dataset: Dataset, preparation: Preparation, seed: int) -> Kept:
    """Return the training rows of a data set."""
    X = dataset.X_train
    return Kept(
        name=dataset.name,
        preparation=preparation,
        n_rows=len(dataset.y_train),
        classes=_classes(preparation, dataset.classes),
        X=X,
        y=dataset.y_train,
        seed=seed,
    )


def of_file(source: Source, wishes: Wishes, model: Any, watch: Callable[[float | None], None]) -> Material:
    """Survey a file, then return its rows for a model; `watch` is told how far the survey has come."""
    if not source.repeatable:
        return _of_pipe(source, wishes, model)
    survey, kept, size = wishes.survey(model), [], 0
    for chunk in survey.look_at(source.chunks(ROWS_AT_A_TIME)):
        size += _bytes(chunk)
        kept.append(chunk)
        if size > MOST_KEPT:
            kept.clear()
        watch(source.share_read())
    preparation = wishes.settle(survey, model)
    if size > MOST_KEPT:
        return Passing(
            name=source.name,
            preparation=preparation,
            n_rows=survey.n_rows,
            classes=_classes(preparation, survey.classes),
            source=source,
            seed=wishes.seed,
            in_order=survey.sorted_by_class,
        )
    X, y = preparation.all_examples(kept)
    classes = _classes(preparation, np.unique(y))
    return Kept(name=source.name, preparation=preparation, n_rows=len(y), classes=classes, X=X, y=y, seed=wishes.seed)


def of_more(source: Source, preparation: Preparation, seed: int) -> Passing:
    """Return the rows of a file, prepared as a model already knows."""
    return Passing(name=source.name, preparation=preparation, source=source, seed=seed)


def _classes(preparation: Preparation, labels: NDArray[Any]) -> NDArray[Any] | None:
    return None if isinstance(preparation, OneClassPreparation) else labels


def _of_pipe(source: Source, wishes: Wishes, model: Any) -> Passing:
    survey = wishes.survey(model)
    rest: Iterator[Chunk] = source.chunks(ROWS_AT_A_TIME)
    first: list[Chunk] = []
    try:
        for chunk in rest:
            survey.add(chunk)
            first.append(chunk)
            if survey.n_rows >= FIRST_ROWS:
                break
    except KeyboardInterrupt:
        if not first:
            raise
        rest = _Interrupted()  # what has come is learned, then the interrupt takes its course
    preparation = wishes.settle(survey, model)
    examples = preparation.all_examples(first)
    return Passing(name=source.name, preparation=preparation, source=source, first=examples, rest=rest)


class _Interrupted(Iterator["Chunk"]):
    def __next__(self) -> NoReturn:
        raise KeyboardInterrupt


def _bytes(chunk: Chunk) -> int:
    if isinstance(chunk, Table):
        return sum(
            _TEXT_BYTES * len(values) if values.dtype == object else values.nbytes for values in chunk.columns.values()
        )
    return int(chunk.X.data.nbytes * (2 if issparse(chunk.X) else 1))
