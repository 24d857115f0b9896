"""Statistics of all partitions: numbers of rows, classes and their weights, mean and variance of the entries."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

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
    from scipy.sparse import csr_matrix
    from sklearn.base import BaseEstimator

    from hinge.distributed._engine import Engine, Task
    from hinge.distributed._examples import Examples


@dataclass(frozen=True)
class Moments:
    """Total weight, mean and variance of all entries."""

    total: float = 0.0
    mean: float = 0.0
    variance: float = 0.0

    @classmethod
    def of(cls, X: NDArray[np.floating] | csr_matrix, weights: NDArray[np.float64]) -> Moments:
        """Compute the moments of checked rows."""
        total = float(weights.sum()) * X.shape[1]
        if total == 0:
            return cls()
        sums = np.asarray(X.sum(axis=1) if issparse(X) else X.sum(axis=1, dtype=np.float64)).ravel()
        return cls(total, float(weights @ sums) / total, weighted_variance(X, weights))

    @classmethod
    def combine(cls, parts: Sequence[Moments]) -> Moments:
        """Combine the moments of several sets of rows.

        Examples
        --------
        >>> import numpy as np
        >>> halves = [Moments.of(np.array([[0.0]]), np.array([3.0])), Moments.of(np.array([[1.0]]), np.array([1.0]))]
        >>> Moments.combine(halves)
        Moments(total=4.0, mean=0.25, variance=0.1875)
        """
        total = sum(each.total for each in parts)
        if total == 0:
            return cls()
        mean = sum(each.total * each.mean for each in parts) / total
        squares = sum(each.total * (each.variance + (each.mean - mean) ** 2) for each in parts)
        return cls(total, mean, squares / total)


@dataclass(frozen=True)
class Statistics:
    """Statistics of one partition, or of all.

    Attributes
    ----------
    n_rows : int
        Rows.
    n_used : int
        Rows whose sample weight and class weight are positive.
    n_features : int
        Columns; 0 if there are no rows.
    table : ClassTable or None
        The classes of the rows that are used; None for a regression.
    class_weights : ndarray
        The total sample weight of each class.
    moments : Moments
        Mean and variance of all entries, if `gamma="scale"` needs them.
    """

    n_rows: int
    n_used: int
    n_features: int
    table: ClassTable | None
    class_weights: NDArray[np.float64]
    moments: Moments

    @classmethod
    def combine(cls, parts: Sequence[Statistics]) -> Statistics:
        """Combine the statistics of several partitions."""
        filled = [each for each in parts if each.n_used]
        if not filled:
            raise DataError("Some row must have a weight above zero, got none in any partition.")
        table, class_weights = _combine_classes(filled)
        return cls(
            sum(each.n_rows for each in parts),
            sum(each.n_used for each in parts),
            filled[0].n_features,
            table,
            class_weights,
            Moments.combine([each.moments for each in parts]),
        )

    def resolve_parameters(self, model: BaseEstimator, *, threads: int, **changes: object) -> BaseEstimator:
        """Return an unfitted copy of a model whose parameters mean the same for each partition.

        Parameters
        ----------
        model : estimator
            The model.
        threads : int
            `n_jobs` of a task, unless the user has set it.
        **changes : object
            Other parameters to set.
        """
        resolved = clone(model).set_params(**changes)
        if resolved.n_jobs is None:
            resolved.set_params(n_jobs=threads)
        if resolved.gamma == "scale":
            width = self.moments.variance * self.n_features
            resolved.set_params(gamma=1.0 if width == 0 else 1.0 / width)
        if self.table is not None and resolved.class_weight == "balanced":
            factors = class_factors("balanced", self.table.classes, self.class_weights)
            resolved.set_params(class_weight=dict(zip(self.table.classes.tolist(), factors.tolist(), strict=True)))
        return resolved


def collect_statistics(
    engine: Engine, model: BaseEstimator, parts: Sequence[Task]
) -> tuple[Statistics, list[Statistics]]:
    """Compute the statistics of all partitions together, and of each.

    The checks of `fit` are made on the way, so that errors in any partition have the usual messages.
    """
    each = engine.compute([task(_partition_statistics, clone(model), part) for part in parts])
    total = Statistics.combine(each)
    if total.table is not None and len(total.table) < 2:
        raise DataError(
            "Training needs examples of at least two classes, got only one class of positive weight, "
            f"{total.table.classes.tolist()[0]!r}."
        )
    return total, each


def row_offsets(sizes: Sequence[int]) -> NDArray[np.int64]:
    """Return the row number of the first row of each partition in the whole data set.

    Examples
    --------
    >>> row_offsets([10, 0, 5]).tolist()
    [0, 10, 10]
    """
    return np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64)


def _partition_statistics(model: BaseEstimator, part: Examples) -> Statistics:
    if not len(part):
        return Statistics(0, 0, 0, None, np.zeros(0), Moments())
    table: ClassTable | None = None
    class_weights: NDArray[np.float64] = np.zeros(0)
    if is_classifier(model):
        X, y = check_examples(model, part.X, part.y, None, sparse=True)
        used = replace(part, y=y).with_weight(model)
        table = ClassTable.of(used.y)
        class_weights = np.bincount(np.searchsorted(table.classes, used.y), used.weights).astype(np.float64, copy=False)
    else:
        X, _ = check_values(model, part.X, part.y, None, sparse=True)
        used = part.with_weight(model)
    moments = Moments.of(X, part.weights) if model.gamma == "scale" else Moments()
    return Statistics(len(part), len(used), X.shape[1], table, class_weights, moments)


def _combine_classes(parts: Sequence[Statistics]) -> tuple[ClassTable | None, NDArray[np.float64]]:
    """Return the classes of several partitions, and the total weight of each."""
    tables = [each.table for each in parts if each.table is not None]
    if not tables:
        return None, np.zeros(0)
    table = tables[0]
    for other in tables[1:]:
        table = table.extended(other.classes)
    class_weights = np.zeros(len(table))
    for each, own in zip(parts, tables, strict=True):
        class_weights[np.searchsorted(table.classes, own.classes)] += each.class_weights
    return table, class_weights
