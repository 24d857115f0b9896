"""The one object that holds what a fitted classifier knows: learning, pickling and saving all go through it."""

from __future__ import annotations

import copy
import math
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self

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

    from hinge._model.options import SolverOptions

Arrays = dict[str, NDArray[Any]]


class NativeModel(Protocol):
    """The native machines, whatever their precision."""

    @property
    def broken(self) -> bool: ...
    @property
    def n_binaries(self) -> int: ...
    @property
    def n_retained(self) -> int: ...
    @property
    def n_kernel_evals(self) -> int: ...
    @property
    def n_steps(self) -> int: ...
    @property
    def bias(self) -> NDArray[np.float64]: ...
    @property
    def gap(self) -> NDArray[np.float64]: ...
    @property
    def dual_objective(self) -> NDArray[np.float64]: ...
    @property
    def duality_gap(self) -> NDArray[np.float64]: ...
    @property
    def squared_norm(self) -> NDArray[np.float64]: ...
    @property
    def extremes(self) -> NDArray[np.float64]: ...
    def set_options(self, options: Any) -> None: ...
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
    def predictor(self) -> NativePredictor: ...
    def state(self) -> Arrays: ...


@dataclass
class ProgressiveScore:
    """Test-then-learn score: how often a model was right about an example before learning it.

    Attributes
    ----------
    n_examples : int
        Examples predicted and then learned.
    n_mistakes : int
        Those of them that were predicted wrongly.
    """

    n_examples: int = 0
    n_mistakes: int = 0

    @property
    def error(self) -> float:
        """Share of wrong predictions; NaN before the first example."""
        return self.n_mistakes / self.n_examples if self.n_examples else math.nan

    def count(self, outcome: _core.Outcome) -> None:
        """Add the outcome of one native call."""
        self.n_examples += outcome.visited
        self.n_mistakes += outcome.mistakes


@dataclass(frozen=True)
class Support:
    """The support vectors, grouped by class and within a class in the order of the stream."""

    ids: NDArray[np.int64]
    vectors: Any  # ndarray or CSR matrix
    coefficients: NDArray[np.float64]  # (machines as users see them, vectors)
    counts: NDArray[np.int32]  # of each class


class State:
    """What a fitted classifier knows.

    The native machines are rebuilt from plain arrays when they are first needed, so that copies and pickles hold
    nothing native.

    Parameters
    ----------
    kernel : KernelSpec
        The kernel, its parameters settled.
    options : SolverOptions
        What the machines may do.
    storage : Storage
        How examples are kept.
    table : ClassTable
        The classes known so far.
    """

    _native_classes: ClassVar[dict[str, Any]] = {"float32": _core.KernelModel32, "float64": _core.KernelModel64}
    warns_when_stalled: ClassVar[bool] = True  # exact models say by themselves how exact they are

    def __init__(self, kernel: KernelSpec, options: SolverOptions, storage: Storage, table: ClassTable) -> None:
        self.kernel = kernel
        self.options = options
        self.storage = storage
        self.table = table
        self.n_seen = 0
        self._arrays: Arrays | None = None
        self._native: NativeModel | None = None
        self._reset()

    def _reset(self) -> None:
        """Set what is not saved with a model."""
        self.progressive_score = ProgressiveScore()
        self.converged = True
        self.predictor: Predictor | None = None

    @property
    def is_usable(self) -> bool:
        """The machines can be asked something, whether they have learned much or not."""
        return self._native is None or not self._native.broken

    @property
    def has_learned(self) -> bool:
        """There is something in the machines."""
        return bool(np.any(self.native.squared_norm))

    @property
    def native(self) -> NativeModel:
        """The native machines."""
        if self._native is None:
            self._native = self._built(self._arrays)
            self._arrays = None
        return self._native

    def _built(self, arrays: Arrays | None) -> NativeModel:
        """Return new machines, with what some arrays say that they know."""
        kind = self._native_classes[self.storage.dtype.name]
        parts = (
            self.kernel.native(self.storage.dtype),
            self.options,
            self.storage.n_features,
            self.storage.sparse,
            len(self.table),
        )
        made: NativeModel = kind(*parts) if arrays is None else kind.restore(*parts, arrays)
        return made

    def use(self, options: SolverOptions) -> NativeModel:
        """Return the native machines, told to work as `options` say."""
        if options != self.options:
            self.native.set_options(options)
            self.options = options
        return self.native

    @property
    def brief_rows(self) -> int:
        """Calls that learn so few rows end sooner than a snapshot is worth: readers wait for them."""
        return 16

    @property
    def uses_blas(self) -> bool:
        """Native work may call the BLAS; kernels of sparse rows do not."""
        return not self.storage.sparse or self.kernel.function is not None

    def products(self) -> AbstractContextManager[None]:
        """Return a context for native work that may call the BLAS."""
        return one_blas_thread() if self.uses_blas else nullcontext()

    def publish(self) -> Predictor:
        """Return the snapshot that answers predictions until it is retracted.

        Only the owner of the model's lock may call it: native gaps are closed on the way.
        """
        if self.predictor is None:
            self.predictor = self._make_predictor()
        return self.predictor

    def retract(self) -> None:
        """Discard the snapshot: the next prediction waits for the lock and makes another."""
        self.predictor = None

    def _make_predictor(self) -> Predictor:
        return Predictor(self.kernel, self.storage, self.table, self.native.predictor(), self.uses_blas)

    def announce(self, classes: ArrayLike | None) -> None:
        """Note classes that the user expects; they come with the table."""

    def size(self) -> int:
        """Return the number of support vectors, or of features."""
        return len(self.support().ids)

    def watched(self, monitor: _core.Monitor | None) -> AbstractContextManager[_core.Monitor | None]:
        """Return a context for learning, whose value is the monitor to give to the machines."""
        return nullcontext(monitor) if self.kernel.function is None else deferred_interrupts(monitor)

    def extend(self, table: ClassTable) -> None:
        """Take over a table with more classes."""
        if len(table) == len(self.table):
            return
        native, before = self.native, self.table
        try:
            self.table = table
            native.grow(len(table))
        except BaseException:
            if native.broken:
                self.table = before
            else:  # a signal handler raises before or after the work, which does nothing when it is done
                self.table = table
                native.grow(len(table))
            raise

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

    def memory(self, name: str) -> NDArray[np.int64]:
        """Return what the solvers remember under some name, one row per binary model in the order of the classes."""
        table, arrays = self.snapshot()
        remembered: NDArray[np.int64] = arrays[name]
        return remembered[table.numbers] if len(table) > 2 else remembered

    def vectors(self, arrays: Arrays) -> Any:
        """Return the examples held by a snapshot of the machines as they were given."""
        if self.storage.sparse:
            shape = (len(arrays["ids"]), self.storage.n_features)
            return csr_matrix((arrays["data"], arrays["indices"], arrays["indptr"]), shape=shape)
        return arrays["values"] + arrays["shift"] if arrays["shift"].size else arrays["values"]

    def to_arrays(self) -> tuple[Arrays, dict[str, Any]]:
        """Return everything as plain arrays, and values: the options, and others that JSON can hold if labels are.

        A kernel function of the user is not among them.
        """
        table, arrays = self.snapshot() if self._arrays is None else (self.table, self._arrays)
        return arrays, self._values(table)

    def _values(self, table: ClassTable) -> dict[str, Any]:
        """Return all that is not an array, with the classes of one moment."""
        kernel = {key: value for key, value in vars(self.kernel).items() if key != "function"}
        return {
            "kernel": kernel,
            "options": self.options,
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
        self.options = values["options"]
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
