"""Sources of training examples: rows in memory, or rows streamed from a file or a pipe.

A file is read once to decide how its rows are prepared. If the rows fit in memory, they are kept and shuffled as a
whole. Otherwise the file is read again for each pass, and rows are shuffled within each chunk. Standard input is read
once and in order; its first rows decide how all rows are prepared.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from scipy.sparse import issparse

from hinge.cli._predictions import ROWS_PER_CHUNK, chunks_of
from hinge.cli._prepared import label_kind
from hinge.io import Table
from hinge.streaming import traits
from hinge.tables import Ignored, OneClassPreparation, OneClassSurvey, Preparation, Survey, check_policies, stacked

if TYPE_CHECKING:
    from hinge.datasets import Dataset
    from hinge.io import Chunk, Source
    from hinge.streaming import Model
    from hinge.tables import Examples, Labels, Matrix, Scaling

MAX_BYTES_IN_MEMORY = 1 << 25  # larger files are streamed
MIN_SURVEYED_ROWS = 1000  # of standard input, which decide how all rows are prepared
_BYTES_PER_TEXT = 60


@dataclass(frozen=True)
class PreparationOptions:
    """How the user wants rows prepared; see `Survey` and `Preparation`. None leaves the choice to the command."""

    label: str | None = None
    drop: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    categorical: tuple[str, ...] = ()
    missing: str | None = None
    missing_values: tuple[str, ...] = ()
    unknown: str | None = None
    scale: str | None = None
    normal: str | None = None
    kinds: tuple[tuple[str, str], ...] = ()
    decimal: str | None = None
    thousands: str | None = None
    day_first: bool | None = None
    merge_labels: bool | None = None
    regression: bool | None = False

    def __post_init__(self) -> None:
        separators = {"decimal": self.decimal, "thousands": self.thousands}
        check_policies(missing=self.missing, unknown=self.unknown, scale=self.scale, **separators)

    def start_survey(self, model: Model) -> Survey:
        """Return an empty survey for the rows that an estimator will learn."""
        options: dict[str, Any] = {name: getattr(self, name) for name in ("label", "drop", "keep", "categorical")}
        options["missing_values"] = self.missing_values
        options |= {"decimal": self.decimal, "thousands": self.thousands}
        options |= {"missing": self.missing or "error", "kinds": dict(self.kinds), "day_first": self.day_first}
        options["merge_labels"] = bool(self.merge_labels)
        if traits(model).task == "one-class":
            return OneClassSurvey(normal=self.normal, **options)
        return Survey(regression=self.regression, class_names=True, **options)

    def prepare(self, survey: Survey, model: Model) -> Preparation:
        """Return the preparation for surveyed rows, in the precision of an estimator."""
        unknown = self.unknown or ("ignore" if survey.is_table else "error")
        return survey.preparation(scale=self.scale or "auto", unknown=unknown, dtype=traits(model).dtype)


@dataclass(kw_only=True)
class TrainingSource(ABC):
    """Prepared examples to learn.

    Attributes
    ----------
    name : str
        Name of the data.
    preparation : Preparation
        How rows become examples.
    n_rows : int or None
        Number of rows per pass, if known.
    classes : ndarray or None
        All labels, if known.
    is_ordered : bool
        The order of the rows means something to the model, so they are not shuffled.
    notes : sequence of str
        What the user should know about how columns are read.
    ignored : Ignored
        Counts unknown values that were ignored while rows were read.
    class_counts : mapping or None
        Number of rows of each class, if known.
    scalings : sequence of Scaling
        Scalings of the features to try besides that of the preparation.
    """

    name: str
    preparation: Preparation
    n_rows: int | None = None
    classes: Labels | None = None
    is_ordered: bool = False
    notes: Sequence[str] = ()
    ignored: Ignored = field(default_factory=Ignored)
    class_counts: Mapping[Any, int] | None = None
    scalings: Sequence[Scaling] = ()

    is_sorted = False  # by class, as far as the survey can tell

    @property
    def is_one_class(self) -> bool:
        """The labels are +1 for normal rows and -1 for others, for a model that learns the normal rows without labels.

        Such rows are not shuffled: their order only decides which examples leave a window.
        """
        return isinstance(self.preparation, OneClassPreparation)

    @property
    def has_classes(self) -> bool:
        """The labels are classes."""
        return _has_classes(self.preparation)

    @property
    def is_regression(self) -> bool:
        """The labels are values to predict."""
        return self.preparation.label_kind == "number"

    @property
    def is_shuffled(self) -> bool:
        """The examples are learned in random order."""
        return not (self.is_one_class or self.is_ordered)

    @property
    def is_repeatable(self) -> bool:
        """The examples can be read more than once."""
        return True

    @abstractmethod
    def chunks(self, epoch: int) -> Iterator[Examples]:
        """Yield the examples of one pass."""

    @abstractmethod
    def sample(self, most: int) -> Examples:
        """Return some rows, at random where the source can be read again, else its first ones."""

    @abstractmethod
    def rescale(self, scaling: Scaling) -> None:
        """Scale the features in another way."""

    @abstractmethod
    def fraction_read(self) -> float | None:
        """Return the fraction of the current pass that has been read, if known."""


@dataclass(kw_only=True)
class InMemorySource(TrainingSource):
    """Examples in memory, in a new random order for each pass."""

    X: Matrix
    y: Labels
    seed: int = 0
    _n_read: int = 0

    def chunks(self, epoch: int) -> Iterator[Examples]:
        """Yield the examples of one pass."""
        random = np.random.default_rng([self.seed, epoch])
        order = random.permutation(len(self.y)) if self.is_shuffled else np.arange(len(self.y))
        self._n_read = 0
        for start in range(0, len(order), ROWS_PER_CHUNK):
            rows = order[start : start + ROWS_PER_CHUNK]
            self._n_read += len(rows)
            yield self.X[rows], self.y[rows]

    def sample(self, most: int) -> Examples:
        """Return some rows, all of them if they are not too many."""
        rows = np.sort(np.random.default_rng(self.seed).permutation(len(self.y))[:most])
        return self.X[rows], self.y[rows]

    def rescale(self, scaling: Scaling) -> None:
        """Scale the features in another way."""
        self.X = scaling.apply(self.preparation.scaling.undo(self.X)).astype(self.X.dtype)
        self.preparation = replace(self.preparation, scaling=scaling)

    def fraction_read(self) -> float | None:
        """Return the fraction of the current pass that has been read."""
        return self._n_read / len(self.y)


@dataclass(kw_only=True)
class StreamedSource(TrainingSource):
    """Examples of a file, read again for each pass and shuffled within each chunk, or of a pipe, read once in order."""

    source: Source
    seed: int = 0
    is_sorted: bool = False
    first: Examples | None = None  # already read, from a source that can be read only once
    rest: Iterator[Chunk] | None = None

    @property
    def is_repeatable(self) -> bool:
        """The examples can be read more than once."""
        return self.source.repeatable

    def chunks(self, epoch: int) -> Iterator[Examples]:
        """Yield the examples of one pass."""
        if self.first is not None:
            yield self.first
        random = np.random.default_rng([self.seed, epoch])
        chunks = self.rest if self.rest is not None else self.source.chunks(ROWS_PER_CHUNK)
        for X, y in self.preparation.iter_examples(chunks, self.ignored if epoch == 0 else None):
            order = random.permutation(len(y)) if self.source.repeatable and self.is_shuffled else slice(None)
            yield X[order], y[order]

    def sample(self, most: int) -> Examples:
        """Return the first rows of a pipe, or rows from all parts of a file."""
        if self.first is not None:
            return self.first[0][:most], self.first[1][:most]
        random, share = np.random.default_rng(self.seed), most / max(self.n_rows or most, 1)
        chosen = []
        for X, y in self.preparation.iter_examples(self.source.chunks(ROWS_PER_CHUNK)):
            rows = np.flatnonzero(random.random(len(y)) < share)
            chosen.append((X[rows], y[rows]))
        return stacked(chosen)

    def rescale(self, scaling: Scaling) -> None:
        """Scale the features in another way."""
        before, self.preparation = self.preparation.scaling, replace(self.preparation, scaling=scaling)
        if self.first is not None:
            X, y = self.first
            self.first = scaling.apply(before.undo(X)).astype(X.dtype), y

    def fraction_read(self) -> float | None:
        """Return the fraction of the current pass that has been read."""
        return self.source.share_read() if self.source.repeatable else None


def open_dataset(dataset: Dataset, preparation: Preparation, seed: int) -> InMemorySource:
    """Return the training rows of a data set."""
    return InMemorySource(
        name=dataset.name,
        preparation=preparation,
        n_rows=len(dataset.y_train),
        classes=_known_classes(preparation, dataset.classes),
        X=dataset.X_train,
        y=dataset.y_train,
        seed=seed,
    )


def dataset_preparation(dataset: Dataset) -> Preparation:
    """Return the preparation for the rows of a data set, which changes nothing."""
    X = dataset.X_train
    return Preparation(X.shape[1], label_kind=label_kind(dataset.y_train), dense=not issparse(X), dtype=X.dtype.name)


def open_file(
    source: Source,
    options: PreparationOptions,
    model: Model,
    seed: int,
    report: Callable[[float | None], None],
) -> TrainingSource:
    """Survey a file and return its rows as examples for an estimator.

    Parameters
    ----------
    source : Source
        The file, or standard input.
    options : PreparationOptions
        How to prepare its rows.
    model : estimator
        The estimator that will learn them.
    seed : int
        Seed of the order of the rows.
    report : callable
        Called with the fraction of the file that has been read, if known.

    Returns
    -------
    TrainingSource
        The rows in memory if they fit, else streamed.
    """
    if not source.repeatable:
        return _open_pipe(source, options, model)
    survey, kept, size = options.start_survey(model), [], 0
    for chunk in survey.scan(source.chunks(ROWS_PER_CHUNK, problems=survey.problems, notes=survey.notes_of_file)):
        size += _n_bytes(chunk)
        kept.append(chunk)
        if size > MAX_BYTES_IN_MEMORY:
            kept.clear()
        report(source.share_read())
    survey.notes_of_file += filter(None, [source.describe_skipped()])
    preparation = options.prepare(survey, model)
    scalings = survey.other_scalings(preparation) if options.scale is None else ()
    if size > MAX_BYTES_IN_MEMORY:
        return StreamedSource(
            name=source.name,
            preparation=preparation,
            n_rows=survey.n_rows,
            classes=survey.classes if _has_classes(preparation) else None,
            source=source,
            seed=seed,
            is_sorted=survey.is_sorted_by_class,
            notes=survey.notes,
            class_counts=survey.class_counts if _has_classes(preparation) else None,
            scalings=scalings,
        )
    X, y = preparation.all_examples(kept)
    classes = _known_classes(preparation, np.unique(y))
    return InMemorySource(
        name=source.name,
        preparation=preparation,
        n_rows=len(y),
        classes=classes,
        notes=survey.notes,
        class_counts=_known_counts(preparation, dict(zip(*_counted(y), strict=True))),
        scalings=scalings,
        X=X,
        y=y,
        seed=seed,
    )


def reopen_file(source: Source, preparation: Preparation, seed: int) -> StreamedSource:
    """Return the rows of a file, with the preparation of a model that has already learned."""
    return StreamedSource(name=source.name, preparation=preparation, source=source, seed=seed)


def rows_to_learn(model: Model, X: Matrix, y: Labels) -> Matrix:
    """Return the rows that an estimator learns: all of them, or the normal ones for a one-class model."""
    return X[y > 0] if traits(model).task == "one-class" else X


def _known_classes(preparation: Preparation, labels: Labels) -> Labels | None:
    return labels if _has_classes(preparation) else None


def _known_counts(preparation: Preparation, counts: Mapping[Any, int]) -> Mapping[Any, int] | None:
    return counts if _has_classes(preparation) else None


def _has_classes(preparation: Preparation) -> bool:
    return not isinstance(preparation, OneClassPreparation) and preparation.label_kind != "number"


def _counted(y: Labels) -> tuple[list[Any], list[int]]:
    labels, counts = np.unique(y, return_counts=True)
    return labels.tolist(), counts.tolist()


def _open_pipe(source: Source, options: PreparationOptions, model: Model) -> StreamedSource:
    survey = options.start_survey(model)
    rest: Iterator[Chunk] = chunks_of(source)
    first: list[Chunk] = []
    try:
        for chunk in rest:
            survey.add(chunk)
            first.append(chunk)
            if survey.n_rows >= MIN_SURVEYED_ROWS:
                break
    except KeyboardInterrupt:
        if not first:
            raise
        rest = _Interrupted()  # learn the rows that have arrived, then raise the interrupt again
    preparation = options.prepare(survey, model)
    examples = preparation.all_examples(first)
    return StreamedSource(
        name=source.name,
        preparation=preparation,
        notes=survey.notes,
        scalings=survey.other_scalings(preparation) if options.scale is None else (),
        source=source,
        first=examples,
        rest=rest,
    )


class _Interrupted(Iterator["Chunk"]):
    def __next__(self) -> NoReturn:
        raise KeyboardInterrupt


def _n_bytes(chunk: Chunk) -> int:
    if isinstance(chunk, Table):
        return sum(
            _BYTES_PER_TEXT * len(values) if values.dtype == object else values.nbytes
            for values in chunk.columns.values()
        )
    return int(chunk.X.data.nbytes * (2 if issparse(chunk.X) else 1))
