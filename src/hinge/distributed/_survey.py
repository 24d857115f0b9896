"""What can only be known from all partitions together: how many rows, which classes, how far apart."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import issparse
from sklearn.base import clone, is_classifier

from hinge._model.kernels import weighted_variance
from hinge._model.labels import ClassTable, class_factors
from hinge._model.validation import check_examples, check_values
from hinge.distributed._engine import task
from hinge.exceptions import DataError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from hinge.distributed._engine import Engine, Task
    from hinge.distributed._parts import Part


@dataclass(frozen=True)
class Spread:
    """Total weight, mean and variance of all entries."""

    total: float = 0.0
    mean: float = 0.0
    variance: float = 0.0

    @classmethod
    def of(cls, X: Any, weights: NDArray[np.float64]) -> Spread:
        """Return those of checked examples."""
        total = float(weights.sum()) * X.shape[1]
        if total == 0:
            return cls()
        sums = np.asarray(X.sum(axis=1) if issparse(X) else X.sum(axis=1, dtype=np.float64)).ravel()
        return cls(total, float(weights @ sums) / total, weighted_variance(X, weights))

    @classmethod
    def together(cls, spreads: Sequence[Spread]) -> Spread:
        """Return those of several sets of examples as one.

        Examples
        --------
        >>> import numpy as np
        >>> halves = [Spread.of(np.array([[0.0]]), np.array([3.0])), Spread.of(np.array([[1.0]]), np.array([1.0]))]
        >>> Spread.together(halves)
        Spread(total=4.0, mean=0.25, variance=0.1875)
        """
        total = sum(each.total for each in spreads)
        if total == 0:
            return cls()
        mean = sum(each.total * each.mean for each in spreads) / total
        squares = sum(each.total * (each.variance + (each.mean - mean) ** 2) for each in spreads)
        return cls(total, mean, squares / total)


@dataclass(frozen=True)
class Survey:
    """What is known about one partition, or about all.

    Attributes
    ----------
    n_rows : int
        Rows.
    n_used : int
        Rows of positive weight, their own and that of their class.
    n_features : int
        Columns; 0 where there are no rows.
    table : ClassTable or None
        The classes of the rows that are used; None for a regression.
    masses : ndarray
        The weight of each class.
    spread : Spread
        Mean and variance of all entries, where `gamma="scale"` needs them.
    """

    n_rows: int
    n_used: int
    n_features: int
    table: ClassTable | None
    masses: NDArray[np.float64]
    spread: Spread

    @classmethod
    def together(cls, surveys: Sequence[Survey]) -> Survey:
        """Return what is known about several partitions as one."""
        filled = [each for each in surveys if each.n_used]
        if not filled:
            raise DataError("Some row must have a weight above zero, got none in any partition.")
        table, masses = _classes(filled)
        return cls(
            sum(each.n_rows for each in surveys),
            sum(each.n_used for each in surveys),
            filled[0].n_features,
            table,
            masses,
            Spread.together([each.spread for each in surveys]),
        )

    def settle(self, model: Any, *, threads: int, **changes: Any) -> Any:
        """Return an unfitted copy of a model whose parameters mean the same for a partition as for all of them.

        Parameters
        ----------
        model : estimator
            The model.
        threads : int
            The threads of a task, unless the user has chosen a number.
        **changes : object
            Other parameters to change.
        """
        settled = clone(model).set_params(**changes)
        if settled.n_jobs is None:
            settled.set_params(n_jobs=threads)
        if settled.gamma == "scale":
            width = self.spread.variance * self.n_features
            settled.set_params(gamma=1.0 if width == 0 else 1.0 / width)
        if self.table is not None and settled.class_weight == "balanced":
            factors = class_factors("balanced", self.table.classes, self.masses)
            settled.set_params(class_weight=dict(zip(self.table.classes.tolist(), factors.tolist(), strict=True)))
        return settled


def survey(engine: Engine, model: Any, parts: Sequence[Task]) -> tuple[Survey, list[Survey]]:
    """Look at all partitions, where they are; return what is known about all, and about each.

    The checks of the model are made on the way: what is wrong with any partition is said in its words.
    """
    each = engine.results([task(_look, clone(model), part) for part in parts])
    everything = Survey.together(each)
    if everything.table is not None and len(everything.table) < 2:
        raise DataError(
            "Training needs examples of at least two classes, got only one class of positive weight, "
            f"{everything.table.classes.tolist()[0]!r}."
        )
    return everything, each


def starts(surveys: Sequence[Survey]) -> list[int]:
    """Return where each partition begins among all rows."""
    ends: list[int] = np.cumsum([each.n_rows for each in surveys]).tolist()
    return [0, *ends[:-1]]


def _look(model: Any, part: Part) -> Survey:
    if not len(part):
        return Survey(0, 0, 0, None, np.zeros(0), Spread())
    table: ClassTable | None = None
    masses: NDArray[Any] = np.zeros(0)
    if is_classifier(model):
        X, y = check_examples(model, part.X, part.y, None, sparse=True)
        used = replace(part, y=y).used(model)
        table = ClassTable.of(used.y)
        masses = np.bincount(np.searchsorted(table.classes, used.y), used.weights)
    else:
        X, _ = check_values(model, part.X, part.y, None, sparse=True)
        used = part.used(model)
    spread = Spread.of(X, part.weights) if model.gamma == "scale" else Spread()
    return Survey(len(part), len(used), X.shape[1], table, masses, spread)


def _classes(surveys: Sequence[Survey]) -> tuple[ClassTable | None, NDArray[np.float64]]:
    """Return the classes of several partitions, and the weight of each."""
    tables = [each.table for each in surveys if each.table is not None]
    if not tables:
        return None, np.zeros(0)
    table = tables[0]
    for other in tables[1:]:
        table = table.extended(other.classes)
    masses = np.zeros(len(table))
    for each, own in zip(surveys, tables, strict=True):
        masses[np.searchsorted(table.classes, own.classes)] += each.masses
    return table, masses
