"""The base class of estimators of data frames as they are."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted

from hinge.exceptions import DataError, ParameterError
from hinge.io import Table
from hinge.streaming import Model, traits
from hinge.tables._policies import check_policies
from hinge.tables._prepared import to_table
from hinge.tables._survey import Survey

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from numpy.typing import NDArray

    from hinge.tables._labels import Labels
    from hinge.tables._preparation import Matrix, Preparation
    from hinge.tables._prepared import RawRows


class TableModel(BaseEstimator):
    """An estimator of data frames; subclasses define the task.

    Parameters
    ----------
    model : estimator, default=None
        The model; it is cloned.
    missing, missing_values, unknown, scale, kinds, decimal, day_first
        See `TableClassifier`.
    """

    prepared_: Any  # the trained model with its preparation
    _default: type[Model]

    def __init__(
        self,
        model: Model | None = None,
        *,
        missing: str = "fill",
        missing_values: Collection[str] = (),
        unknown: str = "ignore",
        scale: str = "auto",
        kinds: Mapping[str, str] | None = None,
        decimal: str | None = None,
        day_first: bool | None = None,
    ) -> None:
        self.model = model
        self.missing = missing
        self.missing_values = missing_values
        self.unknown = unknown
        self.scale = scale
        self.kinds = kinds
        self.decimal = decimal
        self.day_first = day_first

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "prepared_")

    @property
    def feature_names_in_(self) -> NDArray[np.object_]:
        """The names of the columns."""
        check_is_fitted(self)
        names: NDArray[np.object_] = self.prepared_.feature_names_in_
        return names

    @property
    def n_features_in_(self) -> int:
        """The number of columns."""
        check_is_fitted(self)
        return int(self.prepared_.n_features_in_)

    def predict(self, X: RawRows) -> Labels:
        """Predict rows.

        Parameters
        ----------
        X : DataFrame
            The rows.

        Returns
        -------
        ndarray of shape (n,)
            Labels or values; from a detector +1 for normal rows and -1 for outliers.
        """
        check_is_fitted(self)
        predictions: Labels = self.prepared_.predict(X)
        return predictions

    def transform(self, X: RawRows) -> Matrix:
        """Compute the features that the model sees.

        Parameters
        ----------
        X : DataFrame
            The rows.

        Returns
        -------
        ndarray or CSR matrix of shape (n, n_features)
            The features.
        """
        check_is_fitted(self)
        return self.prepared_.transform(X)

    def _prepare(self, X: RawRows) -> tuple[Model, Preparation]:
        """Return a new model, and the preparation for the columns of a data frame."""
        check_policies(missing=self.missing, unknown=self.unknown, scale=self.scale, decimal=self.decimal)
        if self.missing == "drop":
            raise ParameterError("missing must be 'error' or 'fill', got 'drop'; drop rows of X and y yourself.")
        if self.model is not None and not hasattr(self.model, "stream_traits"):
            raise ParameterError(f"model must be an estimator of hinge, such as OnlineSVC(), got {self.model!r}.")
        if not hasattr(X, "columns"):
            raise DataError(
                f"X must be a DataFrame, got {type(X).__name__}; arrays of numbers need no {type(self).__name__}."
            )
        table = to_table(X)
        label = "label" + "_" * max((len(name) for name in table.columns), default=0)  # no column has this name
        options: dict[str, Any] = {"kinds": self.kinds, "decimal": self.decimal, "day_first": self.day_first}
        survey = Survey(label=label, missing=self.missing, missing_values=self.missing_values, **options)
        survey.add(Table({**table.columns, label: np.zeros(len(table))}, table.lines, named=True))
        model = self._default() if self.model is None else clone(self.model)
        found = survey.preparation(scale=self.scale, unknown=self.unknown, dtype=traits(model).dtype)
        self.notes_ = survey.notes
        return model, replace(found, label=None, names=tuple(table.columns), label_kind="text")


class TableScorer(TableModel):
    """A table model with decision values: a classifier or a detector."""

    def decision_function(self, X: RawRows) -> NDArray[np.float64]:
        """Compute decision values.

        Parameters
        ----------
        X : DataFrame
            The rows.

        Returns
        -------
        ndarray of shape (n,) or (n, n_classes)
            One value per row; with more than two classes, one per row and class.
        """
        check_is_fitted(self)
        decisions: NDArray[np.float64] = self.prepared_.decision_function(X)
        return decisions
