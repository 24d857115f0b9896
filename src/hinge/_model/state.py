"""The state of a fitted model: the only object that learning changes, and that copies and files contain."""

from __future__ import annotations

import copy
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias

import numpy as np
from scipy.sparse import csr_matrix

from hinge import _core
from hinge._calibration import CAPACITY, Decisions
from hinge._model.class_scheme import scheme_of
from hinge._model.first_examples import FirstExamples, split
from hinge._model.interrupts import deferred_interrupts
from hinge._model.kernels import KernelSpec
from hinge._model.labels import ClassTable
from hinge._model.predictor import Predictor
from hinge._model.progressive import ProgressiveScore
from hinge._model.support import Support
from hinge._model.threads import one_blas_thread
from hinge._model.validation import Storage
from hinge._model.widening import widen_arrays

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import ArrayLike, NDArray

    from hinge._model.native_model import NativeModel
    from hinge._model.options import SolverOptions
    from hinge._model.stream_watch import StreamWatch
    from hinge._model.time_limit import TimeLimit
    from hinge._model.types import Array, Arrays, KernelFunction, Rows, Values


NativeClasses: TypeAlias = dict[str, Any]  # native model classes by the name of their dtype
BEGINNING = 1024  # examples of a stream after which gamma, the precision and the shift are final


