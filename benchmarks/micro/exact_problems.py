"""Problems for the exact models: rows in double precision, settings, and the peer that is fitted again and again."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.multiclass import OneVsRestClassifier
from sklearn.preprocessing import normalize
from sklearn.svm import SVC

from benchmarks.data import data_folder
from benchmarks.tasks import TASKS
from hinge import IncrementalSVC
from hinge.datasets import load

CACHE_MEGABYTES = 1000
TIGHT = 1e-10  # tolerance of a peer whose solution is compared with ours


@dataclass(frozen=True)
class TrainingData:
    """Rows, labels and settings of one problem."""

    title: str
    X: NDArray[np.float64]
    y: NDArray[Any]
    settings: dict[str, Any]

    def rows(self, chosen: Any) -> "TrainingData":
        """Return the problem of some of the rows: a slice, places or a mask."""
        return replace(self, X=self.X[chosen], y=self.y[chosen])

    def learner(self, **options: Any) -> Any:
        """Return an exact model that has learned nothing yet."""
        return IncrementalSVC(**self.settings, **options)

    def peer(self, **options: Any) -> Any:
        """Return an unfitted SVC, one for each class where there are more than two."""
        machine = SVC(**self.settings, cache_size=CACHE_MEGABYTES, **options)
        return machine if len(np.unique(self.y)) == 2 else OneVsRestClassifier(machine)


def eights(n_rows: int) -> TrainingData:
    """Return mnist, 8 vs rest, pixels from 0 to 1."""
    split = TASKS["mnist8"].load()
    X = split.X[:n_rows].astype(np.float64)
    return TrainingData("mnist, 8 vs rest", X, split.y[:n_rows], {"C": 10.0, "gamma": 0.02})


def digits(n_rows: int) -> TrainingData:
    """Return usps, 10 classes, rows of unit norm."""
    X, y = _first("usps", n_rows)
    return TrainingData("usps, 10 classes", normalize(X), y, {"C": 1000.0, "gamma": 2.0})


def zeros(n_rows: int) -> TrainingData:
    """Return usps, 0 vs rest, rows of unit norm."""
    ten = digits(n_rows)
    return replace(ten, title="usps, 0 vs rest", y=ten.y == 0)


def banana(n_rows: int) -> TrainingData:
    """Return banana, two curved classes in the plane that overlap."""
    return TrainingData("banana", *_first("banana", n_rows), {"C": 316.0, "gamma": 0.5})


def adults(n_rows: int) -> TrainingData:
    """Return a9a, where a third of the examples end at a bound."""
    return TrainingData("a9a", *_first("a9a", n_rows), {"C": 100.0, "gamma": 0.005})


def dual_objective(machine: Any) -> float:
    """Return the dual objective of a fitted SVC of two classes, from its coefficients and kernel values in double."""
    coefficients = machine.dual_coef_[0]
    kernel = rbf_kernel(machine.support_vectors_, gamma=machine.gamma)
    return float(np.abs(coefficients).sum() - coefficients @ kernel @ coefficients / 2)


def _first(name: str, n_rows: int) -> tuple[NDArray[np.float64], NDArray[Any]]:
    data_folder()
    data = load(name)
    return data.X_train[:n_rows].astype(np.float64), data.y_train[:n_rows]
