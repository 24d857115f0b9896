"""What `hinge train` is going to do: a model, the examples it will learn, and the rows it will be tested with."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.progress import Progress

from hinge import datasets
from hinge._model.params import choice
from hinge.cli._learn import error_on
from hinge.cli._material import (
    FIRST_ROWS,
    ROWS_AT_A_TIME,
    Kept,
    Wishes,
    of_dataset,
    of_file,
    of_more,
    plain_preparation,
)
from hinge.cli._models import changed, is_detector, is_exact, make, require_classifier
from hinge.cli._outliers import Outliers, judge
from hinge.cli._wrapping import normal_of, unwrapped, wrapped
from hinge.exceptions import DataError, ParameterError
from hinge.io import open_source
from hinge.persistence import load
from hinge.tables import OneClassPreparation

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rich.console import Console

    from hinge.cli._material import Examples, Material
    from hinge.datasets import Dataset
    from hinge.io import Source
    from hinge.tables import Preparation

PEER_KERNELS = ("linear", "poly", "rbf", "sigmoid")


@dataclass(frozen=True)
class Files:
    """What the user named: rows to learn, rows to test with, and what kind of files they are."""

    data: str
    test: str | None = None
    format: str | None = None
    header: bool | None = None

    def __post_init__(self) -> None:
        if self.test is not None and not Path(self.test).exists():
            raise FileNotFoundError(f"There is no file {self.test}.")

    @property
    def are_files(self) -> bool:
        """The rows come from a file or from standard input, rather than from a data set known by name."""
        return self.data == "-" or Path(self.data).exists() or self.data not in datasets.names()

    @property
    def named(self) -> tuple[str | None, ...]:
        """The names of files among them."""
        return self.data if self.are_files else None, self.test

    def source(self) -> Source:
        """Return the rows to learn."""
        if self.data != "-" and not Path(self.data).exists():
            raise FileNotFoundError(
                f"There is no file {self.data}, and no data set of that name; known are {', '.join(datasets.names())}."
            )
        return open_source(self.data, format=self.format, header=self.header)

    def tests(self, preparation: Preparation) -> Iterator[Examples]:
        """Return the rows to test with, if there are some."""
        if self.test is None:
            return iter(())
        source = open_source(self.test, format=self.format, header=self.header)
        return preparation.each_examples(source.chunks(ROWS_AT_A_TIME))


@dataclass
class Lesson:
    """A model, what it learns, and where this comes from."""

    model: Any
    material: Material
    files: Files
    dataset: Dataset | None = None
    label_guessed: bool = False

    def wrapped(self, model: Any) -> Any:
        """Return a model with the preparation of its examples."""
        return wrapped(model, self.material.preparation)

    def compares(self, wanted: bool | None) -> bool:
        """Tell whether a peer is trained as well: with bundled data unless it is not wanted, else if it is."""
        bundled = self.dataset is not None and self.dataset.name in datasets.BUNDLED
        return bundled and self._has_peer() if wanted is None else wanted

    def _has_peer(self) -> bool:
        """Tell whether scikit-learn solves the same problem; where k(x, x) differs, its plane is not our sphere."""
        known = ("rbf",) if self.model.get_params().get("shape") == "sphere" else PEER_KERNELS
        return self.model.kernel in known

    def require_fitting(self, *, epochs: int, compare: bool | None) -> None:
        """Refuse what cannot be done with these examples, before they are learned."""
        if epochs > 1 and not self.material.repeatable:
            raise ParameterError(f"--epochs must be 1 for {self.material.name}, which can be read once only.")
        if epochs > 1 and is_exact(self.model):
            name = type(self.model).__name__
            raise ParameterError(f"--epochs must be 1: {name} has the exact solution after one pass.")
        for _ in self.files.tests(self.material.preparation):
            break  # one look now, rather than a complaint when everything has been learned
        if compare:
            self.kept_rows()
            choice("--compare needs a kernel that SVC knows; kernel", self.model.kernel, PEER_KERNELS)
            if not self._has_peer():
                raise ParameterError("--compare needs --shape plane with this kernel: scikit-learn has no spheres.")

    def kept_rows(self) -> Examples:
        """Return all rows to learn, if they are in memory."""
        if isinstance(self.material, Kept):
            return self.material.X, self.material.y
        raise ParameterError(
            f"--compare needs all rows in memory; those of {self.material.name} pass by, leave it out."
        )

    def test_error(self, model: Any) -> float | None:
        """Return the error in per cent of a classifier on the test rows, if there are some."""
        rows = None if self.material.one_class else self._test_rows()
        return None if rows is None else error_on(model, rows)

    def _test_rows(self) -> Iterable[Examples] | None:
        """Return the test rows, if there are some."""
        if self.files.test is not None:
            return self.files.tests(self.material.preparation)
        return None if self.dataset is None else [(self.dataset.X_test, self.dataset.y_test)]

    def outliers(self, model: Any) -> Outliers | None:
        """Return what a model of one class says about the test rows, or if there are none about those it has seen."""
        if not self.material.one_class:
            return None
        rows = self._test_rows()
        if rows is not None:
            return judge(model, rows, new=True)
        return judge(model, self.material.chunks(0), new=False) if self.material.repeatable else None


def begun(name: str, files: Files, wishes: Wishes, parameters: dict[str, Any], terminal: Console) -> Lesson:
    """Return a lesson for a new model."""
    parameters = parameters | {"random_state": wishes.seed}
    model = make(name, **parameters)  # complains before data are read
    if wishes.normal is not None and not is_detector(model):
        raise ParameterError(f"--normal must be left out: {type(model).__name__} learns all classes.")
    if files.are_files:
        source = files.source()
        if not source.repeatable:
            terminal.print(f"Its first {FIRST_ROWS:,} rows, or all if there are fewer, settle how rows are prepared.")
        with Progress(console=terminal, transient=True, disable=not terminal.is_terminal) as progress:
            task = progress.add_task(f"reading {source.name}", total=1.0)
            material = of_file(source, wishes, model, lambda share: progress.update(task, completed=share or 0.0))
        if not material.one_class:
            _require_classes(material)
        guessed = wishes.label is None and material.preparation.label is not None
        return Lesson(model, material, files, label_guessed=guessed)
    _require_no_wishes(wishes, f"the data set {files.data}", but={"normal"})
    dataset = datasets.load(files.data, random_state=wishes.seed)
    suited = {"C": dataset.C, "gamma": dataset.gamma} if parameters["kernel"] in (None, "rbf") else {}
    return _of_dataset(make(name, suited, **parameters), dataset, wishes.normal, files, wishes.seed)


def _of_dataset(model: Any, dataset: Dataset, normal: str | None, files: Files, seed: int) -> Lesson:
    """Return a lesson with the rows of a data set; for a model of one class its labels say what is normal."""
    preparation = plain_preparation(dataset)
    if is_detector(model):
        if normal is not None and normal not in dataset.classes.astype(str):
            raise DataError(f"--normal must be one of {', '.join(map(str, dataset.classes))}, got {normal!r}.")
        preparation = one_class = OneClassPreparation.of(preparation, normal)
        train, test = one_class.judged(dataset.y_train), one_class.judged(dataset.y_test)
        dataset = replace(dataset, y_train=train, y_test=test)
    return Lesson(model, of_dataset(dataset, preparation, seed), files, dataset)


def _require_classes(material: Material) -> None:
    label = material.preparation.label
    hint = "" if label is None else f" in column {label!r}; --label names another"
    if material.preparation.label_kind == "number":
        raise DataError(f"Labels must be classes, whole numbers or texts, got numbers with fractions{hint}.")
    if material.classes is not None and len(material.classes) < 2:
        raise DataError(f"There must be rows of two classes at least, got only {material.classes[0]!s}{hint}.")


def resumed(file: Path, files: Files, wishes: Wishes, parameters: dict[str, Any]) -> Lesson:
    """Return a lesson for a model that has learned before."""
    model, preparation = unwrapped(load(file), missing=wishes.missing, unknown=wishes.unknown)
    require_classifier(model, file)
    _require_no_wishes(wishes, f"a model that has learned before ({file})", but={"missing", "unknown"})
    changed(model, parameters)
    if files.are_files:
        return Lesson(model, of_more(files.source(), preparation, wishes.seed), files)
    if not preparation.changes_nothing:
        raise DataError(f"{file} was made from a file with columns or scales of its own; go on with such a file.")
    dataset = datasets.load(files.data, random_state=wishes.seed)
    return _of_dataset(model, dataset, normal_of(preparation), files, wishes.seed)


def _require_no_wishes(wishes: Wishes, what: str, *, but: set[str]) -> None:
    given = {name for name, value in vars(wishes).items() if value not in (None, ()) and name not in but | {"seed"}}
    if given:
        raise ParameterError(f"--{min(given)} must be left out with {what}: how its rows are prepared is settled.")
