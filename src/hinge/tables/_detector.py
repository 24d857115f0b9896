"""The estimator `PreparedDetector`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from sklearn.base import OutlierMixin
from sklearn.utils.validation import check_is_fitted

from hinge.tables._estimator import Prepared

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray


class PreparedDetector(OutlierMixin, Prepared):
    """A model of one class that takes rows as they stand in a file: columns by name, categories as text, unscaled.

    `hinge train --model one-class` makes one of these from a data file; `hinge.load` gives it back. What its model has
    learned is read as from the model itself: `offset_`, `support_vectors_`, `n_seen_` and so on.

    Parameters
    ----------
    model : estimator
        The outlier detector.
    preparation : Preparation
        What is done to rows before the model sees them.

    Examples
    --------
    >>> import numpy as np
    >>> from hinge import IncrementalOneClassSVM
    >>> from hinge.tables import Preparation, Scaling
    >>> from hinge.tables import PreparedDetector
    >>> halved = Preparation(n_features=1, scaling=Scaling(factor=np.array([0.5])))
    >>> model = PreparedDetector(IncrementalOneClassSVM(nu=0.2, gamma=1.0), halved)
    >>> model.fit([[0.0], [0.1], [0.2], [0.3], [0.4]]).predict([[0.2], [8.0]]).tolist()
    [1, -1]
    """

    def fit(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Self:  # noqa: ARG002
        """Learn from nothing, with the preparation as it is.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix
            Rows as they stand in the file: a DataFrame with its columns, or rows in the order of its columns without
            the label.
        y : None
            Not used; it is there because scikit-learn gives it to all estimators.
        sample_weight : array-like of shape (n,), default=None
            Weights; a row of weight 2 counts as two.

        Returns
        -------
        self : object
            The estimator.
        """
        self.model.fit(self.transform(X), sample_weight=sample_weight)
        return self

    def partial_fit(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Self:  # noqa: ARG002
        """Learn more examples, in the order given.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix
            Rows as they stand in the file, as in `fit`.
        y : None
            Not used; it is there because scikit-learn gives it to all estimators.
        sample_weight : array-like of shape (n,), default=None
            Weights; a row of weight 2 counts as two.

        Returns
        -------
        self : object
            The estimator.
        """
        self.model.partial_fit(self.transform(X), sample_weight=sample_weight)
        return self

    def score_samples(self, X: Any) -> NDArray[np.float64]:
        """Return how well examples belong to those learned, without a threshold.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix
            Rows as they stand in the file.

        Returns
        -------
        ndarray of shape (n,)
            `decision_function` plus `offset_`.
        """
        check_is_fitted(self)
        scores: NDArray[np.float64] = self.model.score_samples(self.transform(X))
        return scores
