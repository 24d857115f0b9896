"""The classifier for River."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from river import base
from scipy.special import expit, softmax

from hinge._model.labels import one_each
from hinge.online import OnlineSVC
from hinge.river._dict_model import DictModel
from hinge.river._frames import count_rows, frame_like, series_like

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from numpy.typing import NDArray

    from hinge._model.types import Rows
    from hinge.river._columns import Features
    from hinge.river._dict_model import Model
    from hinge.river._frames import Frame, Series


class HingeClassifier(base.MiniBatchClassifier):
    """A classifier of this package for River.

    Dictionaries may have other keys in each call: a feature that is absent, None or NaN counts as 0, a text is 1 in a
    column of its own (`"colour=red"`), and predictions ignore features that were never learned. With `gamma` given
    as a number, the model is the same as the one that learned rows with all columns from the beginning, up to rounding.

    Scale the features: kernels compare them all. `gamma="scale"` is decided by the first 1024 rows,
    `gamma="auto"` by the number of columns in the first call.

    Parameters
    ----------
    model : estimator
        A classifier with `partial_fit` that is not fitted, such as `OnlineSVC()`. It is cloned and never changes.

    Attributes
    ----------
    model_ : estimator
        The clone, which learns.
    feature_names_ : list
        The feature of each column of `model_`; further columns are not used yet.

    Examples
    --------
    >>> from hinge import OnlineSVC
    >>> from hinge.river import HingeClassifier
    >>> from river import datasets, evaluate, metrics, preprocessing
    >>> model = preprocessing.StandardScaler() | HingeClassifier(OnlineSVC(C=1.0, gamma=0.1))
    >>> score = evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy())
    >>> score.get() > 0.85
    True
    """

    def __init__(self, model: Model) -> None:
        self.model = model
        self._learner = DictModel(model, "classification")

    @property
    def model_(self) -> Model:
        """The estimator that learns, a clone of `model`."""
        return self._learner.model

    @property
    def feature_names_(self) -> list[Hashable]:
        """The feature of each column of `model_`."""
        return list(self._learner.columns.names)

    @property
    def _multiclass(self) -> bool:
        return True

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        yield {"model": OnlineSVC(gamma=1e-4)}

    def learn_one(self, x: Features, y: base.typing.ClfTarget) -> None:
        """Learn one example.

        Parameters
        ----------
        x : dict
            Features: numbers, booleans, texts or None.
        y : bool, int or str
            The label; new classes may appear at any time.
        """
        self._learner.learn(x, [y])

    def learn_many(self, X: Frame, y: Series) -> None:
        """Learn the rows of a data frame, in their order.

        Up to rounding, the model is that of `learn_one`; with many equal rows, rounding may decide which are kept.

        Parameters
        ----------
        X : pandas.DataFrame or another data frame that River accepts
            Features; NaN and null count as missing.
        y : pandas.Series or array-like
            Labels.
        """
        labels = one_each(y, count_rows(X), "y")
        self._learner.learn_frame(X, labels, cuts=self._cuts(labels.tolist()))

    def predict_one(self, x: Features, **kwargs: Any) -> base.typing.ClfTarget | None:  # noqa: ARG002
        """Predict the label of one example.

        Parameters
        ----------
        x : dict
            Features.
        **kwargs
            Ignored; present for River's API.

        Returns
        -------
        bool, int, str or None
            The label; None before the first example is learned.
        """
        if not self._learner.is_fitted:
            return None
        label: base.typing.ClfTarget = self.model_.predict(self._learner.row(x)).tolist()[0]
        return label

    def predict_proba_one(self, x: Features, **kwargs: Any) -> dict[base.typing.ClfTarget, float]:  # noqa: ARG002
        """Predict the probability of each class for one example.

        These are the probabilities of the model if it has `predict_proba`. Otherwise they are the logistic function
        of the decision value (with three classes or more, the softmax of the decision values): the most probable
        class is the prediction, and examples are ranked as by the decision value, but the numbers are not calibrated.

        Parameters
        ----------
        x : dict
            Features.
        **kwargs
            Ignored; present for River's API.

        Returns
        -------
        dict
            Probabilities by label; empty before the first example is learned.
        """
        if not self._learner.is_fitted:
            return {}
        shares = self._probabilities(self._learner.row(x))[0]
        return dict(zip(self.model_.classes_.tolist(), shares.tolist(), strict=True))

    def predict_many(self, X: Frame) -> Series:
        """Predict the labels of the rows of a data frame.

        Parameters
        ----------
        X : pandas.DataFrame or another data frame that River accepts
            Features.

        Returns
        -------
        pandas.Series or a series of the library of X
            Labels; None before the first example is learned.
        """
        n = count_rows(X)
        if not n or not self._learner.is_fitted:
            return series_like(X, [None] * n)
        return series_like(X, self.model_.predict(self._learner.frame_rows(X)).tolist())

    def predict_proba_many(self, X: Frame) -> Frame:
        """Predict the probabilities of the rows of a data frame; see `predict_proba_one`.

        Parameters
        ----------
        X : pandas.DataFrame or another data frame that River accepts
            Features.

        Returns
        -------
        pandas.DataFrame or a data frame of the library of X
            One column per class; none before the first example is learned.
        """
        n, is_fitted = count_rows(X), self._learner.is_fitted
        classes = self.model_.classes_.tolist() if is_fitted else []
        shares = self._probabilities(self._learner.frame_rows(X)) if n and is_fitted else np.zeros((n, len(classes)))
        return frame_like(X, shares, classes)

    def _cuts(self, labels: list[Hashable]) -> list[int]:
        """Return where to cut a batch so that the first example of each new class is learned alone.

        A class affects how examples are learned from the call on that brings it.
        """
        known = set(self.model_.classes_.tolist()) if self._learner.is_fitted else set()
        cuts: set[int] = set()
        for row, label in enumerate(labels):
            if label not in known:
                known.add(label)
                cuts.update((row, row + 1))
        return sorted(cuts - {0, len(labels)})

    def _probabilities(self, rows: Rows) -> NDArray[np.float64]:
        """Return one row of probabilities per example, in the order of the classes."""
        model = self.model_
        if hasattr(model, "predict_proba"):
            known: NDArray[np.float64] = model.predict_proba(rows)
            return known
        if len(model.classes_) == 1:
            return np.ones((rows.shape[0], 1))
        decisions = model.decision_function(rows)
        if decisions.ndim == 1:
            return np.column_stack([expit(-decisions), expit(decisions)])
        shares: NDArray[np.float64] = softmax(decisions, axis=1)
        return shares
