"""The estimator `PreparedDetector`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from sklearn.base import OutlierMixin
from sklearn.utils.validation import check_is_fitted

from hinge.tables._prepared import PreparedScorer

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from hinge.tables._prepared import RawRows


class PreparedDetector(OutlierMixin, PreparedScorer):
    """An outlier detector that takes rows as they are in a file: named columns, categories as text, unscaled features.

    `hinge train --model one-class` creates one from a data file, and `hinge.load` loads it. Its fitted attributes are
    those of its model: `offset_`, `support_vectors_`, `n_seen_` and so on.

    Parameters
    ----------
    model : estimator
        The outlier detector.
    preparation : Preparation
        How rows become features.

    Examples
    --------
    >>> import numpy as np
    >>> from hinge import IncrementalOneClassSVM
    >>> from hinge.tables import Preparation, PreparedDetector, Scaling
    >>> halved = Preparation(n_features=1, scaling=Scaling(factor=np.array([0.5])))
    >>> model = PreparedDetector(IncrementalOneClassSVM(nu=0.2, gamma=1.0), halved)
    >>> model.fit([[0.0], [0.1], [0.2], [0.3], [0.4]]).predict([[0.2], [8.0]]).tolist()
    [1, -1]
    """

    def fit(self, X: RawRows, y: object = None, sample_weight: ArrayLike | None = None) -> Self:  # noqa: ARG002
        """Learn from scratch; the preparation does not change.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix
            Rows as they are in the file: a DataFrame with its columns, or rows of values in the order of its columns,
            without the label.
        y : None
            Ignored; exists for compatibility with scikit-learn.
        sample_weight : array-like of shape (n,), default=None
            Weights; a row of weight 2 counts as two.

        Returns
        -------
        self : object
            The estimator.
        """
        self.model.fit(self.transform(X), sample_weight=sample_weight)
        return self

    def partial_fit(self, X: RawRows, y: object = None, sample_weight: ArrayLike | None = None) -> Self:  # noqa: ARG002
        """Learn more examples, in the given order.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix
            Rows as they are in the file, as in `fit`.
        y : None
            Ignored; exists for compatibility with scikit-learn.
        sample_weight : array-like of shape (n,), default=None
            Weights; a row of weight 2 counts as two.

        Returns
        -------
        self : object
            The estimator.
        """
        self.model.partial_fit(self.transform(X), sample_weight=sample_weight)
        return self

    def score_samples(self, X: RawRows) -> NDArray[np.float64]:
        """Compute how normal examples are, without a threshold.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix
            Rows as they are in the file.

        Returns
        -------
        ndarray of shape (n,)
            `decision_function` plus `offset_`.
        """
        check_is_fitted(self)
        scores: NDArray[np.float64] = self.model.score_samples(self.transform(X))
        return scores
