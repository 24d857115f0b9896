"""What the models of this package learn: training sets as `sklearn.svm` accepts them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.validation import check_consistent_length, column_or_1d

from hinge._fit.data import TrainingData
from hinge._fit.tasks import Classification
from hinge._model.labels import ClassTable, as_labels, distinct, require_classes
from hinge._model.overflow import product
from hinge._model.types import is_sparse
from hinge._model.validation import check_rows, check_weights
from hinge.exceptions import DataError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from hinge._fit.estimator import KernelEstimator
    from hinge._model.state import State
    from hinge._model.types import Labels, MatrixLike, Rows
    from hinge.svm._state import SvmState

NO_BOUND = 1e100  # the cost of an example without a bound: C is infinite


@dataclass(frozen=True)
class SvmData(TrainingData):
    """A training set, and what fitted attributes report of it.

    Attributes
    ----------
    labels : ndarray of shape (n_classes,)
        All labels, also those of rows without weight.
    class_weight : ndarray of shape (n_classes,)
        Class weight of each label.
    shape : tuple
        Shape of the training set.
    objects : object
        The examples, if the kernel is a function of the user; X then has its values.
    """

    labels: Labels = ()  # type: ignore[assignment]
    class_weight: NDArray[np.float64] = ()  # type: ignore[assignment]
    shape: tuple[int, ...] = ()
    objects: Any = None


class SvmClassification(Classification):
    """Classification with the weights and kernel functions of `sklearn.svm.SVC`."""

    def check(
        self,
        estimator: KernelEstimator,
        X: MatrixLike,
        y: ArrayLike | None,
        sample_weight: ArrayLike | None,
        state: State | None,
    ) -> TrainingData:
        """Validate rows and labels; rows of zero or negative weight are left out."""
        if callable(estimator.kernel):
            rows, labels = _kernel_matrix(estimator, X), _labels_of_objects(X, y)
        else:
            rows, labels = self._check_rows(estimator, X, y, state)
        weights = svm_weights(sample_weight, len(labels))
        if state is None:
            classes = distinct(labels)
            class_weight = _class_weight(estimator, classes, labels)
        else:
            known = cast("SvmState", state).classes.extended(labels)
            classes, class_weight = known.labels, known.class_weight
        costs = svm_costs(weights, estimator._cost, class_weight[np.searchsorted(classes, labels)])
        return SvmData(
            X=rows.astype(np.float64, copy=False),
            y=labels,
            weights=weights,
            costs=costs,
            metadata={} if sample_weight is None else {"sample_weight": weights},
            labels=classes,
            class_weight=class_weight,
            **_described(X, rows, estimator),
        )


class SvmOneClass:
    """Learning without labels, as examples of class 1 of two classes."""

    def check(
        self,
        estimator: KernelEstimator,
        X: MatrixLike,
        y: ArrayLike | None,  # noqa: ARG002
        sample_weight: ArrayLike | None,
        state: State | None,
    ) -> TrainingData:
        """Validate rows; those of zero or negative weight are left out."""
        if callable(estimator.kernel):
            rows = _kernel_matrix(estimator, X)
        else:
            storage = None if state is None else state.storage
            rows = check_rows(estimator, X, storage, sparse=estimator.kernel != "precomputed")
        weights = svm_weights(sample_weight, rows.shape[0])
        return SvmData(
            X=rows,
            y=np.ones(len(weights), dtype=np.intp),
            weights=weights,
            costs=weights,
            metadata={} if sample_weight is None else {"sample_weight": weights},
            labels=np.arange(2),
            class_weight=np.ones(2),
            **_described(X, rows, estimator),
        )

    def classes(
        self,
        labels: Labels,  # noqa: ARG002
        known: ClassTable | None,
        announced: ArrayLike | None,  # noqa: ARG002
    ) -> ClassTable:
        """Return the two classes."""
        return ClassTable.of(np.arange(2)) if known is None else known

    def parts(self, data: TrainingData, known: ClassTable) -> list[TrainingData]:  # noqa: ARG002
        """Return the data in one part."""
        return [data]

    def require_enough(self, table: ClassTable) -> None:
        """Accept any training set."""

    def targets(self, data: TrainingData, table: ClassTable) -> NDArray[np.int32]:
        """Return class numbers."""
        return data.class_numbers(table)


def svm_weights(sample_weight: ArrayLike | None, n: int) -> NDArray[np.float64]:
    """Return one weight per row; negative ones are zero."""
    if sample_weight is None:
        return np.ones(n)
    return check_weights(np.maximum(np.asarray(sample_weight, dtype=np.float64), 0.0), n)


def svm_costs(weights: NDArray[np.float64], cost: float, factors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the upper bounds of coefficients, which are finite also if the cost is not."""
    costs = np.zeros(len(weights))
    used = weights > 0
    costs[used] = np.clip(product(weights[used], factors[used], cost), 0.0, NO_BOUND)
    return costs


def kernel_values(function: Any, A: Any, B: Any) -> NDArray[np.float64]:
    """Return the values of a kernel function of the user for objects of any type, one row for each of A."""
    values = function(A, B)
    if is_sparse(values):
        values = values.toarray()
    values = np.asarray(values, dtype=np.float64, order="C")
    if values.ndim != 2:
        raise DataError(f"A kernel function must return a matrix, got an array of shape {values.shape}.")
    return values


def _kernel_matrix(estimator: KernelEstimator, X: Any) -> NDArray[np.float64]:
    return kernel_values(estimator.kernel, X, X)


def _labels_of_objects(X: Any, y: Any) -> Labels:
    check_consistent_length(X, y)
    labels = as_labels(column_or_1d(y, warn=True))
    require_classes(labels, "y")
    return labels


def _class_weight(estimator: Any, classes: Labels, labels: Labels) -> NDArray[np.float64]:
    weights: NDArray[np.float64] = compute_class_weight(estimator.class_weight, classes=classes, y=labels)
    return np.asarray(weights, dtype=np.float64)


def _described(X: Any, rows: Rows, estimator: KernelEstimator) -> dict[str, Any]:
    """Return the fields of a training set that depend on whether the kernel is a function; a list has its length."""
    if not callable(estimator.kernel):
        return {"shape": rows.shape}
    return {"shape": tuple(getattr(X, "shape", (rows.shape[0],))), "objects": X}
