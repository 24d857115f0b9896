"""Everything a fitted `AdaptiveSVC` knows."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from hinge import _core
from hinge.stream._adwin import Adwin
from hinge.stream._drift import Drift
from hinge.stream._share import FixedShare

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hinge._model.labels import ClassTable
    from hinge._model.types import Arrays
    from hinge.stream._adwin import Change

RATE, SHARE = 0.5, 0.01  # of the weights of predictors, see FixedShare
_SLOPE = 2.0  # of the logistic function that makes probabilities of decision values
_REPEAT_RATE = 0.01  # of the running mean of how often a class is that of the example before
_N_TIMES = 5000  # times that are remembered, to date the start of a drift


@dataclass(frozen=True)
class MemoryOptions:
    """Arguments of the native memories.

    Attributes
    ----------
    n_features : int
        Number of columns.
    kernel : tuple
        Name, gamma (-1: "scale"), coef0 and degree.
    gamma_factors : tuple of float
        Each makes one kernel.
    choices : list of tuple
        For each memory: the number of its kernel, how many examples it holds, C, and whether it is selective.
    limit : float
        Where standard scores are cut off; 0 leaves rows as they are.
    tol : float
        Largest violation of the optimality conditions.
    max_updates : int
        Largest number of gradient updates per example and binary problem; a step updates all of a memory.
    """

    n_features: int
    kernel: tuple[str, float, float, int]
    gamma_factors: tuple[float, ...]
    choices: list[tuple[int, int, float, bool]]
    limit: float
    tol: float
    max_updates: int

    def make(self, arrays: Arrays | None = None) -> _core.Memories:
        """Return native memories, empty or as saved."""
        return _core.Memories(
            self.n_features,
            _core.Kernel(*self.kernel),
            list(self.gamma_factors),
            self.choices,
            self.limit,
            self.tol,
            self.max_updates,
            arrays,
        )


@dataclass
class StreamState:
    """Memories, the weights of their votes, and the drift detector.

    Attributes
    ----------
    options : MemoryOptions
        How the memories were made.
    table : ClassTable
        The classes known.
    delta : float or None
        Confidence of the detector; None detects nothing.
    parameters : tuple
        The parameters of the estimator when learning began.
    numbers : dict
        The class number of each label.
    native : Memories
        The memories.
    n_seen, n_right : int
        Number of examples learned, and of those that were predicted correctly just before.
    last : int
        Class number of the last example.
    repeats : float
        How often, lately, a class was that of the example before.
    drifts : list of Drift
        The changes detected.
    """

    options: MemoryOptions
    table: ClassTable
    delta: float | None
    parameters: tuple[Any, ...] = ()
    n_seen: int = 0
    n_right: int = 0
    last: int = 0
    repeats: float = 0.5
    drifts: list[Drift] = field(default_factory=list)
    times: deque[Any] = field(default_factory=lambda: deque(maxlen=_N_TIMES))

    def __post_init__(self) -> None:
        self.know(self.table)
        self.native = self.options.make()
        self.weights = FixedShare(len(self.options.choices) + 1, RATE, SHARE)
        self.detector = Adwin(self.delta if self.delta is not None else 1.0)

    def know(self, table: ClassTable) -> None:
        """Use another table of classes."""
        self.table = table
        self.numbers = dict(zip(table.classes.tolist(), table.numbers.tolist(), strict=True))

    def learn(self, row: NDArray[np.float64], number: int, time: Any = None) -> None:
        """Learn one example of a class number."""
        values = self.native.learn(row, number)
        self.times.append(time)
        if self.n_seen:
            self._judge(values, number)
        self.n_seen += 1
        self.last = number

    def _judge(self, values: NDArray[np.float64], number: int) -> None:
        """Change weights by the decision values from before an example of a class was learned."""
        is_wrong = int(self._mixture(values[None])[0].argmax()) != number
        mistakes = [guess != number for guess in values.argmax(axis=1).tolist()]
        has_changed = self.last != number
        mistakes.append(has_changed)
        self.weights.update(mistakes)
        self.repeats += _REPEAT_RATE * ((not has_changed) - self.repeats)
        self.n_right += not is_wrong
        change = self.detector.update(is_wrong) if self.delta is not None else None
        if change is not None:
            self._react(change)

    def _react(self, change: Change) -> None:
        """Begin a new window of the detector; record the change and forget what was before it if mistakes increased."""
        self.detector = Adwin(self.detector.delta)
        if change.mean_after <= change.mean_before:
            return
        n = change.n_after
        start_time = self.times[-n] if n <= len(self.times) else None
        start = self.n_seen + 1 - n
        self.drifts.append(Drift(self.n_seen, start, change.mean_before, change.mean_after, self.times[-1], start_time))
        self.native.keep_last(n)

    def votes(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the votes by row and class, in the order of the table."""
        mixture = self._mixture(self.native.decide(rows))
        votes = np.zeros((len(rows), len(self.table)))
        votes[:, : mixture.shape[1]] = mixture
        return votes[:, self.table.numbers]

    def _mixture(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the weighted mean of the probabilities of all predictors by row and class number."""
        n_classes = values.shape[2]
        scores = np.exp(_SLOPE * (values - values.max(axis=2, keepdims=True)))
        scores /= scores.sum(axis=2, keepdims=True)
        weights = np.array(self.weights.values)
        mixture: NDArray[np.float64] = weights[:-1] @ scores
        if n_classes > 1:
            mixture += weights[-1] * (1.0 - self.repeats) / (n_classes - 1)
            mixture[:, self.last] += weights[-1] * (self.repeats - (1.0 - self.repeats) / (n_classes - 1))
        return mixture

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"native": self.native.to_arrays()}

    def __setstate__(self, parts: dict[str, Any]) -> None:
        self.__dict__.update(parts)
        self.native = self.options.make(parts["native"])
