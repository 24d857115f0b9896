"""Decision values for examples that the model did not know, with their classes: what probabilities are fitted to.

They come from two sources: a stream is predicted row by row before it is learned, and a training set is left out row
by row (exactly, or nearly so). The last ones are kept. A later one counts more, in proportion to the number of
examples that the model knew.

The model was younger when it made them, and its decision values smaller: they grow like n^beta, where beta follows
from the recorded values themselves. Each is brought to the size that it would have today.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from hinge._calibration._protocol import Calibration

CAPACITY = 2000
PREFIX = "decision_"
ARRAYS = {"values": "float64", "labels": "int32", "weights": "float64", "shares": "float64", "known": "int64"}
_BLOCK = 32  # of a long stream: probabilities are fitted again after so many rows
_ROWS_FOR_GROWTH = 100
_MOST_GROWTH = 1.0
_STABLE = 0.1  # a shorter span of log n tells nothing about growth


@dataclass(frozen=True)
class Decisions:
    """Recorded decision values; it does not change.

    Attributes
    ----------
    values : ndarray of shape (n, n_binaries)
        Decision values in the order of the native binary models.
    labels : ndarray of shape (n,)
        Native class numbers.
    weights : ndarray of shape (n,)
        Weights of the examples.
    shares : ndarray of shape (n,)
        How many examples each stands for, which its weight includes: more than one in a sample of a training set.
    known : ndarray of shape (n,)
        Number of examples that the model knew.
    total : int
        Number of values ever recorded.
    """

    values: NDArray[np.float64]
    labels: NDArray[np.int32]
    weights: NDArray[np.float64]
    shares: NDArray[np.float64]
    known: NDArray[np.int64]
    total: int
    MOST: ClassVar[int] = CAPACITY + _BLOCK  # that are kept
    _fitted: dict[Any, Calibration] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def none(cls, n_binaries: int) -> Self:
        """Return an empty record."""
        empty = np.zeros(0)
        return cls(np.zeros((0, n_binaries)), empty.astype(np.int32), empty, empty, empty.astype(np.int64), 0)

    def __len__(self) -> int:
        return len(self.labels)

    def to_arrays(self) -> dict[str, Any]:
        """Return the record as plain arrays."""
        return {PREFIX + name: getattr(self, name) for name in ARRAYS}

    @classmethod
    def take_from(
        cls, arrays: dict[str, Any], total: int | None, n_binaries: int
    ) -> tuple[Self | None, dict[str, Any]]:
        """Return the record among some arrays, if there is one, and the other arrays."""
        if total is None:
            return None, arrays
        others = {name: array for name, array in arrays.items() if not name.startswith(PREFIX)}
        own = {name: arrays[PREFIX + name] for name in ARRAYS if PREFIX + name in arrays}
        own.setdefault("shares", np.ones(len(own["weights"])))  # files of earlier versions have none
        own["values"] = own["values"].reshape(-1, n_binaries)
        return cls(**own, total=total), others

    def plus(
        self,
        values: NDArray[np.float64],
        labels: NDArray[np.int32],
        weights: NDArray[np.float64],
        known: NDArray[np.int64],
        shares: NDArray[np.float64] | None = None,
    ) -> Self:
        """Return the record with more values; the oldest leave it."""
        shares = np.ones(len(labels)) if shares is None else shares
        total = self.total + len(labels)
        kept = slice(-self.MOST, None)
        found = type(self)(
            np.concatenate([self.values, values])[kept],
            np.concatenate([self.labels, labels])[kept],
            np.concatenate([self.weights, weights])[kept],
            np.concatenate([self.shares, shares])[kept],
            np.concatenate([self.known, known])[kept],
            total,
        )
        return replace(found, _fitted=self._fitted) if _last_fit(total) == _last_fit(self.total) else found

    def mapped(self, values: NDArray[np.float64]) -> Self:
        """Return the record with other values, after the binary models of a new class were added."""
        return replace(self, values=values, _fitted={})

    def resized(
        self, values: NDArray[np.float64], scores_of: Callable[[NDArray[np.float64]], NDArray[np.float64]]
    ) -> Self:
        """Return the record with values of the typical size of some others, those for the same examples today."""
        recorded = _as_today(scores_of(self.values), self.known, np.ones(len(self)))
        size, wanted = (float(np.median(_sizes(each))) for each in (recorded, scores_of(values)))
        return self.mapped(self.values * (wanted / size if size > 0 and wanted > 0 else 1.0))

    def calibration(
        self,
        method: type[Calibration],
        scores_of: Callable[[NDArray[np.float64]], NDArray[np.float64]],
        places: NDArray[np.intp],
        half_life: float | None = None,
    ) -> Calibration:
        """Return a method fitted to the record, now unless that was done before.

        Parameters
        ----------
        method : type
            The method.
        scores_of : callable
            Converts decision values to scores, one column for two classes or one per class.
        places : ndarray of shape (n_classes,)
            Place of each native class number among the sorted classes.
        half_life : float, default=None
            Rows after which an example of a stream counts half.
        """
        key = method, half_life, tuple(places.tolist())
        if key not in self._fitted:
            self._fitted[key] = self._fit(method, scores_of, places, half_life)
        return self._fitted[key]

    def _fit(
        self,
        method: type[Calibration],
        scores_of: Callable[[NDArray[np.float64]], NDArray[np.float64]],
        places: NDArray[np.intp],
        half_life: float | None,
    ) -> Calibration:
        stop = len(self) - (self.total - _last_fit(self.total))
        rows = slice(max(stop - CAPACITY, 0), stop)
        scores, known, weights = scores_of(self.values[rows]), self.known[rows], self.weights[rows]
        if len(known):
            weights = weights * (known + 1.0) / (known[-1] + 1.0)
            if half_life is not None:
                weights = weights * np.exp2((known - known[-1]) / max(half_life, 1.0))
            weights = weights * (self.shares[rows].sum() / weights.sum())
            scores = _as_today(scores, known, weights)
        return method.fit(scores, places[self.labels[rows]], weights)


def _last_fit(total: int) -> int:
    """Return the number of values recorded when probabilities were fitted last; it does not depend on who asks when."""
    block = min(max(total // 64, 1), _BLOCK)
    return total - total % block


def _as_today(
    scores: NDArray[np.float64], known: NDArray[np.int64], weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return scores of the size that they would have now."""
    factors: NDArray[np.float64] = ((known[-1] + 1.0) / (known + 1.0)) ** _growth(scores, known, weights)
    return scores * factors[:, None]


def _growth(scores: NDArray[np.float64], known: NDArray[np.int64], weights: NDArray[np.float64]) -> float:
    """Return the exponent with which scores grow: the slope of log size over log n."""
    if len(known) < _ROWS_FOR_GROWTH:
        return 0.0
    times, sizes = np.log(known + 1.0), _sizes(scores)
    sizes = np.log(sizes + 0.01 * max(float(np.mean(sizes)), 1e-300))
    mean, middle = np.average(times, weights=weights), np.average(sizes, weights=weights)
    spread = float(np.average((times - mean) ** 2, weights=weights))
    if spread < _STABLE**2:
        return 0.0
    slope = float(np.average((times - mean) * (sizes - middle), weights=weights)) / spread
    return min(max(slope, 0.0), _MOST_GROWTH)


def _sizes(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how far the best class is ahead of the next one."""
    if scores.shape[1] == 1:
        return np.abs(scores[:, 0])
    best = np.partition(scores, -2, axis=1)[:, -2:]
    found: NDArray[np.float64] = best[:, 1] - best[:, 0]
    return found
