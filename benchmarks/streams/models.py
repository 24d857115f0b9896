"""The classifiers: ours, and river's with the settings that its documentation uses."""

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from river import dummy, ensemble, forest, linear_model, multiclass, neighbors, preprocessing, tree

from hinge.stream import AdaptiveSVC


class OneByOne(Protocol):
    """A classifier that is shown one row at a time."""

    def prepare(self, X: NDArray[np.float64], y: NDArray[Any]) -> list[tuple[Any, Any]]:
        """Convert rows to the form that the classifier takes; not timed."""

    def run(self, rows: list[tuple[Any, Any]]) -> list[bool]:
        """Predict, then learn each row; return which predictions were right."""


class RiverModel:
    """A classifier of river."""

    def __init__(self, model: Any) -> None:
        self.model = model

    def prepare(self, X: NDArray[np.float64], y: NDArray[Any]) -> list[tuple[Any, Any]]:
        """Convert rows to dictionaries."""
        return [(dict(enumerate(row)), label) for row, label in zip(X.tolist(), y.tolist(), strict=True)]

    def run(self, rows: list[tuple[Any, Any]]) -> list[bool]:
        """Predict, then learn each row; return which predictions were right."""
        right = []
        for x, y in rows:
            right.append(self.model.predict_one(x) == y)
            self.model.learn_one(x, y)
        return right


class OurModel:
    """A classifier with `predict` and `partial_fit`; the first row has no prediction and counts as a mistake."""

    def __init__(self, model: Any) -> None:
        self.model = model
        self.is_fitted = False

    def prepare(self, X: NDArray[np.float64], y: NDArray[Any]) -> list[tuple[Any, Any]]:
        """Cut arrays of one row."""
        return [(X[row : row + 1], y[row : row + 1]) for row in range(len(y))]

    def run(self, rows: list[tuple[Any, Any]]) -> list[bool]:
        """Predict, then learn each row; return which predictions were right."""
        right = []
        for x, y in rows:
            right.append(bool(self.is_fitted and self.model.predict(x)[0] == y[0]))
            self.model.partial_fit(x, y)
            self.is_fitted = True
        return right


def _scaled(model: Any) -> RiverModel:
    return RiverModel(preprocessing.StandardScaler() | model)


def _trees() -> Any:
    return tree.HoeffdingTreeClassifier()


MODELS: dict[str, Callable[[], OneByOne]] = {
    "AdaptiveSVC": lambda: OurModel(AdaptiveSVC()),
    "ARF": lambda: RiverModel(forest.ARFClassifier(seed=1)),
    "SRP": lambda: RiverModel(ensemble.SRPClassifier(n_models=10, seed=1)),
    "LeveragingBagging": lambda: RiverModel(ensemble.LeveragingBaggingClassifier(_trees(), n_models=10, seed=1)),
    "KNN": lambda: _scaled(neighbors.KNNClassifier()),
    "ALMA": lambda: _scaled(multiclass.OneVsRestClassifier(linear_model.ALMAClassifier())),  # type: ignore[no-untyped-call]
    "LogisticRegression": lambda: _scaled(multiclass.OneVsRestClassifier(linear_model.LogisticRegression())),
    "NoChange": lambda: RiverModel(dummy.NoChangeClassifier()),
}
