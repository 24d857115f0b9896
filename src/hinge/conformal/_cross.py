"""The estimator `CrossConformalClassifier`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import check_cv
from sklearn.utils import _safe_indexing

from hinge.conformal._base import ConformalWrapper, require_as_many
from hinge.conformal._scores import label_margins, ranks

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from hinge._model.types import MatrixLike


class CrossConformalClassifier(ConformalWrapper):
    """Prediction sets around any classifier from cross-validation: no rows are set aside for good.

    Each row gets a score by the estimator of a fold that has not learned it, and a new row is ranked among the rows of
    every fold by the estimator of that fold (Vovk's cross-conformal predictors). Sets miss the true label with a
    probability of about `alpha`; the proven limit is twice that.

    Parameters
    ----------
    estimator : estimator
        Classifier with `decision_function` (one value per class) or `predict_proba`.
    alpha : float, default=0.1
        Share of errors that prediction sets may make.
    mondrian : bool, default=False
        Rank a row among the rows of the candidate label only.
    cv : int or cross-validation generator, default=5
        Folds, as in scikit-learn; every row must be in one test fold.

    Attributes
    ----------
    estimator_ : estimator
        Fitted to all rows; answers `predict`.
    estimators_ : list
        One per fold.
    classes_ : ndarray of shape (n_classes,)
        Labels.
    scores_ : ndarray of shape (n,)
        Scores of the rows.
    labels_ : ndarray of shape (n,)
        Their labels.
    folds_ : ndarray of shape (n,)
        Their folds.

    See Also
    --------
    ConformalSVC : The exact limit, one fold per row, without a fit for each.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from hinge import OnlineSVC
    >>> from hinge.conformal import CrossConformalClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = CrossConformalClassifier(OnlineSVC(C=10, gamma=0.3)).fit(X, y)
    >>> model.predict_set(X[:1]).tolist()
    [[True, False, False]]
    """

    def __init__(self, estimator: Any, *, alpha: float = 0.1, mondrian: bool = False, cv: Any = 5) -> None:
        self.estimator = estimator
        self.alpha = alpha
        self.mondrian = mondrian
        self.cv = cv

    def fit(self, X: MatrixLike, y: ArrayLike) -> Self:
        """Fit one copy of the estimator per fold, and one to all rows.

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
        labels = np.asarray(y)
        folds, scores, estimators = np.full(len(labels), -1), np.empty(len(labels)), []
        for fold, (train, test) in enumerate(check_cv(self.cv, labels, classifier=True).split(X, labels)):
            estimator = clone(self.estimator).fit(_safe_indexing(X, train), labels[train])
            margins = label_margins(estimator, _safe_indexing(X, test))
            scores[test] = self._own_scores(margins, labels[test], estimator.classes_)
            folds[test] = fold
            estimators.append(estimator)
        used = folds >= 0
        self.estimators_ = estimators
        self.estimator_ = clone(self.estimator).fit(X, labels)
        self.classes_ = self.estimator_.classes_
        self.folds_, self.labels_, self.scores_ = folds[used], labels[used], scores[used]
        return self

    def predict(self, X: MatrixLike) -> Any:
        """Predict one label per row, as the estimator that learned all rows does.

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
        folds = [self._fold_counts(fold, label_margins(each, X)) for fold, each in enumerate(self.estimators_)]
        return np.asarray(sum(folds))

    def _fold_counts(self, fold: int, margins: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the counts among the rows of one fold."""
        counts, known = [], self.estimators_[fold].classes_
        for label in self.classes_:
            among = (self.folds_ == fold) & ((self.labels_ == label) | (not self.mondrian))
            scores = self._own_scores(margins, np.full(len(margins), label), known)
            counts.append(ranks(scores, self.scores_[among]))
        return np.column_stack(counts)
