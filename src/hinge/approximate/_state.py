"""What an approximate model knows: a feature map, linear machines, and at the start of a stream its first examples."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hinge import _core
from hinge._state import State, Support
from hinge.approximate._maps import Features
from hinge.approximate._options import ApproximateOptions
from hinge.approximate._reservoir import Reservoir

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from hinge._kernels import KernelSpec
    from hinge._labels import ClassTable
    from hinge._state import Arrays, SolverOptions
    from hinge._validation import Storage

_MACHINES = ("weights", "average", "bias", "average_bias", "clock")


class ApproximateState(State):
    """What an approximate model knows.

    Attributes
    ----------
    features : Features
        The feature map.
    reservoir : Reservoir or None
        The first examples of a stream, from which the final landmarks will be drawn; None when they are.
    """

    _options_class = ApproximateOptions
    options: ApproximateOptions
    features: Features

    def __init__(self, kernel: KernelSpec, options: SolverOptions, storage: Storage, table: ClassTable) -> None:
        super().__init__(kernel, options, storage, table)
        self.reservoir: Reservoir | None = None

    @property
    def bank(self) -> Any:
        """The native machines: a LinearBank32 or LinearBank64."""
        return super().bank

    def use(self, options: SolverOptions) -> Any:
        """Return the native machines, told to work as `options` say."""
        return super().use(options)

    def adopt(self, features: Features) -> None:
        """Take over a feature map, with machines over it that know nothing yet."""
        self.replace(features, self.machines_over(features))

    def replace(self, features: Features, bank: Any) -> None:
        """Take over a feature map and machines over it."""
        self._bank, self.features, self._arrays = bank, features, None

    def machines_over(self, features: Features, arrays: Arrays | None = None) -> Any:
        """Return machines over a feature map, with what some arrays say that they know."""
        kind: Any = _core.LinearBank32 if self.storage.dtype == np.float32 else _core.LinearBank64
        known = None if arrays is None else {name: arrays[name] for name in _MACHINES}
        native = features.native(self.kernel, self.storage)
        penalty = features.arrays["penalty"]
        return kind(native, penalty, features.typical, self.options.native(), len(self.table), known)

    def _built(self, arrays: Arrays | None) -> Any:
        return self.machines_over(self.features, arrays)

    @staticmethod
    def _count_machines(arrays: Arrays) -> int:
        return len(arrays["bias"])

    def weights(self) -> tuple[ClassTable, NDArray[np.float64]]:
        """Return the averaged weights in the norm that is penalised, one row a machine as users see them."""
        table, features, arrays = self._moment()
        scaled = arrays["average"].reshape(-1, features.dimension) * np.sqrt(features.arrays["penalty"])
        return table, table.arrange(scaled.T).T

    def support(self) -> Support:
        """Return the landmarks, grouped by class, as the vectors of a kernel expansion."""
        table, features, arrays = self._moment()
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

    def _moment(self) -> tuple[ClassTable, Features, Arrays]:
        """Return classes, map and machines of one moment; another thread may be changing the map."""
        while True:
            features = self.features
            table, arrays = self.snapshot() if self._arrays is None else (self.table, self._arrays)
            if features is self.features:
                return table, features, arrays

    def to_arrays(self) -> tuple[Arrays, dict[str, Any]]:
        """Return everything as plain arrays, and values that JSON can hold as long as the labels are plain as well."""
        table, features, arrays = self._moment()
        reservoir = self.reservoir
        held = {} if reservoir is None else reservoir.to_arrays()
        machines = {name: arrays[name] for name in _MACHINES}
        built_from = None if reservoir is None else reservoir.built_from
        values = self._values(table) | {"typical": features.typical, "built_from": built_from}
        return machines | features.arrays | held, values

    def __setstate__(self, parts: tuple[Arrays, dict[str, Any], Callable[[Any, Any], Any] | None]) -> None:
        arrays, values, _ = parts
        super().__setstate__(parts)
        self.reservoir = None
        held = {name: array for name, array in arrays.items() if name.startswith(Reservoir.PREFIX)}
        own = {name: array for name, array in arrays.items() if name not in _MACHINES and name not in held}
        self.features = Features(own, values["typical"])
        if values["built_from"] is not None:
            self.reservoir = Reservoir.from_arrays(held, values["built_from"], self.storage, self.options.n_components)
