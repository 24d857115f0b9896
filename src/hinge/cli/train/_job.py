"""What a run of `hinge train` has to do: the estimator, the examples to learn, and the rows to test with."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.progress import Progress

from hinge import datasets
from hinge.cli._models import DEFAULT, REGRESSOR, choose_model, make_model, set_parameters
from hinge.cli._predictions import chunks_of
from hinge.cli._prepared import join, normal_label, split
from hinge.cli.train._metrics import class_metrics, outlier_metrics, value_score
from hinge.cli.train._sources import (
    MIN_SURVEYED_ROWS,
    InMemorySource,
    dataset_preparation,
    open_dataset,
    open_file,
    reopen_file,
)
from hinge.exceptions import DataError, ParameterError
from hinge.io import STANDARD_INPUT, open_source
from hinge.persistence import load
from hinge.streaming import traits
from hinge.tables import Ignored, OneClassPreparation

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rich.console import Console

    from hinge.cli._models import Parameters
    from hinge.cli._values import ValueScore
    from hinge.cli.train._metrics import ClassMetrics, OutlierMetrics
    from hinge.cli.train._sources import PreparationOptions, TrainingSource
    from hinge.cli.train._tune import Tuning
    from hinge.datasets import Dataset
    from hinge.io import Source
    from hinge.streaming import Model
    from hinge.tables import Examples, Preparation

SKLEARN_KERNELS = ("linear", "poly", "rbf", "sigmoid")  # of SVC and OneClassSVM that are also ours


@dataclass(frozen=True)
class Inputs:
    """The data that the user named: rows to learn, rows to test with, and their format."""

    data: str
    test: str | None = None
    format: str | None = None
    header: bool | None = None
    bad_rows: str = "error"

    def __post_init__(self) -> None:
        if self.test is not None and not Path(self.test).exists():
            raise FileNotFoundError(f"There is no file {self.test}.")

    @property
    def is_file(self) -> bool:
        """The rows to learn come from a file or standard input, not from a data set known by name."""
        return self.data == STANDARD_INPUT or Path(self.data).exists() or self.data not in datasets.names()

    @property
    def files(self) -> tuple[str | None, ...]:
        """The files that are read."""
        return self.data if self.is_file else None, self.test

    def open(self) -> Source:
        """Open the rows to learn."""
        if self.data != STANDARD_INPUT and not Path(self.data).exists():
            raise FileNotFoundError(
                f"There is no file {self.data}, and no data set of that name; known names are "
                f"{', '.join(datasets.names())}."
            )
        return open_source(self.data, format=self.format, header=self.header, bad_rows=self.bad_rows)

    def test_examples(self, preparation: Preparation, ignored: Ignored | None = None) -> Iterator[Examples]:
        """Yield the rows to test with, if there are any; count unknown values that are ignored."""
        if self.test is None:
            return iter(())
        source = open_source(self.test, format=self.format, header=self.header, bad_rows=self.bad_rows)
        return preparation.iter_examples(chunks_of(source), ignored)


@dataclass
class TrainJob:
    """An estimator, the examples that it learns, and the rows that test it.

    Attributes
    ----------
    model : estimator
        The estimator; fitted if training resumes.
    source : TrainingSource
        The examples to learn.
    inputs : Inputs
        What the user named.
    dataset : Dataset or None
        The data set known by name, with its test rows.
    is_label_guessed : bool
        The user has not named the label column.
    ignored : Ignored
        Counts unknown values of the test rows that were ignored, when these were last read.
    notes : list of str
        What the user should know about the model.
    history : list of dict
        The runs that trained the model before.
    tuning : Tuning or None
        How C and gamma were chosen, if they were.
    """

    model: Model
    source: TrainingSource
    inputs: Inputs
    dataset: Dataset | None = None
    is_label_guessed: bool = False
    ignored: Ignored = field(default_factory=Ignored)
    notes: list[str] = field(default_factory=list)
    history: list[dict[str, Any]] = field(init=False)
    tuning: Tuning | None = None

    def __post_init__(self) -> None:
        self.history = list(getattr(self.model, "history_", ()))
        self.source.is_ordered = traits(self.model).is_ordered

    def join(self, model: Model) -> Model:
        """Return a model with the preparation of its examples, ready to save."""
        return join(model, self.source.preparation)

    def is_compared(self, wanted: bool | None) -> bool:
        """Tell whether to train scikit-learn's estimator too; the default is to do so with bundled data."""
        if self.source.is_regression:
            return False
        is_bundled = self.dataset is not None and self.dataset.name in datasets.BUNDLED
        return is_bundled and self._has_sklearn_equivalent() if wanted is None else wanted

    def _has_sklearn_equivalent(self) -> bool:
        """Tell whether scikit-learn solves the same problem; its plane is our sphere only where k(x, x) is constant."""
        is_sphere = self.model.get_params().get("shape") == "sphere"
        return self.model.kernel in (("rbf",) if is_sphere else SKLEARN_KERNELS)

    def check(self, *, epochs: int, compare: bool | None) -> None:
        """Raise an error if the job cannot be done, before anything is learned."""
        if epochs > 1 and not self.source.is_repeatable:
            raise ParameterError(f"--epochs must be 1 for {self.source.name}, which can be read only once.")
        if epochs > 1 and traits(self.model).is_exact:
            name = type(self.model).__name__
            raise ParameterError(f"--epochs must be 1: {name} has the exact solution after one pass.")
        if epochs > 1 and traits(self.model).is_ordered:
            name = type(self.model).__name__
            raise ParameterError(f"--epochs must be 1: {name} learns a stream, which has one pass.")
        for _ in self.inputs.test_examples(self.source.preparation):
            break  # the first chunk shows errors that would otherwise appear after training
        if compare:
            self._check_comparison()

    def _check_comparison(self) -> None:
        self.rows_in_memory()
        if self.source.is_regression:
            return
        if self.model.kernel not in SKLEARN_KERNELS:
            raise ParameterError(
                f"--compare needs a kernel that SVC knows ({', '.join(SKLEARN_KERNELS)}), got {self.model.kernel!r}."
            )
        if not self._has_sklearn_equivalent():
            raise ParameterError("--compare needs --shape plane with this kernel: scikit-learn has no spheres.")

    def rows_in_memory(self) -> Examples:
        """Return all rows to learn, if they are in memory."""
        if isinstance(self.source, InMemorySource):
            return self.source.X, self.source.y
        raise ParameterError(f"--compare needs all rows in memory, and {self.source.name} is streamed; leave it out.")

    def class_metrics(self, model: Model) -> ClassMetrics | None:
        """Return how a classifier predicts the test rows, if there are any."""
        rows = self._test_rows() if self.source.has_classes else None
        answers = self.source.preparation.answers if model is self.model else None
        return None if rows is None else class_metrics(model, rows, answers)

    def test_error(self, model: Model) -> float | None:
        """Return the error of a classifier on the test rows in percent, if there are any."""
        found = self.class_metrics(model)
        return None if found is None else found.error

    def outlier_metrics(self, model: Model) -> OutlierMetrics | None:
        """Return how a one-class model judges the test rows; without test rows, the rows of the training file."""
        if not self.source.is_one_class:
            return None
        rows = self._test_rows()
        if rows is not None:
            return outlier_metrics(model, rows, new=True)
        return outlier_metrics(model, self.source.chunks(0), new=False) if self.source.is_repeatable else None

    def value_score(self, model: Model) -> ValueScore | None:
        """Return how well a regressor predicts the values of the test rows, if there are any."""
        rows = self._test_rows() if self.source.is_regression else None
        return None if rows is None else value_score(model, rows, self.source.preparation.answers)

    def _test_rows(self) -> Iterable[Examples] | None:
        if self.inputs.test is not None:
            self.ignored = Ignored()
            return self.inputs.test_examples(self.source.preparation, self.ignored)
        return None if self.dataset is None else [(self.dataset.X_test, self.dataset.y_test)]


