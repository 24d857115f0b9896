"""The estimator `PreparedClassifier`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from sklearn.base import ClassifierMixin

from hinge.tables._prepared import PreparedScorer
from hinge.tables._probabilities import ClassProbabilities

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from hinge.streaming import Model
    from hinge.tables._labels import Labels
    from hinge.tables._preparation import Matrix
    from hinge.tables._prepared import RawRows


class PreparedClassifier(ClassifierMixin, ClassProbabilities, PreparedScorer):
    """A classifier that takes rows as they are in a file: named columns, categories as text, unscaled features.

    `hinge train` creates one from a data file, and `hinge.load` loads it. Its fitted attributes are those of its model:
    `classes_`, `support_vectors_`, `n_seen_` and so on.

    Parameters
    ----------
    model : estimator
        The classifier.
    preparation : Preparation
        How rows become features.

    Examples
    --------
    >>> import numpy as np
    >>> from hinge import OnlineSVC, PreparedClassifier
    >>> from hinge.tables import Preparation, Scaling
    >>> halved = Preparation(n_features=2, scaling=Scaling(factor=np.array([0.5, 0.5])))
    >>> model = PreparedClassifier(OnlineSVC(), halved)
    >>> model.partial_fit([[0.0, 0.0], [4.0, 4.0]], ["low", "high"]).predict([[3.0, 4.0]]).tolist()
    ['high']
    >>> model.support_vectors_.tolist()
    [[2.0, 2.0], [0.0, 0.0]]
    """

    def fit(self, X: RawRows, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Learn from scratch; the preparation does not change.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix
            Rows as they are in the file: a DataFrame with its columns, or rows of values in the order of its columns,
            without the label.
        y : array-like of shape (n,)
            Labels.
        sample_weight : array-like of shape (n,), default=None
            Weights; each multiplies `C` for its row.

        Returns
        -------
        self : object
            The estimator.
        """
        self.model.fit(self.transform(X), y, sample_weight=sample_weight)
        return self

    def partial_fit(
        self, X: RawRows, y: ArrayLike, classes: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Learn more examples, in the given order.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix
            Rows as they are in the file: a DataFrame with its columns, or rows of values in the order of its columns,
            without the label.
        y : array-like of shape (n,)
            Labels; new classes may appear at any call.
        classes : array-like of shape (n_classes,), default=None
            All classes, if they are known in advance.
        sample_weight : array-like of shape (n,), default=None
            Weights; each multiplies `C` for its row.

        Returns
        -------
        self : object
            The estimator.
        """
        self.model.partial_fit(self.transform(X), y, classes=classes, sample_weight=sample_weight)
        return self

    def _classifier(self) -> Model:
        return self.model

    def _probabilities(self, X: RawRows) -> NDArray[np.float64]:
        probabilities: NDArray[np.float64] = self.model.predict_proba(self.transform(X))
        return probabilities

    def _answer(self, X: Matrix) -> Labels:
        answers = self.preparation.answers
        if answers.threshold == 0.0:
            return super()._answer(X)
        return answers.choose(self.classes_, self.model.decision_function(X))
