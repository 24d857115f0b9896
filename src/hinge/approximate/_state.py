"""The state of an approximate model: a feature map, linear models and, early in a stream, its first examples."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self, cast

import numpy as np

from hinge import _core
from hinge._calibration import Decisions
from hinge._model.first_examples import split
from hinge._model.state import State
from hinge._model.support import Support
from hinge.approximate._maps import Features, widen_fourier
from hinge.approximate._reservoir import Reservoir

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hinge._model.kernels import KernelSpec
    from hinge._model.labels import ClassTable
    from hinge._model.options import ApproximateOptions, SolverOptions
    from hinge._model.state import NativeClasses
    from hinge._model.types import Arrays, KernelFunction, Values
    from hinge._model.validation import Storage
    from hinge.approximate._rows import EncodedRows

SCHEDULE_ARRAYS = (*_core.LinearOptions().memory, "n_kernel_evals")  # each contains one number
LINEAR_ARRAYS = ("weights", "average", "bias", "average_bias", *SCHEDULE_ARRAYS)


class ApproximateState(State):
    """The state of an approximate model.

    Attributes
    ----------
    features : Features
        The feature map.
    reservoir : Reservoir or None
        The examples of a stream from which the next landmarks are drawn; None if the map is final.
    """

    _native_classes: ClassVar[NativeClasses] = {"float32": _core.LinearModel32, "float64": _core.LinearModel64}
    options: ApproximateOptions
    features: Features

    def __init__(self, kernel: KernelSpec, options: SolverOptions, storage: Storage, table: ClassTable) -> None:
        super().__init__(kernel, options, storage, table)
        self.reservoir: Reservoir | None = None

    @property
    def is_usable(self) -> bool:
        """True if there is a feature map, and no error left the native model in an inconsistent state."""
        return "features" in vars(self) and super().is_usable

    @property
    def has_learned(self) -> bool:
        """True if a step has changed the weights."""
        return int(self.native.n_steps) > 0

    def is_brief(self, n_rows: int, *, has_readers: bool) -> bool:
        """Return whether learning so many rows is not worth a snapshot; a row may call for a new feature map."""
        return self.reservoir is None and super().is_brief(n_rows, has_readers=has_readers)

    @property
    def uses_blas(self) -> bool:
        """True: the BLAS computes features, also those of sparse rows."""
        return True

    def state_to_change(self) -> Self:
        """Return this state, or a copy if a kernel function of the user may raise in the middle of a change."""
        return super().state_to_change() if self.is_usable else self  # a state without a map has nothing to lose

    def extend(self, table: ClassTable) -> None:
        """Replace the table by one with more classes; without a feature map there are no linear models to add."""
        if self.is_usable:
            super().extend(table)
        else:
            self._extend_decisions(table)
            self.table = table

    @property
    def half_life(self) -> float | None:
        """Rows after which an example counts half; None if all count the same."""
        found: float | None = self.options.linear.half_life
        return found

    @property
    def native(self) -> Any:
        """The native model: a LinearModel32 or LinearModel64."""
        return super().native

    def use(self, options: SolverOptions) -> Any:
        """Set the options of the native model, and return it."""
        if options != self.options:
            chosen = cast("ApproximateOptions", options)
            self.native.set_options(chosen.linear)
            self.options = chosen
        return self.native

    @property
    def has_final_kernel(self) -> bool:
        """True unless more rows of the stream may change gamma."""
        return self.reservoir is None

    def size(self) -> int:
        """Count the features."""
        return int(self.native.n_retained)

    def learn(self, rows: EncodedRows, order: NDArray[np.int64], monitor: _core.Monitor | None) -> _core.Outcome:
        """Learn rows in the given order."""
        ((_, batch),) = self.storage.batches(rows.X)
        outcome: _core.Outcome = self.native.learn(
            batch, rows.targets, rows.weights, rows.first, order, monitor, recorded=self.n_recorded
        )
        return outcome

    def set_map(self, features: Features) -> None:
        """Set the feature map, with untrained linear models."""
        self.replace_map(self.kernel, features, self.build_linear_model(self.kernel, features), None)

    def replace_map(self, kernel: KernelSpec, features: Features, native: Any, reservoir: Reservoir | None) -> None:
        """Replace the kernel, the feature map, the linear models, and the examples stored for the next map."""
        self.kernel, self._native, self.features, self._arrays = kernel, native, features, None
        self.reservoir = reservoir
        if reservoir is not None and reservoir.n_to_skip is None:
            reservoir.built_from = max(len(reservoir), 1)

    def build_linear_model(self, kernel: KernelSpec, features: Features, arrays: Arrays | None = None) -> Any:
        """Build the native linear models over a feature map, untrained or from their arrays."""
        kind = self._native_classes[self.storage.dtype.name]
        known = None if arrays is None else {name: arrays[name] for name in LINEAR_ARRAYS}
        native = features.native(kernel, self.storage)
        penalty = features.arrays["penalty"]
        return kind(native, penalty, features.typical, self.options.linear, len(self.table), known)

    def _build_native(self, arrays: Arrays | None) -> Any:
        return self.build_linear_model(self.kernel, self.features, arrays)

    def weights(self) -> NDArray[np.float64]:
        """Return the averaged weights, scaled so that their squares are penalised equally, one row per binary model.

        With the linear kernel they are the weights of the columns of X, as in other linear models.
        """
        if self.kernel.name == "linear":
            support = self.support()
            return np.asarray(support.coefficients @ support.vectors)
        features = self.features
        table, arrays = self.class_arrays()
        scaled = arrays["average"].reshape(-1, features.dimension) * np.sqrt(features.arrays["penalty"])
        return table.arrange(scaled.T).T

    def support(self) -> Support:
        """Return the landmarks, grouped by class, with their coefficients in the kernel expansion."""
        features = self.features
        table, arrays = self.class_arrays()
        if not features.is_expansion:
            raise AttributeError("A model with Fourier features has no support vectors; see component_coef_.")
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

    def class_arrays(self) -> tuple[ClassTable, Arrays]:
        """Return the classes and the arrays of the native model, without building it if it is not needed yet."""
        return super().class_arrays() if self._arrays is None else (self.table, self._arrays)

    def to_arrays(self) -> tuple[Arrays, Values]:
        """Return the state as plain arrays, and values that JSON can represent except for the options."""
        table, arrays = self.class_arrays()
        own = {name: arrays[name] for name in LINEAR_ARRAYS}
        reservoir = self.reservoir
        stored = {} if reservoir is None else reservoir.to_arrays()
        numbers = {"built_from": None} if reservoir is None else reservoir.to_values()
        values = self._values(table) | {"typical": self.features.typical} | numbers
        return self._with_decisions(own | stored | self.features.arrays, values)

    def _widened_arrays(self, arrays: Arrays, storage: Storage, seed: int) -> Arrays:
        wide = super()._widened_arrays(arrays, storage, seed)
        if self.features.is_expansion:
            return wide
        # Frequencies of different columns must be independent, so the number of columns is a part of the seed.
        random = np.random.RandomState([seed, self.storage.n_features])
        return wide | widen_fourier(arrays, self.kernel, storage, random)

    def __setstate__(self, parts: tuple[Arrays, Values, KernelFunction | None]) -> None:
        arrays, values, _ = parts
        super().__setstate__(parts)
        self.reservoir = None
        stored, others = split(Decisions.take_from(arrays, values.get("decisions"), 1)[1])
        own = {name: array for name, array in others.items() if name not in LINEAR_ARRAYS}
        self.features = Features(own, values["typical"])
        if values["built_from"] is not None:
            self.reservoir = Reservoir.restore(stored, values, self.storage, self.options)
