"""Problems for exact models: rows in double precision, settings, and the peer that is fitted for comparison."""

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
TIGHT = 1e-10  # tolerance of peers whose solution is compared with ours


@dataclass(frozen=True)
class Problem:
    """Rows, labels and settings of one problem."""

    title: str
    X: NDArray[np.float64]
    y: NDArray[Any]
    settings: dict[str, Any]

    def rows(self, chosen: slice | list[int] | NDArray[np.intp] | NDArray[np.bool_]) -> "Problem":
        """Return the problem restricted to some rows: a slice, indices or a mask."""
        return replace(self, X=self.X[chosen], y=self.y[chosen])

    def learner(self, **options: Any) -> Any:
        """Return an unfitted exact model."""
        return IncrementalSVC(**self.settings, **options)

    def peer(self, **options: Any) -> Any:
        """Return an unfitted SVC, one per class if there are more than two."""
        svc = SVC(**self.settings, cache_size=CACHE_MEGABYTES, **options)
        return svc if len(np.unique(self.y)) == 2 else OneVsRestClassifier(svc)


def eights(n_rows: int) -> Problem:
    """Return mnist, 8 vs rest, pixels from 0 to 1."""
    split = TASKS["mnist8"].load()
    X = split.X[:n_rows].astype(np.float64)
    return Problem("mnist, 8 vs rest", X, split.y[:n_rows], {"C": 10.0, "gamma": 0.02})


def digits(n_rows: int) -> Problem:
    """Return usps, 10 classes, rows of unit norm."""
    X, y = _first("usps", n_rows)
    return Problem("usps, 10 classes", normalize(X), y, {"C": 1000.0, "gamma": 2.0})


def zeros(n_rows: int) -> Problem:
    """Return usps, 0 vs rest, rows of unit norm."""
    ten = digits(n_rows)
    return replace(ten, title="usps, 0 vs rest", y=ten.y == 0)


def banana(n_rows: int) -> Problem:
    """Return banana: two curved, overlapping classes in the plane."""
    return Problem("banana", *_first("banana", n_rows), {"C": 316.0, "gamma": 0.5})


def adults(n_rows: int) -> Problem:
    """Return a9a, in which a third of the coefficients reach a bound."""
    return Problem("a9a", *_first("a9a", n_rows), {"C": 100.0, "gamma": 0.005})


def dual_objective(svc: SVC) -> float:
    """Compute the dual objective of a fitted two-class SVC in double precision."""
    coefficients = svc.dual_coef_[0]
    kernel = rbf_kernel(svc.support_vectors_, gamma=svc.gamma)
    return float(np.abs(coefficients).sum() - coefficients @ kernel @ coefficients / 2)


def _first(name: str, n_rows: int) -> tuple[NDArray[np.float64], NDArray[Any]]:
    data_folder()
    data = load(name)
    return data.X_train[:n_rows].astype(np.float64), data.y_train[:n_rows]