def new_job(
    name: str | None,
    task: str | None,
    inputs: Inputs,
    options: PreparationOptions,
    parameters: Parameters,
    *,
    seed: int,
    terminal: Console,
) -> TrainJob:
    """Prepare the training of a new model; if the user names neither model nor task, the labels decide."""
    seeds: dict[str, object] = {"random_state": seed}
    chosen = choose_model(name, task)
    name = chosen or DEFAULT
    is_open = task is None and chosen in (None, "approximate")  # learns values as well as classes
    options = replace(options, regression=None if is_open else chosen == REGRESSOR)
    model = make_model(name, _for_task(parameters, chosen), seeds)  # raises errors before data are read
    if options.normal is not None and traits(model).task != "one-class":
        raise ParameterError(f"--normal must be left out: {type(model).__name__} learns all classes.")
    if inputs.is_file:
        source = _survey_file(inputs.open(), options, model, seed, terminal)
        is_guessed = options.label is None and source.preparation.label is not None
        model = make_model(REGRESSOR if source.is_regression else name, parameters, seeds)
        return TrainJob(model, source, inputs, is_label_guessed=is_guessed)
    _require_unset(options, f"the data set {inputs.data}, which is already prepared", allowed={"normal", "regression"})
    if name == REGRESSOR:
        raise ParameterError(f"--task must not be regression for {inputs.data}, whose labels are classes.")
    dataset = datasets.load(inputs.data, random_state=seed)
    suggested = {"C": dataset.C, "gamma": dataset.gamma} if parameters["kernel"] in (None, "rbf") else {}
    return _dataset_job(make_model(name, parameters, seeds | suggested), dataset, options.normal, inputs, seed)


