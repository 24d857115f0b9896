"""Estimators of scikit-learn with the calibrated probabilities of a model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression

from hinge._calibration import TemperatureScaling
from hinge.exceptions import ExportError

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

    from hinge.export._exported_model import ExportedModel


def calibrated(exported: ExportedModel, estimator: BaseEstimator) -> BaseEstimator:
    """Return an exported estimator with the probabilities of the model, or itself if there are none."""
    fitted = exported.calibration
    if fitted is None:
        return estimator
    if not isinstance(fitted, TemperatureScaling) or exported.is_one_vs_one:
        raise ExportError(
            "scikit-learn predicts the class of the largest probability, which is that of the model only with "
            "calibration='temperature' and multi_class='ovr'; set these, or calibration=None to export decisions only."
        )
    result = _fitted_to_anything(exported)
    (inner,) = result.calibrated_classifiers_
    result.estimator, inner.estimator = FrozenEstimator(estimator), estimator
    factor = 2.0 if len(exported.classes) == 2 else 1.0  # two classes have the scores -f and f there
    inner.calibrators[0].beta_ = np.float64(1.0 / (factor * fitted.temperature))
    result.n_features_in_ = exported.n_features
    if exported.feature_names is not None:
        result.feature_names_in_ = exported.feature_names
    return result


def _fitted_to_anything(exported: ExportedModel) -> Any:
    """Return a fitted calibrator for these classes; what it has learned is replaced."""
    classes = exported.classes
    X, y = np.repeat(np.eye(len(classes)), 2, axis=0), np.repeat(classes, 2)
    frozen = FrozenEstimator(LogisticRegression().fit(X, y))
    try:
        return CalibratedClassifierCV(frozen, method="temperature", ensemble=False, cv=2).fit(X, y)
    except ValueError as error:
        raise ExportError("Probabilities need scikit-learn 1.8 or later; set calibration=None.") from error
