"""What all prepared models have in common: raw rows in, the answers of the model inside out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import csr_matrix, issparse
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from hinge._model.labels import require_unmasked
from hinge.exceptions import DataError
from hinge.io import Rows, Table

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hinge.io import Chunk
    from hinge.tables._preparation import Preparation


class Prepared(BaseEstimator):
    """A model, and what is done to rows of a file before it sees them.

    A class that inherits from it says how the model learns.

    Parameters
    ----------
    model : estimator
        The model.
    preparation : Preparation
        What is done to rows before the model sees them.
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

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return how far examples are on either side; see the model's own method.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix
            Rows as they stand in the file.

        Returns
        -------
        ndarray of shape (n,) or (n, n_classes)
            One value an example, or one value a class where there are more than two.
        """
        check_is_fitted(self)
        decisions: NDArray[np.float64] = self.model.decision_function(self.transform(X))
        return decisions

    def predict(self, X: Any) -> NDArray[Any]:
        """Return what the model says about examples.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix
            Rows as they stand in the file.

        Returns
        -------
        ndarray of shape (n,)
            Labels; of a model of one class +1 for examples that belong to it, -1 for outliers.
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
        require_unmasked(X, "X")
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
