"""The estimators `TableClassifier`, `TableRegressor` and `TableDetector`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

from sklearn.base import ClassifierMixin, OutlierMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from hinge.approximate import ApproximateSVR
from hinge.incremental import IncrementalOneClassSVM
from hinge.online import OnlineSVC
from hinge.tables._answers import Answers
from hinge.tables._classifier import PreparedClassifier
from hinge.tables._detector import PreparedDetector
from hinge.tables._one_class import OneClassPreparation
from hinge.tables._probabilities import ClassProbabilities
from hinge.tables._regressor import PreparedRegressor
from hinge.tables._table_model import TableModel, TableScorer

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from hinge.tables._labels import Labels
    from hinge.tables._prepared import RawRows


class TableClassifier(ClassifierMixin, ClassProbabilities, TableScorer):
    """A classifier of data frames as they are: numbers, categories, booleans, dates, sentences and ids.

    It finds out what the columns hold as `hinge train` does, and learns the features that they become. Frames of
    pandas, polars and pyarrow will do. `hinge.save` writes what it has learned, and `hinge.load` reads that as a
    `PreparedClassifier`, which takes the same frames and continues learning.

    Parameters
    ----------
    model : estimator, default=None
        The classifier; it is cloned. None: `OnlineSVC()`.
    missing : {"error", "fill"}, default="fill"
        How missing values are handled: raise an error, or fill in the mean of numbers and an extra category of texts.
    missing_values : collection of str or number, default=()
        Words and numbers that stand for a missing value besides the usual ones, such as "ERR" and -999.
    unknown : {"error", "ignore"}, default="ignore"
        How categories are handled that did not occur in training.
    scale : {"auto", "standard", "largest", "range", "none"}, default="auto"
        How features are scaled.
    kinds : mapping from str to str, default=None
        The kinds of columns for which the guess is wrong: "number", "category", "boolean", "date", "text" or "id". In
        a name, `*` stands for any characters.
    decimal : {".", ","}, default=None
        The decimal sign of texts such as "1,234" that leave a choice.
    day_first : bool, default=None
        Whether "01/02/2024" is in February, if a column leaves a choice.

    Attributes
    ----------
    prepared_ : PreparedClassifier
        The trained model with its preparation.
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

    _default = OnlineSVC

    @property
    def classes_(self) -> Labels:
        """The classes."""
        check_is_fitted(self)
        classes: Labels = self.prepared_.classes_
        return classes

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
        self.prepared_ = PreparedClassifier(*self._prepare(X)).fit(X, y, sample_weight=sample_weight)
        return self

    def partial_fit(
        self, X: RawRows, y: ArrayLike, classes: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Learn more rows; those of the first call decide what the columns hold.

        Parameters
        ----------
        X, y, sample_weight
            See `fit`; new classes may appear at any call.
        classes : array-like of shape (n_classes,), default=None
            All classes, if they are known in advance.

        Returns
        -------
        self : object
            The estimator.
        """
        prepared = self.prepared_ if self.__sklearn_is_fitted__() else PreparedClassifier(*self._prepare(X))
        self.prepared_ = prepared.partial_fit(X, y, classes=classes, sample_weight=sample_weight)
        return self

    def _classifier(self) -> Any:
        return self.prepared_ if self.__sklearn_is_fitted__() else self.model

    def _probabilities(self, X: RawRows) -> NDArray[np.float64]:
        probabilities: NDArray[np.float64] = self.prepared_.predict_proba(X)
        return probabilities


class TableRegressor(RegressorMixin, TableModel):
    """A regressor of data frames as they are; see `TableClassifier`.

    Values are standardised before they are learned, so that `epsilon` of the model counts in their standard
    deviations. `hinge.load` reads what `hinge.save` has written as a `PreparedRegressor`.

    Parameters
    ----------
    model : estimator, default=None
        The regressor; it is cloned. None: `ApproximateSVR()`.
    missing, missing_values, unknown, scale, kinds, decimal, day_first
        See `TableClassifier`.

    Attributes
    ----------
    prepared_ : PreparedRegressor
        The trained model with its preparation.
    notes_ : list of str
        What to know about how columns were read.

    Examples
    --------
    >>> import pandas as pd
    >>> from hinge import ApproximateSVR
    >>> from hinge.tables import TableRegressor
    >>> X = pd.DataFrame({"area": ["50 ", "75", "100", "125"], "garden": ["no", "yes"] * 2})
    >>> model = TableRegressor(ApproximateSVR(C=100.0, epsilon=0.0, random_state=0))
    >>> model.fit(X, [150_000, 260_000, 300_000, 410_000]).predict(X).round(-4).tolist()
    [150000.0, 260000.0, 300000.0, 410000.0]
    """

    _default = ApproximateSVR

    def fit(self, X: RawRows, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Find out what the columns hold, and learn from scratch.

        Parameters
        ----------
        X, sample_weight
            See `TableClassifier.fit`.
        y : array-like of shape (n,)
            Values.

        Returns
        -------
        self : object
            The estimator.
        """
        self.prepared_ = self._start(X, y).fit(X, y, sample_weight=sample_weight)
        return self

    def partial_fit(self, X: RawRows, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Learn more rows; those of the first call decide what the columns hold, and how values are scaled.

        Parameters
        ----------
        X, y, sample_weight
            See `fit`.

        Returns
        -------
        self : object
            The estimator.
        """
        prepared = self.prepared_ if self.__sklearn_is_fitted__() else self._start(X, y)
        self.prepared_ = prepared.partial_fit(X, y, sample_weight=sample_weight)
        return self

    def _start(self, X: RawRows, y: ArrayLike) -> PreparedRegressor:
        model, preparation = self._prepare(X)
        return PreparedRegressor(model, replace(preparation, label_kind="number", answers=Answers.of_values(y)))


class TableDetector(OutlierMixin, TableScorer):
    """An outlier detector for data frames as they are; see `TableClassifier`.

    `hinge.load` reads what `hinge.save` has written as a `PreparedDetector`.

    Parameters
    ----------
    model : estimator, default=None
        The detector; it is cloned. None: `IncrementalOneClassSVM()`.
    missing, missing_values, unknown, scale, kinds, decimal, day_first
        See `TableClassifier`.

    Attributes
    ----------
    prepared_ : PreparedDetector
        The trained model with its preparation.
    notes_ : list of str
        What to know about how columns were read.

    Examples
    --------
    >>> import pandas as pd
    >>> from hinge import IncrementalOneClassSVM
    >>> from hinge.tables import TableDetector
    >>> X = pd.DataFrame({"load": [f"{load} %" for load in range(8, 16)], "machine": ["a", "b"] * 4})
    >>> model = TableDetector(IncrementalOneClassSVM(nu=0.1, gamma=0.1)).fit(X)
    >>> model.predict(pd.DataFrame({"load": ["11 %", "95 %"], "machine": ["a", "a"]})).tolist()
    [1, -1]
    """

    _default = IncrementalOneClassSVM

    def fit(self, X: RawRows, y: object = None, sample_weight: ArrayLike | None = None) -> Self:  # noqa: ARG002
        """Find out what the columns hold, and learn from scratch.

        Parameters
        ----------
        X, sample_weight
            See `TableClassifier.fit`.
        y : None
            Ignored.

        Returns
        -------
        self : object
            The estimator.
        """
        self.prepared_ = self._start(X).fit(X, sample_weight=sample_weight)
        return self

    def partial_fit(self, X: RawRows, y: object = None, sample_weight: ArrayLike | None = None) -> Self:  # noqa: ARG002
        """Learn more rows; those of the first call decide what the columns hold.

        Parameters
        ----------
        X, y, sample_weight
            See `fit`.

        Returns
        -------
        self : object
            The estimator.
        """
        prepared = self.prepared_ if self.__sklearn_is_fitted__() else self._start(X)
        self.prepared_ = prepared.partial_fit(X, sample_weight=sample_weight)
        return self

    def _start(self, X: RawRows) -> PreparedDetector:
        model, preparation = self._prepare(X)
        return PreparedDetector(model, OneClassPreparation.of(preparation))
