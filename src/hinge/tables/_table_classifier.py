"""The estimator `TableClassifier`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.validation import check_is_fitted

from hinge.exceptions import DataError
from hinge.io import Table
from hinge.online import OnlineSVC
from hinge.streaming import Model, traits
from hinge.tables._classifier import PreparedClassifier
from hinge.tables._policies import check_policies
from hinge.tables._prepared import to_table
from hinge.tables._survey import Survey

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike, NDArray

    from hinge.tables._labels import Labels
    from hinge.tables._preparation import Matrix
    from hinge.tables._prepared import RawRows


class TableClassifier(ClassifierMixin, BaseEstimator):
    """A classifier of data frames as they are: numbers, categories, booleans, dates, sentences and ids.

    It finds out what the columns hold as `hinge train` does, and learns the features that they become.

    Parameters
    ----------
    model : estimator, default=None
        The classifier; it is cloned. None: `OnlineSVC()`.
    missing : {"error", "fill"}, default="fill"
        How missing values are handled: raise an error, or fill in the mean of numbers and an extra category of texts.
    unknown : {"error", "ignore"}, default="ignore"
        How categories are handled that did not occur in training.
    scale : {"auto", "standard", "largest", "none"}, default="auto"
        How features are scaled.
    kinds : mapping from str to str, default=None
        The kinds of columns for which the guess is wrong: "number", "category", "boolean", "date", "text" or "id".
    decimal : {".", ","}, default=None
        The decimal sign of texts such as "1,234" that leave a choice.
    day_first : bool, default=None
        Whether "01/02/2024" is in February, if a column leaves a choice.

    Attributes
    ----------
    prepared_ : PreparedClassifier
        The trained model with its preparation, for `hinge.save` and the command line.
    classes_ : ndarray
        The classes.
    notes_ : list of str
        What to know about how columns were read.

    Examples
    --------
    >>> import pandas as pd
    >>> from hinge.tables import TableClassifier
    >>> X = pd.DataFrame({"price": ["1,200.50 $", "90.00 $", "1,100.00 $", "85.25 $"], "new": ["yes", "no"] * 2})
    >>> TableClassifier().fit(X, ["dear", "cheap"] * 2).predict(X).tolist()
    ['dear', 'cheap', 'dear', 'cheap']
    """

    def __init__(
        self,
        model: Model | None = None,
        *,
        missing: str = "fill",
        unknown: str = "ignore",
        scale: str = "auto",
        kinds: Mapping[str, str] | None = None,
        decimal: str | None = None,
        day_first: bool | None = None,
    ) -> None:
        self.model = model
        self.missing = missing
        self.unknown = unknown
        self.scale = scale
        self.kinds = kinds
        self.decimal = decimal
        self.day_first = day_first

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "prepared_")

    @property
    def classes_(self) -> Labels:
        """The classes."""
        check_is_fitted(self)
        classes: Labels = self.prepared_.classes_
        return classes

    @property
    def feature_names_in_(self) -> NDArray[np.object_]:
        """The names of the columns."""
        check_is_fitted(self)
        return self.prepared_.feature_names_in_

    @property
    def n_features_in_(self) -> int:
        """The number of columns."""
        check_is_fitted(self)
        return self.prepared_.n_features_in_

    def fit(self, X: RawRows, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Find out what the columns hold, and learn from scratch.

        Parameters
        ----------
        X : DataFrame
            The rows, without the label.
        y : array-like of shape (n,)
            Labels.
        sample_weight : array-like of shape (n,), default=None
            Weights; each multiplies `C` for its row.

        Returns
        -------
        self : object
            The estimator.
        """
        prepared = self._prepare(X)
        prepared.fit(X, y, sample_weight=sample_weight)
        self.prepared_ = prepared
        return self

    def partial_fit(
        self, X: RawRows, y: ArrayLike, classes: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Learn more rows; those of the first call decide what the columns hold.

        Parameters
        ----------
        X : DataFrame
            The rows, without the label.
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
        prepared = self.prepared_ if self.__sklearn_is_fitted__() else self._prepare(X)
        prepared.partial_fit(X, y, classes=classes, sample_weight=sample_weight)
        self.prepared_ = prepared
        return self

    def predict(self, X: RawRows) -> Labels:
        """Predict the classes of rows.

        Parameters
        ----------
        X : DataFrame
            The rows.

        Returns
        -------
        ndarray of shape (n,)
            Labels.
        """
        check_is_fitted(self)
        return self.prepared_.predict(X)

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
        return self.prepared_.decision_function(X)

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

    def _prepare(self, X: RawRows) -> PreparedClassifier:
        """Return a new model with the preparation for the columns of a data frame."""
        check_policies(missing=self.missing, unknown=self.unknown, scale=self.scale, decimal=self.decimal)
        if not hasattr(X, "columns"):
            raise DataError(
                f"X must be a DataFrame, got {type(X).__name__}; arrays of numbers need no TableClassifier."
            )
        table = to_table(X)
        label = "label" + "_" * max((len(name) for name in table.columns), default=0)  # no column has this name
        options: dict[str, Any] = {"kinds": self.kinds, "decimal": self.decimal, "day_first": self.day_first}
        survey = Survey(label=label, missing=self.missing, **options)
        survey.add(Table({**table.columns, label: np.zeros(len(table))}, table.lines, named=True))
        model = OnlineSVC() if self.model is None else clone(self.model)
        found = survey.preparation(scale=self.scale, unknown=self.unknown, dtype=traits(model).dtype)
        self.notes_ = survey.notes
        return PreparedClassifier(model, replace(found, label=None, names=tuple(table.columns), label_kind="text"))
