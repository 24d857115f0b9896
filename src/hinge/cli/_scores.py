"""What decision values and probabilities of labelled rows say about a model."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.metrics import average_precision_score

from hinge._calibration import Reliability, reliability
from hinge.cli._predictions import roc_auc

_SMALLEST = 1e-15  # probability that the log loss counts, as in scikit-learn
N_WORST = 10  # rows that the picture shows


@dataclass
class Worst:
    """A row whose label the model contradicts: its number, counted from 1, and how far another class is ahead."""

    row: int
    label: Any
    prediction: Any
    margin: float
    values: NDArray[np.float64]


@dataclass
class ScoredRows:
    """Decision values and probabilities, chunk by chunk.

    Attributes
    ----------
    keep : bool
        Keep also what only pictures show.
    worst : list of Worst
        The rows that are contradicted most.
    sets : list
        Prediction sets, with the labels of the rows and the classes of the columns.
    """

    keep: bool = False
    worst: list[Worst] = field(default_factory=list)
    sets: list[tuple[NDArray[Any], NDArray[Any], NDArray[np.bool_]]] = field(default_factory=list)
    _pair: tuple[str, str] | None = None
    _n_rows: int = 0
    _right: list[NDArray[np.bool_]] = field(default_factory=list)
    _positive: dict[Any, list[NDArray[np.bool_]]] = field(default_factory=dict)  # by class
    _decisions: dict[Any, list[NDArray[np.float64]]] = field(default_factory=dict)
    _own: list[NDArray[np.float64]] = field(default_factory=list)  # probabilities of the labels
    _largest: list[NDArray[np.float64]] = field(default_factory=list)
    _is_largest: list[NDArray[np.bool_]] = field(default_factory=list)

    def add_predictions(self, right: NDArray[np.bool_]) -> None:
        """Add whether predictions are right, of a chunk or a fold."""
        self._right.append(right)

    def add_pair(self, is_second: NDArray[np.bool_], decisions: NDArray[np.float64], names: tuple[str, str]) -> None:
        """Add decision values that are positive for the second of two classes."""
        self._pair = names
        self._add_decisions(is_second, decisions, names[1])

    def _add_decisions(self, is_positive: NDArray[np.bool_], decisions: NDArray[np.float64], name: Any) -> None:
        """Add decision values that are positive for a class."""
        self._positive.setdefault(name, []).append(is_positive)
        self._decisions.setdefault(name, []).append(decisions)

    def add_classes(
        self, labels: NDArray[Any], classes: NDArray[Any], decisions: NDArray[np.float64], X: Any = None
    ) -> None:
        """Add decision values of a classifier: of the second of two classes, or one column per class."""
        if decisions.shape[1] == 1:
            self.add_pair(labels == classes[-1], decisions[:, 0], (str(classes[0]), str(classes[-1])))
            decisions = np.column_stack([-decisions, decisions])
        elif decisions.shape[1] == len(classes):
            for column, label in zip(decisions.T, classes.tolist(), strict=True):
                self._add_decisions(labels == label, column, label)
        if self.keep and X is not None and decisions.shape[1] == len(classes):
            self._keep_worst(labels, classes, decisions, X)
        self._n_rows += len(labels)

    def _keep_worst(self, labels: NDArray[Any], classes: NDArray[Any], decisions: NDArray[np.float64], X: Any) -> None:
        is_own = labels[:, None] == classes
        best = decisions.argmax(axis=1)
        own = np.where(is_own, decisions, 0.0).sum(axis=1)
        margins = np.where(is_own.any(axis=1), own - decisions.max(axis=1), 0.0)
        for row in np.argsort(margins)[:N_WORST].tolist():
            if margins[row] < 0:
                values = X[[row]].toarray()[0] if issparse(X) else np.asarray(X[row])
                said = labels[row], classes[best[row]]
                self.worst.append(Worst(self._n_rows + row + 1, *said, float(-margins[row]), values))
        self.worst = sorted(self.worst, key=lambda each: -each.margin)[:N_WORST]

    def add_probabilities(self, labels: NDArray[Any], classes: NDArray[Any], chances: NDArray[np.float64]) -> None:
        """Add probabilities of all classes; labels that the model does not know have the probability 0."""
        is_own = labels[:, None] == classes
        self._own.append((chances * is_own).sum(axis=1))
        self._largest.append(chances.max(axis=1))
        self._is_largest.append(is_own[np.arange(len(labels)), chances.argmax(axis=1)])

    def add_sets(self, labels: NDArray[Any], classes: NDArray[Any], sets: NDArray[np.bool_]) -> None:
        """Add prediction sets."""
        self.sets.append((labels, classes, sets))

    @property
    def reliability(self) -> Reliability | None:
        """How often predictions of a given probability are right; None without probabilities."""
        if not self._own:
            return None
        return reliability(np.concatenate(self._largest), np.concatenate(self._is_largest))

    def summarise(self) -> dict[str, Any]:
        """Return the measures by name; those that do not apply are None.

        With several classes they are means. With two classes, the average precision is that of the rarer one.
        """
        found = {name: self._area(name) for name in self._decisions}
        measured = np.array([each for each in found.values() if each is not None])
        area, precision = measured.mean(axis=0).tolist() if len(measured) else (None, None)
        reliable = self.reliability
        own = np.concatenate(self._own) if self._own else np.zeros(0)
        result: dict[str, Any] = {
            "roc_area": area,
            "average_precision": precision,
            "average_precision_class": self._rarer,
            "log_loss": None if reliable is None else float(-np.log(np.maximum(own, _SMALLEST)).mean()),
            "calibration_error": None if reliable is None else reliable.error,
        }
        if len(found) > 1:
            result["roc_area_by_class"] = {str(name): each and each[0] for name, each in found.items()}
            result["average_precision_by_class"] = {str(name): each and each[1] for name, each in found.items()}
        return result

    def errors(self) -> list[float]:
        """Return the share of wrong predictions of each chunk or fold, in percent."""
        return [100.0 * float(1.0 - right.mean()) for right in self._right]

    @property
    def _rarer(self) -> str | None:
        """The class whose average precision is reported, the rarer of two; None with several."""
        if self._pair is None:
            return None
        (rows,) = self._positive.values()
        is_second = np.concatenate(rows)
        return self._pair[int(2 * np.count_nonzero(is_second) <= len(is_second))]

    def _area(self, name: Any) -> tuple[float, float] | None:
        """Return the area under the ROC curve and the average precision of a class, if there are rows of both kinds."""
        is_positive, decisions = np.concatenate(self._positive[name]), np.concatenate(self._decisions[name])
        area = roc_auc(is_positive, decisions)
        if area is None:
            return None
        if self._pair is not None and self._rarer == self._pair[0]:
            is_positive, decisions = ~is_positive, -decisions
        return area, float(average_precision_score(is_positive, decisions))