class State:
    """The state of a fitted model.

    Copies and pickles contain plain arrays only; the native model is rebuilt from them when it is first needed.

    Parameters
    ----------
    kernel : KernelSpec
        The kernel with the values of its parameters.
    options : SolverOptions
        Options of the native model.
    storage : Storage
        How examples are stored.
    table : ClassTable
        The classes known so far.

    Attributes
    ----------
    beginning : FirstExamples or None
        The first examples of a stream, with the columns labels, costs, weights and ids, as long as gamma, the precision
        and the shift may change; None when they are final.
    decisions : Decisions or None
        Decision values for examples that the model did not know, which probabilities are fitted to; None if the
        estimator does not want any.
    """

    _native_classes: ClassVar[NativeClasses] = {"float32": _core.KernelModel32, "float64": _core.KernelModel64}
    holds_all: ClassVar[bool] = False  # exact models hold all examples
    warns_when_stalled: ClassVar[bool] = True  # exact models check their solution instead

    def __init__(self, kernel: KernelSpec, options: SolverOptions, storage: Storage, table: ClassTable) -> None:
        self.kernel = kernel
        self.options = options
        self.storage = storage
        self.table = replace(table, scheme=scheme_of(options))
        self.n_seen = 0
        self.beginning: FirstExamples | None = None
        self.decisions: Decisions | None = None
        self._arrays: Arrays | None = None
        self._native: NativeModel | None = None
        self._reset()

    def _reset(self) -> None:
        """Initialise the attributes that are not saved."""
        self.progressive_score = ProgressiveScore()
        self.watch: StreamWatch | None = None
        self.converged = True
        self.predictor: Predictor | None = None
        self.limit: TimeLimit | None = None

    @property
    def is_usable(self) -> bool:
        """True unless an error left the native model in an inconsistent state."""
        return self._native is None or not self._native.broken

    @property
    def has_learned(self) -> bool:
        """True if some coefficient is not zero."""
        return bool(np.any(self.native.squared_norm))

    @property
    def native(self) -> NativeModel:
        """The native model."""
        if self._native is None:
            self._native = self._build_native(self._arrays)
            self._arrays = None
        return self._native

    def _build_native(self, arrays: Arrays | None) -> NativeModel:
        """Build the native model, empty or from its arrays."""
        kind = self._native_classes[self.storage.dtype.name]
        parts = (
            self.kernel.native(self.storage.dtype),
            self.options,
            self.storage.n_features,
            self.storage.sparse,
            len(self.table),
        )
        native: NativeModel = kind(*parts) if arrays is None else kind.restore(*parts, arrays)
        return native

    @property
    def input_storage(self) -> Storage:
        """How rows to learn are converted: in the beginning of a stream, float64 stays, and the model follows."""
        widens = self.beginning is not None and self.storage.dtype == np.float32
        return replace(self.storage, widens=True) if widens else self.storage

    def use(self, options: SolverOptions) -> NativeModel:
        """Set the options of the native model, and return it."""
        if options != self.options:
            self.native.set_options(options)
            self.options = options
        return self.native

    def is_brief(self, n_rows: int, *, has_readers: bool) -> bool:
        """Return whether learning so many rows is not worth a snapshot: predictions in other threads wait for it.

        A snapshot may copy all rows held, which takes as long as learning about 16. As long as no other thread has
        predicted, that would be for nobody, unless the call is long.
        """
        if has_readers and self.beginning is not None and n_rows >= self.beginning.n_missing:
            n_rows += len(self.beginning)  # these are learned again
        return n_rows <= (16 if has_readers else 256)

    @property
    def uses_blas(self) -> bool:
        """True if the native code calls the BLAS; kernels of sparse rows do not."""
        return not self.storage.sparse or self.kernel.function is not None

    def blas_context(self) -> AbstractContextManager[None]:
        """Return a context for native calls, which limits the BLAS to one thread if it is used."""
        return one_blas_thread() if self.uses_blas else nullcontext()

    def make_snapshot(self) -> Predictor:
        """Return the snapshot for predictions, made now unless there is one.

        Only the owner of the model's lock may call it.
        """
        if self.predictor is None:
            self.predictor = self._make_predictor()
        return self.predictor

    def renew_snapshot(self) -> None:
        """Replace the snapshot by one of the present state."""
        self.predictor = self._make_predictor()

    def drop_snapshot(self) -> None:
        """Discard the snapshot; the next prediction waits for the lock and makes another."""
        self.predictor = None

    def _make_predictor(self) -> Predictor:
        parts = (self.kernel, self.storage, self.table, self.native.predictor(), self.uses_blas)
        return Predictor(*parts, decisions=self.decisions, half_life=self.half_life)

    @property
    def half_life(self) -> float | None:
        """Rows after which an example counts half; None if all count the same."""
        found: float | None = getattr(self.options, "half_life", None)
        return found

    def record_decisions(self) -> None:
        """Record, from now on, decision values for examples that are not known yet."""
        if self.decisions is None:
            self.decisions = Decisions.none(self.table.n_binaries)

    @property
    def n_recorded(self) -> int:
        """Number of decision values that a native call should record at most."""
        return 0 if self.decisions is None else CAPACITY

    def forget_derived(self) -> None:
        """Discard what follows from the examples held, which have changed; only models that can forget have such."""

    def announce(self, classes: ArrayLike | None) -> None:
        """Record the argument `classes` of `partial_fit`; only models that can forget need it."""

    def size(self) -> int:
        """Count the support vectors, or the features of an approximate model."""
        return len(self.support().ids)

    def monitored(self, monitor: _core.Monitor | None) -> AbstractContextManager[_core.Monitor | None]:
        """Return a context for learning; its value is the monitor to pass to the native model."""
        if self.limit is not None:
            monitor = self.limit.watch(monitor)
        return nullcontext(monitor) if self.kernel.function is None else deferred_interrupts(monitor)

    @contextmanager
    def counting(self, first: int, labels: Array, weights: NDArray[np.float64]) -> Iterator[None]:
        """Count the rows from position `first` on that one native call learns, also if Ctrl-C stops it.

        `labels` and `weights` are those of the rows.
        """
        native = self.native
        native.take_outcome()  # that of a call which nobody counted
        try:
            yield
        finally:
            outcome = native.take_outcome()
            if outcome is not None:
                self.n_seen = first + outcome.reached
                self.progressive_score.count(outcome)
                self.take_decisions(outcome, labels, weights, first + outcome.recorded_rows)

    def take_decisions(
        self, outcome: _core.Outcome, labels: Array, weights: NDArray[np.float64], known: NDArray[np.int64]
    ) -> None:
        """Keep the decision values that a native call recorded; `known` is how many examples the model knew then."""
        rows = outcome.recorded_rows
        if self.decisions is not None and len(rows):
            numbers = labels[rows].astype(np.int32)
            self.decisions = self.decisions.plus(outcome.recorded_decisions, numbers, weights[rows], known)

    def sync_beginning(self) -> None:
        """Bring the examples stored in `beginning` up to date; only models that can forget need it."""

    @property
    def has_final_kernel(self) -> bool:
        """True unless more rows of the stream may change gamma."""
        return self.beginning is None

    @property
    def shifts(self) -> bool:
        """True if the native model may subtract a common shift from all rows."""
        return self.kernel.name == "rbf" and not self.storage.sparse

    def wants_shift(self, X: Rows) -> bool:
        """Return whether a model that learned these rows from scratch would compute distances more precisely."""
        native: Any = self.native
        return any(native.wants_shift(batch) for _, batch in self.storage.batches(X))

    def emptied(self, kernel: KernelSpec, storage: Storage) -> Self:
        """Return a state that has learned nothing, with another kernel or storage; steps so far stay counted."""
        empty = type(self)(kernel, self.options, storage, self.table)
        counts = self.native.state()
        arrays = empty.native.state() | {name: counts[name] for name in ("n_steps", "n_kernel_evals")}
        empty._native = empty._build_native(arrays)
        if self.decisions is not None:
            empty.record_decisions()
        return empty

    def replace_by(self, other: State) -> None:
        """Take over kernel, storage and native model of a state that has learned the same examples."""
        if self.beginning is not None:
            self.beginning.astype(other.storage.dtype)
        # One call, which no signal handler can interrupt.
        vars(self).update(
            kernel=other.kernel,
            storage=other.storage,
            converged=self.converged and other.converged,
            decisions=other.decisions,
            _native=other.native,
            _arrays=None,
        )

    def extend(self, table: ClassTable) -> None:
        """Replace the table by one with more classes, and add their binary models."""
        if len(table) == len(self.table):
            return
        native, before = self.native, self.table
        try:
            self._extend_decisions(table)
            self.table = table
            native.grow(len(table))
        except BaseException:
            if native.broken:
                self.table = before
            else:  # a signal handler raised before or after the call, which may safely be repeated
                self.table = table
                native.grow(len(table))
            raise

    def _extend_decisions(self, table: ClassTable) -> None:
        if self.decisions is not None:
            grown = table.scheme.grown(self.decisions.values, len(self.table), len(table))
            self.decisions = self.decisions.mapped(grown)

    def decide(self, X: Rows, threads: int) -> NDArray[np.float64]:
        """Compute decision values of checked examples, one column per native binary model."""
        return self.make_snapshot().decide(X, threads)

    def class_arrays(self) -> tuple[ClassTable, Arrays]:
        """Return the classes and the arrays of the native model."""
        return self.table, self.native.state()

    def support(self) -> Support:
        """Return the support vectors."""
        table, arrays = self.class_arrays()
        return Support.of(table, arrays, self.vectors(arrays))

    def solver_counts(self, name: str) -> NDArray[np.int64]:
        """Return counts that the solver keeps, one row per binary model in the order that users see."""
        table, arrays = self.class_arrays()
        counts: NDArray[np.int64] = arrays[name]
        ranks = np.abs(table.arrange(np.arange(1.0, len(counts) + 1.0)[None, :]))
        return counts[ranks.ravel().astype(np.intp) - 1]

    def vectors(self, arrays: Arrays) -> Rows:
        """Return the examples in the arrays of the native model as the user passed them."""
        if self.storage.sparse:
            shape = (len(arrays["ids"]), self.storage.n_features)
            return csr_matrix((arrays["data"], arrays["indices"], arrays["indptr"]), shape=shape)
        return arrays["values"] + arrays["shift"] if arrays["shift"].size else arrays["values"]

    def to_arrays(self) -> tuple[Arrays, Values]:
        """Return the state as plain arrays, and values that JSON can represent except for the options.

        A kernel function of the user is not included.
        """
        table, arrays = self.class_arrays() if self._arrays is None else (self.table, self._arrays)
        values, first = self._values(table), self.beginning
        arrays, values = self._with_decisions(arrays, values)
        if first is None:
            return arrays, values
        counts = {"built_from": first.built_from, "n_examples": first.n_given}
        return arrays | first.to_arrays(), values | {"beginning": counts}

    def _with_decisions(self, arrays: Arrays, values: Values) -> tuple[Arrays, Values]:
        if self.decisions is None:
            return arrays, values
        return arrays | self.decisions.to_arrays(), values | {"decisions": self.decisions.total}

    def _values(self, table: ClassTable) -> Values:
        """Return the values of `to_arrays`."""
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
    def from_arrays(cls, arrays: Arrays, values: Values, function: KernelFunction | None = None) -> Self:
        """Build a state from the result of `to_arrays`, and the kernel function of the user if it has one."""
        state = cls.__new__(cls)
        state.__setstate__((arrays, values, function))
        return state

    def __getstate__(self) -> tuple[Arrays, Values, KernelFunction | None]:
        # Options as plain values: formats other than pickle do not know native objects.
        arrays, values = self.to_arrays()
        options: Any = values["options"]
        if hasattr(options, "to_dict"):
            values |= {"options": {type(options).__name__: options.to_dict()}}
        return arrays, values, self.kernel.function

    def __setstate__(self, parts: tuple[Arrays, Values, KernelFunction | None]) -> None:
        arrays, values, function = parts
        self.kernel = KernelSpec(**values["kernel"], function=function)
        self.options = _as_options(values["options"])
        self.storage = Storage(np.dtype(values["dtype"]), values["sparse"], values["n_features"])
        self.table = ClassTable(
            np.array(values["classes"], dtype=np.dtype(values["class_type"])),
            np.array(values["class_numbers"], dtype=np.int32),
            scheme_of(self.options),
        )
        self.n_seen = values["n_seen"]
        self.decisions, arrays = Decisions.take_from(arrays, values.get("decisions"), self.table.n_binaries)
        stored, self._arrays = split(arrays)
        self._native = None
        counts, self.beginning = values.get("beginning"), None
        if counts is not None:
            self.beginning = FirstExamples.from_arrays(
                stored, BEGINNING, self.storage, counts["built_from"], counts["n_examples"]
            )
        self._reset()

    def state_to_change(self) -> Self:
        """Return this state, or a copy if a kernel function of the user may raise in the middle of a change."""
        if self.kernel.function is None:
            return self
        copied = self.copy()
        copied.progressive_score, copied.watch = replace(self.progressive_score), self.watch
        return copied

    def copy(self) -> Self:
        """Return an independent copy."""
        return self.from_arrays(*self.to_arrays(), self.kernel.function)

    def widened(self, storage: Storage, seed: int) -> Self:
        """Return a copy with more features, which are 0 in all examples so far.

        The rows may become sparse. `seed` is for maps that need random numbers per feature.
        """
        arrays, values = self.to_arrays()
        values = values | {"n_features": storage.n_features, "sparse": storage.sparse}
        copied = self.from_arrays(self._widened_arrays(arrays, storage, seed), values, self.kernel.function)
        copied.progressive_score, copied.converged = replace(self.progressive_score), self.converged
        return copied

    def _widened_arrays(self, arrays: Arrays, storage: Storage, seed: int) -> Arrays:  # noqa: ARG002
        return widen_arrays(arrays, storage.n_features, to_sparse=storage.sparse and not self.storage.sparse)

    def __deepcopy__(self, memo: dict[int, object]) -> Self:
        # Unlike `copy`, this copies the kernel function: `deepcopy` of the estimator copies its parameter `kernel` too.
        return self.from_arrays(*self.to_arrays(), copy.deepcopy(self.kernel.function, memo))


def _as_options(options: Any) -> SolverOptions:
    """Return options; `__getstate__` turns them into plain values."""
    if not isinstance(options, dict):
        return options  # type: ignore[no-any-return]
    ((name, values),) = options.items()
    restored: SolverOptions = getattr(_core, name)(**values)
    return restored
