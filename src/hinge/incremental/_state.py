"""What a model knows that can forget: the machines, and the names of its examples."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from hinge._model.state import State
from hinge.incremental._ids import Ids

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from hinge import _core
    from hinge._fit.base import TrainingData
    from hinge._model.kernels import KernelSpec
    from hinge._model.labels import ClassTable
    from hinge._model.state import Arrays, SolverOptions
    from hinge._model.validation import Storage


class ExactState(State):
    """What a model knows that can forget.

    Attributes
    ----------
    ids : Ids
        The names of the examples that the machines hold, and of those that they passed over.
    named : set
        Labels that the user has announced: these classes stay when their last example goes.
    """

    def __init__(self, kernel: KernelSpec, options: SolverOptions, storage: Storage, table: ClassTable) -> None:
        super().__init__(kernel, options, storage, table)
        self.ids = Ids()
        self.named: set[Any] = set()

    @property
    def native(self) -> _core.ExactModel:
        """The native machines."""
        return cast("_core.ExactModel", super().native)

    @property
    def has_learned(self) -> bool:
        """The machines hold an example."""
        return self.native.n_retained > 0

    @contextmanager
    def taking_in(self, data: TrainingData, first: int) -> Iterator[None]:
        """Keep names and classes in step with the machines while these learn a data that begins at some place.

        When that is cut short, the examples learned so far are known, and nothing else.
        """
        self.native  # noqa: B018  built now: what follows is undone with its help
        self.ids.add(data.names, range(first, first + len(data.y)))
        try:
            yield
            self.ids.mark_weightless(first + np.flatnonzero(~data.used))
        except BaseException:
            self._drop_empty(np.isin(self.table.classes, data.y[data.used]))
            raise
        finally:
            self._settle()

    @contextmanager
    def revised(self) -> Iterator[None]:
        """Keep names and classes in step with the machines while examples are forgotten or get other labels.

        A class that comes or loses its last example inside, and has none in the end, vanishes unless it was named.
        """
        known, present = self.table.classes, self.table.classes[self._present()]
        try:
            yield
        finally:
            self._settle()
            classes = self.table.classes
            self._drop_empty(np.isin(classes, present) | ~np.isin(classes, known))

    def _settle(self) -> None:
        """Let go of the names of examples that the machines hold no more."""
        if not self.native.broken and self.ids.n_held != self.native.n_retained:
            self.ids.retain(self.native.held())

    def _present(self) -> NDArray[np.bool_]:
        """Tell which classes, in the order of the table, have an example."""
        return self.native.class_counts()[self.table.numbers] > 0

    def _drop_empty(self, candidates: NDArray[np.bool_]) -> None:
        """Take away those among some classes that have no example and were not named."""
        if self.native.broken:  # then this state is not used any more
            return
        empty = candidates & ~self._present()
        for number in -np.sort(-self.table.numbers[empty]):  # the highest first: it is higher numbers that change
            if self.table.label(number) not in self.named:
                self._drop(int(number))

    def _drop(self, number: int) -> None:
        native, smaller = self.native, self.table.without(number)
        try:
            self.table = smaller
            native.drop_class(number)
        except BaseException:  # a signal handler raises before or after the work
            self.table = smaller
            if not native.broken and len(native.class_counts()) > len(smaller):
                native.drop_class(number)
            raise

    def to_arrays(self) -> tuple[Arrays, dict[str, Any]]:
        """Return everything as plain arrays, and values that JSON can hold as long as labels and names are plain."""
        arrays, values = super().to_arrays()
        ids = self.ids.copy()
        ids.retain(arrays["ids"])
        named = [label for label in values["classes"] if label in self.named]
        return arrays, values | {"ids": ids.to_values(), "named": named}

    def __setstate__(self, parts: tuple[Arrays, dict[str, Any], Callable[[Any, Any], Any] | None]) -> None:
        super().__setstate__(parts)
        values = parts[1]
        self.ids = Ids.from_values(values["ids"])
        self.named = set(values["named"])
