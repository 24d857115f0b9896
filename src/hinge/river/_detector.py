"""The anomaly detector for River."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from river import base

from hinge.incremental import IncrementalOneClassSVM
from hinge.river._dict_model import DictModel
from hinge.river._frames import count_rows, series_like

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from hinge.river._columns import Features
    from hinge.river._dict_model import Model
    from hinge.river._frames import Frame, Series


class HingeAnomalyDetector(base.AnomalyDetector):
    """An outlier detector of this package for River.

    It treats features as `HingeClassifier` does. Limit the number of examples held, with `max_examples`, if the stream
    is long.

    Parameters
    ----------
    model : estimator
        An outlier detector with `partial_fit` that is not fitted, such as `IncrementalOneClassSVM(max_examples=500)`.
        It is cloned and never changes.

    Attributes
    ----------
    model_ : estimator
        The clone, which learns.
    feature_names_ : list
        The feature of each column of `model_`; further columns are not used yet.

    Examples
    --------
    >>> import random
    >>> from hinge import IncrementalOneClassSVM
    >>> from hinge.river import HingeAnomalyDetector
    >>> detector = HingeAnomalyDetector(IncrementalOneClassSVM(nu=0.1, gamma=0.5, max_examples=100))
    >>> random.seed(0)
    >>> for _ in range(200):
    ...     detector.learn_one({"heat": random.gauss(0, 1), "noise": random.gauss(0, 1)})
    >>> detector.score_one({"heat": 0.1, "noise": 0.2}) < 0 < detector.score_one({"heat": 5.0, "noise": 0.0})
    True
    """

    def __init__(self, model: Model) -> None:
        self.model = model
        self._learner = DictModel(model, "one-class learning")

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
        yield {"model": IncrementalOneClassSVM(nu=0.1, gamma=0.1, max_examples=50)}

    def learn_one(self, x: Features) -> None:
        """Learn one example.

        Parameters
        ----------
        x : dict
            Features: numbers, booleans, texts or None.
        """
        self._learner.learn(x)

    def learn_many(self, X: Frame) -> None:
        """Learn the rows of a data frame, in their order.

        Parameters
        ----------
        X : pandas.DataFrame or another data frame that River accepts
            Features; NaN and null count as missing.
        """
        self._learner.learn_frame(X)

    def score_one(self, x: Features) -> float:
        """Return how unusual an example is.

        Parameters
        ----------
        x : dict
            Features.

        Returns
        -------
        float
            Minus the decision value: above 0 for outliers. 0 before the first example is learned.
        """
        return -float(self.model_.decision_function(self._learner.row(x))[0]) if self._learner.is_fitted else 0.0

    def score_many(self, X: Frame) -> Series:
        """Return how unusual the rows of a data frame are.

        Parameters
        ----------
        X : pandas.DataFrame or another data frame that River accepts
            Features.

        Returns
        -------
        pandas.Series or a series of the library of X
            Minus the decision values; 0 before the first example is learned.
        """
        n = count_rows(X)
        is_ready = n and self._learner.is_fitted
        return series_like(X, -self.model_.decision_function(self._learner.frame_rows(X)) if is_ready else np.zeros(n))
