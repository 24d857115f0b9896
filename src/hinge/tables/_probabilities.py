"""Probabilities of classifiers of rows as they are."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from hinge._model.types import available_if

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hinge.tables._prepared import RawRows


def _has_probabilities(rows: ClassProbabilities) -> bool:
    return hasattr(rows._classifier(), "predict_proba")


class ClassProbabilities:
    """The methods of a classifier that has another one which knows probabilities, if that has a `calibration`."""

    @available_if(_has_probabilities)
    def predict_proba(self, X: RawRows) -> NDArray[np.float64]:
        """Predict the probability of each class; only if the model has a `calibration`.

        A threshold of `hinge train` changes what is predicted, not these.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix
            Rows as they are, without the label.

        Returns
        -------
        ndarray of shape (n, n_classes)
            Probabilities, in the order of `classes_`; each row sums to one.
        """
        check_is_fitted(self)
        return self._probabilities(X)

    @available_if(_has_probabilities)
    def predict_log_proba(self, X: RawRows) -> NDArray[np.float64]:
        """Predict the logarithm of the probability of each class; see `predict_proba`.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix
            Rows as they are, without the label.

        Returns
        -------
        ndarray of shape (n, n_classes)
            Logarithms of probabilities, in the order of `classes_`.
        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    @abstractmethod
    def _classifier(self) -> Any:
        """Return the classifier that tells whether there are probabilities."""

    @abstractmethod
    def _probabilities(self, X: RawRows) -> NDArray[np.float64]:
        """Return the probabilities for rows."""
