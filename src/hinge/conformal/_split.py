"""The estimator `SplitConformalClassifier`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import train_test_split

from hinge.conformal._base import ConformalWrapper, require_as_many
from hinge.conformal._scores import label_margins, ranks

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from hinge._model.types import MatrixLike, RandomStateLike


class SplitConformalClassifier(ConformalWrapper):
    """Prediction sets with a guarantee around any classifier, from rows that it has not learned.

    `fit` sets some rows aside. Alternatively, give a fitted estimator and rows that it does not know to `conformalize`.
    A label's p-value is the share of these rows whose own label fits no better: the margin of their label in decision
    values, or else in probabilities, is as small or smaller.

    Parameters
    ----------
    estimator : estimator
        Classifier with `decision_function` (one value per class) or `predict_proba`.
    alpha : float, default=0.1
        Share of errors that prediction sets may make.
    mondrian : bool, default=False
        Rank a row among the calibration rows of the candidate label only: the guarantee then holds within each class.
    calibration_size : float, default=0.25
        Share of the rows that `fit` sets aside.
    random_state : int, RandomState instance or None, default=None
        Decides which rows are set aside.

    Attributes
    ----------
    estimator_ : estimator
        The fitted estimator.
    classes_ : ndarray of shape (n_classes,)
        Labels.
    scores_ : ndarray of shape (n_calibration,)
        Scores of the calibration rows.
    labels_ : ndarray of shape (n_calibration,)
        Their labels.

    See Also
    --------
    ConformalSVC : Sets nothing aside.
    CrossConformalClassifier : Every row is used for both, at the price of several fits.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from hinge import OnlineSVC
    >>> from hinge.conformal import SplitConformalClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = SplitConformalClassifier(OnlineSVC(C=10, gamma=0.3), random_state=0).fit(X, y)
    >>> model.predict_set(X[:1]).tolist()
    [[True, False, False]]
    """

    def __init__(
        self,
        estimator: Any,
        *,
        alpha: float = 0.1,
        mondrian: bool = False,
        calibration_size: float = 0.25,
        random_state: RandomStateLike = None,
    ) -> None:
        self.estimator = estimator
        self.alpha = alpha
        self.mondrian = mondrian
        self.calibration_size = calibration_size
        self.random_state = random_state

    def fit(self, X: MatrixLike, y: ArrayLike) -> Self:
        """Fit a copy of the estimator to some of the rows, and keep the scores of the others.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, n_features)
            Training rows.
        y : array-like of shape (n,)
            Labels.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        require_as_many(X, y)
        X, X_set_aside, y, y_set_aside = train_test_split(
            X, np.asarray(y), test_size=self.calibration_size, random_state=self.random_state
        )
        return self._conformalize(clone(self.estimator).fit(X, y), X_set_aside, y_set_aside)

    def conformalize(self, X: MatrixLike, y: ArrayLike) -> Self:
        """Keep the scores of rows that the estimator, which is fitted, does not know.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, n_features)
            Calibration rows.
        y : array-like of shape (n,)
            Their labels.

        Returns
        -------
        self : object
            The estimator.
        """
        require_as_many(X, y)
        return self._conformalize(self.estimator, X, np.asarray(y))

    def _conformalize(self, estimator: Any, X: MatrixLike, y: NDArray[Any]) -> Self:
        self.estimator_ = estimator
        self.classes_ = estimator.classes_
        self.scores_ = self._own_scores(label_margins(estimator, X), y, self.classes_)
        self.labels_ = y
        return self

    def predict(self, X: MatrixLike) -> Any:
        """Predict one label per row, as the estimator does.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n,)
            Labels.
        """
        return self.estimator_.predict(X)

    def _counts(self, X: MatrixLike) -> NDArray[np.int64]:
        scores = label_margins(self.estimator_, X)
        if not self.mondrian:
            return ranks(scores, self.scores_)
        columns = [ranks(scores[:, c], self.scores_[self.labels_ == label]) for c, label in enumerate(self.classes_)]
        return np.column_stack(columns)
