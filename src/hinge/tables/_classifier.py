"""The estimator `PreparedClassifier`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from sklearn.base import ClassifierMixin

from hinge.tables._estimator import Prepared

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


class PreparedClassifier(ClassifierMixin, Prepared):
    """A classifier that takes rows as they stand in a file: columns by name, categories as text, features unscaled.

    `hinge train` makes one of these from a data file; `hinge.load` gives it back. What its model has learned is read as
    from the model itself: `classes_`, `support_vectors_`, `n_seen_` and so on.

    Parameters
    ----------
    model : estimator
        The classifier.
    preparation : Preparation
        What is done to rows before the model sees them.

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

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Learn from nothing, with the preparation as it is.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix
            Rows as they stand in the file: a DataFrame with its columns, or rows in the order of its columns without
            the label.
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
        self, X: Any, y: ArrayLike, classes: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Learn more examples, in the order given.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix
            Rows as they stand in the file: a DataFrame with its columns, or rows in the order of its columns without
            the label.
        y : array-like of shape (n,)
            Labels; new classes may appear at any call.
        classes : array-like of shape (n_classes,), default=None
            Classes to expect, if they are known beforehand.
        sample_weight : array-like of shape (n,), default=None
            Weights; each multiplies `C` for its row.

        Returns
        -------
        self : object
            The estimator.
        """
        self.model.partial_fit(self.transform(X), y, classes=classes, sample_weight=sample_weight)
        return self