def resumed_job(
    file: Path, inputs: Inputs, options: PreparationOptions, parameters: Parameters, *, seed: int
) -> TrainJob:
    """Prepare the further training of a saved model."""
    model, preparation = split(load(file), missing=options.missing, unknown=options.unknown)
    _require_unset(options, f"--resume: {file} holds its preparation", allowed={"missing", "unknown", "regression"})
    before = model.get_params()
    set_parameters(model, parameters)
    changed = [
        f"{name} was {before[name]}, is now {value}"
        for name, value in parameters.items()
        if _differs(before, name, value)
    ]
    notes = [f"From now on, with other parameters: {'; '.join(changed)}."] if changed else []
    if inputs.is_file:
        return TrainJob(model, reopen_file(inputs.open(), preparation, seed), inputs, notes=notes)
    if not preparation.changes_nothing:
        raise DataError(f"{file} was trained on a file with its own columns or scaling; resume with such a file.")
    dataset = datasets.load(inputs.data, random_state=seed)
    return replace(_dataset_job(model, dataset, normal_label(preparation), inputs, seed), notes=notes)


def _differs(before: Parameters, name: str, value: object) -> bool:
    return value is not None and before.get(name) != value


def _survey_file(
    source: Source, options: PreparationOptions, model: Model, seed: int, terminal: Console
) -> TrainingSource:
    if not source.repeatable:
        terminal.print(f"The first {MIN_SURVEYED_ROWS:,} rows, or all if fewer, decide how rows are prepared.")
    with Progress(console=terminal, transient=True, disable=not terminal.is_terminal) as progress:
        task = progress.add_task(f"reading {source.name}", total=1.0)
        found = open_file(source, options, model, seed, lambda done: progress.update(task, completed=done or 0.0))
    if found.has_classes:
        _require_classes(found)
    return found


def _for_task(parameters: Parameters, chosen: str | None) -> Parameters:
    """Return the parameters that can be checked before the labels decide the task: without those of regression."""
    return {name: value for name, value in parameters.items() if chosen is not None or name != "epsilon"}


def _require_classes(source: TrainingSource) -> None:
    label = source.preparation.label
    hint = "" if label is None else f" in column {label!r}; --label names another"
    if source.classes is not None and len(source.classes) < 2:
        raise DataError(f"There must be rows of at least two classes, got only {source.classes[0]!s}{hint}.")


def _dataset_job(model: Model, dataset: Dataset, normal: str | None, inputs: Inputs, seed: int) -> TrainJob:
    """Prepare training on a data set; for a one-class model its labels tell which rows are normal."""
    preparation = dataset_preparation(dataset)
    if traits(model).task == "one-class":
        if normal is not None and normal not in dataset.classes.astype(str):
            raise DataError(f"--normal must be one of {', '.join(map(str, dataset.classes))}, got {normal!r}.")
        preparation = one_class = OneClassPreparation.of(preparation, normal)
        train, test = one_class.signs(dataset.y_train), one_class.signs(dataset.y_test)
        dataset = replace(dataset, y_train=train, y_test=test)
    return TrainJob(model, open_dataset(dataset, preparation, seed), inputs, dataset)


def _require_unset(options: PreparationOptions, reason: str, *, allowed: set[str]) -> None:
    given = {name for name, value in vars(options).items() if value not in (None, ()) and name not in allowed}
    if given:
        option = {"kinds": "kind", "categorical": "categories"}.get(min(given), min(given)).replace("_", "-")
        raise ParameterError(f"--{option} must be left out with {reason}.")
