"""Tasks: classification, one-class learning and regression.

A task validates the input, determines the classes, and encodes the targets for the native code. It does not depend on
the solver.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Protocol

import numpy as np

from hinge._fit.data import TrainingData
from hinge._model.labels import ClassTable, as_classes, as_labels, class_factors, first_appearances
from hinge._model.overflow import product
from hinge._model.validation import check_examples, check_rows, check_values, check_weights, is_ready
from hinge.exceptions import DataError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from hinge._fit.estimator import KernelEstimator
    from hinge._model.state import State
    from hinge._model.types import Array, Labels, MatrixLike, Rows


_ONE_LABEL = np.zeros(1, dtype=np.int64)


class Task(Protocol):
    """What to learn."""

    def check(
        self,
        estimator: KernelEstimator,
        X: MatrixLike,
        y: ArrayLike | None,
        sample_weight: ArrayLike | None,
        state: State | None,
    ) -> TrainingData:
        """Validate training data.

        Without a `state`, this sets the number and names of the features of `estimator`.
        """

    def classes(self, labels: Labels, known: ClassTable | None, announced: ArrayLike | None) -> ClassTable:
        """Return all classes: those known, those in the argument `classes`, and those of the labels."""

    def parts(self, data: TrainingData, known: ClassTable) -> list[TrainingData]:
        """Cut the next rows of a stream where a class appears that is not known."""

    def require_enough(self, table: ClassTable) -> None:
        """Raise DataError if a training set has too few classes for `fit`."""

    def targets(self, data: TrainingData, table: ClassTable) -> Array:
        """Encode the targets for the native code."""


@dataclass(frozen=True)
class Classification:
    """Classification with labels of any type.

    Attributes
    ----------
    double : bool
        Whether to convert all rows to double precision.
    """

    double: bool = False

    def check(
        self,
        estimator: KernelEstimator,
        X: MatrixLike,
        y: ArrayLike | None,
        sample_weight: ArrayLike | None,
        state: State | None,
    ) -> TrainingData:
        """Validate rows and labels; class weights multiply the costs."""
        X, y = self._check_rows(estimator, X, y, state)
        X = X.astype(np.float64, copy=False) if self.double else X
        weights = check_weights(sample_weight, len(y))
        if sample_weight is None and estimator.class_weight is None:  # as most rows of streams
            costs = np.full(len(y), estimator._cost)
        else:
            costs = product(weights, estimator._cost, class_factors(estimator.class_weight, y, weights))
        return TrainingData(X, y, weights, costs, _metadata(sample_weight, weights))

    def _check_rows(
        self, estimator: KernelEstimator, X: MatrixLike, y: ArrayLike | None, state: State | None
    ) -> tuple[Rows, Array]:
        """Check rows and labels; rows that are ready, with known labels, skip the slow checks of scikit-learn."""
        sparse = estimator.kernel != "precomputed"
        if state is None:
            return check_examples(estimator, X, y, None, sparse=sparse)
        if is_ready(X, state.storage, estimator) and isinstance(y, (list, np.ndarray)):
            labels = as_labels(y)
            plain = labels.shape == X.shape[:1] and labels.dtype.kind != "c"
            if plain and state.table.positions(labels) is not None:
                return X, labels
        return check_examples(estimator, X, y, state.input_storage, sparse=sparse)

    def classes(self, labels: Labels, known: ClassTable | None, announced: ArrayLike | None) -> ClassTable:
        """Return the classes known, announced, and among the labels."""
        table = ClassTable.of(labels[:0]) if known is None else known
        if announced is not None:
            table = table.extended(as_classes(announced))
        return table.extended(labels)

    def parts(self, data: TrainingData, known: ClassTable) -> list[TrainingData]:
        """Cut the next rows of a stream before and after the first row of a class that is not known.

        A class counts from its first row on. The end of the call that brings this row is also when its binary model is
        shown the examples that others have kept, so that calls of any size give the same model.
        """
        first = first_appearances(data.used_labels, known)
        if len(first) == 0:
            return [data]
        first = np.flatnonzero(data.used)[first]
        bounds = sorted({0, *first.tolist(), *(first + 1).tolist(), len(data)})
        return [data.part(slice(start, stop)) for start, stop in pairwise(bounds)]

    def require_enough(self, table: ClassTable) -> None:
        """Raise DataError if there are fewer than two classes."""
        if len(table) < 2:
            found = (
                f"only one class of positive weight, {table.classes.tolist()[0]!r}"
                if len(table)
                else "no row with a weight above zero"
            )
            raise DataError(f"fit needs examples of at least two classes, got {found}; partial_fit may start with one.")

    def targets(self, data: TrainingData, table: ClassTable) -> NDArray[np.int32]:
        """Return class numbers."""
        return data.class_numbers(table)


class _WithoutClasses:
    """Base of the tasks without labels, which the native code treats as models of one class."""

    def classes(
        self,
        labels: Labels,  # noqa: ARG002
        known: ClassTable | None,
        announced: ArrayLike | None,  # noqa: ARG002
    ) -> ClassTable:
        """Return the one class."""
        return ClassTable.of(_ONE_LABEL) if known is None else known

    def parts(self, data: TrainingData, known: ClassTable) -> list[TrainingData]:  # noqa: ARG002
        """Return the data in one part."""
        return [data]

    def require_enough(self, table: ClassTable) -> None:
        """Accept any training set."""


class OneClass(_WithoutClasses):
    """Learning without labels: all rows belong to one class."""

    def check(
        self,
        estimator: KernelEstimator,
        X: MatrixLike,
        y: ArrayLike | None,  # noqa: ARG002
        sample_weight: ArrayLike | None,
        state: State | None,
    ) -> TrainingData:
        """Validate rows."""
        storage = None if state is None else state.storage
        X = check_rows(estimator, X, storage, sparse=estimator.kernel != "precomputed")
        weights = check_weights(sample_weight, X.shape[0])
        labels, costs = np.repeat(_ONE_LABEL, len(weights)), product(weights, estimator._cost)
        return TrainingData(X, labels, weights, costs, _metadata(sample_weight, weights))

    def targets(self, data: TrainingData, table: ClassTable) -> NDArray[np.int32]:
        """Return the class number, the same for each row."""
        return data.class_numbers(table)


class Regression(_WithoutClasses):
    """Regression: real target values."""

    def check(
        self,
        estimator: KernelEstimator,
        X: MatrixLike,
        y: ArrayLike | None,
        sample_weight: ArrayLike | None,
        state: State | None,
    ) -> TrainingData:
        """Validate rows and target values."""
        storage = None if state is None else state.storage
        X, values = check_values(estimator, X, y, storage, sparse=estimator.kernel != "precomputed")
        weights = check_weights(sample_weight, len(values))
        return TrainingData(X, values, weights, product(weights, estimator._cost), _metadata(sample_weight, weights))

    def targets(self, data: TrainingData, table: ClassTable) -> NDArray[np.float64]:  # noqa: ARG002
        """Return the target values."""
        return data.y


def _metadata(sample_weight: ArrayLike | None, weights: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
    return {} if sample_weight is None else {"sample_weight": weights}
