"""Everything a fitted `AdaptiveSVC` knows."""

from __future__ import annotations

import copy
from collections import deque
from dataclasses import dataclass, replace
from itertools import repeat
from typing import TYPE_CHECKING, Any, Self, cast

import numpy as np

from hinge import _core
from hinge._model.overflow import require_finite
from hinge._model.predictor import Predictor
from hinge._model.state import State
from hinge._model.support import Support
from hinge.stream._adwin import Adwin
from hinge.stream._detector import PluggedDetector
from hinge.stream._drift import Drift

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hinge._model.kernels import KernelSpec
    from hinge._model.labels import ClassTable
    from hinge._model.options import AdaptiveOptions, SolverOptions
    from hinge._model.types import Arrays, KernelFunction, Rows, Values
    from hinge._model.validation import Storage
    from hinge.stream._adwin import Change
    from hinge.stream._detector import Detector

N_TIMES = 5000  # examples whose position and time are remembered, to date the start of a drift


class AdaptiveState(State):
    """Window models with their vote, a drift detector, and the drifts that it found.

    Attributes
    ----------
    detector : Detector or None
        Watches the mistakes.
    drifts : list of Drift
        The changes detected.
    last_rows : deque of tuple
        Position and time of the last examples.
    """

    options: AdaptiveOptions

    def __init__(self, kernel: KernelSpec, options: SolverOptions, storage: Storage, table: ClassTable) -> None:
        super().__init__(kernel, options, storage, table)
        delta = self.options.delta
        self.detector: Detector | None = None if delta is None else Adwin(delta)
        self.drifts: list[Drift] = []
        self.last_rows: deque[tuple[int, Any]] = deque(maxlen=N_TIMES)

    @property
    def native(self) -> Any:
        """The native model."""
        return super().native if self._native is None else self._native

    def _build_native(self, arrays: Arrays | None) -> Any:
        options = self.options
        return _core.AdaptiveModel(
            self.storage.n_features,
            self.kernel.native(self.storage.dtype),
            options.gamma_follows,
            list(options.gamma_factors),
            list(options.windows),
            options.limit,
            options.tolerance,
            options.max_updates,
            arrays,
            self.n_seen,
        )

    @property
    def has_learned(self) -> bool:
        """True if an example was learned."""
        return int(self.native.n_retained) > 0

    @property
    def uses_blas(self) -> bool:
        """False: kernel values come row by row."""
        return False

    def extend(self, table: ClassTable) -> None:
        """Use a table with more classes; a class takes part in the vote when its first example arrives."""
        self.table = table

    def learn(self, row: NDArray[np.float64], number: int, weight: float, time: Any) -> None:
        """Learn the next row of the stream, of a class number; a row of weight 0 only counts."""
        answer = self.native.learn(row, number, weight)
        position, self.n_seen = self.n_seen, self.n_seen + 1
        if weight <= 0:
            return
        self.last_rows.append((position, time))
        is_wrong = answer not in (number, -1)  # the first example has no prediction
        self.progressive_score.add_one(is_wrong=is_wrong)
        if self.detector is not None and answer >= 0:
            change = self.detector.update(is_wrong)
            if change is not None:
                self._react(change)

    def _react(self, change: Change) -> None:
        """Begin a new window of the detector; record the change and forget what was before it if mistakes increased."""
        if self.detector is not None:
            self.detector.restart()
        if change.mean_after <= change.mean_before:
            return
        position, time = self.last_rows[-1]
        beyond = change.n_after - len(self.last_rows)
        start, start_time = self.last_rows[-change.n_after] if beyond <= 0 else (self.last_rows[0][0] - beyond, None)
        self.drifts.append(Drift(position, start, change.mean_before, change.mean_after, time, start_time))
        self.native.forget_before(start)

    def sync(self) -> None:
        """Bring `n_seen` and `kernel` up to date with the native model, also after Ctrl-C."""
        native = self.native
        self.n_seen = native.n_seen
        if self.kernel.gamma != native.gamma:
            self.kernel = replace(self.kernel, gamma=native.gamma)

    def decide_now(self, rows: Rows) -> NDArray[np.float64]:
        """Compute decision values with the model itself; it keeps the kernel values of the last row for learning it."""
        return _decisions(self.native, rows, self)

    def _make_predictor(self) -> Predictor:
        return AdaptivePredictor(self.kernel, self.storage, self.table, self.native.predictor(), self.uses_blas)

    def support(self) -> Support:
        """Return the examples with a coefficient in some window model; the coefficients are left out."""
        table, arrays = self.class_arrays()
        n_binaries = len(arrays["alpha"]) // max(len(arrays["places"]), 1)
        has_coefficient, first = np.zeros(len(arrays["ids"]), dtype=bool), 0
        for _, capacity, _, _ in self.options.windows:
            alpha = arrays["alpha"][first * n_binaries : (first + capacity) * n_binaries].reshape(n_binaries, capacity)
            has_coefficient[arrays["places"][first : first + capacity][alpha.any(axis=0)]] = True
            first += capacity
        held = np.flatnonzero(has_coefficient)
        places = np.argsort(table.numbers)[arrays["labels"][held]]
        order = np.lexsort((arrays["ids"][held], places))
        held = held[order]
        counts = np.bincount(places, minlength=len(table)).astype(np.int32)
        return Support(arrays["ids"][held], arrays["values"][held], np.zeros((0, len(held))), counts)

    def to_arrays(self) -> tuple[Arrays, Values]:
        """Return the state as plain arrays, and values that JSON can represent except for options, times and detector.

        Our detector becomes plain values; one of the user is copied.
        """
        arrays, values = super().to_arrays()
        times = [time for _, time in self.last_rows]
        is_ours = isinstance(self.detector, Adwin)
        return arrays | {"last_ids": np.array([position for position, _ in self.last_rows], dtype=np.int64)}, values | {
            "drifts": [list(vars(drift).values()) for drift in self.drifts],
            "times": times if any(time is not None for time in times) else [],
            "detector": cast("Adwin", self.detector).to_values() if is_ours else copy.deepcopy(self.detector),
        }

    def __setstate__(self, parts: tuple[Arrays, Values, KernelFunction | None]) -> None:
        arrays, values, function = parts
        own = {name: array for name, array in arrays.items() if name != "last_ids"}
        super().__setstate__((own, values, function))
        times = values["times"] or repeat(None)
        self.last_rows = deque(zip(arrays["last_ids"].tolist(), times, strict=False), maxlen=N_TIMES)
        self.drifts = [Drift(*drift) for drift in values["drifts"]]
        detector, delta = values["detector"], self.options.delta
        is_ours = isinstance(detector, dict) and delta is not None
        self.detector = Adwin.from_values(cast("float", delta), detector) if is_ours else detector

    def plug(self, detector: Any) -> None:
        """Use a detector of the user."""
        self.detector = PluggedDetector(detector)

    def widened(self, storage: Storage, seed: int) -> Self:
        """Return a copy with more features, which are 0 in all examples so far; its rows stay dense."""
        return super().widened(replace(storage, sparse=False), seed)

    def _widened_arrays(self, arrays: Arrays, storage: Storage, seed: int) -> Arrays:  # noqa: ARG002
        added = storage.n_features - self.storage.n_features
        return arrays | {
            "values": np.pad(arrays["values"], ((0, 0), (0, added))),
            "mean": np.pad(arrays["mean"], (0, added)),
            "factor": np.pad(arrays["factor"], (0, added), constant_values=1.0),
        }


@dataclass(frozen=True)
class AdaptivePredictor(Predictor):
    """An immutable snapshot of an adaptive model."""

    native: Any

    def decide(self, rows: Rows, threads: int) -> NDArray[np.float64]:  # noqa: ARG002
        """Return decision values of checked rows, one column per native binary model; one thread computes them."""
        return _decisions(self.native, rows, self)


def _decisions(native: Any, rows: Rows, model: AdaptiveState | AdaptivePredictor) -> NDArray[np.float64]:
    """Return votes as decision values: one column per class number, and for up to two classes their difference."""
    parts = [native.votes(block) for _, block in model.storage.blocks(rows)]
    votes, n_classes = (parts[0] if len(parts) == 1 else np.concatenate(parts)), len(model.table)
    if votes.shape[1] < max(n_classes, 1):  # classes that were announced, but have no example
        votes = np.pad(votes, ((0, 0), (0, max(n_classes, 1) - votes.shape[1])))
    if n_classes < 3:
        votes = votes[:, 1:2] - votes[:, :1] if n_classes == 2 else -votes
    return votes if model.kernel.is_bounded else require_finite(votes)
