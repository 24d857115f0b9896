"""The estimator `PreparedRegressor`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from sklearn.base import RegressorMixin

from hinge.tables._prepared import PreparedModel

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from hinge.tables._labels import Labels
    from hinge.tables._preparation import Matrix
    from hinge.tables._prepared import RawRows


class PreparedRegressor(RegressorMixin, PreparedModel):
    """A regressor that takes rows as they are in a file, and learns standardised values.

    `hinge train --task regression` creates one from a data file, and `hinge.load` loads it. Its fitted attributes are
    those of its model.

    Parameters
    ----------
    model : estimator
        The regressor.
    preparation : Preparation
        How rows become features, and how the values to predict are scaled.

    Examples
    --------
    >>> from hinge import ApproximateSVR
    >>> from hinge.tables import Answers, Preparation, PreparedRegressor
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [1000.0, 3000.0, 5000.0, 7000.0]
    >>> scaled = Preparation(n_features=1, answers=Answers.of_values(y))
    >>> model = PreparedRegressor(ApproximateSVR(kernel="linear", C=100.0, epsilon=0.0), scaled).fit(X, y)
    >>> round(float(model.predict([[1.5]])[0]), -2)
    4000.0
    """

    def fit(self, X: RawRows, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Learn from scratch; the preparation does not change.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix
            Rows as they are in the file, without the label.
        y : array-like of shape (n,)
            Values.
        sample_weight : array-like of shape (n,), default=None
            Weights; each multiplies `C` for its row.

        Returns
        -------
        self : object
            The estimator.
        """
        targets = self.preparation.answers.to_targets(y)
        self.model.fit(self.transform(X), targets, sample_weight=sample_weight)
        return self

    def partial_fit(self, X: RawRows, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Learn more examples, in the given order; see `fit`.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix
            Rows.
        y : array-like of shape (n,)
            Values.
        sample_weight : array-like of shape (n,), default=None
            Weights.

        Returns
        -------
        self : object
            The estimator.
        """
        targets = self.preparation.answers.to_targets(y)
        self.model.partial_fit(self.transform(X), targets, sample_weight=sample_weight)
        return self

    def _answer(self, X: Matrix) -> Labels:
        return self.preparation.answers.to_values(super()._answer(X))
