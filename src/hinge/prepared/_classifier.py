"""The estimator `PreparedClassifier`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from scipy.sparse import csr_matrix, issparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from hinge._errors import DataError
from hinge.io import Rows, Table

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from hinge.io import Chunk
    from hinge.preparation import Preparation


class PreparedClassifier(ClassifierMixin, BaseEstimator):
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
    >>> from hinge.preparation import Preparation, Scaling
    >>> halved = Preparation(n_features=2, scaling=Scaling(factor=np.array([0.5, 0.5])))
    >>> model = PreparedClassifier(OnlineSVC(), halved)
    >>> model.partial_fit([[0.0, 0.0], [4.0, 4.0]], ["low", "high"]).predict([[3.0, 4.0]]).tolist()
    ['high']
    >>> model.support_vectors_.tolist()
    [[2.0, 2.0], [0.0, 0.0]]
    """

    def __init__(self, model: Any, preparation: Preparation) -> None:
        self.model = model
        self.preparation = preparation

    def __sklearn_is_fitted__(self) -> bool:
        return bool(self.model.__sklearn_is_fitted__())

    def __getattr__(self, name: str) -> Any:
        # Fitted attributes are the model's; `__dict__`, because copies are asked for attributes before they have any.
        if name.endswith("_") and not name.startswith("_") and "model" in self.__dict__:
            return getattr(self.model, name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    @property
    def n_features_in_(self) -> int:
        """The number of columns that rows have, without the label."""
        check_is_fitted(self)
        columns = self.preparation.columns
        return self.preparation.n_features if columns is None else len(columns)

    @property
    def feature_names_in_(self) -> NDArray[Any]:
        """The names of these columns, if they have names."""
        if self.preparation.columns is None:
            raise AttributeError("The columns have no names.")
        return np.array([column.name for column in self.preparation.columns], dtype=object)

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

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return how far examples are on either side; see the model's own method.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix
            Rows as they stand in the file.

        Returns
        -------
        ndarray of shape (n,) or (n, n_classes)
            With two classes one value an example, positive for `classes_[1]`; with more, one value a class.
        """
        check_is_fitted(self)
        decisions: NDArray[np.float64] = self.model.decision_function(self.transform(X))
        return decisions

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the most likely class of examples.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix
            Rows as they stand in the file.

        Returns
        -------
        ndarray of shape (n,)
            Labels.
        """
        check_is_fitted(self)
        chosen: NDArray[Any] = self.model.predict(self.transform(X))
        return chosen

    def transform(self, X: Any) -> Any:
        """Return the features that the model sees.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix
            Rows as they stand in the file.

        Returns
        -------
        ndarray or CSR matrix of shape (n, n_features)
            Categories are features of 0 and 1, and everything is scaled.
        """
        return self.preparation.features(self._chunk(X))

    def _chunk(self, X: Any) -> Chunk:
        columns = self.preparation.columns
        if hasattr(X, "columns") and hasattr(X, "__getitem__"):
            return Table({str(name): _raw(X[name]) for name in X.columns}, range(1, len(X) + 1), named=True)
        if columns is None:
            return self._rows(X)
        rows = np.asarray(X.toarray() if issparse(X) else X)
        if rows.ndim != 2 or rows.shape[1] != len(columns):
            names = ", ".join(column.name for column in columns)
            raise DataError(f"Rows must have {len(columns)} values ({names}), got an array of shape {rows.shape}.")
        values = rows.astype(object) if rows.dtype.kind in "US" else rows
        named = {column.name: values[:, j] for j, column in enumerate(columns)}
        return Table(named, range(1, len(rows) + 1), named=True)

    def _rows(self, X: Any) -> Rows:
        if not issparse(X):
            X = np.asarray(X)
            if X.ndim != 2 or X.dtype.kind not in "biuf":
                raise DataError(f"X must be a table of numbers with two dimensions, got {X.dtype} of shape {X.shape}.")
            return Rows(X, None, 1)
        return Rows(csr_matrix(X), None, 1)


def _raw(column: Any) -> NDArray[Any]:
    """Return a column of a data frame as it would come from a file: numbers, or objects where there are texts."""
    values = np.asarray(column)
    return values if values.dtype.kind in "biuf" else values.astype(object)
