"""The regressor for River."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from river import base

from hinge.approximate import ApproximateSVR
from hinge.river._dict_model import DictModel
from hinge.river._frames import count_rows, series_like

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from hinge.river._columns import Features
    from hinge.river._dict_model import Model
    from hinge.river._frames import Frame, Series


class HingeRegressor(base.MiniBatchRegressor):
    """A regressor of this package for River.

    It treats features as `HingeClassifier` does.

    Parameters
    ----------
    model : estimator
        A regressor with `partial_fit` that is not fitted, such as `ApproximateSVR()`. It is cloned and never changes.

    Attributes
    ----------
    model_ : estimator
        The clone, which learns.
    feature_names_ : list
        The feature of each column of `model_`; further columns are not used yet.

    Examples
    --------
    >>> from hinge import ApproximateSVR
    >>> from hinge.river import HingeRegressor
    >>> from river import datasets, evaluate, metrics, preprocessing
    >>> model = preprocessing.StandardScaler() | HingeRegressor(ApproximateSVR(C=10.0, random_state=0))
    >>> evaluate.progressive_val_score(datasets.TrumpApproval(), model, metrics.MAE()).get() < 1.4
    True
    """

    def __init__(self, model: Model) -> None:
        self.model = model
        self._learner = DictModel(model, "regression")

    @property
    def model_(self) -> Model:
        """The estimator that learns, a clone of `model`."""
        return self._learner.model

    @property
    def feature_names_(self) -> list[Hashable]:
        """The feature of each column of `model_`."""
        return list(self._learner.columns.names)

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        yield {"model": ApproximateSVR(n_components=32, random_state=0)}

    def learn_one(self, x: Features, y: base.typing.RegTarget) -> None:
        """Learn one example.

        Parameters
        ----------
        x : dict
            Features: numbers, booleans, texts or None.
        y : float
            The target value.
        """
        self._learner.learn(x, [y])

    def learn_many(self, X: Frame, y: Series) -> None:
        """Learn the rows of a data frame, in their order.

        Parameters
        ----------
        X : pandas.DataFrame or another data frame that River accepts
            Features; NaN and null count as missing.
        y : pandas.Series or array-like
            Target values.
        """
        self._learner.learn_frame(X, np.asarray(y))

    def predict_one(self, x: Features) -> base.typing.RegTarget:
        """Predict the target value of one example.

        Parameters
        ----------
        x : dict
            Features.

        Returns
        -------
        float
            The value; 0 before the first example is learned.
        """
        return float(self.model_.predict(self._learner.row(x))[0]) if self._learner.is_fitted else 0.0

    def predict_many(self, X: Frame) -> Series:
        """Predict the target values of the rows of a data frame.

        Parameters
        ----------
        X : pandas.DataFrame or another data frame that River accepts
            Features.

        Returns
        -------
        pandas.Series or a series of the library of X
            The values; 0 before the first example is learned.
        """
        n = count_rows(X)
        is_ready = n and self._learner.is_fitted
        return series_like(X, self.model_.predict(self._learner.frame_rows(X)) if is_ready else np.zeros(n))
