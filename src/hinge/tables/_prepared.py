"""The base class of models that take rows as they are in a file."""

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
    from numpy.typing import ArrayLike, NDArray

    from hinge.io import Chunk
    from hinge.streaming import Model
    from hinge.tables._labels import Labels
    from hinge.tables._preparation import Matrix, Preparation
    from hinge.tables._values import Values

RawRows = Any  # a data frame, an array-like or a sparse matrix


class PreparedModel(BaseEstimator):
    """A model with the preparation of its rows; subclasses define how it learns.

    Parameters
    ----------
    model : estimator
        The model.
    preparation : Preparation
        How rows become features.
    """

    def __init__(self, model: Model, preparation: Preparation) -> None:
        self.model = model
        self.preparation = preparation

    def __sklearn_is_fitted__(self) -> bool:
        return bool(self.model.__sklearn_is_fitted__())

    def __getattr__(self, name: str) -> Any:
        # Fitted attributes are the model's. Look in `__dict__`: copies are asked for attributes before they have any.
        if name.endswith("_") and not name.startswith("_") and "model" in self.__dict__:
            return getattr(self.model, name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    @property
    def n_features_in_(self) -> int:
        """The number of columns, without the label."""
        check_is_fitted(self)
        columns = self.preparation.columns
        return self.preparation.n_features if columns is None else len(columns)

    @property
    def feature_names_in_(self) -> NDArray[np.object_]:
        """The names of the columns, if they have names."""
        if self.preparation.columns is None:
            raise AttributeError("The columns have no names.")
        return np.array([column.name for column in self.preparation.columns], dtype=object)

    def predict(self, X: RawRows) -> Labels:
        """Predict examples.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix
            Rows as they are in the file.

        Returns
        -------
        ndarray of shape (n,)
            Labels, or values in the unit of the label; from a one-class model +1 for normal examples and -1 for
            outliers. A classifier with a threshold predicts the second of two classes from this decision value on.
        """
        check_is_fitted(self)
        return self._answer(self.transform(X))

    def _answer(self, X: Matrix) -> Labels:
        """Return the predictions for features."""
        predictions: Labels = self.model.predict(X)
        return predictions

    def transform(self, X: RawRows) -> Matrix:
        """Compute the features that the model sees.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix
            Rows as they are in the file.

        Returns
        -------
        ndarray or CSR matrix of shape (n, n_features)
            Scaled features, with one of 0 and 1 for each category.
        """
        return self.preparation.features(self._to_chunk(X))

    def _to_chunk(self, X: RawRows) -> Chunk:
        require_unmasked(X, "X")
        columns = self.preparation.columns
        if hasattr(X, "columns") and hasattr(X, "__getitem__"):
            return to_table(X)
        if columns is None:
            return _to_rows(X)
        rows = np.asarray(X.toarray() if issparse(X) else X)
        if rows.ndim != 2 or rows.shape[1] != len(columns):
            names = ", ".join(column.name for column in columns)
            raise DataError(f"Rows must have {len(columns)} values ({names}), got an array of shape {rows.shape}.")
        values = rows.astype(object) if rows.dtype.kind in "US" else rows
        named = {column.name: values[:, j] for j, column in enumerate(columns)}
        return Table(named, range(1, len(rows) + 1), named=True)


class PreparedScorer(PreparedModel):
    """A prepared model with decision values: a classifier or a detector."""

    def decision_function(self, X: RawRows) -> NDArray[np.float64]:
        """Compute decision values; see the method of the model.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix
            Rows as they are in the file.

        Returns
        -------
        ndarray of shape (n,) or (n, n_classes)
            One value per example; with more than two classes, one per example and class.
        """
        check_is_fitted(self)
        decisions: NDArray[np.float64] = self.model.decision_function(self.transform(X))
        return decisions


def to_table(frame: RawRows) -> Table:
    """Return the columns of a data frame as a file reader would."""
    names = frame.column_names if hasattr(frame, "column_names") else frame.columns  # of pyarrow; of pandas and polars
    return Table({str(name): _to_array(frame[name]) for name in names}, range(1, len(frame) + 1), named=True)


def _to_rows(X: RawRows) -> Rows:
    if issparse(X):
        return Rows(csr_matrix(X), None, 1)
    X = np.asarray(X)
    if X.ndim != 2 or X.dtype.kind not in "biuf":
        raise DataError(f"X must be a two-dimensional array of numbers, got {X.dtype} of shape {X.shape}.")
    return Rows(X, None, 1)


def _to_array(column: ArrayLike) -> Values:
    """Return a column of a data frame as a file reader would: numbers, or objects if there is text."""
    values = np.asarray(column)
    if values.dtype.kind == "M":  # dates
        return np.datetime_as_string(values, unit="s").astype(object)
    return values if values.dtype.kind in "biuf" else values.astype(object)
