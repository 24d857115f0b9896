"""The state of a model that can forget: the native model, and the ids of its examples."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, cast

import numpy as np

from hinge import _core
from hinge._model.labels import as_classes
from hinge._model.predictor import Predictor
from hinge._model.state import State
from hinge.exceptions import DataError
from hinge.incremental._ids import Ids
from hinge.incremental._kernel_diagonal import KernelDiagonal
from hinge.incremental._one_class_geometry import OneClassGeometry

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from numpy.typing import ArrayLike, NDArray

    from hinge._fit.data import TrainingData
    from hinge._model.kernels import KernelSpec
    from hinge._model.labels import ClassTable
    from hinge._model.options import SolverOptions
    from hinge._model.state import NativeClasses
    from hinge._model.types import Arrays, KernelFunction, Rows, Values
    from hinge._model.validation import Storage


@dataclass(frozen=True)
class ExactPredictor(Predictor):
    """An immutable snapshot of an exact model.

    Attributes
    ----------
    n_examples : int
        Number of examples held; a model that forgot all of them cannot predict.
    geometry : OneClassGeometry or None
        The surface of a one-class model; None for a classifier, and while there is nothing to enclose.
    """

    n_examples: int
    geometry: OneClassGeometry | None

    def decide(self, rows: Rows, threads: int) -> NDArray[np.float64]:
        """Return decision values of checked rows; raise DataError if the model holds no example."""
        if not self.n_examples:
            raise DataError("The model must hold examples to predict others, got none; learn some first.")
        return super().decide(rows, threads)


class ExactState(State):
    """The state of a model that can forget.

    Attributes
    ----------
    ids : Ids
        The ids of the examples that the native model holds, and of rows of weight 0.
    announced : set
        Labels in the argument `classes` of `partial_fit`: these classes stay when their last example is forgotten.
    """

    _native_classes: ClassVar[NativeClasses] = {"float64": _core.ExactModel}
    holds_all: ClassVar[bool] = True
    warns_when_stalled: ClassVar[bool] = False
    options: _core.ExactOptions

    def __init__(self, kernel: KernelSpec, options: SolverOptions, storage: Storage, table: ClassTable) -> None:
        super().__init__(kernel, options, storage, table)
        self.ids = Ids()
        self.announced: set[Hashable] = set()

    @property
    def native(self) -> _core.ExactModel:
        """The native model."""
        return cast("_core.ExactModel", super().native)

    def is_brief(self, n_rows: int, *, has_readers: bool) -> bool:
        """Return whether learning so many rows is not worth a snapshot; a single one may take many steps."""
        return not has_readers and n_rows <= 16

    @property
    def uses_blas(self) -> bool:
        """True: the native code calls the BLAS, also for sparse rows."""
        return True

    def announce(self, classes: ArrayLike | None) -> None:
        """Record classes that stay when their last example is forgotten."""
        if classes is not None:
            self.announced.update(as_classes(classes).tolist())

    @property
    def has_learned(self) -> bool:
        """True if the native model holds an example."""
        return self.native.n_retained > 0

    def _make_predictor(self) -> ExactPredictor:
        native = self.native
        parts = (self.kernel, self.storage, self.table, native.predictor(), self.uses_blas)
        geometry = self._geometry() if native.n_retained else None
        return ExactPredictor(*parts, native.n_retained, geometry, decisions=self.decisions)

    def record_decisions(self) -> None:
        """Do nothing: decisions about examples that the model does not know follow from those held (leave-one-out)."""

    def forget_derived(self) -> None:
        """Discard the decision values for the examples held, without themselves."""
        self.decisions = None

    def _geometry(self) -> OneClassGeometry | None:
        """Return the surface of a one-class model."""
        if self.options.problem == "classifier":
            return None
        native = self.native
        bias, total, norm = float(native.bias[0]), float(native.total[0]), float(native.squared_norm[0])
        diagonal = self.diagonal() if self.options.problem == "sphere" else None
        return OneClassGeometry(diagonal, bias, total, norm, float(native.residual[0]))

    def diagonal(self) -> KernelDiagonal:
        """Return an object that computes k(x, x)."""
        return KernelDiagonal(self.kernel, self.storage, self.precomputed_diagonal())

    def precomputed_diagonal(self) -> float | None:
        """Return k(x, x) of the examples held, for a precomputed kernel with a constant diagonal; None for others."""
        if self.kernel.name != "precomputed" or not self.native.n_retained:
            return None
        _, arrays = self.class_arrays()
        return float(arrays["values"][0, arrays["ids"][0]])

    def held_ids(self) -> list[Hashable]:
        """Return the ids of the examples held, in the order of the stream."""
        return self.ids.at(self.native.held())

    @contextmanager
    def adding(self, data: TrainingData, first: int) -> Iterator[None]:
        """Keep ids and classes consistent with the native model while it learns rows from position `first` on.

        After an interrupt, only the examples learned so far have ids.
        """
        self.native  # noqa: B018  build it now: the except clause needs it
        self.ids.add(data.ids, range(first, first + len(data.y)))
        try:
            yield
        except BaseException:
            self._drop_empty(np.isin(self.table.classes, data.y[data.used]))
            raise
        finally:
            weightless = first + np.flatnonzero(~data.used)
            self.ids.mark_weightless(weightless[weightless < self.n_seen])
            self._drop_forgotten_ids()

    @contextmanager
    def syncing_ids(self) -> Iterator[None]:
        """Keep ids and classes consistent with the native model while examples are forgotten or relabelled.

        A class that loses its last example in the block is dropped unless it was announced.
        """
        known, present = self.table.classes, self.table.classes[self._present()]
        try:
            yield
        finally:
            self._drop_forgotten_ids()
            self.sync_beginning()
            classes = self.table.classes
            self._drop_empty(np.isin(classes, present) | ~np.isin(classes, known))

    @property
    def shifts(self) -> bool:
        """False: exact models subtract nothing."""
        return False

    def wants_shift(self, X: Rows) -> bool:  # noqa: ARG002
        """Return False: exact models subtract nothing."""
        return False

    def sync_beginning(self) -> None:
        """Drop examples from those stored that the native model no longer holds; update labels and costs."""
        if self.beginning is None or self._native is None or self.native.broken:
            return  # what has just been loaded is consistent
        held = self.native.held()
        self.beginning.retain(held)
        if not len(self.beginning):
            return
        places = np.searchsorted(held, self.beginning.examples()[1]["ids"])
        self.beginning.replace(labels=self.native.labels()[places], costs=self.native.costs()[places])

    def _drop_forgotten_ids(self) -> None:
        """Drop the ids of examples that the native model no longer holds."""
        if not self.native.broken and self.ids.n_held != self.native.n_retained:
            self.ids.retain(self.native.held())

    def _present(self) -> NDArray[np.bool_]:
        """Return for each class, in the order of the table, whether it has an example."""
        return self.native.class_counts()[self.table.numbers] > 0

    def _drop_empty(self, candidates: NDArray[np.bool_]) -> None:
        """Drop the candidates among the classes that have no example and were not announced."""
        if self.native.broken:  # this state is discarded
            return
        empty = candidates & ~self._present()
        for number in -np.sort(
            -self.table.numbers[empty]
        ):  # from the highest on: dropping a class changes the numbers above it
            if self.table.label(number) not in self.announced:
                self._drop(int(number))

    def _drop(self, number: int) -> None:
        native, smaller = self.native, self.table.without(number)
        try:
            self.table = smaller
            native.drop_class(number)
        except BaseException:  # a signal handler raised before or after the call
            self.table = smaller
            if not native.broken and len(native.class_counts()) > len(smaller):
                native.drop_class(number)
            raise

    def to_arrays(self) -> tuple[Arrays, Values]:
        """Return the state as plain arrays, and values that JSON can represent if labels and ids are plain values."""
        self.sync_beginning()
        arrays, values = super().to_arrays()
        ids = self.ids.copy()
        ids.retain(arrays["ids"])
        announced = [label for label in values["classes"] if label in self.announced]
        return arrays, values | {"ids": ids.to_values(), "named": announced}

    def __setstate__(self, parts: tuple[Arrays, Values, KernelFunction | None]) -> None:
        super().__setstate__(parts)
        values = parts[1]
        self.ids = Ids.from_values(values["ids"])
        self.announced = set(values["named"])
