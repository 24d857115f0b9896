"""Models in a stream: asked about every batch before they learn it."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone

from benchmarks.soak.streams import BATCH, NAMES, WRONG

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hinge import IncrementalOneClassSVM, IncrementalSVC, TrackingSVC

WINDOW = 100  # batches over which the accuracy is taken
N_HELD = 300  # examples that exact models hold
N_TRACKED = 1_500  # support vectors after which a tracking model, which knows no bound, is replaced
GUEST = "guest"  # a class that comes and goes


class Learner:
    """A model, and how it fared lately.

    Parameters
    ----------
    name : str
        For tables and pictures.
    model : estimator
        What learns.
    """

    def __init__(self, name: str, model: Any) -> None:
        self.name = name
        self.model = model
        self._right: deque[float] = deque(maxlen=WINDOW)
        self.probe: Any = None

    @property
    def accuracy(self) -> float:
        """Share of right answers about the last batches, given before they were learned."""
        return float(np.mean(self._right)) if self._right else float("nan")

    def step(self, X: Any, y: NDArray[Any]) -> None:
        """Test, then learn."""
        if self.probe is not None:
            self._right.append(self._graded(X, y))
        self._learn(X, y)
        self.probe = X

    def answers(self, model: Any = None) -> NDArray[np.float64]:
        """Return what the model, or a copy of it, says about the last batch."""
        decisions: NDArray[np.float64] = (self.model if model is None else model).decision_function(self.probe)
        return decisions

    def _graded(self, X: Any, y: NDArray[Any]) -> float:
        return float(np.mean(self.model.predict(X) == y))

    def _learn(self, X: Any, y: NDArray[Any]) -> None:
        self.model.partial_fit(X, y)


class Tracker(Learner):
    """A model that keeps all that matters, and is replaced by one of the last batches when that is too much."""

    def __init__(self, name: str, model: TrackingSVC) -> None:
        super().__init__(name, model)
        self._last: deque[tuple[Any, NDArray[Any]]] = deque(maxlen=N_HELD // BATCH)

    def _learn(self, X: Any, y: NDArray[Any]) -> None:
        self._last.append((X, y))
        super()._learn(X, y)
        if len(self.model.support_) > N_TRACKED:
            self.model = clone(self.model)
            for batch in self._last:
                self.model.partial_fit(*batch)


class Detector(Learner):
    """A one-class model; half of what it is asked about lies elsewhere."""

    def __init__(self, name: str, model: IncrementalOneClassSVM) -> None:
        super().__init__(name, model)

    def _graded(self, X: Any, y: NDArray[Any]) -> float:  # noqa: ARG002
        return float((np.mean(self.model.predict(X) == 1) + np.mean(self.model.predict(X + 8.0) == -1)) / 2)

    def _learn(self, X: Any, y: NDArray[Any]) -> None:  # noqa: ARG002
        self.model.partial_fit(X)


class Exact(Learner):
    """An exact model over a window, of which examples are also forgotten and get other labels at random."""

    def __init__(self, name: str, model: IncrementalSVC, seed: int) -> None:
        super().__init__(name, model)
        self._random = np.random.default_rng(seed)
        self._held: dict[int, tuple[NDArray[np.float64], str]] = {}
        self._next = 0

    def difference(self) -> tuple[float, float]:
        """Return the violation of the optimality conditions, and how far a model made afresh decides otherwise."""
        rows, labels = zip(*self._held.values(), strict=True)
        classes = self.model.classes_  # a window keeps those whose last example it has pushed out
        fresh = clone(self.model).partial_fit(np.array(rows), np.array(labels), classes=classes)
        return self.model.kkt_violation(), float(np.abs(self.answers() - self.answers(fresh)).max())

    def _learn(self, X: Any, y: NDArray[Any]) -> None:
        self._take(X, y)
        self._forget(self._random.choice(list(self._held), 2, replace=False).tolist())
        names = self._random.choice(list(self._held), 2, replace=False).tolist()
        wrong = self._random.random(2) < WRONG
        labels = [self._held[name][1] for name in names]
        labels = np.where(wrong, self._random.choice(NAMES[:2], 2), labels).tolist()
        self.model.relabel(names, labels)
        self._held.update({name: (self._held[name][0], label) for name, label in zip(names, labels, strict=True)})
        self._receive(X)

    def _receive(self, X: NDArray[np.float64]) -> None:
        """Learn a few examples of another class now and then, and forget the class later."""
        guests = [name for name, (_, label) in self._held.items() if label == GUEST]
        chance = self._random.random()
        if guests and chance < 0.1:
            self._forget(guests)
        elif not guests and chance < 0.05:
            self._take(X[:3] + 4.0, np.array([GUEST] * 3))

    def _take(self, X: NDArray[np.float64], y: NDArray[Any]) -> None:
        names = range(self._next, self._next + len(y))
        self._next += len(y)
        self.model.partial_fit(X, y, ids=names)
        self._held.update(zip(names, zip(X, y.tolist(), strict=True), strict=True))
        self._held = {name: self._held[name] for name in self.model.ids_}

    def _forget(self, names: list[int]) -> None:
        self.model.forget(names)
        for name in names:
            del self._held[name]
