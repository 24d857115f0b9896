"""Models of a stream, which predict every batch before they learn it."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone

from benchmarks.soak.streams import BATCH, NAMES, WRONG

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hinge import IncrementalOneClassSVM, IncrementalSVC, TrackingSVC
    from hinge.io import Matrix

WINDOW = 100  # batches over which the accuracy is averaged
N_HELD = 300  # examples in the window of exact models
MAX_TRACKED = 1_500  # support vectors after which a tracking model, which has no limit, is replaced
TEMPORARY_CLASS = "temporary"  # appears and disappears


class Learner:
    """A model and its recent accuracy.

    Parameters
    ----------
    name : str
        The name in tables and figures.
    model : estimator
        The model.
    """

    def __init__(self, name: str, model: Any) -> None:
        self.name = name
        self.model = model
        self._correct: deque[float] = deque(maxlen=WINDOW)
        self.probe: Matrix = None

    @property
    def accuracy(self) -> float:
        """Share of correct predictions of the last batches, made before they were learned."""
        return float(np.mean(self._correct)) if self._correct else float("nan")

    def step(self, X: Matrix, y: NDArray[Any]) -> None:
        """Predict, then learn."""
        if self.probe is not None:
            self._correct.append(self._accuracy(X, y))
        self._learn(X, y)
        self.probe = X

    def decisions(self, model: Any = None) -> NDArray[np.float64]:
        """Return the decisions of the model, or of a copy, for the last batch."""
        decisions: NDArray[np.float64] = (self.model if model is None else model).decision_function(self.probe)
        return decisions

    def _accuracy(self, X: Matrix, y: NDArray[Any]) -> float:
        return float(np.mean(self.model.predict(X) == y))

    def _learn(self, X: Matrix, y: NDArray[Any]) -> None:
        self.model.partial_fit(X, y)


class Tracker(Learner):
    """A tracking model, replaced by one trained on the last batches when it has too many support vectors."""

    def __init__(self, name: str, model: TrackingSVC) -> None:
        super().__init__(name, model)
        self._last: deque[tuple[Matrix, NDArray[Any]]] = deque(maxlen=N_HELD // BATCH)

    def _learn(self, X: Matrix, y: NDArray[Any]) -> None:
        self._last.append((X, y))
        super()._learn(X, y)
        if len(self.model.support_) > MAX_TRACKED:
            self.model = clone(self.model)
            for batch in self._last:
                self.model.partial_fit(*batch)


class Detector(Learner):
    """A one-class model; half of its test rows are shifted far away."""

    def __init__(self, name: str, model: IncrementalOneClassSVM) -> None:
        super().__init__(name, model)

    def _accuracy(self, X: Matrix, y: NDArray[Any]) -> float:  # noqa: ARG002
        return float((np.mean(self.model.predict(X) == 1) + np.mean(self.model.predict(X + 8.0) == -1)) / 2)

    def _learn(self, X: Matrix, y: NDArray[Any]) -> None:  # noqa: ARG002
        self.model.partial_fit(X)


class Exact(Learner):
    """An exact model over a window, in which random examples are forgotten and relabelled."""

    def __init__(self, name: str, model: IncrementalSVC, seed: int) -> None:
        super().__init__(name, model)
        self._random = np.random.default_rng(seed)
        self._held: dict[int, tuple[NDArray[np.float64], str]] = {}
        self._next = 0

    def difference(self) -> tuple[float, float]:
        """Return the KKT violation, and the largest difference of decisions from a model trained from scratch."""
        rows, labels = zip(*self._held.values(), strict=True)
        classes = self.model.classes_  # a window keeps classes whose last example was evicted
        new = clone(self.model).partial_fit(np.array(rows), np.array(labels), classes=classes)
        return self.model.kkt_violation(), float(np.abs(self.decisions() - self.decisions(new)).max())

    def _learn(self, X: Matrix, y: NDArray[Any]) -> None:
        self._add(X, y)
        self._forget(self._random.choice(list(self._held), 2, replace=False).tolist())
        names = self._random.choice(list(self._held), 2, replace=False).tolist()
        wrong = self._random.random(2) < WRONG
        labels = [self._held[name][1] for name in names]
        labels = np.where(wrong, self._random.choice(NAMES[:2], 2), labels).tolist()
        self.model.relabel(names, labels)
        self._held.update({name: (self._held[name][0], label) for name, label in zip(names, labels, strict=True)})
        self._change_temporary_class(X)

    def _change_temporary_class(self, X: NDArray[np.float64]) -> None:
        """Sometimes learn a few examples of another class, and forget that class later."""
        members = [name for name, (_, label) in self._held.items() if label == TEMPORARY_CLASS]
        chance = self._random.random()
        if members and chance < 0.1:
            self._forget(members)
        elif not members and chance < 0.05:
            self._add(X[:3] + 4.0, np.array([TEMPORARY_CLASS] * 3))

    def _add(self, X: NDArray[np.float64], y: NDArray[Any]) -> None:
        names = range(self._next, self._next + len(y))
        self._next += len(y)
        self.model.partial_fit(X, y, ids=names)
        self._held.update(zip(names, zip(X, y.tolist(), strict=True), strict=True))
        self._held = {name: self._held[name] for name in self.model.ids_}

    def _forget(self, names: list[int]) -> None:
        self.model.forget(names)
        for name in names:
            del self._held[name]
