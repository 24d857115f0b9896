"""What is learned: classes, the region of one class, or real values.

A task checks what the user gives, encodes the targets for the native code and says which classes there are. It knows
nothing of solvers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from hinge._fit.data import TrainingData
from hinge._model.labels import ClassTable, as_classes, as_labels, class_factors
from hinge._model.overflow import product
from hinge._model.validation import Rows, check_examples, check_rows, check_values, check_weights, is_ready
from hinge.exceptions import DataError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from hinge._fit.estimator import KernelEstimator
    from hinge._model.state import State


_ONE_LABEL = np.zeros(1, dtype=np.int64)


class Task(Protocol):
    """What every task offers."""

    def check(
        self, estimator: KernelEstimator, X: Any, y: Any, sample_weight: ArrayLike | None, state: State | None
    ) -> TrainingData:
        """Return checked training data.

        `state` is what the model knows already; without one, the number and names of the features of `estimator` are
        set.
        """

    def classes(self, data: TrainingData, known: ClassTable | None, announced: ArrayLike | None) -> ClassTable:
        """Return all classes: known ones, those that the user announces, and those in the data."""

    def require_enough(self, table: ClassTable) -> None:
        """Raise DataError if a whole training set does not hold what `fit` needs."""

    def targets(self, data: TrainingData, table: ClassTable) -> NDArray[Any]:
        """Return the targets as the native code takes them."""


@dataclass(frozen=True)
class Classification:
    """Labels of any type.

    Attributes
    ----------
    double : bool
        Keep all rows in double precision, whatever the precision of the input.
    """

    double: bool = False

    def check(
        self, estimator: KernelEstimator, X: Any, y: Any, sample_weight: ArrayLike | None, state: State | None
    ) -> TrainingData:
        """Return checked rows and labels, weighted by class."""
        X, y = self._check_rows(estimator, X, y, state)
        X = X.astype(np.float64, copy=False) if self.double else X
        weights = check_weights(sample_weight, len(y))
        costs = product(weights, estimator._cost, class_factors(estimator.class_weight, y, weights))
        return TrainingData(X, y, weights, costs, _metadata(sample_weight, weights))

    def _check_rows(self, estimator: KernelEstimator, X: Any, y: Any, state: State | None) -> tuple[Rows, NDArray[Any]]:
        """Check rows and labels; ready rows with known labels skip scikit-learn's checks, which take longer."""
        sparse = estimator.kernel != "precomputed"
        if state is None:
            return check_examples(estimator, X, y, None, sparse=sparse)
        if is_ready(X, state.storage, estimator) and isinstance(y, (list, np.ndarray)):
            labels = as_labels(y)
            plain = labels.shape == X.shape[:1] and labels.dtype.kind != "c"
            if plain and state.table.positions(labels) is not None:
                return X, labels
        return check_examples(estimator, X, y, state.storage, sparse=sparse)

    def classes(self, data: TrainingData, known: ClassTable | None, announced: ArrayLike | None) -> ClassTable:
        """Return the known classes, the announced ones and those in the data."""
        table = ClassTable.of(data.y[:0]) if known is None else known
        if announced is not None:
            table = table.extended(as_classes(announced))
        return table.extended(data.y[data.used])

    def require_enough(self, table: ClassTable) -> None:
        """Raise DataError if there are fewer than two classes."""
        if len(table) < 2:
            raise DataError(
                "fit needs examples of at least two classes, got only one class of positive weight, "
                f"{table.classes.tolist()[0]!r}; partial_fit may start with one."
            )

    def targets(self, data: TrainingData, table: ClassTable) -> NDArray[np.int32]:
        """Return class numbers."""
        return data.class_numbers(table)


class OneClass:
    """Rows without labels, all of the same class."""

    def check(
        self,
        estimator: KernelEstimator,
        X: Any,
        y: Any,  # noqa: ARG002
        sample_weight: ArrayLike | None,
        state: State | None,
    ) -> TrainingData:
        """Return checked rows."""
        storage = None if state is None else state.storage
        X = check_rows(estimator, X, storage, sparse=estimator.kernel != "precomputed")
        weights = check_weights(sample_weight, X.shape[0])
        labels, costs = np.repeat(_ONE_LABEL, len(weights)), product(weights, estimator._cost)
        return TrainingData(X, labels, weights, costs, _metadata(sample_weight, weights))

    def classes(
        self,
        data: TrainingData,  # noqa: ARG002
        known: ClassTable | None,
        announced: ArrayLike | None,  # noqa: ARG002
    ) -> ClassTable:
        """Return the one class."""
        return ClassTable.of(_ONE_LABEL) if known is None else known

    def require_enough(self, table: ClassTable) -> None:
        """Accept any training set."""

    def targets(self, data: TrainingData, table: ClassTable) -> NDArray[np.int32]:
        """Return the number of the one class for each row."""
        return data.class_numbers(table)


class Regression:
    """Real values."""

    def check(
        self, estimator: KernelEstimator, X: Any, y: Any, sample_weight: ArrayLike | None, state: State | None
    ) -> TrainingData:
        """Return checked rows and values."""
        storage = None if state is None else state.storage
        X, values = check_values(estimator, X, y, storage, sparse=estimator.kernel != "precomputed")
        weights = check_weights(sample_weight, len(values))
        return TrainingData(X, values, weights, product(weights, estimator._cost), _metadata(sample_weight, weights))

    def classes(
        self,
        data: TrainingData,  # noqa: ARG002
        known: ClassTable | None,
        announced: ArrayLike | None,  # noqa: ARG002
    ) -> ClassTable:
        """Return one class: natively a regression is a model of one class."""
        return ClassTable.of(_ONE_LABEL) if known is None else known

    def require_enough(self, table: ClassTable) -> None:
        """Accept any training set."""

    def targets(self, data: TrainingData, table: ClassTable) -> NDArray[np.float64]:  # noqa: ARG002
        """Return the values."""
        return data.y


def _metadata(sample_weight: ArrayLike | None, weights: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
    return {} if sample_weight is None else {"sample_weight": weights}
