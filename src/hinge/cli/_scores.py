"""What decision values and probabilities of labelled rows say about a model."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import average_precision_score

from hinge.cli._predictions import roc_auc

_GROUPS = 15  # of equal size, by the probability of the class predicted
_SMALLEST = 1e-15  # probability that the log loss counts, as in scikit-learn


@dataclass
class ScoredRows:
    """Decision values of two classes and probabilities, chunk by chunk."""

    _is_positive: list[NDArray[np.bool_]] = field(default_factory=list)
    _decisions: list[NDArray[np.float64]] = field(default_factory=list)
    _own: list[NDArray[np.float64]] = field(default_factory=list)  # probabilities of the labels
    _largest: list[NDArray[np.float64]] = field(default_factory=list)
    _right: list[NDArray[np.bool_]] = field(default_factory=list)

    def add_decisions(self, is_positive: NDArray[np.bool_], decisions: NDArray[np.float64]) -> None:
        """Add decision values that are positive for one of two classes."""
        self._is_positive.append(is_positive)
        self._decisions.append(decisions)

    def add_probabilities(self, labels: NDArray[Any], classes: NDArray[Any], chances: NDArray[np.float64]) -> None:
        """Add probabilities of all classes; labels that the model does not know have the probability 0."""
        is_own = labels[:, None] == classes
        self._own.append((chances * is_own).sum(axis=1))
        self._largest.append(chances.max(axis=1))
        self._right.append(is_own[np.arange(len(labels)), chances.argmax(axis=1)])

    def summarise(self) -> dict[str, float | None]:
        """Return the measures by name; those that do not apply are None."""
        area, precision, loss, error = None, None, None, None
        if self._decisions:
            is_positive, decisions = np.concatenate(self._is_positive), np.concatenate(self._decisions)
            area = roc_auc(is_positive, decisions)
            precision = None if area is None else float(average_precision_score(is_positive, decisions))
        if self._own:
            loss = float(-np.log(np.maximum(np.concatenate(self._own), _SMALLEST)).mean())
            error = _calibration_error(np.concatenate(self._largest), np.concatenate(self._right))
        return {"roc_area": area, "average_precision": precision, "log_loss": loss, "calibration_error": error}


def _calibration_error(largest: NDArray[np.float64], right: NDArray[np.bool_]) -> float:
    """Return the mean difference between the probability of the class predicted and how often it is right."""
    groups = [rows for rows in np.array_split(np.argsort(largest), _GROUPS) if len(rows)]
    gaps = [abs(float(largest[rows].mean() - right[rows].mean())) for rows in groups]
    return float(np.average(gaps, weights=[len(rows) for rows in groups]))
