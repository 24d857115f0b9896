"""The one object that holds what a fitted classifier knows: learning, pickling and saving all go through it."""

from __future__ import annotations

import copy
import math
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Protocol, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_matrix

from hinge import _core
from hinge._model.interrupts import deferred_interrupts
from hinge._model.kernels import KernelSpec
from hinge._model.labels import ClassTable
from hinge._model.predictor import NativePredictor, Predictor
from hinge._model.threads import one_blas_thread
from hinge._model.validation import Storage

if TYPE_CHECKING:
    from collections.abc import Callable

Arrays = dict[str, NDArray[Any]]


class NativeModel(Protocol):
    """The native machines, whatever their precision."""

    broken: bool
    n_binaries: int
    n_retained: int
    n_kernel_evals: int
    n_steps: int
    bias: NDArray[np.float64]
    gap: NDArray[np.float64]
    dual_objective: NDArray[np.float64]
    duality_gap: NDArray[np.float64]
    squared_norm: NDArray[np.float64]
    extremes: NDArray[np.float64]

    def set_options(self, options: _core.Options) -> None: ...
    def grow(self, n_classes: int) -> None: ...
    def learn(  # noqa: PLR0917
        self,
        batch: Any,
        labels: NDArray[np.int32],
        costs: NDArray[np.float64],
        first_id: int,
        order: NDArray[np.int64],
        seed: int = 0,
        monitor: _core.Monitor | None = None,
    ) -> _core.Outcome: ...
    def finish(self, monitor: _core.Monitor | None = None) -> _core.Outcome: ...
    def polish(self) -> None: ...
    def decide(self, X: Any, threads: int) -> NDArray[np.float64]:
        """Compute decision values of checked examples, one column per native binary model."""
        return self.publish().decide(X, threads)

    def snapshot(self) -> tuple[ClassTable, Arrays]:
        """Return the arrays of the machines at one moment, and the classes of that moment."""
        return self.table, self.native.state()

    def support(self) -> Support:
        """Return the support vectors."""
        table, arrays = self.snapshot()
        coefficients = signed_coefficients(arrays, averaged=True)
        held = np.flatnonzero(coefficients.any(axis=0))
        place_of_number = np.argsort(table.numbers)
        places = place_of_number[arrays["labels"][held]]
        order = np.lexsort((arrays["ids"][held], places))
        held = held[order]
        return Support(
            ids=arrays["ids"][held],
            vectors=self.vectors(arrays)[held],
            coefficients=table.arrange(coefficients[:, held].T).T,
            counts=np.bincount(places, minlength=len(table)).astype(np.int32),
        )

    def counters(self) -> NDArray[np.int64]:
        """Return what the machines have counted, in the order of the classes; the native code says what it is."""
        table, arrays = self.snapshot()
        counters = arrays["counters"][3:].reshape(len(arrays["member_counts"]), -1)
        return counters[table.numbers] if len(table) > 2 else counters

    def vectors(self, arrays: Arrays) -> Any:
        """Return the examples held by a snapshot of the machines as they were given."""
        if self.storage.sparse:
            shape = (len(arrays["ids"]), self.storage.n_features)
            return csr_matrix((arrays["data"], arrays["indices"], arrays["indptr"]), shape=shape)
        return arrays["values"] + arrays["shift"] if arrays["shift"].size else arrays["values"]

    def to_arrays(self) -> tuple[Arrays, dict[str, Any]]:
        """Return everything as plain arrays, and values that JSON can hold as long as the labels are plain as well.

        A kernel function of the user is not among them.
        """
        table, arrays = self.snapshot() if self._arrays is None else (self.table, self._arrays)
        return arrays, self._values(table)

    def _values(self, table: ClassTable) -> dict[str, Any]:
        """Return all that is not an array, with the classes of one moment."""
        kernel = {key: value for key, value in vars(self.kernel).items() if key != "function"}
        return {
            "kernel": kernel,
            "options": asdict(self.options),
            "dtype": self.storage.dtype.name,
            "sparse": self.storage.sparse,
            "n_features": self.storage.n_features,
            "classes": table.classes.tolist(),
            "class_type": table.classes.dtype.str,
            "class_numbers": table.numbers.tolist(),
            "n_seen": self.n_seen,
        }

    @classmethod
    def from_arrays(
        cls, arrays: Arrays, values: dict[str, Any], function: Callable[[Any, Any], Any] | None = None
    ) -> Self:
        """Return the state that `to_arrays` took apart; `function` is the user's kernel function, if there was one."""
        state = cls.__new__(cls)
        state.__setstate__((arrays, values, function))
        return state

    def __getstate__(self) -> tuple[Arrays, dict[str, Any], Callable[[Any, Any], Any] | None]:
        return (*self.to_arrays(), self.kernel.function)

    def __setstate__(self, parts: tuple[Arrays, dict[str, Any], Callable[[Any, Any], Any] | None]) -> None:
        arrays, values, function = parts
        self.kernel = KernelSpec(**values["kernel"], function=function)
        self.options = self._options_class(**values["options"])
        self.storage = Storage(np.dtype(values["dtype"]), values["sparse"], values["n_features"])
        self.table = ClassTable(
            np.array(values["classes"], dtype=np.dtype(values["class_type"])),
            np.array(values["class_numbers"], dtype=np.int32),
        )
        self.n_seen = values["n_seen"]
        self._arrays = arrays
        self._native = None
        self._reset()

    def expendable(self) -> Self:
        """Return the state to learn with: a copy when a kernel function of the user may fail half-way, else itself."""
        return self if self.kernel.function is None else self.copy()

    def copy(self) -> Self:
        """Return a state that learns on its own from here."""
        return self.from_arrays(*self.to_arrays(), self.kernel.function)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        # Unlike `copy`, this goes with a copy of the estimator, whose parameter `kernel` is copied as well.
        return self.from_arrays(*self.to_arrays(), copy.deepcopy(self.kernel.function, memo))


def signed_coefficients(arrays: Arrays, *, averaged: bool = False) -> NDArray[np.float64]:
    """Return the coefficients in a snapshot of the machines, one row a machine and one column an example held.

    With `averaged` they are those of the answer, where the machines answer with an average.

    Examples
    --------
    >>> import numpy as np
    >>> members, alpha = np.array([0, 2, 1]), np.array([1.0, -1.0, 0.5])
    >>> arrays = {"ids": np.arange(3), "members": members, "member_counts": np.array([2, 1]), "alpha": alpha}
    >>> signed_coefficients(arrays).tolist()
    [[1.0, 0.0, -1.0], [0.0, 0.5, 0.0]]
    """
    counts = arrays["member_counts"]
    coefficients = np.zeros((len(counts), len(arrays["ids"])))
    owner, alpha = np.repeat(np.arange(len(counts)), counts), arrays["alpha"]
    if averaged and arrays["terms"].any():
        alpha = alpha - arrays["lag"] / np.maximum(arrays["terms"], 1.0)[owner]
    coefficients[owner, arrays["members"]] = alpha
    return coefficients
