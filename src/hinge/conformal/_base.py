"""What prediction sets around other estimators have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin
from sklearn.utils.validation import _num_samples, check_is_fitted

from hinge.conformal._ranks import check_alpha
from hinge.exceptions import DataError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from hinge._model.types import Labels, MatrixLike


class ConformalWrapper(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """Prediction sets from ranks of scores; subclasses count the ranks."""

    estimator: Any
    alpha: float
    mondrian: bool
    classes_: Labels

    def predict_set(self, X: MatrixLike, alpha: float | None = None) -> NDArray[np.bool_]:
        """Return the labels that a row may have.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, n_features)
            Rows.
        alpha : float, default=None
            Share of errors allowed; None means the parameter of that name.

        Returns
        -------
        ndarray of shape (n, n_classes)
            True for the labels in the set of a row, in the order of `classes_`.
        """
        allowed = check_alpha(self.alpha if alpha is None else alpha)
        return self.p_values(X) > allowed

    def p_values(self, X: MatrixLike) -> NDArray[np.float64]:
        """Compute the p-value of each label for each row.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n, n_classes)
            p-values, in the order of `classes_`.
        """
        check_is_fitted(self, "scores_")
        below = self._counts(X)
        places = np.searchsorted(self.classes_, self.labels_)
        among = np.bincount(places, minlength=len(self.classes_)) if self.mondrian else np.array([places.size])
        return (below + 1) / (among + 1)

    def _counts(self, X: MatrixLike) -> NDArray[np.int64]:
        """Return for each row and class how many scores are at most as large; those of the class if `mondrian`."""
        raise NotImplementedError

    def _own_scores(self, scores: NDArray[np.float64], y: ArrayLike, classes: Labels) -> NDArray[np.float64]:
        """Return the score of the label of each row; a class that the estimator does not know fits worst."""
        labels = np.asarray(y)
        places = np.clip(np.searchsorted(classes, labels), 0, len(classes) - 1)
        own = np.take_along_axis(scores, places[:, None], axis=1)[:, 0]
        return np.where(classes[places] == labels, own, -np.inf)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "scores_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def require_as_many(X: MatrixLike, y: ArrayLike) -> None:
    """Raise DataError unless there is one label per row."""
    rows, labels = _num_samples(X), _num_samples(y)
    if rows != labels:
        raise DataError(f"There must be one label per row, got {labels} for {rows} rows.")
