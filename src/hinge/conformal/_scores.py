"""How well labels fit rows, by an estimator that does not know them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hinge._model.class_scheme import class_margins
from hinge.exceptions import ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hinge._model.types import MatrixLike


def label_margins(estimator: Any, X: MatrixLike) -> NDArray[np.float64]:
    """Return for each row and class by how much the estimator prefers the class to the best other one.

    Decision values are used, or else probabilities. Decision functions of pairs of classes (`SVC` with
    `decision_function_shape="ovo"`) do not say that.
    """
    classes = len(estimator.classes_)
    if hasattr(estimator, "decision_function"):
        values = np.asarray(estimator.decision_function(X), dtype=float)
    elif hasattr(estimator, "predict_proba"):
        values = np.asarray(estimator.predict_proba(X), dtype=float)
    else:
        name = type(estimator).__name__
        raise ParameterError(f"estimator must have decision_function or predict_proba, got {name}.")
    if values.ndim == 2 and values.shape[1] != classes:
        raise ParameterError(
            f"estimator must have one decision value per class, got {values.shape[1]} for {classes} classes; "
            'set decision_function_shape="ovr".'
        )
    return class_margins(values)


def ranks(scores: NDArray[np.float64], calibration: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return how many calibration scores are at most as large as each score."""
    return np.searchsorted(np.sort(calibration), scores, side="right")
