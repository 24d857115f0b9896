"""What an approximate model knows: a feature map, linear machines, and at the start of a stream its first examples."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self, cast

import numpy as np

from hinge import _core
from hinge._model.state import State, Support
from hinge.approximate._maps import Features
from hinge.approximate._reservoir import Reservoir

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from hinge._model.kernels import KernelSpec
    from hinge._model.labels import ClassTable
    from hinge._model.options import ApproximateOptions, SolverOptions
    from hinge._model.state import Arrays
    from hinge._model.validation import Storage

SCHEDULE_ARRAYS = (*_core.LinearOptions().memory, "n_kernel_evals")  # one number each
LINEAR_ARRAYS = ("weights", "average", "bias", "average_bias", *SCHEDULE_ARRAYS)


class ApproximateState(State):
    """What an approximate model knows.

    Attributes
    ----------
    features : Features
        The feature map.
    reservoir : Reservoir or None
        The first examples of a stream, from which the final landmarks will be drawn; None when they are.
    """

    _native_classes: ClassVar[dict[str, Any]] = {"float32": _core.LinearModel32, "float64": _core.LinearModel64}
    options: ApproximateOptions
    features: Features

    def __init__(self, kernel: KernelSpec, options: SolverOptions, storage: Storage, table: ClassTable) -> None:
        super().__init__(kernel, options, storage, table)
        self.reservoir: Reservoir | None = None

    @property
    def is_usable(self) -> bool:
        """There is a feature map."""
        return "features" in vars(self) and super().is_usable

    @property
    def has_learned(self) -> bool:
        """Weights have changed."""
        return int(self.native.n_steps) > 0

    @property
    def brief_rows(self) -> int:
        """Rows that are learned sooner than a snapshot is made; none while a row may call for a new feature map."""
        return 16 if self.reservoir is None else 0

    @property
    def uses_blas(self) -> bool:
        """Features are products by the BLAS, also those of sparse rows."""
        return True

    def expendable(self) -> Self:
        """Return the state to learn with: as in other models, and itself while there is nothing to lose."""
        return super().expendable() if self.is_usable else self

    @property
    def native(self) -> Any:
        """The native machines: a LinearModel32 or LinearModel64."""
        return super().native

    def use(self, options: SolverOptions) -> Any:
        """Return the native machines, told to work as `options` say."""
        if options != self.options:
            chosen = cast("ApproximateOptions", options)
            self.native.set_options(chosen.linear)
            self.options = chosen
        return self.native

    def size(self) -> int:
        """Return the number of features."""
        return int(self.native.n_retained)

    def adopt(self, features: Features) -> None:
        """Take over a feature map, with machines over it that know nothing yet."""
        self.replace(self.kernel, features, self.machines_over(self.kernel, features), None)

    def replace(self, kernel: KernelSpec, features: Features, native: Any, reservoir: Reservoir | None) -> None:
        """Take over a kernel, a feature map, machines over it, and what is gathered for the next map."""
        self.kernel, self._native, self.features, self._arrays = kernel, native, features, None
        self.reservoir = reservoir
        if reservoir is not None:
            reservoir.built_from = max(len(reservoir), 1)

    def machines_over(self, kernel: KernelSpec, features: Features, arrays: Arrays | None = None) -> Any:
        """Return machines over a feature map, with what some arrays say that they know."""
        kind = self._native_classes[self.storage.dtype.name]
        known = None if arrays is None else {name: arrays[name] for name in LINEAR_ARRAYS}
        native = features.native(kernel, self.storage)
        penalty = features.arrays["penalty"]
        return kind(native, penalty, features.typical, self.options.linear, len(self.table), known)

    def _built(self, arrays: Arrays | None) -> Any:
        return self.machines_over(self.kernel, self.features, arrays)

    def weights(self) -> NDArray[np.float64]:
        """Return the averaged weights in the norm that is penalised, one row a machine as users see them.

        With the linear kernel they are those of the columns of the examples, as in other linear models.
        """
        if self.kernel.name == "linear":
            support = self.support()
            return np.asarray(support.coefficients @ support.vectors)
        features = self.features
        table, arrays = self.snapshot()
        scaled = arrays["average"].reshape(-1, features.dimension) * np.sqrt(features.arrays["penalty"])
        return table.arrange(scaled.T).T

    def support(self) -> Support:
        """Return the landmarks, grouped by class, as the vectors of a kernel expansion."""
        features = self.features
        table, arrays = self.snapshot()
        if not features.is_expansion:
            raise AttributeError("A model with Fourier features has no support vectors; see coef_.")
        weights = arrays["average"].reshape(-1, features.dimension)
        coefficients = weights @ features.arrays["projection"].astype(np.float64)
        ids, labels = features.arrays["ids"], features.arrays["labels"]
        places = np.argsort(table.numbers)[labels]
        order = np.lexsort((ids, places))
        return Support(
            ids=ids[order],
            vectors=features.landmarks(self.storage)[order],
            coefficients=table.arrange(coefficients[:, order].T).T,
            counts=np.bincount(places, minlength=len(table)).astype(np.int32),
        )

    def snapshot(self) -> tuple[ClassTable, Arrays]:
        """Return the arrays of the machines, and the classes; machines that nobody has needed yet are not built."""
        return super().snapshot() if self._arrays is None else (self.table, self._arrays)

    def to_arrays(self) -> tuple[Arrays, dict[str, Any]]:
        """Return everything as plain arrays, and values that JSON can hold as long as the labels are plain as well."""
        table, arrays = self.snapshot()
        own = {name: arrays[name] for name in LINEAR_ARRAYS}
        held = {} if self.reservoir is None else self.reservoir.to_arrays()
        built_from = held.pop(Reservoir.BUILT_FROM, None)
        count = None if built_from is None else int(built_from[0])
        values = self._values(table) | {"typical": self.features.typical, "built_from": count}
        return own | held | self.features.arrays, values

    def __setstate__(self, parts: tuple[Arrays, dict[str, Any], Callable[[Any, Any], Any] | None]) -> None:
        arrays, values, _ = parts
        super().__setstate__(parts)
        self.reservoir = None
        held = {name: array for name, array in arrays.items() if name.startswith(Reservoir.PREFIX)}
        own = {name: array for name, array in arrays.items() if name not in LINEAR_ARRAYS and name not in held}
        self.features = Features(own, values["typical"])
        if values["built_from"] is not None:
            self.reservoir = Reservoir.from_arrays(held, values["built_from"], self.storage, self.options.n_components)
