"""Immutable snapshots of models: any number of threads predict with them at the same time."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from hinge._calibration import Decisions, agreeing
from hinge._model.overflow import require_finite
from hinge._model.threads import one_blas_thread

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hinge._calibration import Calibration
    from hinge._model.kernels import KernelSpec
    from hinge._model.labels import ClassTable
    from hinge._model.types import Rows
    from hinge._model.validation import Storage


class NativePredictor(Protocol):
    """The native part of a snapshot, in single or double precision."""

    def decide(self, batch: Any, threads: int = 1) -> NDArray[np.float64]:
        """Return decision values, one column per binary model."""


@dataclass(frozen=True)
class Predictor:
    """An immutable snapshot of a model.

    Attributes
    ----------
    kernel : KernelSpec
        The kernel.
    storage : Storage
        How rows are stored.
    table : ClassTable
        The classes.
    native : NativePredictor
        Support vectors and coefficients, or a feature map and weights.
    uses_blas : bool
        Whether the native code calls the BLAS.
    decisions : Decisions or None
        What probabilities are fitted to; None if nothing was recorded.
    half_life : float or None
        Rows after which a recorded value counts half.
    """

    kernel: KernelSpec
    storage: Storage
    table: ClassTable
    native: NativePredictor
    uses_blas: bool
    decisions: Decisions | None = field(default=None, kw_only=True)
    half_life: float | None = field(default=None, kw_only=True)

    def probabilities(
        self, method: type[Calibration], decided: NDArray[np.float64], chosen: NDArray[np.intp]
    ) -> NDArray[np.float64]:
        """Return probabilities for arranged decision values, and the places of the classes that they speak for."""
        fitted = self.calibration(method)
        return agreeing(fitted.probabilities(self.table.confidences(decided)), chosen)

    def calibration(self, method: type[Calibration]) -> Calibration:
        """Return a method fitted to the recorded decision values."""
        table = self.table
        known = self.decisions if self.decisions is not None else Decisions.none(table.n_binaries)

        def scores_of(values: NDArray[np.float64]) -> NDArray[np.float64]:
            return table.confidences(table.arrange(values))

        return known.calibration(method, scores_of, np.argsort(table.numbers), self.half_life)

    def decide(self, rows: Rows, threads: int) -> NDArray[np.float64]:
        """Return decision values of checked rows, one column per native binary model."""
        with self._blas():
            parts = [self.native.decide(batch, threads) for _, batch in self.storage.batches(rows)]
        decisions = parts[0] if len(parts) == 1 else np.concatenate(parts)
        return decisions if self.kernel.is_bounded else require_finite(decisions)

    def _blas(self) -> AbstractContextManager[None]:
        return one_blas_thread() if self.uses_blas else nullcontext()
