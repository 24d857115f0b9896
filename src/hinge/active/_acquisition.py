"""Acquisition scores: how much the label of each row is expected to help.

They are computed from `decision_function` or `predict_proba` alone. The highest score is best:

    boundary, autoactive   minus the distance from the decision boundary: half the difference between the scores of the
                           two best classes, which with two classes is |f|, since their scores are f and -f
    positive               the score itself: f with two classes, that of the best class with more
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from hinge.active._model_access import largest_violation
from hinge.exceptions import DataError, ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from sklearn.base import BaseEstimator

    from hinge.active._rows import RowsLike

_MARGIN = 1.0  # distance of the margin from the boundary
_PROBABILITY_MARGIN = math.tanh(0.5) / 2  # the same for probabilities: log-odds of 1


def acquisition_scores(model: BaseEstimator, X: RowsLike, strategy: str, target: object = None) -> NDArray[np.float64]:
    """Score every row.

    Parameters
    ----------
    model : estimator
        Any fitted estimator with `decision_function` or `predict_proba`.
    X : array-like, CSR matrix or DataFrame
        Rows as the model accepts them.
    strategy : {"boundary", "autoactive", "positive"}
        What makes a row worth labelling.
    target : object, default=None
        The class that "positive" looks for.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> model = SVC(kernel="linear").fit([[-1.0], [1.0]], [0, 1])
    >>> acquisition_scores(model, [[0.5], [-2.0]], "boundary").round(2).tolist()
    [-0.5, -2.0]
    >>> acquisition_scores(model, [[0.5], [-2.0]], "positive").round(2).tolist()
    [0.5, -2.0]
    >>> acquisition_scores(model, [[0.5], [-2.0]], "positive", target=0).round(2).tolist()
    [-0.5, 2.0]
    """
    scores = _model_scores(model, X)
    if strategy == "positive":
        return _class_scores(scores, model, target)
    if scores.ndim == 1:
        return -np.abs(scores)
    two_best = np.partition(scores, -2, axis=1)[:, -2:]
    return (two_best[:, 0] - two_best[:, 1]) / 2


def margin_score(model: BaseEstimator) -> float:
    """Return the boundary score of rows on the margin of a model; rows inside the margin score higher.

    The margin of an `OnlineSVC` is 1 + delta / 2, as in the LASVM paper: examples closer than this may become support
    vectors whatever their label is.
    """
    if not hasattr(model, "decision_function"):
        return -_PROBABILITY_MARGIN
    return -(_MARGIN + largest_violation(model) / 2)


def _class_scores(scores: NDArray[np.float64], model: BaseEstimator, target: object) -> NDArray[np.float64]:
    """Return the scores of one class; None means the second of two classes, or the best of more."""
    if target is None:
        return scores if scores.ndim == 1 else scores.max(axis=1)
    classes = np.asarray(model.classes_).tolist()
    if target not in classes:
        raise ParameterError(f"target must be one of the classes of the model, {classes}, got {target!r}.")
    column = classes.index(target)
    if scores.ndim == 1:
        return scores if column else -scores
    return scores[:, column]


def _model_scores(model: BaseEstimator, X: RowsLike) -> NDArray[np.float64]:
    """Return one score per row for two classes, else one per row and class."""
    if hasattr(model, "decision_function"):
        scores = np.asarray(model.decision_function(X), dtype=np.float64)
        scores = scores[:, 0] if scores.ndim == 2 and scores.shape[1] == 1 else scores
    elif hasattr(model, "predict_proba"):
        scores = np.asarray(model.predict_proba(X), dtype=np.float64)
        scores = scores[:, 1] - 0.5 if scores.ndim == 2 and scores.shape[1] == 2 else scores
    else:
        raise ParameterError(
            f"model must have decision_function or predict_proba, got {type(model).__name__}, which has neither; "
            "use an estimator that returns scores."
        )
    if np.isnan(scores).any():
        raise DataError("The scores of the model must not be NaN, got NaN; check its predictions for these rows.")
    return scores
