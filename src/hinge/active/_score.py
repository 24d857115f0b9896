"""How much a label of each row would be worth: its merit, by the strategy of the question.

All that is asked of a model is `decision_function` or `predict_proba`. A merit is a number, and the highest is best:

    boundary, autoactive   minus the distance from the decision boundary: half the difference between the scores of the
                           two best classes, which with two classes is |f|, since their scores are f and -f
    positive               the score itself: f with two classes, that of the best class with more
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from hinge.exceptions import DataError, ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray

_INSIDE = 1.0  # distances below it lie inside the margin
_INSIDE_PROBABLY = math.tanh(0.5) / 2  # the same for probabilities: where log-odds are 1


def merits(model: Any, X: Any, strategy: str, target: Any = None) -> NDArray[np.float64]:
    """Return the merit of every row.

    Parameters
    ----------
    model : estimator
        Any fitted estimator with `decision_function` or `predict_proba`.
    X : array-like, CSR matrix or DataFrame
        Rows as the model takes them.
    strategy : {"boundary", "autoactive", "positive"}
        What makes a row worth asking about.
    target : object, default=None
        The class that "positive" looks for.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> model = SVC(kernel="linear").fit([[-1.0], [1.0]], [0, 1])
    >>> merits(model, [[0.5], [-2.0]], "boundary").round(2).tolist()
    [-0.5, -2.0]
    >>> merits(model, [[0.5], [-2.0]], "positive").round(2).tolist()
    [0.5, -2.0]
    >>> merits(model, [[0.5], [-2.0]], "positive", target=0).round(2).tolist()
    [-0.5, 2.0]
    """
    scores = _scores(model, X)
    if strategy == "positive":
        return _towards(scores, model, target)
    if scores.ndim == 1:
        return -np.abs(scores)
    two_best = np.partition(scores, -2, axis=1)[:, -2:]
    return (two_best[:, 0] - two_best[:, 1]) / 2


def _towards(scores: NDArray[np.float64], model: Any, target: Any) -> NDArray[np.float64]:
    """Return the scores of a class; None for the second of two, or the best of more."""
    if target is None:
        return scores if scores.ndim == 1 else scores.max(axis=1)
    classes = np.asarray(model.classes_).tolist()
    if target not in classes:
        raise ParameterError(f"target must be one of the classes of the model, {classes}, got {target!r}.")
    place = classes.index(target)
    if scores.ndim == 1:
        return scores if place else -scores
    return scores[:, place]


def margin_merit(model: Any) -> float:
    """Return the merit of rows on the margin of a model; rows inside have a higher one."""
    return -_INSIDE if hasattr(model, "decision_function") else -_INSIDE_PROBABLY


def _scores(model: Any, X: Any) -> NDArray[np.float64]:
    """Return one score a row where one number says it all, else one score a class."""
    if hasattr(model, "decision_function"):
        scores = np.asarray(model.decision_function(X), dtype=np.float64)
        scores = scores[:, 0] if scores.ndim == 2 and scores.shape[1] == 1 else scores
    elif hasattr(model, "predict_proba"):
        scores = np.asarray(model.predict_proba(X), dtype=np.float64)
        scores = scores[:, 1] - 0.5 if scores.ndim == 2 and scores.shape[1] == 2 else scores
    else:
        raise ParameterError(
            f"model must have decision_function or predict_proba, got {type(model).__name__}, which has neither; "
            "use an estimator that gives scores."
        )
    if np.isnan(scores).any():
        raise DataError("The scores of a model must be numbers, got NaN; look at its answers about these rows.")
    return scores
